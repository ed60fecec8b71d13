"""Optimizer steps for which Paddle 2 has no optimizer class, and running sums for parameter
averaging.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.arrays import np
from ...core.op import Floats, Long, check, op
from ...core.rng import generator
from ..half_precision import computed_in_float32_if_half
from ..optimizer import NO_GRAD_UPDATE_OP, reject_master_param
from ..shared_op_rules import check_float, num_elements, shapes_match


def _make_meta_rule_like_inputs(*indices: int) -> Any:
    """Return the shape inference rule of an op whose outputs have the Metas of the inputs at the
    given indices.
    """

    def rule(param: Any, grad: Any, *rest: Any, **_: Any) -> Any:
        metas = (param, grad, *rest)
        check_float(param)
        check(shapes_match(param.shape, grad.shape), "Grad and Param have different shapes")
        found = tuple(metas[i] for i in indices)
        return found if len(found) > 1 else found[0]

    return rule


def _learning_rate_in_dtype_of(lr: Any, like: Any) -> Any:
    return like.dtype.type(lr.reshape(-1)[0])


@op(
    "decayed_adagrad",
    "Param!, Grad!, Moment!, LearningRate! -> ParamOut~=Param, MomentOut~=Moment",
    meta=_make_meta_rule_like_inputs(0, 2),
    no_grad_reason=NO_GRAD_UPDATE_OP,
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def decayed_adagrad(param, grad, moment, lr, *, decay: float = 0.95, epsilon: float = 1e-6):
    """MomentOut = decay * Moment + (1 - decay) * Grad ** 2,
    ParamOut = Param - lr * Grad / (sqrt(MomentOut) + epsilon).

    [*] each, lr [1]
    """
    one = param.dtype.type
    total = one(decay) * moment + one(1 - decay) * grad * grad
    return param - _learning_rate_in_dtype_of(lr, param) * grad / (
        np.sqrt(total) + one(epsilon)
    ), total


@op(
    "ftrl",
    "Param!, SquaredAccumulator!, LinearAccumulator!, Grad!, LearningRate! -> "
    "ParamOut~=Param, SquaredAccumOut~=SquaredAccumulator, LinearAccumOut~=LinearAccumulator",
    meta=lambda p, squared, linear, g, lr, **_: _make_meta_rule_like_inputs(0, 2, 3)(
        p, g, squared, linear
    ),
    no_grad_reason=NO_GRAD_UPDATE_OP,
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def ftrl(
    param, squared, linear, grad, lr, *, l1: float = 0.0, l2: float = 0.0, lr_power: float = -0.5
):
    """FTRL, "follow the regularized leader" (McMahan et al., 2013).

    SquaredAccumOut = SquaredAccumulator + Grad ** 2.
    [*] each, lr [1]
    """
    one, rate = param.dtype.type, _learning_rate_in_dtype_of(lr, param)
    total = squared + grad * grad
    power = np.sqrt if lr_power == -0.5 else lambda a: a ** one(-lr_power)
    new_linear = linear + grad - (power(total) - power(squared)) / rate * param
    shrunk = (one(l1) * np.sign(new_linear) - new_linear) / (power(total) / rate + one(2 * l2))
    return np.where(np.abs(new_linear) > one(l1), shrunk, one(0)), total, new_linear


@op(
    "lars_momentum",
    "Param*!, Velocity*!, Grad*!, LearningRate*!, MasterParam*?! -> ParamOut*~=Param, "
    "VelocityOut*~=Velocity",
    meta=lambda ps, vs, *_, **__: (list(ps), list(vs)),
    no_grad_reason=NO_GRAD_UPDATE_OP,
)
@computed_in_float32_if_half
def lars_momentum(
    params,
    velocities,
    grads,
    lrs,
    masters=None,
    *,
    mu: float,
    lars_coeff: float = 0.001,
    lars_weight_decay: Floats = [0.0005000000237487257],
    epsilon: float = 0.0,
    multi_precision: bool = False,
    rescale_grad: float = 1.0,
):
    """LARS (You et al., 2017): momentum with a learning rate proportional to the norm of the
    parameter divided by the norm of its gradient.

    lists of [*]
    """
    reject_master_param(masters or None)
    decays = list(lars_weight_decay) * (len(params) if len(lars_weight_decay) == 1 else 1)
    rows = zip(params, velocities, grads, lrs, decays, strict=True)
    made = [_lars_momentum_step(*row, mu, lars_coeff, epsilon, rescale_grad) for row in rows]
    return [p for p, _ in made], [v for _, v in made]


def _lars_momentum_step(
    param: Any,
    velocity: Any,
    grad: Any,
    lr: Any,
    decay: float,
    mu: float,
    coeff: float,
    epsilon: float,
    rescale: float,
) -> tuple[Any, Any]:
    one = param.dtype.type
    grad = grad * one(rescale)
    size, slope = (math.sqrt(float(np.sum(a.astype(np.float64) ** 2))) for a in (param, grad))
    rate = float(lr.reshape(-1)[0])
    if decay > 0 and size > 0 and slope > 0:
        rate *= coeff * size / (slope + decay * size + epsilon)
    new = one(mu) * velocity + one(rate) * (grad + one(decay) * param)
    return param - new, new


@op(
    "dpsgd",
    "Param!, Grad!, LearningRate! -> ParamOut~=Param",
    meta=_make_meta_rule_like_inputs(0),
    no_grad_reason=NO_GRAD_UPDATE_OP,
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def dpsgd(
    param,
    grad,
    lr,
    *,
    clip: float = 10.0,
    batch_size: float = 16.0,
    sigma: float = 1.0,
    seed: int = 0,
):
    """Differentially private SGD (Abadi et al., 2016): ParamOut = Param - lr * (g + noise /
    batch_size), where g is Grad, scaled to a norm of at most `clip`.

    [*] each, lr [1]

    As in Paddle, the noise is one random number per step, normal with standard deviation sigma.
    """
    size = math.sqrt(float(np.sum(grad.astype(np.float64) ** 2)))
    noise = generator(seed).normal(0.0, sigma) if sigma else 0.0
    scale = size / clip if size > clip else 1.0
    one = param.dtype.type
    return param - _learning_rate_in_dtype_of(lr, param) * (
        grad / one(scale) + one(noise / batch_size)
    )


@op(
    "proximal_gd",
    "Param!, Grad!, LearningRate! -> ParamOut~=Param",
    meta=_make_meta_rule_like_inputs(0),
    no_grad_reason=NO_GRAD_UPDATE_OP,
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def proximal_gd(param, grad, lr, *, l1: float = 0.0, l2: float = 0.0):
    """Proximal gradient descent (Duchi and Singer 2009): a step of gradient descent, soft
    thresholding by lr * l1, and a division by 1 + lr * l2.

    [*] each, lr [1]
    """
    one, rate = param.dtype.type, _learning_rate_in_dtype_of(lr, param)
    moved = param - rate * grad
    if l1 > 0:
        moved = np.sign(moved) * np.maximum(np.abs(moved) - rate * one(l1), one(0))
    return moved / (one(1) + rate * one(l2))


MAX_NUM_ACCUMULATES = 16384  # number of updates after which sum_1 is added to sum_2


@op(
    "average_accumulates",
    "param!, in_sum_1!, in_sum_2!, in_sum_3!, in_num_accumulates!, "
    "in_old_num_accumulates!, in_num_updates! -> "
    "out_sum_1~=in_sum_1, out_sum_2~=in_sum_2, out_sum_3~=in_sum_3, "
    "out_num_accumulates~=in_num_accumulates, "
    "out_old_num_accumulates~=in_old_num_accumulates, out_num_updates~=in_num_updates",
    meta=lambda p, *rest, **_: tuple(rest),
    no_grad_reason=NO_GRAD_UPDATE_OP,
)
@computed_in_float32_if_half
def average_accumulates(
    param,
    sum_1,
    sum_2,
    sum_3,
    num,
    old_num,
    updates,
    *,
    average_window: float = 0.0,
    max_average_window: Long = 2**63 - 1,
    min_average_window: Long = 10000,
):
    """Accumulate sums of a parameter over a window of steps that grows with the number of updates.

    sums like param [*], counts int64 [1]
    """
    check(num_elements(num.shape) in (1, -1), "in_num_accumulates is not one number")
    updates, num = updates + 1, num + 1
    sum_1 = sum_1 + param
    if int(updates.reshape(-1)[0]) % MAX_NUM_ACCUMULATES == 0:
        sum_1, sum_2 = np.zeros_like(sum_1), sum_2 + sum_1
    limit = min(max_average_window, int(float(updates.reshape(-1)[0]) * average_window))
    if int(num.reshape(-1)[0]) >= min_average_window and int(num.reshape(-1)[0]) >= limit:
        sum_1, sum_2, sum_3 = np.zeros_like(sum_1), np.zeros_like(sum_2), sum_1 + sum_2
        num, old_num = np.zeros_like(num), num
    return sum_1, sum_2, sum_3, num, old_num, updates
