"""Adam, AdamW, Adamax and Lamb: updates scaled by running moments of the gradient."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..core import native
from ..core.errors import OpError, append_user_line
from ..core.parameter import Parameter
from ..ops import optimizer
from .lr_base import LRScheduler
from .optimizer import (
    AccumulatorSpec,
    Array,
    Optimizer,
    ParameterUpdate,
    assign_arrays_unless_not_implemented,
)
from .type_aliases import GradientClip, Parameters, WeightDecay

__all__ = ["Adam", "AdamW", "Adamax", "Lamb"]

_adam_kernel = native.compiled_function_or_placeholder("adam")


def _checked_adam_attrs(class_name: str, beta1: Any, beta2: Any, epsilon: Any) -> dict[str, float]:
    """Return the attributes beta1, beta2 and epsilon as floats. Raise OpError unless beta1 and
    beta2 are in [0, 1) and epsilon >= 0.
    """
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        if not 0 <= float(value) < 1:
            raise OpError(append_user_line(f"{class_name}: {name}={value} is not in [0, 1)"))
    if float(epsilon) < 0:
        raise OpError(append_user_line(f"{class_name}: epsilon={epsilon} is negative"))
    return {"beta1": float(beta1), "beta2": float(beta2), "epsilon": float(epsilon)}


class Adam(Optimizer):
    """Adam: steps of the running mean of the gradient, scaled by that of its square.

    moment1 = beta1 * moment1 + (1 - beta1) * g

    moment2 = beta2 * moment2 + (1 - beta2) * g^2

    parameter -= lr * sqrt(1 - beta2^t) / (1 - beta1^t) * moment1 / (sqrt(moment2) + epsilon *
    sqrt(1 - beta2^t))

    at step t = 1, 2, ... with gradient g (Kingma and Ba 2014).

    Parameters
    ----------
    learning_rate : float or LRScheduler, default 0.001
    beta1, beta2 : float, default 0.9 and 0.999
        Decay rates of the moments, in [0, 1).
    epsilon : float, default 1e-8
        Not negative.
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode; a dict is a group with own options, see `Optimizer`.
    weight_decay : float, L1Decay or L2Decay, optional
        Added to the gradient; a float is the factor of `L2Decay`. `AdamW` decays parameters
        directly.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
    lazy_mode : bool, default False
        True is not supported, because gradients are dense.
    multi_precision : bool, default False
        Update float32 copies of float16 and bfloat16 parameters.
    use_multi_tensor : bool, default False
        Not used: all parameters are updated by one call of a kernel where that is possible.
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If a beta is not in [0, 1), epsilon is negative, `lazy_mode` is True or `parameters` is
        missing.

    Examples
    --------
    >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
    >>> adam = paddle.optimizer.Adam(learning_rate=0.1, parameters=net.parameters())
    >>> net(paddle.to_tensor([[1.0, 20.0]])).sum().backward()
    >>> adam.step()
    >>> [round(w, 3) for w in net.weight.flatten().tolist()]
    [0.9, 0.9]
    """

    _op = optimizer.adam

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        parameters: Parameters | None = None,
        weight_decay: WeightDecay | None = None,
        grad_clip: GradientClip | None = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ) -> None:
        if lazy_mode:
            raise OpError(
                append_user_line(
                    f"{type(self).__name__}: lazy_mode=True is not supported, because gradients "
                    "are dense"
                )
            )
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = _checked_adam_attrs(type(self).__name__, beta1, beta2, epsilon)
        self._multi_precision = multi_precision

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        # The accumulators include the powers of beta1 and beta2 for the next step, because Paddle
        # stores them in files.
        return (
            AccumulatorSpec("moment1", "Moment1"),
            AccumulatorSpec("moment2", "Moment2"),
            AccumulatorSpec("beta1_pow_acc", "Beta1Pow", self._attrs["beta1"], is_scalar=True),
            AccumulatorSpec("beta2_pow_acc", "Beta2Pow", self._attrs["beta2"], is_scalar=True),
        )

    def _update_all_by_one_kernel_if_possible(self, updates: list[ParameterUpdate]) -> bool:
        if self._group_options:
            return False
        states = [self._get_or_create_accumulators(p) for p, _, _ in updates]
        rows = [self._compiled_kernel_args(*u, s) for u, s in zip(updates, states, strict=True)]
        if not assign_arrays_unless_not_implemented(
            updates, _adam_kernel(rows, self._attrs["beta1"], self._attrs["beta2"])
        ):
            return False
        for state in states:
            state["beta1_pow_acc"] *= self._attrs["beta1"]
            state["beta2_pow_acc"] *= self._attrs["beta2"]
        return True

    def _compiled_kernel_args(
        self, parameter: Parameter, gradient: Array, lr: float, state: dict[str, Array]
    ) -> tuple[Any, ...]:
        """Return the arguments of the compiled kernel for one parameter: the arrays, epsilon and
        learning rate with bias correction, and the factor of weight decay.
        """
        power1, power2 = state["beta1_pow_acc"].item(), state["beta2_pow_acc"].item()
        correction = math.sqrt(1 - power2)
        rate = lr * correction / (1 - power1)
        arrays = parameter.array, gradient, state["moment1"], state["moment2"]
        return (
            *arrays,
            self._attrs["epsilon"] * correction,
            rate,
            self._decoupled_decay_multiplier(parameter, lr),
        )

    def _decoupled_decay_multiplier(self, parameter: Parameter, lr: float) -> float:
        """Return the factor by which the parameter is multiplied before the update, that is, the
        decoupled weight decay.
        """
        return 1.0


class AdamW(Adam):
    """Adam with decoupled weight decay: the decay does not pass through the moments.

    parameter *= 1 - lr * weight_decay, then Adam's update (Loshchilov and Hutter 2017).

    Parameters
    ----------
    learning_rate : float or LRScheduler, default 0.001
    beta1, beta2 : float, default 0.9 and 0.999
        Decay rates of the moments, in [0, 1).
    epsilon : float, default 1e-8
        Not negative.
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode; a dict is a group with own options, see `Optimizer`.
    weight_decay : float, default 0.01
        The `regularizer` of a parameter is not used.
    lr_ratio : callable, optional
        ``lr_ratio(parameter)`` returns a factor of the learning rate.
    apply_decay_param_fun : callable, optional
        ``apply_decay_param_fun(name)`` returns whether the parameter of that name decays. Default:
        all decay.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
    lazy_mode : bool, default False
        True is not supported, because gradients are dense.
    multi_precision : bool, default False
        Update float32 copies of float16 and bfloat16 parameters.
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If a beta is not in [0, 1), epsilon is negative, `lazy_mode` is True or `parameters` is
        missing.

    Examples
    --------
    >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
    >>> adamw = paddle.optimizer.AdamW(
    ...     learning_rate=0.1,
    ...     parameters=net.parameters(),
    ...     weight_decay=0.5,
    ...     apply_decay_param_fun=lambda name: ".w_" in name,
    ... )
    >>> net(paddle.to_tensor([[1.0, 20.0]])).sum().backward()
    >>> adamw.step()
    >>> [round(w, 3) for w in net.weight.flatten().tolist()]
    [0.85, 0.85]
    """

    _op = optimizer.adamw

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        parameters: Parameters | None = None,
        weight_decay: float = 0.01,
        lr_ratio: Callable[[Any], float] | None = None,
        apply_decay_param_fun: Callable[[str], bool] | None = None,
        grad_clip: GradientClip | None = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate,
            beta1,
            beta2,
            epsilon,
            parameters,
            None,
            grad_clip,
            lazy_mode,
            multi_precision,
            name=name,
        )
        self._coefficient = float(weight_decay)
        self._lr_ratio = lr_ratio
        self._has_decay = apply_decay_param_fun

    def _find_coupled_weight_decay(self, parameter: Parameter) -> Any:
        return None

    def _op_attrs_of_parameter(self, parameter: Parameter) -> dict[str, Any]:
        ratio = 1.0 if self._lr_ratio is None else float(self._lr_ratio(parameter))
        return {
            **super()._op_attrs_of_parameter(parameter),
            "lr_ratio": ratio,
            "coeff": self._weight_decay_of(parameter),
            "with_decay": True,
        }

    def _weight_decay_of(self, parameter: Parameter) -> float:
        if self._has_decay is not None and not self._has_decay(parameter.name):
            return 0.0
        return float(
            self._group_options.get(id(parameter), {}).get("weight_decay", self._coefficient)
        )

    def _compiled_kernel_args(
        self, parameter: Parameter, gradient: Array, lr: float, state: dict[str, Array]
    ) -> tuple[Any, ...]:
        ratio = 1.0 if self._lr_ratio is None else float(self._lr_ratio(parameter))
        return super()._compiled_kernel_args(parameter, gradient, lr * ratio, state)

    def _decoupled_decay_multiplier(self, parameter: Parameter, lr: float) -> float:
        return 1 - lr * self._weight_decay_of(parameter)


class Adamax(Optimizer):
    """Adam with the infinity norm instead of the second moment.

    moment = beta1 * moment + (1 - beta1) * g

    inf_norm = max(abs(g), beta2 * inf_norm + epsilon)

    parameter -= lr / (1 - beta1^t) * moment / inf_norm

    at step t = 1, 2, ... with gradient g (Kingma and Ba 2014).

    Parameters
    ----------
    learning_rate : float or LRScheduler, default 0.001
    beta1, beta2 : float, default 0.9 and 0.999
        Decay rates, in [0, 1).
    epsilon : float, default 1e-8
        Not negative.
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode; a dict is a group with own options, see `Optimizer`.
    weight_decay : float, L1Decay or L2Decay, optional
        Added to the gradient; a float is the factor of `L2Decay`.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If a beta is not in [0, 1), epsilon is negative or `parameters` is missing.

    Examples
    --------
    >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
    >>> adamax = paddle.optimizer.Adamax(learning_rate=0.1, parameters=net.parameters())
    >>> net(paddle.to_tensor([[1.0, 20.0]])).sum().backward()
    >>> adamax.step()
    >>> [round(w, 3) for w in net.weight.flatten().tolist()]
    [0.9, 0.9]
    """

    _op = optimizer.adamax

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        parameters: Parameters | None = None,
        weight_decay: WeightDecay | None = None,
        grad_clip: GradientClip | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = _checked_adam_attrs(type(self).__name__, beta1, beta2, epsilon)

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return (
            AccumulatorSpec("moment", "Moment"),
            AccumulatorSpec("inf_norm", "InfNorm"),
            AccumulatorSpec("beta1_pow_acc", "Beta1Pow", self._attrs["beta1"], is_scalar=True),
        )

    def _update_accumulators_after_op(self, parameter: Parameter, state: dict[str, Array]) -> None:
        state["beta1_pow_acc"] = (
            state["beta1_pow_acc"] * self._op_attrs_of_parameter(parameter)["beta1"]
        )


class Lamb(Adam):
    """LAMB: Adam's update plus weight decay, scaled to the norm of each parameter.

    u = moment1 / (1 - beta1^t) / (sqrt(moment2 / (1 - beta2^t)) + epsilon) + lamb_weight_decay *
    parameter

    parameter -= lr * norm(parameter) / norm(u) * u

    with Adam's moments (You et al. 2019). The ratio of the norms is 1 if one of them is 0.

    Parameters
    ----------
    learning_rate : float or LRScheduler, default 0.001
    lamb_weight_decay : float, default 0.01
    beta1, beta2 : float, default 0.9 and 0.999
        Decay rates of the moments, in [0, 1).
    epsilon : float, default 1e-6
        Not negative.
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode; a dict is a group with own options, see `Optimizer`.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
    exclude_from_weight_decay_fn : callable, optional
        ``exclude_from_weight_decay_fn(parameter)`` returns whether the parameter does not decay.
    multi_precision : bool, default False
        Update float32 copies of float16 and bfloat16 parameters.
    always_adapt : bool, default False
        Use the ratio of the norms for parameters without weight decay too; else it is 1 for them.
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If a beta is not in [0, 1), epsilon is negative or `parameters` is missing.

    Examples
    --------
    >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
    >>> lamb = paddle.optimizer.Lamb(learning_rate=0.1, parameters=net.parameters())
    >>> net(paddle.to_tensor([[1.0, 20.0]])).sum().backward()
    >>> lamb.step()
    >>> [round(w, 3) for w in net.weight.flatten().tolist()]
    [0.9, 0.9]
    """

    _op = optimizer.lamb

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-06,
        parameters: Parameters | None = None,
        grad_clip: GradientClip | None = None,
        exclude_from_weight_decay_fn: Callable[[Any], bool] | None = None,
        multi_precision: bool = False,
        always_adapt: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate,
            beta1,
            beta2,
            epsilon,
            parameters,
            None,
            grad_clip,
            multi_precision=multi_precision,
            name=name,
        )
        self._attrs |= {"weight_decay": float(lamb_weight_decay), "always_adapt": always_adapt}
        self._is_excluded_from_decay = exclude_from_weight_decay_fn

    def _op_attrs_of_parameter(self, parameter: Parameter) -> dict[str, Any]:
        attrs = super()._op_attrs_of_parameter(parameter)
        return (
            {**attrs, "weight_decay": 0.0}
            if self._is_excluded_from_decay is not None and self._is_excluded_from_decay(parameter)
            else attrs
        )

    def _update_all_by_one_kernel_if_possible(self, updates: list[ParameterUpdate]) -> bool:
        return False
