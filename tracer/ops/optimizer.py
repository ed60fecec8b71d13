"""Optimizer steps: compute the updated parameter and state from parameter, gradient and state."""

from __future__ import annotations

import math
from typing import Any

from ..core.arrays import np
from ..core.op import Long, Meta, check, op
from .shared_op_rules import check_float, num_elements, shapes_match

NO_GRAD_UPDATE_OP = "it is part of a training step"


def _check_update_inputs(param, grad, lr, *states_and_rest, **_):
    """Raise OpError if the arrays or Metas that an optimizer step updates do not fit together."""
    check_float(param)
    check(shapes_match(param.shape, grad.shape), "Grad and Param have different shapes")
    check(num_elements(lr.shape) in (1, -1), "LearningRate is not one number")


def _make_overwritten_inputs_meta_rule(*indices: int) -> Any:
    """The shape inference rule of an optimizer step, whose outputs have the Metas of the inputs
    that they overwrite.
    """

    def rule(*metas: Any, **attrs: Any) -> Any:
        _check_update_inputs(*metas, **attrs)
        found = tuple(metas[i] for i in indices)
        return found if len(found) > 1 else found[0]

    return rule


def _as_scalar_in_dtype_of(array: Any, like: Any) -> Any:
    """Return the only element of an array, cast to the dtype of another array."""
    return like.dtype.type(array.reshape(-1)[0])


def reject_master_param(master: Any) -> None:
    """Raise OpError if MasterParam is given: Oarlock's optimizers pass the master weights as
    Param.
    """
    check(master is None, "MasterParam is not supported; pass the master weights as Param")


@op(
    "sgd",
    "Param!, LearningRate!, Grad!, MasterParam?! -> ParamOut~=Param",
    meta=lambda p, lr, g, *_, **__: _make_overwritten_inputs_meta_rule(0)(p, g, lr),
    no_grad_reason=NO_GRAD_UPDATE_OP,
)
def sgd(param, lr, grad, master=None, *, multi_precision: bool = False):
    """ParamOut = Param - LearningRate * Grad. Param, Grad [*], LearningRate [1] -> like Param"""
    reject_master_param(master)
    _check_update_inputs(param, grad, lr)
    return param - _as_scalar_in_dtype_of(lr, param) * grad


@op(
    "momentum",
    "Param!, Grad!, Velocity!, LearningRate!, MasterParam?! -> ParamOut~=Param, "
    "VelocityOut~=Velocity",
    meta=lambda p, g, v, lr, *_, **__: _make_overwritten_inputs_meta_rule(0, 0)(p, g, lr),
    no_grad_reason=NO_GRAD_UPDATE_OP,
)
def momentum(
    param,
    grad,
    velocity,
    lr,
    master=None,
    *,
    mu: float,
    use_nesterov: bool = False,
    regularization_method: str = "",
    regularization_coeff: float = 0.0,
    multi_precision: bool = False,
    rescale_grad: float = 1.0,
):
    """Momentum: VelocityOut = mu * Velocity + g, ParamOut = Param - lr * VelocityOut.

    With use_nesterov, ParamOut = Param - lr * (g + mu * VelocityOut).
    g = rescale_grad * Grad, plus regularization_coeff * Param for regularization_method "l2_decay".
    Param, Grad, Velocity [*] -> like Param
    """
    reject_master_param(master)
    _check_update_inputs(param, grad, lr)
    one = param.dtype.type
    g = grad * one(rescale_grad) if rescale_grad != 1.0 else grad
    if regularization_method == "l2_decay":
        g = g + one(regularization_coeff) * param
    new = one(mu) * velocity + g
    return param - _as_scalar_in_dtype_of(lr, param) * (
        g + one(mu) * new if use_nesterov else new
    ), new


def _updated_moments(
    g: Any, first: Any, second: Any, beta1: float, beta2: float
) -> tuple[Any, Any]:
    """Return the updated running means of the gradient and of its square."""
    one = g.dtype.type
    return one(beta1) * first + one(1 - beta1) * g, one(beta2) * second + one(1 - beta2) * (g * g)


