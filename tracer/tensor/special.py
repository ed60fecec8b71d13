"""Functions of one or two operands beyond plain arithmetic.

Unless said otherwise: x, y broadcast; the result has their dtype.
"""

from __future__ import annotations

import math as pymath
from typing import Any

from ..core.dtype import is_real
from ..core.dtype_info import finfo
from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from . import logic, manipulation, math
from .convert import cast, full, tensor_like
from .math import pair, unary

__all__ = [
    "acosh",
    "asinh",
    "atan2",
    "atanh",
    "deg2rad",
    "digamma",
    "erfinv",
    "fmax",
    "fmin",
    "frac",
    "frexp",
    "gcd",
    "heaviside",
    "hypot",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "lcm",
    "ldexp",
    "lerp",
    "lgamma",
    "logaddexp",
    "logit",
    "multigammaln",
    "nan_to_num",
    "nextafter",
    "polygamma",
    "rad2deg",
    "stanh",
    "trunc",
]
IN_PLACE = [
    "acosh",
    "asinh",
    "atanh",
    "digamma",
    "erfinv",
    "frac",
    "gcd",
    "hypot",
    "i0",
    "lcm",
    "ldexp",
    "lerp",
    "lgamma",
    "logit",
    "multigammaln",
    "nan_to_num",
    "polygamma",
    "trunc",
]

acosh = unary("acosh", "The inverse hyperbolic cosine.")
asinh = unary("asinh", "The inverse hyperbolic sine.")
atanh = unary("atanh", "The inverse hyperbolic tangent.")
digamma = unary("digamma", "The derivative of the logarithm of the gamma function.")
lgamma = unary("lgamma", "The logarithm of the absolute value of the gamma function.")
erfinv = unary("erfinv", "The inverse of the error function.")
i0 = unary("i0", "The modified Bessel function of order 0.")
i0e = unary("i0e", "The modified Bessel function of order 0, times e ** -|x|.")
i1 = unary("i1", "The modified Bessel function of order 1.")
i1e = unary("i1e", "The modified Bessel function of order 1, times e ** -|x|.")


def trunc(input: Tensor, name: str | None = None) -> Tensor:
    """Rounded towards zero.

    input [*] -> [*]
    """
    return OPS["trunc"](input)


def frac(x: Tensor, name: str | None = None) -> Tensor:
    """x - trunc(x).

    x [*] -> [*]
    """
    return math.subtract(x, trunc(x))


def polygamma(x: Tensor, n: int, name: str | None = None) -> Tensor:
    """The derivative number n of digamma(x); digamma itself for n = 0.

    x [*] -> [*]
    """
    if not isinstance(n, int) or n < 0:
        check_tensors(x)
        raise OpError(
            with_user_line(f"polygamma: n={n!r} is not an int of zero or more (X={x.meta})")
        )
    return digamma(x) if n == 0 else OPS["polygamma"](x, n=n)


