"""Base class of the optimizers: parameters, learning rate, clipping, weight decay, state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import cuda, mode
from ..core.dtype import compute_dtype
from ..core.errors import (
    ArgumentAssertionError,
    InvalidOperationError,
    MissingStateError,
    OperandError,
    OpError,
    append_user_line,
)
from ..core.name_hints import OPTIMIZER_ATTRIBUTES, suggest_alternatives
from ..core.op import Op, kernel_selection
from ..core.parameter import Parameter
from ..core.profile_events import event
from ..core.tensor import Tensor, save_values_for_backward_before_change, set_grads_to_zero
from .lr_base import LRScheduler
from .type_aliases import GradientClip, Parameters, WeightDecay

Array = Any  # an ndarray with the shape of the parameter


# key of the float32 copy of a half-precision parameter among its accumulators
MASTER = "fp32_master"


# Update of one parameter in a step: the parameter, its gradient with weight decay, and the learning
# rate.
ParameterUpdate = tuple[Parameter, Array, float]


def assign_arrays_unless_not_implemented(updates: list[ParameterUpdate], arrays: Any) -> bool:
    """Assign the new arrays to the updated parameters. Do nothing and return False if `arrays` is
    NotImplemented.
    """
    if arrays is NotImplemented:
        return False
    for (parameter, _, _), array in zip(updates, arrays, strict=True):
        parameter.array = array
    return True


def _set_missing_parameter_attrs(leaf: Any) -> Parameter:
    """Return the tensor. If the tensor is not a Parameter, set the attributes that optimizers read
    from parameters on it, in place.
    """
    if not hasattr(leaf, "optimize_attr"):
        leaf.optimize_attr, leaf.regularizer, leaf.need_clip = {"learning_rate": 1.0}, None, True
    parameter: Parameter = leaf
    return parameter


def _slot_input(slots: dict[str, Any], slot: Any) -> Any:
    """Return the input of the optimizer op for a slot. A list slot, which takes several parameters,
    gets a list of one.
    """
    value = slots.get(slot.name)
    return [value] if slot.is_list and value is not None else value


class AccumulatorSpec(NamedTuple):
    """Specification of an accumulator, of which the optimizer has one for each parameter.

    name: Paddle's.
    slot: of the op.
    is_scalar: one number instead of an array like the parameter.
    """

    name: str
    slot: str
    initial_value: float = 0.0
    is_scalar: bool = False


def _create_accumulator(spec: AccumulatorSpec, like: Array, dtype: Any) -> Array:
    """Create an accumulator on the device of the parameter. An accumulator of one number stays on
    the CPU, because Python reads it.
    """
    if spec.is_scalar:
        return np.full([1], spec.initial_value, dtype)
    return cuda.to_device(np.full(like.shape, spec.initial_value, dtype), cuda.gpu_index_of(like))


@suggest_alternatives(OPTIMIZER_ATTRIBUTES)
class Optimizer:
    """Base class of all optimizers: parameters, learning rate, clipping, weight decay and state.

    A step clips the gradients, adds the weight decay to them, and updates each parameter that has a
    gradient. A subclass defines the update. This class itself cannot update parameters.

    Parameters
    ----------
    learning_rate : float or LRScheduler, default 0.001
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode. A dict is a group: `params` holds its parameters; the
        other keys override options for them: `learning_rate` (a factor of the optimizer's),
        `weight_decay`, `grad_clip`, and options of the update such as `beta1`.
    weight_decay : float, L1Decay or L2Decay, optional
        A float c is `L2Decay(c)`: it adds c * parameter to the gradient. The `regularizer` of a
        parameter replaces it.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
        Clips the gradients before the weight decay is added, each group by itself.
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If `parameters` is missing or holds other objects, or if a group has unknown options.
    OperandError
        If `parameters` is one tensor, or `learning_rate` or `grad_clip` has a wrong type.

    Notes
    -----
    A step sets each parameter to a new array. Optimizers with the option `multi_precision` keep a
    float32 copy of each float16 or bfloat16 parameter and update this copy.

    Examples
    --------
    >>> net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    >>> adam = paddle.optimizer.Adam(
    ...     learning_rate=0.01,
    ...     parameters=[
    ...         {"params": net[0].parameters(), "learning_rate": 0.1},
    ...         {"params": net[1].parameters(), "weight_decay": 0.001},
    ...     ],
    ... )
    >>> net(paddle.ones([4, 2])).mean().backward()
    >>> adam.step()
    >>> adam.clear_grad()
    """

    _op: Op  # updates a parameter
    _attrs: dict[str, Any]  # of the op
    # maps option names of a parameter group to attributes of the op
    _group_names: ClassVar[dict[str, str]] = {}
    _multi_precision = False
    _lr_shape: tuple[int, ...] = ()  # of the learning rate variable in programs
    is_training_state = True  # converted code must not use it while a program is recorded
    _supports_programs = True  # whether a program can contain the step of the optimizer

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        parameters: Parameters | None = None,
        weight_decay: WeightDecay | None = None,
        grad_clip: GradientClip | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(learning_rate, int | float | np.number | LRScheduler):
            kind = type(self).__name__
            hint = (
                f"; write {kind}(learning_rate=0.001, parameters=layer.parameters())"
                if isinstance(learning_rate, list | tuple)
                else ""
            )
            raise OperandError(
                append_user_line(
                    f"{kind}: learning_rate is {type(learning_rate).__name__}, neither a number "
                    f"nor an LRScheduler{hint}"
                )
            )
        if parameters is None and mode.state.mode.program_builder is None:
            raise OpError(
                append_user_line(
                    f"{type(self).__name__}: parameters are required, e.g. "
                    "parameters=layer.parameters()"
                )
            )
        if isinstance(parameters, Tensor) or not isinstance(parameters, Iterable | None):
            raise OperandError(
                append_user_line(
                    f"{type(self).__name__}: parameters must be a list, such as "
                    f"layer.parameters(), not one {type(parameters).__name__}"
                )
            )
        self._learning_rate = learning_rate
        if grad_clip is not None and not callable(grad_clip):
            raise OperandError(
                append_user_line(
                    f"{type(self).__name__}: grad_clip is {type(grad_clip).__name__}, not one "
                    f"of nn.ClipGradBy*"
                )
            )
        self._grad_clip: Callable[[Any], Any] | None = grad_clip
        self._weight_decay = weight_decay
        self._group_options: dict[int, dict[str, Any]] = {}
        self._attrs = {}
        self._parameter_list: list[Parameter] = []
        self._state: dict[str, dict[str, Array]] = {}
        self._is_restored = False  # whether set_state_dict set accumulators
        # in programs, the variables of the learning rate and of the accumulators
        self._lr_variables: dict[int, Any] = {}
        self._accumulator_variables: dict[str, dict[str, Any]] = {}
        for item in parameters or ():
            self._add_parameter_group(item)

    def _add_parameter_group(self, item: Any) -> None:
        group = item if isinstance(item, dict) else {"params": [item]}
        options = {
            self._group_names.get(key, key): value
            for key, value in group.items()
            if key != "params"
        }
        unknown = (
            options.keys()
            - {"learning_rate", "weight_decay", "grad_clip"}
            - self._op_attrs_allowed_in_parameter_groups()
        )
        if unknown:
            raise OpError(
                append_user_line(
                    f"{type(self).__name__}: a parameter group has unknown options "
                    f"{sorted(unknown)}"
                )
            )
        for parameter in group["params"]:
            if not isinstance(parameter, Tensor):
                raise OpError(
                    append_user_line(
                        f"{type(self).__name__}: {type(parameter).__name__} is not a Parameter"
                    )
                )
            self._parameter_list.append(_set_missing_parameter_attrs(parameter))
            if isinstance(item, dict):
                self._group_options[id(parameter)] = options

    def _op_attrs_allowed_in_parameter_groups(self) -> set[str]:
        """Return the names of those attributes of the optimizer op that a parameter group may
        set.
        """
        return set(self._op.attrs)

    # -- learning rate
    # ------------------------------------------------------------------------------------------

    def get_lr(self) -> float:
        """Return the current learning rate.

        Returns
        -------
        float
            The value of the scheduler, if there is one.

        Examples
        --------
        >>> net = nn.Linear(2, 2)
        >>> rate = paddle.optimizer.lr.StepDecay(0.5, step_size=1, gamma=0.1)
        >>> sgd = paddle.optimizer.SGD(rate, parameters=net.parameters())
        >>> rate.step()
        >>> sgd.get_lr()
        0.05
        """
        rate = self._learning_rate
        return float(rate()) if isinstance(rate, LRScheduler) else float(rate)

    def set_lr(self, value: float) -> None:
        """Set the learning rate.

        Parameters
        ----------
        value : float

        Raises
        ------
        InvalidOperationError
            If the learning rate is an LRScheduler; it is a RuntimeError.

        Examples
        --------
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=nn.Linear(2, 2).parameters())
        >>> sgd.set_lr(0.01)
        >>> sgd.get_lr()
        0.01
        """
        if isinstance(self._learning_rate, LRScheduler):
            raise InvalidOperationError(
                append_user_line(
                    "set_lr: the learning rate is an LRScheduler; change the scheduler"
                )
            )
        self._learning_rate = float(value)
        for variable in self._lr_variables.values():
            variable.set_value(np.asarray(value, np.float32))

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Use a scheduler for the learning rate from now on.

        Parameters
        ----------
        scheduler : LRScheduler

        Examples
        --------
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=nn.Linear(2, 2).parameters())
        >>> sgd.set_lr_scheduler(paddle.optimizer.lr.ExponentialDecay(0.5, gamma=0.9))
        >>> sgd.get_lr()
        0.5
        """
        self._learning_rate = scheduler

    def _lr_factor(self, parameter: Parameter) -> float:
        """Return the factor by which the learning rate is multiplied for a parameter."""
        factor = float(parameter.optimize_attr["learning_rate"])
        options = self._group_options.get(id(parameter)) if self._group_options else None
        return factor if options is None else float(options.get("learning_rate", 1.0)) * factor

    # -- one step
    # --------------------------------------------------------------------------

    def step(self) -> None:
        """Update all parameters that have a gradient.

        Parameters with ``stop_gradient=True`` or ``grad=None`` are left out. The gradients stay;
        clear them with `clear_grad` before the next backward pass.

        Raises
        ------
        OarlockError
            In static graph mode, where `minimize` appends the update to the program.
        TraceError
            If it is called while a program is recorded by `to_static`.

        Examples
        --------
        >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> net(paddle.to_tensor([[1.0, 2.0]])).sum().backward()
        >>> sgd.step()
        >>> [round(w, 3) for w in net.weight.flatten().tolist()]
        [0.9, 0.8]
        """
        mode.reject_static_graph_mode(f"{type(self).__name__}.step", "use minimize")
        with event(f"{type(self).__name__}.step", "Optimization"):
            self._step()

    def _step(self) -> None:
        """Update all parameters that have a gradient."""
        self._clip_and_update(
            [
                (p, p.grad.array)
                for p in self._parameter_list
                if p.grad is not None and not p.stop_gradient
            ]
        )

    def _clip_and_update(self, pairs: list[tuple[Parameter, Array]]) -> None:
        """Clip the gradients and update the parameters."""
        if mode.reject_or_must_skip_side_effect(f"{type(self).__name__}.step()"):
            return
        pairs = self._clip_gradients(pairs)
        rate = self.get_lr()
        if self._group_options or self._weight_decay:
            updates = [
                (p, self._add_weight_decay_to_gradient(p, g), rate * self._lr_factor(p))
                for p, g in pairs
            ]
        else:  # Fast path of most optimizers: per-parameter overhead matters in small models.
            updates = [
                (
                    p,
                    g if p.regularizer is None else self._add_weight_decay_to_gradient(p, g),
                    rate * p.optimize_attr["learning_rate"],
                )
                for p, g in pairs
            ]
        save_values_for_backward_before_change(p for p, _ in pairs)
        if not (
            kernel_selection.native_enabled and self._update_all_by_one_kernel_if_possible(updates)
        ):
            for update in updates:
                self._update_parameter(*update)

    def _clip_gradients(
        self, pairs: list[tuple[Parameter, Array]]
    ) -> list[tuple[Parameter, Array]]:
        """Clip the gradients of each parameter group separately, with the `grad_clip` of the group
        if it has one.
        """
        if not self._group_options:
            return pairs if self._grad_clip is None else self._grad_clip(pairs)
        groups: dict[int, list[tuple[Parameter, Array]]] = {}
        for pair in pairs:
            groups.setdefault(id(self._group_options.get(id(pair[0]))), []).append(pair)
        clipped: list[tuple[Parameter, Array]] = []
        for group in groups.values():
            clip = self._group_options.get(id(group[0][0]), {}).get("grad_clip", self._grad_clip)
            clipped += group if clip is None else clip(group)
        return clipped

    def _update_all_by_one_kernel_if_possible(self, updates: list[ParameterUpdate]) -> bool:
        """Update all parameters by one call of a compiled kernel and return True. Return False
        without any change if the optimizer has no compiled kernel for all parameters.
        """
        return False

    def _find_coupled_weight_decay(self, parameter: Parameter) -> Any:
        """Return the regularizer whose gradient is added to the gradient of the parameter. The
        regularizer of the parameter itself takes precedence over that of the optimizer.
        """
        if parameter.regularizer is not None:
            return parameter.regularizer
        options = self._group_options.get(id(parameter)) if self._group_options else None
        return (
            self._weight_decay
            if options is None
            else options.get("weight_decay", self._weight_decay)
        )

    def _add_weight_decay_to_gradient(self, parameter: Parameter, gradient: Array) -> Array:
        """Return the gradient of a parameter plus the gradient of its weight decay."""
        decay = self._find_coupled_weight_decay(parameter)
        if not decay:
            return gradient
        if hasattr(decay, "gradient"):
            return gradient + decay.gradient(parameter.array)
        return gradient + parameter.array * parameter.array.dtype.type(float(decay))

    def _update_parameter(self, parameter: Parameter, gradient: Array, lr: float) -> None:
        """Update one parameter: run the op and assign its outputs to the parameter and its
        accumulators.
        """
        state = self._get_or_create_accumulators(parameter)
        value = state.get(MASTER, parameter.array)
        slots = {a.slot: state[a.name] for a in self._accumulator_specs()}
        slots |= {
            "Param": value,
            "Grad": gradient.astype(value.dtype, copy=False),
            "LearningRate": np.array([lr], compute_dtype(value.dtype)),
        }
        op = self._op
        outs = op.kernel(
            *(_slot_input(slots, s) for s in op.ins), **self._op_attrs_of_parameter(parameter)
        )
        pairs = zip(op.outs, outs if len(op.outs) > 1 else (outs,), strict=True)
        outputs = {s.overwrites: o[0] if s.is_list else o for s, o in pairs}
        for a in self._accumulator_specs():
            state[a.name] = outputs.get(a.slot, state[a.name])
        if MASTER in state:
            state[MASTER] = outputs["Param"]
        parameter.array = outputs["Param"].astype(parameter.array.dtype, copy=False)
        self._update_accumulators_after_op(parameter, state)

    @property
    def _accumulators(self) -> dict[str, dict[str, Any]]:
        """The accumulators as nested dicts: name of the accumulator -> name of the parameter ->
        variable of a program, or tensor.
        """
        result: dict[str, dict[str, Any]] = {}
        for name, state in self._state.items():
            for key, array in state.items():
                result.setdefault(key, {})[name] = Tensor(array, name=f"{name}_{key}_0")
        for name, variables in self._accumulator_variables.items():
            for key, variable in variables.items():
                result.setdefault(key, {})[name] = variable
        return result

    def _get_accumulator(self, name: str, param: Any) -> Any:
        """Return the accumulator `name` of a parameter.

        Raises OpError if it does not exist.
        """
        accumulator = self._accumulators.get(name, {}).get(param.name)
        if accumulator is None:
            raise OpError(
                append_user_line(
                    f"{type(self).__name__}: parameter {param.name} has no accumulator {name}"
                )
            )
        return accumulator

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        """Return the specifications of the accumulators that the optimizer has for each parameter.
        Subclasses override `_accumulator_specs`.
        """
        return ()

    def _update_accumulators_after_op(self, parameter: Parameter, state: dict[str, Array]) -> None:
        """Update those accumulators of a parameter that the optimizer op itself does not update."""

    def _op_attrs_of_parameter(self, parameter: Parameter) -> dict[str, Any]:
        """Return the attributes of the optimizer op for one parameter."""
        options = self._group_options.get(id(parameter))
        return (
            {**self._attrs, **{k: v for k, v in options.items() if k in self._attrs}}
            if options
            else self._attrs
        )

    def _get_or_create_accumulators(self, parameter: Parameter) -> dict[str, Array]:
        """Return the accumulators of a parameter as arrays by name; create them at the first update
        of the parameter.
        """
        state = self._state.get(parameter.name)
        if state is None:
            state = self._make_initial_accumulators(parameter)
            if state and self._is_restored:
                self._raise_missing_accumulators(parameter, list(state))
            self._state[parameter.name] = state
        return state

    def _make_initial_accumulators(self, parameter: Parameter) -> dict[str, Array]:
        """Create the accumulators of a parameter."""
        array = parameter.array
        has_master = self._multi_precision and compute_dtype(array.dtype) != array.dtype
        dtype = compute_dtype(array.dtype) if has_master else array.dtype
        # a power accumulator starts with the parameter's own attribute value
        attrs = self._op_attrs_of_parameter(parameter)
        specs = [
            a._replace(initial_value=attrs.get(a.name.removesuffix("_pow_acc"), a.initial_value))
            if a.is_scalar
            else a
            for a in self._accumulator_specs()
        ]
        state = {a.name: _create_accumulator(a, array, dtype) for a in specs}
        return {**state, MASTER: array.astype(dtype)} if has_master else state

    def minimize(
        self,
        loss: Tensor,
        startup_program: object = None,
        parameters: Sequence[Tensor | str] | None = None,
        no_grad_set: AbstractSet[Tensor | str] | None = None,
    ) -> tuple[list[Any] | None, list[tuple[Parameter, Tensor | None]]]:
        """Update the parameters, or append the ops of gradients and update to the program.

        In eager mode, it is `step`: call ``loss.backward()`` before. In static graph mode, each run
        of the program then computes the gradients of `loss` and updates the parameters.

        Parameters
        ----------
        loss : Tensor of one element
            Not used in eager mode.
        startup_program : Program, optional
            Where the initial values of the optimizer's variables are computed. Default: the current
            startup program. Not used in eager mode.
        parameters : list of Parameter or str, optional
            The parameters that are updated. Default: those of the optimizer, or, if it has none,
            all trainable ones of the program. Not used in eager mode.
        no_grad_set : set of Variable or str, optional
            Variables that are treated as constants. Not used in eager mode.

        Returns
        -------
        ops : list of Operator, or None in eager mode
            The ops of the update.
        params_grads : list of (Parameter, Tensor)
            The parameters that have a gradient, each with its gradient.

        Raises
        ------
        ArgumentAssertionError
            In static graph mode, if `loss` has several elements.

        Examples
        --------
        >>> net = nn.Linear(2, 1)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> loss = net(paddle.ones([4, 2])).mean()
        >>> loss.backward()
        >>> ops, params_grads = sgd.minimize(loss)
        >>> len(params_grads)
        2
        """
        builder = mode.state.mode.program_builder
        if builder is not None:
            result: tuple[Any, Any] = builder.minimize(
                self, loss, startup_program, parameters, no_grad_set
            )
            return result
        self.step()
        return None, [(p, p.grad) for p in self._parameter_list if p.grad is not None]

    def backward(
        self,
        loss: Tensor,
        startup_program: object = None,
        parameters: Sequence[Tensor | str] | None = None,
        no_grad_set: AbstractSet[Tensor | str] | None = None,
        callbacks: Sequence[object] | None = None,
    ) -> list[tuple[Parameter, Tensor]]:
        """Return parameters and their gradients; in static graph mode, append the gradient ops.

        In eager mode, it does not compute gradients: call ``loss.backward()`` before.

        Parameters
        ----------
        loss : Tensor of one element
            Not used in eager mode.
        startup_program : Program, optional
            Not used.
        parameters : list of Parameter or str, optional
            The parameters whose gradients are computed. Default: those of the optimizer, or, if it
            has none, all trainable ones of the program. Not used in eager mode.
        no_grad_set : set of Variable or str, optional
            Variables that are treated as constants. Not used in eager mode.
        callbacks : list of callable, optional
            Not used.

        Returns
        -------
        list of (Parameter, Tensor)
            The parameters that have a gradient, each with its gradient. `apply_gradients` takes it.

        Examples
        --------
        >>> net = nn.Linear(2, 1)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> loss = net(paddle.ones([4, 2])).mean()
        >>> loss.backward()
        >>> params_grads = sgd.backward(loss)
        >>> [gradient.shape for _, gradient in params_grads]
        [[2, 1], [1]]
        >>> sgd.apply_gradients(params_grads)
        """
        builder = mode.state.mode.program_builder
        if builder is not None:
            pairs: list[tuple[Parameter, Tensor]] = builder.backward(
                self, loss, parameters, no_grad_set
            )
            return pairs
        return [(p, p.grad) for p in self._parameter_list if p.grad is not None]

    def apply_gradients(self, params_grads: Iterable[tuple[Parameter, Tensor]]) -> list[Any] | None:
        """Update parameters by given gradients; in static graph mode, append the ops of the update.

        The gradients are clipped and the weight decay is added to them, as in `step`.

        Parameters
        ----------
        params_grads : list of (Parameter, Tensor)
            Pairs of a parameter and its gradient, of the parameter's shape. A pair with the
            gradient None is left out.

        Returns
        -------
        list of Operator, or None in eager mode
            The ops of the update.

        Examples
        --------
        >>> net = nn.Linear(2, 1)
        >>> sgd = paddle.optimizer.SGD(0.5, parameters=net.parameters())
        >>> sgd.apply_gradients([(net.bias, paddle.to_tensor([1.0]))])
        >>> net.bias.numpy()
        array([-0.5], dtype=float32)
        """
        builder = mode.state.mode.program_builder
        if builder is not None:
            return builder.apply(self, params_grads)
        self._clip_and_update([(p, g.array) for p, g in params_grads if g is not None])
        return None

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Set the gradients of all parameters to zero, or to None.

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
        if mode.reject_or_must_skip_side_effect(f"{type(self).__name__}.clear_grad()"):
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
        """Return the accumulators of all parameters and the state of the scheduler.

        Returns
        -------
        dict
            Tensors by Paddle's names, such as "linear_0.w_0_moment1_0". A parameter has
            accumulators after its first update. "LR_Scheduler" holds the state of the scheduler if
            there is one, and "master_weights" the float32 copies of parameters if there are some.
            `paddle.save` writes it.

        Examples
        --------
        >>> bias = paddle.create_parameter([1], "float32", name="bias")
        >>> momentum = paddle.optimizer.Momentum(0.1, parameters=[bias])
        >>> (2 * bias).sum().backward()
        >>> momentum.step()
        >>> momentum.state_dict()["bias_velocity_0"].numpy()
        array([2.], dtype=float32)
        """
        result: dict[str, Any] = {}
        masters: dict[str, Tensor] = {}
        result.update(
            {
                v.name: v.get_value()
                for variables in self._accumulator_variables.values()
                for v in variables.values()
            }
        )
        for parameter in self._parameter_list:
            state = self._state.get(parameter.name, {})
            for key, array in state.items():
                name = (
                    parameter.name
                    if key == MASTER
                    else self._accumulator_name(parameter, key, MASTER in state)
                )
                (masters if key == MASTER else result)[name] = Tensor(
                    np.array(cuda.to_host(array)), name=name
                )
        if masters:
            result["master_weights"] = masters
        if isinstance(self._learning_rate, LRScheduler):
            result["LR_Scheduler"] = self._learning_rate.state_dict()
        return result

    @staticmethod
    def _accumulator_name(parameter: Parameter, accumulator: str, has_master: bool) -> str:
        return (
            f"{parameter.name}_{MASTER}_0_{accumulator}_0"
            if has_master
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
        MissingStateError
            If there is a scheduler and "LR_Scheduler" is missing.
        ArgumentAssertionError
            If an accumulator is missing or has another number of elements. A parameter without any
            accumulators in `state_dict` raises here when it has been updated before, else at its
            first update. An AssertionError in Paddle.

        Examples
        --------
        >>> net = nn.Linear(2, 1)
        >>> adam = paddle.optimizer.Adam(0.1, parameters=net.parameters())
        >>> net(paddle.ones([1, 2])).sum().backward()
        >>> adam.step()
        >>> paddle.save(adam.state_dict(), "adam.pdopt")
        >>> again = paddle.optimizer.Adam(0.1, parameters=net.parameters())
        >>> again.set_state_dict(paddle.load("adam.pdopt"))
        """
        if isinstance(self._learning_rate, LRScheduler):
            if "LR_Scheduler" in state_dict:
                self._learning_rate.set_state_dict(state_dict["LR_Scheduler"])
            elif (
                "global_step" not in state_dict
            ):  # Paddle 1.6 and 1.7 saved only this of a scheduler
                problem = (
                    "this optimizer has a learning rate scheduler, and state_dict has no "
                    "'LR_Scheduler'"
                )
                raise MissingStateError(
                    append_user_line(f"{type(self).__name__}.set_state_dict: {problem}")
                )
        for variable in (
            v for variables in self._accumulator_variables.values() for v in variables.values()
        ):
            if variable.name in state_dict:
                variable.set_value(state_dict[variable.name])
        if self._accumulator_variables:
            return
        for parameter in self._parameter_list:
            state = self._make_initial_accumulators(parameter)
            saved = {
                key: self._find_saved_accumulator(state_dict, parameter, key, MASTER in state)
                for key in state
            }
            missing = [key for key, value in saved.items() if value is None and key != MASTER]
            if missing and (
                len(missing) < len(state.keys() - {MASTER}) or self._state.get(parameter.name)
            ):
                self._raise_missing_accumulators(parameter, missing)
            if not missing:
                checked = {
                    k: self._convert_saved_value_like_accumulator(parameter, k, v, state[k])
                    for k, v in saved.items()
                    if v is not None
                }
                self._state[parameter.name] = {**state, **checked}
        self._is_restored = bool(
            state_dict.keys() - {"LR_Scheduler", "master_weights", "global_step"}
        )

    def _raise_missing_accumulators(self, parameter: Parameter, missing: Sequence[str]) -> None:
        problem = (
            f"optimizer Tensor {self._accumulator_name(parameter, missing[0], False)} not "
            "found in the "
            f"state dict"
        )
        hint = "the parameter names must equal those of the saved model"
        raise ArgumentAssertionError(
            append_user_line(f"{type(self).__name__}.set_state_dict: {problem}; {hint}")
        )

    def _find_saved_accumulator(
        self, state_dict: dict[str, Any], parameter: Parameter, key: str, has_master: bool
    ) -> Any:
        """Return the value of an accumulator in a state dict; None if the dict does not contain it.

        Paddle numbers the accumulators of all optimizers of a process, so that the last number may
        differ.
        """
        if key == MASTER:
            return state_dict.get("master_weights", {}).get(parameter.name)
        name = self._accumulator_name(parameter, key, has_master)
        if name in state_dict:
            return state_dict[name]
        others = [
            k
            for k in state_dict
            if isinstance(k, str) and re.fullmatch(re.escape(name[:-1]) + r"\d+", k)
        ]
        return state_dict[others[0]] if len(others) == 1 else None

    def _convert_saved_value_like_accumulator(
        self, parameter: Parameter, key: str, value: Any, like: Array
    ) -> Array:
        """Convert a saved value of an accumulator to an array with the shape, dtype and device of
        the accumulator.
        """
        array = cuda.copy_with_dtype_and_device_of(
            value.array if isinstance(value, Tensor) else np.asarray(value), like
        )
        if array.size != like.size:
            problem = f"{key} of {parameter.name} is {list(array.shape)}, not {list(like.shape)}"
            raise ArgumentAssertionError(
                append_user_line(f"{type(self).__name__}.set_state_dict: {problem}")
            )
        return array.reshape(like.shape)

    set_dict = set_state_dict