def _adam_param_decrement(
    param: Any, lr: Any, first: Any, second: Any, powers: tuple[Any, Any], epsilon: float
) -> Any:
    """The value that Adam subtracts from a parameter.

    param: only its dtype is used.
    first, second: the updated moments.
    powers: beta1 and beta2 to the power of the step number.
    """
    correction = np.sqrt(1 - powers[1])
    rate = lr * correction / (1 - powers[0])
    one = param.dtype.type
    return one(rate) * (first / (np.sqrt(second) + one(epsilon * correction)))


def _scalar_or_default(tensor: Any, value: float) -> float:
    return value if tensor is None else float(tensor.reshape(-1)[0])


_ADAM = (
    "Param!, Grad!, LearningRate!, Moment1!, Moment2!, Beta1Pow!, Beta2Pow!, "
    "MasterParam?!, SkipUpdate?!, Beta1Tensor?!, Beta2Tensor?!, "
    "EpsilonTensor?! -> ParamOut~=Param, Moment1Out~=Moment1, Moment2Out~=Moment2, "
    "Beta1PowOut~=Beta1Pow, Beta2PowOut~=Beta2Pow"
)


@op(
    "adam",
    _ADAM,
    meta=_make_overwritten_inputs_meta_rule(0, 3, 4, 5, 6),
    no_grad_reason=NO_GRAD_UPDATE_OP,
)
def adam(
    param,
    grad,
    lr,
    moment1,
    moment2,
    pow1,
    pow2,
    master=None,
    skip=None,
    beta1_tensor=None,
    beta2_tensor=None,
    epsilon_tensor=None,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    lazy_mode: bool = False,
    min_row_size_to_use_multithread: Long = 1000,
    multi_precision: bool = False,
    use_global_beta_pow: bool = False,
):
    """Adam (Kingma and Ba 2014): ParamOut = Param - lr * sqrt(1 - p2) / (1 - p1) * m1 / (sqrt(m2) +
    epsilon * sqrt(1 - p2)).

    Moment1Out = m1 = beta1 * Moment1 + (1 - beta1) * Grad; Moment2Out = m2, the same for Grad ** 2.
    p1, p2 = Beta1Pow, Beta2Pow, the powers of this step; the outputs are those of the next step.
    Param, Grad, Moment1, Moment2 [*], the others [1] -> like Param, Moment1, Moment2, Beta1Pow,
    Beta2Pow
    """
    reject_master_param(master)
    _check_update_inputs(param, grad, lr)
    check(not lazy_mode, "lazy_mode is not supported")
    if skip is not None and bool(skip.reshape(-1)[0]):
        return param.copy(), moment1.copy(), moment2.copy(), pow1.copy(), pow2.copy()
    beta1, beta2 = _scalar_or_default(beta1_tensor, beta1), _scalar_or_default(beta2_tensor, beta2)
    first, second = _updated_moments(grad, moment1, moment2, beta1, beta2)
    powers = float(pow1.reshape(-1)[0]), float(pow2.reshape(-1)[0])
    step = _adam_param_decrement(
        param,
        float(lr.reshape(-1)[0]),
        first,
        second,
        powers,
        _scalar_or_default(epsilon_tensor, epsilon),
    )
    if use_global_beta_pow:
        return param - step, first, second, pow1.copy(), pow2.copy()
    return param - step, first, second, pow1 * pow1.dtype.type(beta1), pow2 * pow2.dtype.type(beta2)


@op(
    "adamw",
    _ADAM,
    meta=_make_overwritten_inputs_meta_rule(0, 3, 4, 5, 6),
    attrs_of=adam,
    no_grad_reason=NO_GRAD_UPDATE_OP,
)
def adamw(
    param,
    grad,
    lr,
    moment1,
    moment2,
    pow1,
    pow2,
    master=None,
    skip=None,
    beta1_tensor=None,
    beta2_tensor=None,
    epsilon_tensor=None,
    *,
    lr_ratio: float = 1.0,
    coeff: float = 0.01,
    with_decay: bool = False,
    **attrs: Any,
):
    """AdamW (Loshchilov and Hutter 2017): multiply Param by 1 - lr * coeff, then apply Adam.
    In these formulas, lr is LearningRate * lr_ratio.
    """
    lr = lr * lr.dtype.type(lr_ratio)
    kept = skip is not None and bool(skip.reshape(-1)[0])
    if with_decay and not kept:
        param = param * param.dtype.type(1 - float(lr.reshape(-1)[0]) * coeff)
    return adam.kernel(
        param,
        grad,
        lr,
        moment1,
        moment2,
        pow1,
        pow2,
        master,
        skip,
        beta1_tensor,
        beta2_tensor,
        epsilon_tensor,
        **attrs,
    )


