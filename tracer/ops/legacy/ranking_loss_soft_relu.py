"""rank_loss, teacher_student_sigmoid_loss, bpr_loss and soft_relu."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import OPS, Meta, check, op
from ..comparison_and_logic import (
    greater_equal,
    less_equal,
    less_than,
    logical_not,
    logical_or,
    where,
)
from ..elementwise import masked, mul, scale, sub
from ..half_precision import computed_in_float32_if_half
from ..reduce import reduce_sum
from ..shared_op_rules import (
    check_float,
    like_x_meta,
    pick_known_dim,
    shapes_match,
    vjp_input_dtype_proto,
    vjp_input_shape,
)
from ..unary_math import negative, one_minus, sigmoid


def _softplus(x: Any) -> Any:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


@op("rank_loss", "Label!, Left, Right -> Out", validate_before_kernel=True)
@computed_in_float32_if_half
def rank_loss(label, left, right):
    """Out = ln(1 + exp(Left - Right)) - Label * (Left - Right) (Burges et al., 2005).

    [N,1] each -> Out [N,1]
    """
    return _softplus(left - right) - label * (left - right)


@rank_loss.meta
def _(label, left, right):
    check_float(label)
    check(
        shapes_match(label.shape, left.shape) and shapes_match(label.shape, right.shape),
        "the shapes differ",
    )
    return like_x_meta(label)


@rank_loss.vjp
def _(g, label, left, right):
    apart = sub(left, right)

    def left_grad() -> Any:
        return mul(g, sub(sigmoid(apart), label))

    return None, left_grad, lambda: negative(left_grad())


@op(
    "teacher_student_sigmoid_loss",
    "X, Label! -> Y",
    same_dtype="X Label",
    floating="X",
    validate_before_kernel=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def teacher_student_sigmoid_loss(
    x, label, *, soft_max_up_bound: float = 15.0, soft_max_lower_bound: float = -15.0
):
    """Y = ln(1 + exp(X)) - clicked * X, plus ln(1 + exp(X)) - score * X if Label has a score.

    Label < -1: not clicked, no score. [-1, 0): clicked, no score. [0, 1): not clicked, score =
    Label. Otherwise: clicked, score = Label - 1.

    The gradient is 0 where X <= soft_max_lower_bound or X >= soft_max_up_bound.

    X [N,1], Label [N,1] -> Y [N,1]
    """
    t = x.dtype.type
    clicked = np.where(label < 0, label >= -1, label >= 1)
    score = label - clicked.astype(x.dtype)
    click_loss = _softplus(x) - np.where(clicked, x, t(0))
    return click_loss + np.where(label < 0, t(0), _softplus(x) - score * x)


@teacher_student_sigmoid_loss.meta
def _(x, label, *, soft_max_up_bound, soft_max_lower_bound):
    check_float(x)
    check(
        shapes_match(x.shape, (-1, 1)) and shapes_match(x.shape, label.shape),
        "X and Label have to have the shape [N, 1]",
    )
    return Meta((pick_known_dim(x.shape[0], label.shape[0]), 1), x.dtype)


@teacher_student_sigmoid_loss.vjp
def _(g, x, label, *, soft_max_up_bound, soft_max_lower_bound):
    def like_label(value: float) -> Any:
        return OPS["fill_any_like"](label, value=value)

    ones, zeros = like_label(1.0), like_label(0.0)
    has_score = logical_not(less_than(label, zeros))
    clicked = where(less_than(label, like_label(-1.0)), zeros, ones)
    target = where(has_score, label, clicked)
    slope = sub(mul(sigmoid(x), where(has_score, like_label(2.0), ones)), target)
    saturated = logical_or(
        less_equal(x, OPS["fill_any_like"](x, value=soft_max_lower_bound)),
        greater_equal(x, OPS["fill_any_like"](x, value=soft_max_up_bound)),
    )
    return masked(mul(g, slope), logical_not(saturated)), None


def _one_hot(x: Any, label: Any) -> Any:
    """One-hot labels. x [*,C], label int [*,1] -> [*,C]"""
    places = OPS["squeeze2"](label, axes=[-1])
    return OPS["one_hot_v2"](
        places, depth=int(vjp_input_shape(x)[-1]), dtype=vjp_input_dtype_proto(x)
    )


@op("bpr_loss", "X, Label! -> Y", validate_before_kernel=True)
@computed_in_float32_if_half
def bpr_loss(x, label):
    """Y = the mean over all other classes c of ln(1 + exp(X[c] - X[Label])) (Hidasi et al., 2016).

    X [*,C], Label int [*,1] -> Y [*,1]
    """
    own = np.take_along_axis(x, label.astype(np.int64), -1)
    each = _softplus(x - own)
    np.put_along_axis(each, label.astype(np.int64), x.dtype.type(0), -1)
    return np.sum(each, -1, keepdims=True) / x.dtype.type(x.shape[-1] - 1)


@bpr_loss.meta
def _(x, label):
    check_float(x)
    check(
        label.dtype.kind in "iu" and shapes_match(label.shape, (*x.shape[:-1], 1)),
        "Label does not fit X",
    )
    return Meta((*x.shape[:-1], 1), x.dtype)


@bpr_loss.vjp
def _(g, x, label):
    own = _one_hot(x, label)
    score = reduce_sum(mul(x, own), dim=[-1], keep_dim=True)
    slope = mul(sigmoid(sub(x, score)), one_minus(own))
    slope = sub(slope, mul(own, reduce_sum(slope, dim=[-1], keep_dim=True)))
    return scale(mul(slope, g), scale=1.0 / (vjp_input_shape(x)[-1] - 1)), None


@op("soft_relu", "X -> Out", meta=like_x_meta, floating="X")
@computed_in_float32_if_half
def soft_relu(x, *, threshold: float = 40.0):
    """Out = ln(1 + exp(X)), where X is first clamped to [-threshold, threshold]. X [*] ->
    Out [*]
    """
    return np.log1p(np.exp(np.clip(x, -x.dtype.type(threshold), x.dtype.type(threshold))))


@soft_relu.vjp
def _(g, x, *, threshold, Out):
    low, high = (OPS["fill_any_like"](Out, value=v) for v in (-threshold, threshold))
    inside = OPS["logical_and"](OPS["greater_than"](Out, low), less_than(Out, high))
    return masked(mul(g, one_minus(OPS["exp"](negative(Out)))), inside)
