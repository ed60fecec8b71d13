"""What all optimizers share: parameters, learning rate, clipping, weight decay, state."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..core import native
from ..core.errors import OarlockError, OpError
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from .lr import LRScheduler

Array = Any  # an ndarray like the parameter
Rule = Callable[[Any, Array, float], None]


class Change(NamedTuple):
    """What one step has to do to one parameter: its gradient, weight decay counted, and the learning rate."""

    parameter: Parameter
    gradient: Array
    lr: float


def replace(changes: list[Change], arrays: Any) -> bool:
    """Give every parameter its new array; False for NotImplemented."""
    if arrays is NotImplemented:
        return False
    for change, array in zip(changes, arrays, strict=True):
        change.parameter.array = array
    return True


class Optimizer:
    """Base of all optimizers.   Changes the arrays of its parameters in place.

    learning_rate: a number or an LRScheduler; parameters: a list of Parameters, or of dicts with 'params' and own
    settings 'learning_rate' (a factor) and 'weight_decay'; weight_decay: an L2 factor or a regularizer; grad_clip: see nn.ClipGradBy*.
    """

    _accumulators: tuple[str, ...] = ()  # arrays kept for every parameter, all starting at zero

    def __init__(
        self, learning_rate: float | LRScheduler = 0.001, parameters: Iterable[Any] | None = None, weight_decay: Any = None,
        grad_clip: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        if parameters is None:
            raise OpError(f"{type(self).__name__}: parameters are needed, e.g. parameters=layer.parameters()")
        if isinstance(parameters, Parameter):
            raise OpError(f"{type(self).__name__}: parameters is one Parameter; it should be a list of them")
        self._learning_rate = learning_rate
        self._grad_clip = grad_clip
        self._weight_decay = weight_decay
        self._settings: dict[int, dict[str, Any]] = {}
        self._parameter_list: list[Parameter] = []
        self._state: dict[str, dict[str, Array]] = {}
        for item in parameters:
            self._add(item)

    def _add(self, item: Any) -> None:
        group = item if isinstance(item, dict) else {"params": [item]}
        own = {key: value for key, value in group.items() if key != "params"}
        for parameter in group["params"]:
            if not isinstance(parameter, Parameter):
                raise OpError(f"{type(self).__name__}: {type(parameter).__name__} is no Parameter")
            self._parameter_list.append(parameter)
            if own:
                self._settings[id(parameter)] = own

    # -- learning rate ------------------------------------------------------------------------------------------

    def get_lr(self) -> float:
        """The learning rate now."""
        rate = self._learning_rate
        return float(rate()) if isinstance(rate, LRScheduler) else float(rate)

    def set_lr(self, value: float) -> None:
        """Set the learning rate.   Raises OarlockError where a scheduler rules."""
        if isinstance(self._learning_rate, LRScheduler):
            raise OarlockError("set_lr: the learning rate is an LRScheduler's; change that one")
        self._learning_rate = float(value)

    def _lr_of(self, parameter: Parameter) -> float:
        own = self._settings.get(id(parameter), {}).get("learning_rate", 1.0)
        return self.get_lr() * float(own) * float(parameter.optimize_attr["learning_rate"])

    # -- one step -----------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Change every parameter that has a gradient."""
        pairs = [(p, p.grad.array) for p in self._parameter_list if p.grad is not None and not p.stop_gradient]
        if self._grad_clip is not None:
            pairs = self._grad_clip(pairs)
        changes = [Change(p, self._decayed(p, g).astype(p.array.dtype, copy=False), self._lr_of(p)) for p, g in pairs]
        if not (native.switch.on and self._update_all(changes)):
            for change in changes:
                self._update(*change)

    def _update_all(self, changes: list[Change]) -> bool:
        """Change all parameters in one compiled step; False where there is none, and nothing has changed then."""
        return False

    def _decayed(self, parameter: Parameter, gradient: Array) -> Array:
        """The gradient plus that of the weight decay; a parameter's own regularizer goes first."""
        decay = parameter.regularizer
        if decay is None:
            decay = self._settings.get(id(parameter), {}).get("weight_decay", self._weight_decay)
        if not decay:
            return gradient
        if hasattr(decay, "gradient"):
            return gradient + decay.gradient(parameter.array)
        return gradient + parameter.array * parameter.array.dtype.type(float(decay))

    def _update(self, parameter: Parameter, gradient: Array, lr: float) -> None:
        """Change one parameter in place."""
        raise NotImplementedError

    def _state_of(self, parameter: Parameter) -> dict[str, Array]:
        state = self._state.get(parameter.name)
        if state is None:
            state = self._state[parameter.name] = self._new_state(parameter)
        return state

    def _new_state(self, parameter: Parameter) -> dict[str, Array]:
        return {key: np.zeros_like(parameter.array) for key in self._accumulators}

    def minimize(
        self, loss: Tensor, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None
    ) -> tuple[None, list[tuple[Parameter, Tensor | None]]]:
        """A step with the gradients that loss.backward() left."""
        self.step()
        return None, [(p, p.grad) for p in self._parameter_list]

    def clear_grad(self, set_to_zero: bool = False) -> None:
        """Forget the gradients of all parameters."""
        for parameter in self._parameter_list:
            parameter.clear_gradient(set_to_zero)

    clear_gradients = clear_grad

    # -- state --------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Accumulators under Paddle's names, `linear_0.w_0_moment1_0`, and the scheduler under 'LR_Scheduler'."""
        found: dict[str, Any] = {}
        for parameter in self._parameter_list:
            for key, array in self._state.get(parameter.name, {}).items():
                name = f"{parameter.name}_{key}_0"
                found[name] = Tensor(np.array(array), name=name)
        if isinstance(self._learning_rate, LRScheduler):
            found["LR_Scheduler"] = self._learning_rate.state_dict()
        return found

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what state_dict() gave.   Warns of accumulators that are missing."""
        if isinstance(self._learning_rate, LRScheduler) and "LR_Scheduler" in state_dict:
            self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])
        for parameter in self._parameter_list:
            state = self._new_state(parameter)
            missing = [key for key in state if f"{parameter.name}_{key}_0" not in state_dict]
            if missing and len(missing) < len(state):
                warnings.warn(f"{type(self).__name__}: no {missing} for {parameter.name}", stacklevel=2)
            for key in state.keys() - set(missing):
                given = state_dict[f"{parameter.name}_{key}_0"]
                state[key] = np.array(given.array if isinstance(given, Tensor) else given).reshape(state[key].shape)
            if len(missing) < len(state):
                self._state[parameter.name] = state

    set_dict = set_state_dict
