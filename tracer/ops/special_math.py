"""Special functions as ops: gamma family, Bessel functions, inverse of erf."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..core.arrays import np
from ..core.op import OPS, Op, check, op
from . import special_function_arrays as values
from .elementwise import mul, scale, sub
from .shared_op_rules import check_float, like_x_meta_requiring_float
from .unary_math import define_unary_op, exp, reciprocal, sign, square


def computed_in_float64(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap a float64 function so that it accepts every floating dtype and returns the same
    dtype.
    """

    def wrapper(x: Any) -> Any:
        return np.asarray(function(np.asarray(x, np.float64))).astype(x.dtype)

    return wrapper


lgamma: Op = define_unary_op(
    "lgamma",
    computed_in_float64(values.lgamma),
    "ln |gamma(X)|",
    of_x=lambda g, x: mul(g, digamma(x)),
)
digamma: Op = define_unary_op(
    "digamma",
    computed_in_float64(values.digamma),
    "the derivative of ln gamma(X)",
    of_x=lambda g, x: mul(g, OPS["polygamma"](x, n=1)),
)
erfinv: Op = define_unary_op(
    "erfinv",
    computed_in_float64(values.erfinv),
    "where erf is X",
    of_out=lambda g, out: mul(scale(g, scale=math.sqrt(math.pi) / 2), exp(square(out))),
    amp_class="deny",
)


@op("polygamma", "x -> out", meta=like_x_meta_requiring_float)
@np.errstate(all="ignore")
def polygamma(x, *, n: int):
    """out = the n-th derivative of digamma(x); NaN for x < 0 if n > 1. x [*] -> out [*]"""
    check(n >= 0, f"n={n} is negative")
    check_float(x)
    return computed_in_float64(lambda v: values.polygamma(n, v))(x)


@polygamma.vjp
def _(g, x, *, n):
    return mul(g, polygamma(x, n=n + 1))


def define_bessel_op(type: str, order: int, scaled: bool, slope: Callable[[Any], Any]) -> Op:
    """Define an op for a modified Bessel function I.

    slope(x): the derivative (Abramowitz and Stegun 9.6.26).
    """
    function = values.bessel_i_scaled if scaled else values.bessel_i
    words = f"I{order}(X)" + (" * e ** -|X|" if scaled else "")
    of_x = lambda g, x: mul(g, slope(x))  # noqa: E731 - one of three such lines
    return define_unary_op(
        type, computed_in_float64(lambda v: function(order, v)), words, of_x=of_x, slots="x -> out"
    )


def ratio_or_half_at_zero(value: Any, x: Any) -> Any:
    """value / x, and 1/2 at x = 0, where value is I1(x) or its scaled form."""
    zero = OPS["equal"](x, OPS["fill_any_like"](x, value=0.0))
    one = OPS["fill_any_like"](x, value=1.0)
    safe = OPS["where"](zero, one, x)
    return OPS["where"](zero, scale(one, scale=0.5), mul(value, reciprocal(safe)))


i0: Op = define_bessel_op("i0", 0, False, lambda x: i1(x))  # noqa: PLW0108 - i1 comes later
i0e: Op = define_bessel_op("i0e", 0, True, lambda x: sub(i1e(x), mul(sign(x), i0e(x))))
i1: Op = define_bessel_op("i1", 1, False, lambda x: sub(i0(x), ratio_or_half_at_zero(i1(x), x)))
i1e: Op = define_bessel_op(
    "i1e",
    1,
    True,
    lambda x: sub(sub(i0e(x), ratio_or_half_at_zero(i1e(x), x)), mul(sign(x), i1e(x))),
)