@op(
    "adamax",
    "Param!, Grad!, LearningRate!, Moment!, InfNorm!, Beta1Pow!, MasterParam?! -> "
    "ParamOut~=Param, MomentOut~=Moment, InfNormOut~=InfNorm",
    meta=_make_overwritten_inputs_meta_rule(0, 3, 4),
    no_grad_reason=NO_GRAD_UPDATE_OP,
    validate_before_kernel=True,
)
def adamax(
    param,
    grad,
    lr,
    moment,
    norm,
    pow1,
    master=None,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    multi_precision: bool = False,
):
    """Adamax (Kingma and Ba 2014): ParamOut = Param - lr / (1 - Beta1Pow) * MomentOut /
    InfNormOut, where InfNormOut is the maximum of |Grad| and the decayed InfNorm.
    """
    reject_master_param(master)
    one = param.dtype.type
    first = one(beta1) * moment + one(1 - beta1) * grad
    largest = np.maximum(np.abs(grad), one(beta2) * norm + one(epsilon))
    rate = float(lr.reshape(-1)[0]) / (1 - float(pow1.reshape(-1)[0]))
    return param - one(rate) * (first / largest), first, largest


@op(
    "adagrad",
    "Param!, Grad!, Moment!, LearningRate!, MasterParam?! -> ParamOut~=Param, MomentOut~=Moment",
    meta=lambda p, g, m, lr, *_, **__: _make_overwritten_inputs_meta_rule(0, 0)(p, g, lr),
    no_grad_reason=NO_GRAD_UPDATE_OP,
    validate_before_kernel=True,
)
def adagrad(
    param, grad, moment, lr, master=None, *, epsilon: float = 1e-6, multi_precision: bool = False
):
    """Adagrad (Duchi et al., 2011): MomentOut = Moment + Grad ** 2,
    ParamOut = Param - lr * Grad / (sqrt(MomentOut) + epsilon).
    """
    reject_master_param(master)
    total = moment + grad * grad
    return param - _as_scalar_in_dtype_of(lr, param) * grad / (
        np.sqrt(total) + param.dtype.type(epsilon)
    ), total


@op(
    "adadelta",
    "Param!, Grad!, AvgSquaredGrad!, AvgSquaredUpdate!, LearningRate!, MasterParam?! -> "
    "ParamOut~=Param, AvgSquaredGradOut~=AvgSquaredGrad, AvgSquaredUpdateOut~=AvgSquaredUpdate",
    meta=lambda p, g, a, u, lr, *_, **__: _make_overwritten_inputs_meta_rule(0, 0, 0)(p, g, lr),
    no_grad_reason=NO_GRAD_UPDATE_OP,
    validate_before_kernel=True,
)
def adadelta(
    param,
    grad,
    squared,
    updates,
    lr,
    master=None,
    *,
    rho: float = 0.95,
    epsilon: float = 1e-6,
    multi_precision: bool = False,
):
    """Adadelta (Zeiler 2012): ParamOut = Param + LearningRate * u, where
    u = -sqrt((AvgSquaredUpdate + epsilon) / (AvgSquaredGradOut + epsilon)) * Grad.
    """
    reject_master_param(master)
    one = param.dtype.type
    seen = one(rho) * squared + one(1 - rho) * grad * grad
    step = -np.sqrt((updates + one(epsilon)) / (seen + one(epsilon))) * grad
    return (
        param + _as_scalar_in_dtype_of(lr, param) * step,
        seen,
        one(rho) * updates + one(1 - rho) * step * step,
    )


