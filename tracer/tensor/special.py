"""Special functions.

If not stated otherwise, x and y broadcast and the result has their dtype.
"""

from __future__ import annotations

import math as pymath

from ..core.dtype import is_real
from ..core.dtype_info import finfo
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from . import logic, manipulation, math
from .convert import as_operand, cast, full
from .math import make_binary_function, make_unary_function

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

acosh = make_unary_function(
    "acosh",
    "Inverse hyperbolic cosine.",
    "[1.0, 2.0, 3.0]",
    "[0.    1.317 1.763]",
    formula="log(x + sqrt(x ** 2 - 1))",
    notes="NaN for x < 1.",
)
asinh = make_unary_function(
    "asinh",
    "Inverse hyperbolic sine.",
    "[-1.0, 0.0, 2.0]",
    "[-0.881  0.     1.444]",
    formula="log(x + sqrt(x ** 2 + 1))",
)
atanh = make_unary_function(
    "atanh",
    "Inverse hyperbolic tangent.",
    "[-0.5, 0.0, 0.9]",
    "[-0.549  0.     1.472]",
    formula="log((1 + x) / (1 - x)) / 2",
    notes="-inf for x = -1, inf for x = 1, NaN for |x| > 1.",
)
digamma = make_unary_function(
    "digamma",
    "Digamma function: the derivative of the logarithm of the gamma function.",
    "[1.0, 2.0, 0.5]",
    "[-0.577  0.423 -1.964]",
    formula="d/dx log(gamma(x))",
    notes="NaN for x = 0, -1, -2, ...",
    dtypes="floating",
)
lgamma = make_unary_function(
    "lgamma",
    "Logarithm of the absolute value of the gamma function.",
    "[0.5, 3.0, 4.0]",
    "[0.572 0.693 1.792]",
    formula="log(|gamma(x)|)",
    notes="inf for x = 0, -1, -2, ...",
    dtypes="floating",
)
erfinv = make_unary_function(
    "erfinv",
    "Inverse of the error function.",
    "[-0.5, 0.0, 0.9]",
    "[-0.477  0.     1.163]",
    formula="the y with erf(y) = x",
    notes="-inf for x = -1, inf for x = 1, NaN for |x| > 1.",
    dtypes="floating",
)
i0 = make_unary_function(
    "i0",
    "Modified Bessel function of the first kind of order 0.",
    "[0.0, 1.0, -2.0]",
    "[1.    1.266 2.28 ]",
    formula="sum over k >= 0 of (x ** 2 / 4) ** k / (k!) ** 2",
    dtypes="floating",
)
i0e = make_unary_function(
    "i0e",
    "Exponentially scaled modified Bessel function of the first kind of order 0.",
    "[0.0, 1.0, -2.0]",
    "[1.    0.466 0.309]",
    formula="exp(-|x|) * i0(x)",
    dtypes="floating",
)
i1 = make_unary_function(
    "i1",
    "Modified Bessel function of the first kind of order 1.",
    "[0.5, 1.0, -2.0]",
    "[ 0.258  0.565 -1.591]",
    formula="x / 2 * sum over k >= 0 of (x ** 2 / 4) ** k / (k! * (k + 1)!)",
    dtypes="floating",
)
i1e = make_unary_function(
    "i1e",
    "Exponentially scaled modified Bessel function of the first kind of order 1.",
    "[0.5, 1.0, -2.0]",
    "[ 0.156  0.208 -0.215]",
    formula="exp(-|x|) * i1(x)",
    dtypes="floating",
)


def trunc(input: Tensor, name: str | None = None) -> Tensor:
    """Round towards zero to an integer.

    Parameters
    ----------
    input : Tensor [*], integer or floating
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of input

    Raises
    ------
    OpError
        If `input` is not a Tensor.

    Notes
    -----
    The gradient is 0.

    Examples
    --------
    >>> paddle.trunc(paddle.to_tensor([-1.7, 0.5, 1.7])).tolist()
    [-1.0, 0.0, 1.0]
    """
    return OPS["trunc"](input)


