"""The log loss of probabilities."""

from __future__ import annotations

from ..core.arrays import np
from ..core.op import check, op
from .elementwise import div, mul, scale, sub
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import check_float, shapes_match
from .unary_math import one_minus


@op(
    "log_loss",
    "Predicted, Labels! -> Loss",
    same_dtype="Predicted Labels",
    floating="Predicted",
    amp_class="deny",
    validate_before_kernel=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def log_loss(x, label, *, epsilon: float):
    """Loss = -Labels ln(Predicted + epsilon) - (1 - Labels) ln(1 - Predicted + epsilon).

    Predicted [*], Labels [*] -> Loss [*]
    """
    t = x.dtype.type
    return -label * np.log(x + t(epsilon)) - (t(1) - label) * np.log(t(1) - x + t(epsilon))


@log_loss.meta
def _(x, label, *, epsilon):
    check_float(x)
    check(
        x.dtype == label.dtype and shapes_match(x.shape, label.shape),
        "Predicted and Labels differ in shape or dtype",
    )
    return x


@log_loss.vjp
def _(g, x, label, *, epsilon):
    yes = div(label, scale(x, bias=epsilon))
    no = div(one_minus(label), scale(one_minus(x), bias=epsilon))
    return mul(g, sub(no, yes)), None
