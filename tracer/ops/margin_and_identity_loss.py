"""hinge_loss, modified_huber_loss and identity_loss."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import OPS, Meta, check, check_dtype, op
from .comparison_and_logic import is_strictly_between
from .elementwise import masked, mul, scale
from .half_precision import computed_in_float32_if_half
from .reduce import broadcast_or_distribute_like
from .shared_op_rules import check_float, shapes_match, vjp_input_shape
from .unary_math import negative


def _check_float_columns_of_same_shape(x: Meta, labels: Meta, names: str) -> None:
    check_float(x)
    check_dtype(x.dtype == labels.dtype, f"{names} have different dtypes")
    check(shapes_match(x.shape, labels.shape), f"{names} have different shapes")
    check(len(x.shape) == 2, f"{names} need the shape [N, 1]")
    check(x.shape[1] in (1, -1), f"{names} need the shape [N, 1]")


def _labels_to_signs(labels: Any) -> Any:
    """Map the labels 0 and 1 to -1 and 1."""
    return scale(labels, scale=2.0, bias=-1.0)


@op("hinge_loss", "Logits, Labels! -> Loss", validate_before_kernel=True)
@computed_in_float32_if_half
def hinge_loss(x, labels):
    """Loss = max(1 - Logits * (2 * Labels - 1), 0).

    Logits [N,1], Labels 0 or 1 [N,1] -> Loss [N,1]
    """
    one = x.dtype.type(1)
    return np.maximum(one - x * (labels + labels - one), x.dtype.type(0))


@hinge_loss.meta
def _(x, labels):
    _check_float_columns_of_same_shape(x, labels, "Logits and Labels")
    return x


@hinge_loss.vjp
def _(g, x, labels):
    signs = _labels_to_signs(labels)
    return masked(negative(mul(g, signs)), is_strictly_between(mul(x, signs), high=1.0)), None


@op("modified_huber_loss", "X, Y! -> IntermediateVal~, Out", validate_before_kernel=True)
@computed_in_float32_if_half
def modified_huber_loss(x, y):
    """With v = X * (2 * Y - 1): Out = max(1 - v, 0) ** 2 where v >= -1, else -4 * v.

    X [N,1], Y 0 or 1 [N,1] -> IntermediateVal = v, Out [N,1]
    """
    one = x.dtype.type(1)
    margin = x * (y + y - one)
    square = np.maximum(one - margin, one * 0) ** 2
    return margin, np.where(margin < -one, -4 * one * margin, square)


@modified_huber_loss.meta
def _(x, y):
    _check_float_columns_of_same_shape(x, y, "X and Y")
    return x, x


@modified_huber_loss.vjp
def _(g, x, y):
    signs = _labels_to_signs(y)
    # the derivative of the square, constant outside of [-1, 1]
    bounded = OPS["clip"](mul(x, signs), min=-1.0, max=1.0)
    return mul(g, mul(signs, scale(bounded, scale=2.0, bias=-2.0))), None


REDUCTIONS = {0: "sum", 1: "mean", 2: "none"}


@op("identity_loss", "X -> Out")
@computed_in_float32_if_half
def identity_loss(x, *, reduction: int = 1):
    """Out = the sum of X (reduction 0), its mean (1), or X (2).

    X [*] -> Out [], or [*] for 2
    """
    check_float(x)
    if reduction == 2:
        return x.copy()
    return np.asarray(x.sum() if reduction == 0 else x.mean(), x.dtype)


@identity_loss.meta
def _(x, *, reduction):
    check_float(x)
    check(reduction in REDUCTIONS, f"reduction={reduction} is not 0 (sum), 1 (mean) or 2 (none)")
    return x if reduction == 2 else Meta((), x.dtype)


@identity_loss.vjp
def _(g, x, *, reduction):
    if reduction == 2:
        return g
    return broadcast_or_distribute_like(
        g, x, axes=list(range(len(vjp_input_shape(x)))), average=reduction == 1
    )