@op(
    "rmsprop",
    "Param!, MeanSquare!, Grad!, Moment!, LearningRate!, MeanGrad?!, MasterParam?! -> "
    "ParamOut~=Param, MomentOut~=Moment, MeanSquareOut~=MeanSquare, MeanGradOut~=MeanGrad",
    meta=lambda p, s, g, m, lr, *_, **__: _make_overwritten_inputs_meta_rule(0, 0, 0, 0)(p, g, lr),
    no_grad_reason=NO_GRAD_UPDATE_OP,
    validate_before_kernel=True,
)
def rmsprop(
    param,
    square,
    grad,
    moment,
    lr,
    mean=None,
    master=None,
    *,
    epsilon: float = 1e-10,
    decay: float = 0.9,
    momentum: float = 0.0,
    centered: bool = False,
    multi_precision: bool = False,
):
    """RMSProp (Hinton 2012): MomentOut = momentum * Moment + lr * Grad / sqrt(MeanSquareOut +
    epsilon), ParamOut = Param - MomentOut.

    centered: subtract MeanGradOut ** 2 from the radicand.
    """
    reject_master_param(master)
    one = param.dtype.type
    seen = one(decay) * square + one(1 - decay) * grad * grad
    average = np.zeros_like(param) if mean is None else mean
    under = seen + one(epsilon)
    if centered:
        average = one(decay) * average + one(1 - decay) * grad
        under = under - average * average
    step = one(momentum) * moment + _as_scalar_in_dtype_of(lr, param) * grad / np.sqrt(under)
    return param - step, step, seen, average.copy() if average is mean else average


@op(
    "lamb",
    "Param!, Grad!, LearningRate!, Moment1!, Moment2!, Beta1Pow!, Beta2Pow!, "
    "MasterParam?!, SkipUpdate?! -> "
    "ParamOut~=Param, Moment1Out~=Moment1, Moment2Out~=Moment2, Beta1PowOut~=Beta1Pow, "
    "Beta2PowOut~=Beta2Pow",
    meta=_make_overwritten_inputs_meta_rule(0, 3, 4, 5, 6),
    no_grad_reason=NO_GRAD_UPDATE_OP,
    validate_before_kernel=True,
)
def lamb(
    param,
    grad,
    lr,
    moment1,
    moment2,
    pow1,
    pow2,
    master=None,
    skip=None,
    *,
    weight_decay: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    always_adapt: bool = False,
    multi_precision: bool = False,
):
    """LAMB (You et al., 2019): ParamOut = Param - lr * ratio * u, where u is Adam's update
    plus weight_decay * Param and ratio = ||Param|| / ||u||.
    """
    reject_master_param(master)
    if skip is not None and bool(skip.reshape(-1)[0]):
        return param.copy(), moment1.copy(), moment2.copy(), pow1.copy(), pow2.copy()
    one = param.dtype.type
    first, second = _updated_moments(grad, moment1, moment2, beta1, beta2)
    p1, p2 = one(1 - float(pow1.reshape(-1)[0])), one(1 - float(pow2.reshape(-1)[0]))
    toward = first / p1 / (np.sqrt(second / p2) + one(epsilon)) + one(weight_decay) * param
    rate = _as_scalar_in_dtype_of(lr, param) * _trust_ratio(
        param, toward, always_adapt or weight_decay > 0
    )
    return (
        param - rate * toward,
        first,
        second,
        pow1 * pow1.dtype.type(beta1),
        pow2 * pow2.dtype.type(beta2),
    )


def _trust_ratio(param: Any, toward: Any, adapt: bool) -> Any:
    """The trust ratio: norm of the parameter / norm of the update; 1 if one of them is 0 or
    `adapt` is false.
    """
    size, step = (math.sqrt(float(np.sum(a.astype(np.float64) ** 2))) for a in (param, toward))
    return param.dtype.type(size / step if adapt and size > 0 and step > 0 else 1.0)


@op(
    "check_finite_and_unscale",
    "X*!, Scale! -> Out*~, FoundInfinite~",
    no_grad_reason=NO_GRAD_UPDATE_OP,
)
def check_finite_and_unscale(xs, scale):
    """Out = X / Scale; FoundInfinite = whether any element of any X is NaN or infinite.

    X list of [*], Scale [1] -> like X, bool [1]
    """
    for x in xs:
        check_float(x)
    found = not all(np.isfinite(x).all() for x in xs)
    factor = 1.0 / float(scale.reshape(-1)[0])
    return [(x * scale.dtype.type(factor)).astype(x.dtype, copy=False) for x in xs], np.array(
        [found]
    )


@check_finite_and_unscale.meta
def _(xs, scale):
    for x in xs:
        check_float(x)
    return list(xs), Meta((1,), np.dtype(bool))