def frac(x: Tensor, name: str | None = None) -> Tensor:
    """Fractional part of each element, with its sign.

    out = x - trunc(x)

    Parameters
    ----------
    x : Tensor [*], integer or floating
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is not a Tensor.

    Examples
    --------
    >>> paddle.frac(paddle.to_tensor([-1.75, 0.5, 2.25])).tolist()
    [-0.75, 0.5, 0.25]
    """
    return math.subtract(x, trunc(x))


def polygamma(x: Tensor, n: int, name: str | None = None) -> Tensor:
    """Derivative of order n of the digamma function.

    out = d^(n + 1) / dx^(n + 1) log(gamma(x))

    Parameters
    ----------
    x : Tensor [*], floating
    n : int
        Not negative; 0 is the digamma function.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If n is negative or not an int, or x is not floating and n > 0.

    Examples
    --------
    >>> print(paddle.polygamma(paddle.to_tensor([1.0, 2.0]), 1).numpy().round(3))
    [1.645 0.645]
    """
    if not isinstance(n, int) or n < 0:
        check_tensors(x)
        raise OpError(
            append_user_line(f"polygamma: n={n!r} is not a non-negative int (X={x.meta})")
        )
    return digamma(x) if n == 0 else OPS["polygamma"](x, n=n)


def multigammaln(x: Tensor, p: int, name: str | None = None) -> Tensor:
    """Logarithm of the multivariate gamma function.

    out = p * (p - 1) / 4 * log(pi) + sum over i = 1, ..., p of log(gamma(x + (1 - i) / 2))

    Parameters
    ----------
    x : Tensor [*], floating
        Above (p - 1) / 2; the function is not defined for smaller elements, which raise no error.
    p : int
        The dimension, at least 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If p < 1.

    Examples
    --------
    >>> print(paddle.multigammaln(paddle.to_tensor([2.0, 3.0]), 2).numpy().round(3))
    [0.452 1.55 ]
    """
    if p < 1:
        raise OpError(append_user_line(f"multigammaln: p={p} is less than 1 (X={x.meta})"))
    terms = [lgamma(math.subtract(x, 0.5 * i)) for i in range(p)]
    return math.add(math.add_n(terms), 0.25 * p * (p - 1) * pymath.log(pymath.pi))


def logit(x: Tensor, eps: float | None = None, name: str | None = None) -> Tensor:
    """Inverse of the sigmoid function: the logarithm of the odds.

    out = log(x / (1 - x))

    Parameters
    ----------
    x : Tensor [*], floating
        In [0, 1]; NaN outside of it.
    eps : float, optional
        x is limited to [eps, 1 - eps] first. Default: no limit.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x
        Without `eps`, -inf for 0 and inf for 1.

    Raises
    ------
    OpError
        If x is not floating.

    Examples
    --------
    >>> print(paddle.logit(paddle.to_tensor([0.2, 0.5, 0.9])).numpy().round(3))
    [-1.386  0.     2.197]
    >>> print(paddle.logit(paddle.to_tensor([0.0]), eps=0.1).numpy().round(3))
    [-2.197]
    """
    return OPS["logit"](x, eps=float(eps or 0.0))


def stanh(
    x: Tensor, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None
) -> Tensor:
    """Scaled hyperbolic tangent.

    out = scale_b * tanh(scale_a * x)

    Parameters
    ----------
    x : Tensor [*], floating
    scale_a : float, default 0.67
    scale_b : float, default 1.7159
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is not floating.

    Examples
    --------
    >>> print(paddle.stanh(paddle.to_tensor([-1.0, 0.0, 1.0])).numpy().round(3))
    [-1.004  0.     1.004]
    """
    return OPS["stanh"](x, scale_a=float(scale_a), scale_b=float(scale_b))


