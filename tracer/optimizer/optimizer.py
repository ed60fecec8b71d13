"""What all optimizers share: parameters, learning rate, clipping, weight decay, state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import cuda, mode, native
from ..core.dtype import work_dtype
from ..core.errors import MisfitError, OperandError, OpError, RuleError, StateError, with_user_line
from ..core.op import Op
from ..core.parameter import Parameter
from ..core.tensor import Tensor, save_histories, set_grads_to_zero
from .lr_base import LRScheduler

Array = Any  # an ndarray like the parameter


# the name of the float32 copy of a half-precision parameter among its accumulators
MASTER = "fp32_master"


# What one step has to do to one parameter: its gradient, weight decay counted, and the learning
# rate.
Change = tuple[Parameter, Array, float]


def replace(changes: list[Change], arrays: Any) -> bool:
    """Give every parameter its new array; False for NotImplemented."""
    if arrays is NotImplemented:
        return False
    for (parameter, _, _), array in zip(changes, arrays, strict=True):
        parameter.array = array
    return True


def _equipped(leaf: Any) -> Parameter:
    """A parameter as it is; a plain tensor with what optimizers ask parameters for."""
    if not hasattr(leaf, "optimize_attr"):
        leaf.optimize_attr, leaf.regularizer, leaf.need_clip = {"learning_rate": 1.0}, None, True
    found: Parameter = leaf
    return found


def _operand(slots: dict[str, Any], slot: Any) -> Any:
    """What an op that makes a step takes in a slot; some have slots for many parameters, which get
    one.
    """
    found = slots.get(slot.name)
    return [found] if slot.many and found is not None else found


class Accumulator(NamedTuple):
    """What is kept of every parameter.

    name: Paddle's; slot: of the op; start: its first value; single: one number, not like the
    parameter.
    """

    name: str
    slot: str
    start: float = 0.0
    single: bool = False


def _started(kind: Accumulator, like: Array, dtype: Any) -> Array:
    """What is kept of a parameter before the first step: beside it, but for single numbers, which
    Python reads.
    """
    if kind.single:
        return np.full([1], kind.start, dtype)
    return cuda.to_device(np.full(like.shape, kind.start, dtype), cuda.index_of(like))


class Optimizer:
    """Base of all optimizers: an op that makes a step, what is kept of every parameter, and the
    op's attributes.

    learning_rate: a number or an LRScheduler; parameters: a list of Parameters, or of dicts with
    'params' and own settings 'learning_rate' (a factor), 'weight_decay' and attributes of the op;
    weight_decay: an L2 factor or a regularizer;
    grad_clip: see nn.ClipGradBy*.
    Parameters get new arrays; half-precision ones with multi_precision are kept in float32 beside.
    """

    _op: Op  # what makes a step
    _attrs: dict[str, Any]  # of that op
    # maps option names of a parameter group to attributes of the op
    _group_names: ClassVar[dict[str, str]] = {}
    _multi_precision = False
    _rate_shape: tuple[int, ...] = ()  # of the variable of the learning rate in programs
    is_training_state = True  # converted code must not use it while a program is recorded
    _in_programs = True  # whether its step is an op that a program can hold

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        if parameters is None and mode.state.mode.builder is None:
            raise OpError(
                f"{type(self).__name__}: parameters are needed, e.g. parameters=layer.parameters()"
            )
        if isinstance(parameters, Tensor):
            raise OperandError(
                f"{type(self).__name__}: parameters is one {type(parameters).__name__}; "
                f"it should be a list of them"
            )
        if not isinstance(learning_rate, int | float | np.number | LRScheduler):
            raise OperandError(
                f"{type(self).__name__}: learning_rate is {type(learning_rate).__name__}, "
                f"neither a number nor an LRScheduler"
            )
        self._learning_rate = learning_rate
        if grad_clip is not None and not callable(grad_clip):
            raise OperandError(
                f"{type(self).__name__}: grad_clip is {type(grad_clip).__name__}, not one "
                f"of nn.ClipGradBy*"
            )
        self._grad_clip = grad_clip
        self._weight_decay = weight_decay
        self._settings: dict[int, dict[str, Any]] = {}
        self._attrs = {}
        self._parameter_list: list[Parameter] = []
        self._state: dict[str, dict[str, Array]] = {}
        self._is_restored = False  # whether set_state_dict set accumulators
        # in programs, the variables of the learning rate and of what is kept
        self._rates: dict[int, Any] = {}
        self._variables: dict[str, dict[str, Any]] = {}
        for item in parameters or ():
            self._add(item)

    def _add(self, item: Any) -> None:
        group = item if isinstance(item, dict) else {"params": [item]}
        own = {
            self._group_names.get(key, key): value
            for key, value in group.items()
            if key != "params"
        }
        unknown = (
            own.keys() - {"learning_rate", "weight_decay", "grad_clip"} - self._known_settings()
        )
        if unknown:
            raise OpError(
                f"{type(self).__name__}: a parameter group has unknown options {sorted(unknown)}"
            )
        for parameter in group["params"]:
            if not isinstance(parameter, Tensor):
                raise OpError(
                    f"{type(self).__name__}: {type(parameter).__name__} is not a Parameter"
                )
            self._parameter_list.append(_equipped(parameter))
            if isinstance(item, dict):
                self._settings[id(parameter)] = own

    def _known_settings(self) -> set[str]:
        """Attributes of the op that a group of parameters may set for itself."""
        return set(self._op.attrs)

    # -- learning rate
    # ------------------------------------------------------------------------------------------

    def get_lr(self) -> float:
        """The learning rate now."""
        rate = self._learning_rate
        return float(rate()) if isinstance(rate, LRScheduler) else float(rate)

    def set_lr(self, value: float) -> None:
        """Set the learning rate.   Raises RuleError where a scheduler rules."""
        if isinstance(self._learning_rate, LRScheduler):
            raise RuleError("set_lr: the learning rate is an LRScheduler's; change that one")
        self._learning_rate = float(value)
        for variable in self._rates.values():
            variable.set_value(np.asarray(value, np.float32))

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Let a scheduler rule from now on."""
        self._learning_rate = scheduler

    def _lr_factor(self, parameter: Parameter) -> float:
        """What the learning rate is multiplied by for one parameter."""
        factor = float(parameter.optimize_attr["learning_rate"])
        own = self._settings.get(id(parameter)) if self._settings else None
        return factor if own is None else float(own.get("learning_rate", 1.0)) * factor

    # -- one step
    # --------------------------------------------------------------------------

    def step(self) -> None:
        """Change every parameter that has a gradient."""
        mode.require_eager(f"{type(self).__name__}.step", "use minimize")
        self._apply(
            [
                (p, p.grad.array)
                for p in self._parameter_list
                if p.grad is not None and not p.stop_gradient
            ]
        )

    def _apply(self, pairs: list[tuple[Parameter, Array]]) -> None:
        if mode.refuse_side_effect(f"{type(self).__name__}.step()"):
            return
        pairs = self._clip_gradients(pairs)
        rate = self.get_lr()
        if self._settings or self._weight_decay:
            changes = [(p, self._decayed(p, g), rate * self._lr_factor(p)) for p, g in pairs]
        else:  # Fast path of most optimizers: per-parameter overhead matters in small models.
            changes = [
                (
                    p,
                    g if p.regularizer is None else self._decayed(p, g),
                    rate * p.optimize_attr["learning_rate"],
                )
                for p, g in pairs
            ]
        save_histories(p for p, _ in pairs)
        if not (native.switch.on and self._update_all(changes)):
            for change in changes:
                self._update(*change)

    def _clip_gradients(
        self, pairs: list[tuple[Parameter, Array]]
    ) -> list[tuple[Parameter, Array]]:
        """Clip the gradients of each parameter group separately, with the `grad_clip` of the group
        if it has one.
        """
        if not self._settings:
            return pairs if self._grad_clip is None else self._grad_clip(pairs)
        groups: dict[int, list[tuple[Parameter, Array]]] = {}
        for pair in pairs:
            groups.setdefault(id(self._settings.get(id(pair[0]))), []).append(pair)
        clipped: list[tuple[Parameter, Array]] = []
        for group in groups.values():
            clip = self._settings.get(id(group[0][0]), {}).get("grad_clip", self._grad_clip)
            clipped += group if clip is None else clip(group)
        return clipped

    def _update_all(self, changes: list[Change]) -> bool:
        """Change all parameters in one compiled step; False where there is none, and nothing has
        changed then.
        """
        return False

    def _decay_of_gradient(self, parameter: Parameter) -> Any:
        """The weight decay that is a term of the gradient; a parameter's own regularizer goes
        first.
        """
        if parameter.regularizer is not None:
            return parameter.regularizer
        own = self._settings.get(id(parameter)) if self._settings else None
        return self._weight_decay if own is None else own.get("weight_decay", self._weight_decay)

    def _decayed(self, parameter: Parameter, gradient: Array) -> Array:
        """The gradient plus that of the weight decay."""
        decay = self._decay_of_gradient(parameter)
        if not decay:
            return gradient
        if hasattr(decay, "gradient"):
            return gradient + decay.gradient(parameter.array)
        return gradient + parameter.array * parameter.array.dtype.type(float(decay))

    def _update(self, parameter: Parameter, gradient: Array, lr: float) -> None:
        """Change one parameter: run the op, put its results where its operands were."""
        state = self._state_of(parameter)
        value = state.get(MASTER, parameter.array)
        slots = {a.slot: state[a.name] for a in self._kinds()}
        slots |= {
            "Param": value,
            "Grad": gradient.astype(value.dtype, copy=False),
            "LearningRate": np.array([lr], work_dtype(value.dtype)),
        }
        op = self._op
        outs = op.kernel(*(_operand(slots, s) for s in op.ins), **self._attrs_of(parameter))
        rows = zip(op.outs, outs if len(op.outs) > 1 else (outs,), strict=True)
        made = {s.over: o[0] if s.many else o for s, o in rows}
        for a in self._kinds():
            state[a.name] = made.get(a.slot, state[a.name])
        if MASTER in state:
            state[MASTER] = made["Param"]
        parameter.array = made["Param"].astype(parameter.array.dtype, copy=False)
        self._after_update(parameter, state)

    @property
    def _accumulators(self) -> dict[str, dict[str, Any]]:
        """What is kept of parameters, by Paddle's name of it and the parameter's: variables of
        programs, else tensors.
        """
        found: dict[str, dict[str, Any]] = {}
        for name, state in self._state.items():
            for key, array in state.items():
                found.setdefault(key, {})[name] = Tensor(array, name=f"{name}_{key}_0")
        for name, kept in self._variables.items():
            for key, variable in kept.items():
                found.setdefault(key, {})[name] = variable
        return found

    def _get_accumulator(self, name: str, param: Any) -> Any:
        """What is kept of a parameter.   Raises OpError where there is none of that name."""
        found = self._accumulators.get(name, {}).get(param.name)
        if found is None:
            raise OpError(f"{type(self).__name__}: no {name} of {param.name} is kept")
        return found

    def _kinds(self) -> tuple[Accumulator, ...]:
        """What is kept of every parameter."""
        return ()

    def _after_update(self, parameter: Parameter, state: dict[str, Array]) -> None:
        """What a step leaves to do with what is kept."""

    def _attrs_of(self, parameter: Parameter) -> dict[str, Any]:
        """The attributes of the op for one parameter."""
        own = self._settings.get(id(parameter))
        return (
            {**self._attrs, **{k: v for k, v in own.items() if k in self._attrs}}
            if own
            else self._attrs
        )

    def _state_of(self, parameter: Parameter) -> dict[str, Array]:
        state = self._state.get(parameter.name)
        if state is None:
            state = self._new_state(parameter)
            if state and self._is_restored:
                self._reject_missing(parameter, list(state))
            self._state[parameter.name] = state
        return state

    def _new_state(self, parameter: Parameter) -> dict[str, Array]:
        like = parameter.array
        keep_wide = self._multi_precision and work_dtype(like.dtype) != like.dtype
        dtype = work_dtype(like.dtype) if keep_wide else like.dtype
        # a power accumulator starts with the parameter's own attribute value
        attrs = self._attrs_of(parameter)
        kinds = [
            a._replace(start=attrs.get(a.name.removesuffix("_pow_acc"), a.start)) if a.single else a
            for a in self._kinds()
        ]
        state = {a.name: _started(a, like, dtype) for a in kinds}
        return {**state, MASTER: like.astype(dtype)} if keep_wide else state

    def minimize(
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[Any, list[tuple[Parameter, Tensor | None]]]:
        """A step with the gradients that loss.backward() left; in a program, ops for gradients and
        step.

        Gives pairs of a parameter and its gradient, and before them the ops of the step, None where
        it was made.
        """
        builder = mode.state.mode.builder
        if builder is not None:
            found: tuple[Any, Any] = builder.minimize(
                self, loss, startup_program, parameters, no_grad_set
            )
            return found
        self.step()
        return None, [(p, p.grad) for p in self._parameter_list if p.grad is not None]

    def backward(
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list[tuple[Parameter, Tensor]]:
        """Pairs of a parameter and its gradient: those that loss.backward() left; in a program, ops
        for them.
        """
        builder = mode.state.mode.builder
        if builder is not None:
            found: list[tuple[Parameter, Tensor]] = builder.backward(
                self, loss, parameters, no_grad_set
            )
            return found
        return [(p, p.grad) for p in self._parameter_list if p.grad is not None]

    def apply_gradients(self, params_grads: Iterable[tuple[Parameter, Tensor]]) -> Any:
        """A step with these gradients; in a program its ops, which are given."""
        builder = mode.state.mode.builder
        if builder is not None:
            return builder.apply(self, params_grads)
        return self._apply([(p, g.array) for p, g in params_grads if g is not None])

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Set the gradients of all parameters to zero, or forget them.

        Parameters
        ----------
        set_to_zero : bool, default True
            A parameter that had a gradient keeps one of zeros, so that the next step updates it
            (moments decay, weight decay applies) even if the next loss does not depend on it.
            False: its `grad` is None, and the next step leaves it out.

        Raises
        ------
        TraceError
            If it is called while a program is recorded.

        Examples
        --------
        >>> net = paddle.nn.Linear(2, 2)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> net(paddle.ones([1, 2])).sum().backward()
        >>> sgd.clear_grad()
        >>> net.bias.grad.numpy()
        array([0., 0.], dtype=float32)
        >>> sgd.clear_grad(set_to_zero=False)
        >>> net.bias.grad is None
        True
        """
        if mode.refuse_side_effect(f"{type(self).__name__}.clear_grad()"):
            return
        if set_to_zero:
            set_grads_to_zero(self._parameter_list)
        else:
            for parameter in self._parameter_list:
                parameter.grad = None

    clear_gradients = clear_grad

    # -- state
    # --------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Accumulators under Paddle's names, `linear_0.w_0_moment1_0`; 'LR_Scheduler' and
        'master_weights' where there are any.
        """
        found: dict[str, Any] = {}
        masters: dict[str, Tensor] = {}
        found.update(
            {v.name: v.get_value() for kept in self._variables.values() for v in kept.values()}
        )
        for parameter in self._parameter_list:
            state = self._state.get(parameter.name, {})
            for key, array in state.items():
                name = (
                    parameter.name if key == MASTER else self._key(parameter, key, MASTER in state)
                )
                (masters if key == MASTER else found)[name] = Tensor(
                    np.array(cuda.to_host(array)), name=name
                )
        if masters:
            found["master_weights"] = masters
        if isinstance(self._learning_rate, LRScheduler):
            found["LR_Scheduler"] = self._learning_rate.state_dict()
        return found

    @staticmethod
    def _key(parameter: Parameter, accumulator: str, mastered: bool) -> str:
        return (
            f"{parameter.name}_{MASTER}_0_{accumulator}_0"
            if mastered
            else f"{parameter.name}_{accumulator}_0"
        )

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Set the accumulators and the state of the learning rate scheduler.

        Parameters
        ----------
        state_dict : dict
            What `state_dict()` of an optimizer of the same kind, for parameters of the same names,
            returned.

        Raises
        ------
        StateError
            If there is a scheduler and 'LR_Scheduler' is missing.
        MisfitError
            If an accumulator is missing or has another shape. A parameter without any accumulators
            in `state_dict` raises here when it has been updated before, else at its first update.
            An AssertionError in Paddle.
        """
        if isinstance(self._learning_rate, LRScheduler):
            if "LR_Scheduler" in state_dict:
                self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])
            elif (
                "global_step" not in state_dict
            ):  # Paddle 1.6 and 1.7 saved only this of a scheduler
                why = (
                    "this optimizer has a learning rate scheduler, and state_dict has no "
                    "'LR_Scheduler'"
                )
                raise StateError(with_user_line(f"{type(self).__name__}.set_state_dict: {why}"))
        for variable in (v for kept in self._variables.values() for v in kept.values()):
            if variable.name in state_dict:
                variable.set_value(state_dict[variable.name])
        if self._variables:
            return
        for parameter in self._parameter_list:
            state = self._new_state(parameter)
            given = {key: self._given(state_dict, parameter, key, MASTER in state) for key in state}
            missing = [key for key, value in given.items() if value is None and key != MASTER]
            if missing and (
                len(missing) < len(state.keys() - {MASTER}) or self._state.get(parameter.name)
            ):
                self._reject_missing(parameter, missing)
            if not missing:
                set_ = {
                    k: self._checked(parameter, k, v, state[k])
                    for k, v in given.items()
                    if v is not None
                }
                self._state[parameter.name] = {**state, **set_}
        self._is_restored = bool(
            state_dict.keys() - {"LR_Scheduler", "master_weights", "global_step"}
        )

    def _reject_missing(self, parameter: Parameter, missing: Sequence[str]) -> None:
        why = (
            f"optimizer Tensor {self._key(parameter, missing[0], False)} not found in the "
            f"state dict"
        )
        hint = "the parameter names must equal those of the saved model"
        raise MisfitError(with_user_line(f"{type(self).__name__}.set_state_dict: {why}; {hint}"))

    def _given(
        self, state_dict: dict[str, Any], parameter: Parameter, key: str, mastered: bool
    ) -> Any:
        """What a state dict holds for an accumulator; Paddle counts the last number on with every
        optimizer of a process.
        """
        if key == MASTER:
            return state_dict.get("master_weights", {}).get(parameter.name)
        name = self._key(parameter, key, mastered)
        if name in state_dict:
            return state_dict[name]
        others = [
            k
            for k in state_dict
            if isinstance(k, str) and re.fullmatch(re.escape(name[:-1]) + r"\d+", k)
        ]
        return state_dict[others[0]] if len(others) == 1 else None

    def _checked(self, parameter: Parameter, key: str, given: Any, like: Array) -> Array:
        array = cuda.copy_like(
            given.array if isinstance(given, Tensor) else np.asarray(given), like
        )
        if array.size != like.size:
            why = f"{key} of {parameter.name} is {list(array.shape)}, not {list(like.shape)}"
            raise MisfitError(with_user_line(f"{type(self).__name__}.set_state_dict: {why}"))
        return array.reshape(like.shape)

    set_dict = set_state_dict
