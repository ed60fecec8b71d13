"""What the optimizers of Paddle 1.x share: parameter_list, regularization, learning rates that are
variables, minimize.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.errors import with_user_line
from ...core.mode import state
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...optimizer.optimizer import Optimizer
from ...static import default_main_program
from ...static.graph.program import Program
from ..clip import ByParameter
from ..dygraph.layers import all_parameters
from ..dygraph.lr import LearningRateDecay


class Old(Optimizer):
    """An optimizer in the words of Paddle 1.x; a class of Paddle 2 comes behind it in every
    optimizer.
    """

    _lr_shape = (1,)
    _last: float | None = None  # the rate of the last step
    _all = False  # whether it changes all parameters there are, as in 1.5

    def _begin(
        self,
        learning_rate: Any,
        parameter_list: Any,
        regularization: Any,
        grad_clip: Any,
        name: str | None,
        **own: Any,
    ) -> None:
        """Start as the class of Paddle 2, with its own settings."""
        given = isinstance(learning_rate, Variable)
        listed = [p for p in parameter_list or () if isinstance(p, Parameter)]
        if grad_clip is not None and not hasattr(grad_clip, "clip_variables"):
            kind = type(grad_clip).__name__
            raise TypeError(
                with_user_line(f"{type(self).__name__}: grad_clip is {kind}, no GradientClipBase")
            )
        super().__init__(
            0.0 if given else learning_rate, parameters=listed, grad_clip=grad_clip, **own
        )
        self.regularization = regularization
        self._all, self._name = parameter_list is None, name
        for kept in self._accumulator_specs():
            setattr(self, f"_{kept.name.removesuffix('_acc')}_acc_str", kept.name)
        if given:
            self._lr_variables[id(default_main_program())] = learning_rate

    @property
    def regularization(self) -> Any:
        """What is added to the gradients of parameters that have no regularizer of their own."""
        return self._weight_decay

    @regularization.setter
    def regularization(self, value: Any) -> None:
        self._weight_decay = value

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        grad_clip: Any = None,
    ) -> Any:
        """A step with the gradients that loss.backward() left; in a program, ops for gradients and
        step.
        """
        program = (
            loss.block.program if isinstance(loss, Variable) and loss.block is not None else None
        )
        if self._all and program is None:
            self._parameter_list = all_parameters()
        with self._clipping(grad_clip, program):
            if program is not None or parameter_list is None:
                made = super().minimize(loss, startup_program, parameter_list, no_grad_set)
                return (
                    made
                    if program is not None
                    else ([], [(p, g) for p, g in made[1] if g is not None])
                )
            pairs = [
                (p, p.grad) for p in parameter_list if p.grad is not None and not p.stop_gradient
            ]
            self._apply([(p, g.array) for p, g in pairs])
            return [], pairs

    @contextmanager
    def _clipping(self, grad_clip: Any, program: Any) -> Iterator[None]:
        """Clip as told now, else as told in the beginning, else as every parameter of a program
        says.
        """
        before = self._grad_clip
        if grad_clip is not None:
            self._grad_clip = grad_clip
        elif before is None and program is not None:
            self._grad_clip = ByParameter()
        try:
            yield
        finally:
            self._grad_clip = before

    def apply_gradients(self, params_grads: Any) -> Any:
        """A step with these gradients; in a program its ops, which are given."""
        with self._clipping(
            None, default_main_program() if state.mode.builder is not None else None
        ):
            return super().apply_gradients(params_grads)

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: Any) -> Any:
        """Apply the gradients with the optimizer."""
        return self.apply_gradients(params_grads)

    def get_lr(self) -> float:
        """The learning rate of a step."""
        self._last = float(np.float32(super().get_lr()))
        return self._last

    def current_step_lr(self) -> float:
        """The learning rate of the last step, before the first one that of now; asking for it is no
        step.
        """
        rate, last = self._learning_rate, self._last
        if isinstance(rate, LearningRateDecay) and ("step_num" not in rate.keys or last is None):
            return np.float32(rate.last_lr)  # type: ignore[return-value]
        if last is None and isinstance(rate, float):
            return rate
        return np.float32(self.get_lr() if last is None else last)  # type: ignore[return-value]

    def _global_learning_rate(self, program: Program | None = None) -> Any:
        """The variable of the learning rate in a program, the main one unless given; None where
        there is none.
        """
        return self._lr_variables.get(id(default_main_program() if program is None else program))

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Set the gradients of all parameters to zero."""
        self.clear_grad(set_to_zero)

    def state_dict(self) -> dict[str, Any]:
        """What is kept of parameters, by Paddle's names; a decay's state and step, where
        one rules.
        """
        found = super().state_dict()
        if "step_num" in found.get("LR_Scheduler", {}):
            steps = np.array([found["LR_Scheduler"]["step_num"]], np.int32)
            found["global_step"] = Tensor(steps, name="global_step")
        return found

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what state_dict() gave.

        Before the first step too, for all parameters of 1.5.
        """
        if self._all and state.mode.builder is None:
            self._parameter_list = all_parameters()
        super().set_state_dict(state_dict)
        if isinstance(self._learning_rate, LearningRateDecay) and "global_step" in state_dict:
            step = state_dict["global_step"]
            value = np.asarray(step)
            self._learning_rate.step_num = int(value.reshape(-1)[0])

    set_state_dict = set_dict
    load = set_dict

    def get_opti_var_name_list(self) -> list[str]:
        """The names of what is kept of parameters in programs."""
        return [v.name for kept in self._accumulator_variables.values() for v in kept.values()]