fmax = make_binary_function(
    "elementwise_fmax",
    "Larger of two elements, ignoring NaN.",
    ('[1.0, float("nan"), 3.0]', "[2.0, 0.5, 1.0]"),
    "[2.  0.5 3. ]",
    formula="max(x, y); the other operand if one is NaN",
    dtypes="integer or floating",
)
fmin = make_binary_function(
    "elementwise_fmin",
    "Smaller of two elements, ignoring NaN.",
    ('[1.0, float("nan"), 3.0]', "[2.0, 0.5, 1.0]"),
    "[1.  0.5 1. ]",
    formula="min(x, y); the other operand if one is NaN",
    dtypes="integer or floating",
)
heaviside = make_binary_function(
    "elementwise_heaviside",
    "Heaviside step function.",
    ("[-1.0, 0.0, 2.0]", "[0.5]"),
    "[0.  0.5 1. ]",
    formula="0 if x < 0, y if x = 0, 1 if x > 0",
    notes="NaN if x is NaN.",
    dtypes="integer or floating",
)
atan2 = make_binary_function(
    "atan2",
    "Angle of the points (y, x), in radians.",
    ("[1.0, -1.0, 1.0]", "[1.0, -1.0, -1.0]"),
    "[ 0.785 -2.356  2.356]",
    formula="the angle in [-pi, pi] whose sine is x / r and whose cosine is y / r, r = hypot(x, y)",
    dtypes="integer or floating",
    result="dtype of x and y, float64 for integers",
)
nextafter = make_binary_function(
    "nextafter",
    "Next floating-point number after x in the direction of y.",
    ("[8192.0, 8192.0]", "[10000.0, 8192.0]"),
    "[8192.001 8192.   ]",
    notes="If x equals y, the result is y.",
    dtypes="floating",
)


def hypot(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Length of the hypotenuse of right triangles.

    out = sqrt(x ** 2 + y ** 2)

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], floating
        Both have the same dtype. Integers give float32.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x and y

    Raises
    ------
    OpError
        If the shapes do not broadcast, or the dtypes differ.

    Examples
    --------
    >>> x, y = paddle.to_tensor([3.0, 5.0]), paddle.to_tensor([4.0, 12.0])
    >>> paddle.hypot(x, y).tolist()
    [5.0, 13.0]
    """
    return math.sqrt(math.add(math.square(x), math.square(y)))


def logaddexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Logarithm of the sum of two exponentials, without overflow.

    out = log(exp(x) + exp(y))

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], floating
        Both have the same dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x and y

    Raises
    ------
    OpError
        If the shapes do not broadcast, or the dtypes differ.

    Examples
    --------
    >>> x, y = paddle.to_tensor([0.0, 500.0]), paddle.to_tensor([0.0, 0.0])
    >>> print(paddle.logaddexp(x, y).numpy().round(3))
    [  0.693 500.   ]
    """
    difference = math.neg(math.abs(math.subtract(x, y)))
    return math.add(math.maximum(x, y), math.log1p(math.exp(difference)))


def ldexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Multiply by a power of 2.

    out = x * 2 ** y

    Parameters
    ----------
    x : Tensor [*A], integer or floating
        Integers are cast to float32 first.
    y : Tensor [*B] or number
        The exponents, cast to the dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x after the cast

    Raises
    ------
    OpError
        If the shapes do not broadcast, or x is not a Tensor.

    Examples
    --------
    >>> x, y = paddle.to_tensor([1.0, 2.0, 3.0]), paddle.to_tensor([2, 3, -1])
    >>> paddle.ldexp(x, y).tolist()
    [4.0, 16.0, 1.5]
    """
    check_tensors(x)
    if x.meta.dtype.kind in "iub":
        x = cast(x, "float32")
    power = math.pow(full([], 2, x.dtype), cast(as_operand(y, x, "ldexp"), x.dtype))
    return math.multiply(x, power)


def frexp(x: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Split numbers into mantissas and exponents of 2.

    x = mantissa * 2 ** exponent

    Parameters
    ----------
    x : Tensor [*], floating
    name : str, optional
        Not used.

    Returns
    -------
    mantissa : Tensor [*], dtype of x
        In (-1, -0.5] or [0.5, 1); 0 for 0.
    exponent : Tensor [*], dtype of x
        Integers as floats; 0 for 0.

    Raises
    ------
    OpError
        If x is not floating.

    Examples
    --------
    >>> mantissa, exponent = paddle.frexp(paddle.to_tensor([0.0, 3.0, -8.0]))
    >>> mantissa.tolist(), exponent.tolist()
    ([0.0, 0.75, -0.5], [0.0, 2.0, 4.0])
    """
    try:
        is_floating = is_real(x.meta.dtype)
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if not is_floating:
        raise OpError(append_user_line(f"frexp: needs a floating dtype (X={x.meta})"))
    is_zero = logic.equal(x, 0.0)
    magnitude = manipulation.where(is_zero, full([], 1, x.dtype), math.abs(x))
    exponent = math.add(math.floor(math.log2(magnitude)), 1.0)
    mantissa = math.true_divide(x, math.pow(full([], 2, x.dtype), exponent))
    # log2 is rounded, so for x near a power of two the exponent may be wrong by one; the mantissa
    # is then 1 or more, or less than 1/2, and is corrected.
    is_too_large, is_too_small = (
        logic.greater_equal(math.abs(mantissa), 1.0),
        logic.less_than(math.abs(mantissa), 0.5),
    )
    exponent = math.subtract(
        math.add(exponent, cast(is_too_large, x.dtype)), cast(is_too_small, x.dtype)
    )
    exponent = manipulation.where(is_zero, full([], 0, x.dtype), exponent)
    return math.true_divide(x, math.pow(full([], 2, x.dtype), exponent)), exponent


def lerp(x: Tensor, y: Tensor, weight: float | Tensor, name: str | None = None) -> Tensor:
    """Linear interpolation between two tensors.

    out = x + weight * (y - x)

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], floating
        Both have the same dtype.
    weight : float or Tensor [*C], dtype of x
        For 0 the result is x, for 1 it is y.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B, C)], dtype of x and y

    Raises
    ------
    OpError
        If the shapes do not broadcast, the dtypes differ, or x is not a Tensor.

    Examples
    --------
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 6.0])
    >>> paddle.lerp(x, y, 0.25).tolist()
    [1.5, 3.0]
    """
    try:
        weight_tensor = as_operand(weight, x, "lerp")
    except AttributeError:
        raise not_a_tensor_error(x) from None
    return OPS["lerp"](x, y, weight_tensor)


def _multiply_casting_integers_to_float32(x: Tensor, factor: float) -> Tensor:
    """Multiply x by a number; integers are cast to float32."""
    try:
        is_integral = x.meta.dtype.kind in "iub"
    except AttributeError:
        raise not_a_tensor_error(x) from None
    out: Tensor = math.scale(cast(x, "float32") if is_integral else x, factor)
    return out


def deg2rad(x: Tensor, name: str | None = None) -> Tensor:
    """Convert angles from degrees to radians.

    out = x * pi / 180

    Parameters
    ----------
    x : Tensor [*], integer or floating
        Integers are cast to float32 first.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x after the cast

    Raises
    ------
    OpError
        If x is not a Tensor.

    Examples
    --------
    >>> print(paddle.deg2rad(paddle.to_tensor([90.0, 180.0])).numpy().round(3))
    [1.571 3.142]
    """
    return _multiply_casting_integers_to_float32(x, pymath.pi / 180)