def multigammaln(x: Tensor, p: int, name: str | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p.

    x [*], above (p - 1) / 2 -> [*]
    """
    if p < 1:
        raise OpError(with_user_line(f"multigammaln: p={p} is less than 1 (X={x.meta})"))
    terms = [lgamma(math.subtract(x, 0.5 * i)) for i in range(p)]
    return math.add(math.add_n(terms), 0.25 * p * (p - 1) * pymath.log(pymath.pi))


def logit(x: Tensor, eps: float | None = None, name: str | None = None) -> Tensor:
    """ln(x / (1 - x)), x first set between eps and 1 - eps unless eps is None or 0.

    x [*] -> [*]
    """
    return OPS["logit"](x, eps=float(eps or 0.0))


def stanh(
    x: Tensor, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None
) -> Tensor:
    """scale_b * tanh(scale_a * x).

    x [*] -> [*]
    """
    return OPS["stanh"](x, scale_a=float(scale_a), scale_b=float(scale_b))


fmax = pair("elementwise_fmax", "The larger one, or the other where one is NaN.")
fmin = pair("elementwise_fmin", "The smaller one, or the other where one is NaN.")
heaviside = pair("elementwise_heaviside", "0 where x < 0, y where x is 0, 1 where x > 0.")
atan2 = pair("atan2", "The angle of the point (y, x).")
nextafter = pair("nextafter", "The number next to x in the direction of y.")


def hypot(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """sqrt(x * x + y * y).

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return math.sqrt(math.add(math.square(x), math.square(y)))


def logaddexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """ln(e ** x + e ** y), without overflow.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    apart = math.neg(math.abs(math.subtract(x, y)))
    return math.add(math.maximum(x, y), math.log1p(math.exp(apart)))


def ldexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """x * 2 ** y, in float32 where x is of integers.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    check_tensors(x)
    if x.meta.dtype.kind in "iub":
        x = cast(x, "float32")
    power = math.pow(full([], 2, x.dtype), cast(tensor_like(y, x, "ldexp"), x.dtype))
    return math.multiply(x, power)


def frexp(x: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Mantissas in (-1, -0.5] or [0.5, 1), and exponents of 2, both like x; zero for zero.

    x [*] float -> [*], [*]
    """
    try:
        real = is_real(x.meta.dtype)
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if not real:
        raise OpError(with_user_line(f"frexp: needs a floating dtype (X={x.meta})"))
    zero = logic.equal(x, 0.0)
    size = manipulation.where(zero, full([], 1, x.dtype), math.abs(x))
    exponent = math.add(math.floor(math.log2(size)), 1.0)
    mantissa = math.quotient(x, math.pow(full([], 2, x.dtype), exponent))
    # A logarithm that was rounded over a power of two leaves the mantissa at 1 or below 1/2.
    high, low = (
        logic.greater_equal(math.abs(mantissa), 1.0),
        logic.less_than(math.abs(mantissa), 0.5),
    )
    exponent = math.subtract(math.add(exponent, cast(high, x.dtype)), cast(low, x.dtype))
    exponent = manipulation.where(zero, full([], 0, x.dtype), exponent)
    return math.quotient(x, math.pow(full([], 2, x.dtype), exponent)), exponent


def lerp(x: Tensor, y: Tensor, weight: Any, name: str | None = None) -> Tensor:
    """x + weight * (y - x).

    x, y, weight (a number too) broadcast -> [*]
    """
    try:
        share = tensor_like(weight, x, "lerp")
    except AttributeError:
        raise not_a_tensor_error(x) from None
    return OPS["lerp"](x, y, share)


def _times(x: Tensor, factor: float) -> Tensor:
    """x times a number; float32 of integers."""
    try:
        whole = x.meta.dtype.kind in "iub"
    except AttributeError:
        raise not_a_tensor_error(x) from None
    found: Tensor = math.scale(cast(x, "float32") if whole else x, factor)
    return found


def deg2rad(x: Tensor, name: str | None = None) -> Tensor:
    """Degrees as radians; float32 of integers.

    x [*] -> [*]
    """
    return _times(x, pymath.pi / 180)


def rad2deg(x: Tensor, name: str | None = None) -> Tensor:
    """Radians as degrees; float32 of integers.

    x [*] -> [*]
    """
    return _times(x, 180 / pymath.pi)


def gcd(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The greatest common divisor, by Euclid, all elements at once.

    x [*A], y [*B] integers -> [*broadcast(A, B)]
    """
    _whole("gcd", x, y)
    x, y = manipulation.broadcast_tensors([math.abs(x), math.abs(y)])
    # Worst case are Fibonacci numbers: 1.45 steps per bit of the smaller number.
    for _ in range(int(1.45 * 8 * x.meta.dtype.itemsize) + 1):
        done = logic.equal(y, 0)
        rest = math.mod(x, manipulation.where(done, _ones(y), y))
        x, y = manipulation.where(done, x, y), manipulation.where(done, y, rest)
    return x


def _ones(y: Tensor) -> Tensor:
    return OPS["fill_any_like"](y, value=1.0)


def _whole(name: str, *tensors: Tensor) -> None:
    for t in tensors:
        try:
            whole = t.meta.dtype.kind in "iu"
        except AttributeError:
            raise not_a_tensor_error(t) from None
        if not whole:
            raise OpError(with_user_line(f"{name}: needs integers (X={t.meta})"))


def lcm(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The least common multiple, 0 where one is 0.

    x [*A], y [*B] integers -> [*broadcast(A, B)]
    """
    divisor = gcd(x, y)
    none = logic.equal(divisor, 0)
    safe = manipulation.where(none, _ones(divisor), divisor)
    return math.abs(math.multiply(math.floor_divide(x, safe), y))


def nan_to_num(
    x: Tensor,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    name: str | None = None,
) -> Tensor:
    """NaN replaced by `nan`, infinities by posinf and neginf, which are the largest numbers unless
    given.

    x [*] float -> [*]
    """
    check_tensors(x)
    info = finfo(x.dtype)
    high, low = info.max if posinf is None else posinf, info.min if neginf is None else neginf
    infinite = OPS["isinf_v2"](x)
    positive = logic.logical_and(infinite, logic.greater_than(x, 0.0))
    found = manipulation.where(OPS["isnan_v2"](x), full([], float(nan), x.dtype), x)
    found = manipulation.where(positive, full([], float(high), x.dtype), found)
    negative = logic.logical_and(infinite, logic.less_than(x, 0.0))
    return manipulation.where(negative, full([], float(low), x.dtype), found)
