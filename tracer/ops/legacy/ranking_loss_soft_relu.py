"""rank_loss, bpr_loss and soft_relu."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import OPS, Meta, check, op
from ..elementwise import masked, mul, scale, sub
from ..half_precision import computed_in_float32_if_half
from ..reduce import reduce_sum
from ..shared_op_rules import (
    check_float,
    like_x,
    shapes_match,
    vjp_input_dtype_proto,
    vjp_input_shape,
)
from ..unary_math import negative, one_minus, sigmoid


def _softplus(x: Any) -> Any:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


@op("rank_loss", "Label!, Left, Right -> Out")
@computed_in_float32_if_half
def rank_loss(label, left, right):
    """Out = ln(1 + exp(Left - Right)) - Label * (Left - Right) (Burges et al. 2005).

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
    return like_x(label)


@rank_loss.vjp
def _(g, label, left, right):
    apart = sub(left, right)

    def left_grad() -> Any:
        return mul(g, sub(sigmoid(apart), label))

    return None, left_grad, lambda: negative(left_grad())


def _one_hot(x: Any, label: Any) -> Any:
    """One-hot labels. x [*,C], label int [*,1] -> [*,C]"""
    places = OPS["squeeze2"](label, axes=[-1])
    return OPS["one_hot_v2"](
        places, depth=int(vjp_input_shape(x)[-1]), dtype=vjp_input_dtype_proto(x)
    )


@op("bpr_loss", "X, Label! -> Y")
@computed_in_float32_if_half
def bpr_loss(x, label):
    """Y = the mean over all other classes c of ln(1 + exp(X[c] - X[Label])) (Hidasi et al. 2016).

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


@op("soft_relu", "X -> Out", meta=like_x, floating="X")
@computed_in_float32_if_half
def soft_relu(x, *, threshold: float = 40.0):
    """Out = ln(1 + exp(X)), where X is first clamped to [-threshold, threshold]. X [*] ->
    Out [*]
    """
    return np.log1p(np.exp(np.clip(x, -x.dtype.type(threshold), x.dtype.type(threshold))))


@soft_relu.vjp
def _(g, x, *, threshold, Out):
    low, high = (OPS["fill_any_like"](Out, value=v) for v in (-threshold, threshold))
    inside = OPS["logical_and"](OPS["greater_than"](Out, low), OPS["less_than"](Out, high))
    return masked(mul(g, one_minus(OPS["exp"](negative(Out)))), inside)