def rad2deg(x: Tensor, name: str | None = None) -> Tensor:
    """Convert angles from radians to degrees.

    out = x * 180 / pi

    Parameters
    ----------
    x : Tensor [*], integer or floating
        Integers are cast to float32 first.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x after the cast

    Raises
    ------
    OpError
        If x is not a Tensor.

    Examples
    --------
    >>> print(paddle.rad2deg(paddle.to_tensor([0.5, 1.0])).numpy().round(3))
    [28.648 57.296]
    """
    return _multiply_casting_integers_to_float32(x, 180 / pymath.pi)


def gcd(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Greatest common divisor of integers.

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], integer
        Both have the same dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x and y
        Not negative.

    Raises
    ------
    OpError
        If the shapes do not broadcast, the dtypes differ, or an operand is not a Tensor of
        integers.

    Examples
    --------
    >>> paddle.gcd(paddle.to_tensor([12, -18]), paddle.to_tensor([8, 27])).tolist()
    [4, 9]
    """
    _check_integers("gcd", x, y)
    x, y = manipulation.broadcast_tensors([math.abs(x), math.abs(y)])
    # Euclid's algorithm takes the most steps for consecutive Fibonacci numbers: 1.45 steps per bit
    # of the smaller number.
    for _ in range(int(1.45 * 8 * x.meta.dtype.itemsize) + 1):
        is_done = logic.equal(y, 0)
        remainder = math.mod(x, manipulation.where(is_done, _ones_like(y), y))
        x, y = manipulation.where(is_done, x, y), manipulation.where(is_done, y, remainder)
    return x


def _ones_like(y: Tensor) -> Tensor:
    return OPS["fill_any_like"](y, value=1.0)


def _check_integers(name: str, *tensors: Tensor) -> None:
    for t in tensors:
        try:
            is_integer = t.meta.dtype.kind in "iu"
        except AttributeError:
            raise not_a_tensor_error(t) from None
        if not is_integer:
            raise OpError(append_user_line(f"{name}: the dtype must be integer (X={t.meta})"))


def lcm(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Least common multiple of integers.

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], integer
        Both have the same dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x and y
        Not negative; 0 if one of the integers is 0.

    Raises
    ------
    OpError
        If the shapes do not broadcast, the dtypes differ, or an operand is not a Tensor of
        integers.

    Examples
    --------
    >>> paddle.lcm(paddle.to_tensor([12, 0]), paddle.to_tensor([8, 3])).tolist()
    [24, 0]
    """
    divisor = gcd(x, y)
    is_zero = logic.equal(divisor, 0)
    nonzero_divisor = manipulation.where(is_zero, _ones_like(divisor), divisor)
    return math.abs(math.multiply(math.floor_divide(x, nonzero_divisor), y))


def nan_to_num(
    x: Tensor,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    name: str | None = None,
) -> Tensor:
    """Replace NaN and infinities by finite numbers.

    Parameters
    ----------
    x : Tensor [*], floating
    nan : float, default 0.0
        Replaces NaN.
    posinf : float, optional
        Replaces infinity. Default: the largest finite number of the dtype.
    neginf : float, optional
        Replaces -infinity. Default: the smallest finite number of the dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is not floating.

    Examples
    --------
    >>> x = paddle.to_tensor([float("nan"), float("inf"), 1.0])
    >>> paddle.nan_to_num(x, nan=-1.0, posinf=100.0).tolist()
    [-1.0, 100.0, 1.0]
    """
    check_tensors(x)
    info = finfo(x.dtype)
    high, low = info.max if posinf is None else posinf, info.min if neginf is None else neginf
    infinite = OPS["isinf_v2"](x)
    positive = logic.logical_and(infinite, logic.greater_than(x, 0.0))
    out = manipulation.where(OPS["isnan_v2"](x), full([], float(nan), x.dtype), x)
    out = manipulation.where(positive, full([], float(high), x.dtype), out)
    negative = logic.logical_and(infinite, logic.less_than(x, 0.0))
    return manipulation.where(negative, full([], float(low), x.dtype), out)
