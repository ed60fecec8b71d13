"""Binary functions such as fmax and atan2, and `lerp`."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.dtype import is_inexact
from ..core.op import OPS, Meta, op
from .comparison_and_logic import equal
from .elementwise import add, div, masked, mul, scale, sub
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import broadcast, check_float
from .unary_math import negative, square


def _broadcast_meta_requiring_float(x: Any, y: Any, **attrs: Any) -> Any:
    check_float(x)
    return broadcast(x, y, **attrs)


def _atan2_meta(x: Any, y: Any) -> Meta:
    """Return the Meta of atan2(x, y), the angle of the point (y, x), whose dtype is float64 for
    integer inputs.
    """
    found = broadcast(x, y)
    return found if is_inexact(found.dtype) else Meta(found.shape, np.dtype(np.float64))


@op("atan2", "X1, X2 -> Out", meta=_atan2_meta)
def atan2(x, y):
    """Out = the angle of the point (X2, X1), in (-pi, pi].

    X1 [*A], X2 [*B] -> Out [*broadcast(A, B)], float64 for integer inputs
    """
    return np.arctan2(x, y).astype(np.float64 if x.dtype.kind in "iub" else x.dtype, copy=False)


@atan2.vjp
def _(g, x, y):
    over = div(g, add(square(x), square(y)))
    return lambda: mul(over, y), lambda: negative(mul(over, x))


def _define_nan_ignoring_extreme(
    type: str, function: Any, word: str, selects_x_op: str, selects_y_op: str
) -> Any:
    @op(type, "X, Y -> Out", meta=broadcast, public_name=type.removeprefix("elementwise_"))
    def kernel(x, y):
        return function(x, y)

    @kernel.vjp
    def _(g, x, y):
        nan_x, nan_y = (OPS["isnan_v2"](t) for t in (x, y))
        selects_x = OPS["logical_or"](OPS[selects_x_op](x, y), nan_y)
        selects_y = OPS["logical_or"](OPS[selects_y_op](x, y), nan_x)
        return lambda: masked(
            g, OPS["logical_and"](selects_x, OPS["logical_not"](nan_x))
        ), lambda: masked(g, selects_y)

    kernel.kernel.__doc__ = (
        f"Out = the {word} element of X and Y; if one of them is NaN, the other one. X [*A], Y "
        f"[*B] -> Out [*broadcast(A, B)]"
    )
    return kernel


fmax = _define_nan_ignoring_extreme(
    "elementwise_fmax", computed_in_float32_if_half(np.fmax), "larger", "greater_equal", "less_than"
)
fmin = _define_nan_ignoring_extreme(
    "elementwise_fmin",
    computed_in_float32_if_half(np.fmin),
    "smaller",
    "less_equal",
    "greater_than",
)


@op("elementwise_heaviside", "X, Y -> Out", meta=broadcast, public_name="heaviside")
@computed_in_float32_if_half
def heaviside(x, y):
    """Out = 0 where X < 0, Y where X == 0, 1 where X > 0. X [*A], Y [*B] -> Out
    [*broadcast(A, B)]
    """
    one = x.dtype.type(1)
    return np.where(x == 0, y, np.where(x > 0, one, np.where(x < 0, one * 0, x))).astype(
        x.dtype, copy=False
    )


@heaviside.vjp
def _(g, x, y):
    return scale(g, scale=0.0), lambda: masked(g, equal(x, scale(x, scale=0.0)))


@op(
    "nextafter",
    "x, y -> out",
    meta=_broadcast_meta_requiring_float,
    no_grad_reason="it steps to the next floating-point number",
    same_dtype="x y",
)
def nextafter(x, y):
    """out = the next floating-point number after x in the direction of y.

    x [*A], y [*B] -> out [*broadcast(A, B)]
    """
    check_float(x)
    return np.nextafter(x, y)


@op("lerp", "X, Y, Weight -> Out", same_dtype="X Y")
@computed_in_float32_if_half
def lerp(x, y, weight):
    """Out = X + Weight * (Y - X). X, Y, Weight broadcast -> Out [*]"""
    check_float(x)
    return x + weight * (y - x)


@lerp.meta
def _(x, y, weight):
    check_float(x)
    return broadcast(broadcast(x, y), weight)


@lerp.vjp
def _(g, x, y, weight):
    return (
        lambda: sub(g, mul(g, weight)),
        lambda: mul(g, weight),
        lambda: mul(g, sub(y, x)),
    )
