"""Complex tensors: construction, real and imaginary parts, and predicates on dtypes."""

from __future__ import annotations

from typing import Any

from ..core.dtype import is_inexact
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import not_a_tensor_error
from ..core.tensor import Tensor
from .convert import cast, full

__all__ = [
    "angle",
    "as_complex",
    "as_real",
    "complex",
    "conj",
    "imag",
    "is_complex",
    "is_floating_point",
    "is_integer",
    "polar",
    "real",
    "sgn",
]
METHODS = [n for n in __all__ if n != "complex"]


def _check_is_tensor(x: Any, op: str) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(append_user_line(f"{op}: expected a tensor, got {type(x).__name__}"))


def is_complex(x: Tensor) -> bool:
    """Whether the dtype of a tensor is complex.

    Parameters
    ----------
    x : Tensor [*], any dtype

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        If x is not a Tensor.

    Examples
    --------
    >>> paddle.is_complex(paddle.to_tensor([1j])), paddle.is_complex(paddle.to_tensor([1.0]))
    (True, False)
    """
    _check_is_tensor(x, "is_complex")
    return x.meta.dtype.kind == "c"


def is_floating_point(x: Tensor) -> bool:
    """Whether the dtype of a tensor is a real floating one: float16, bfloat16, float32 or float64.

    Parameters
    ----------
    x : Tensor [*], any dtype

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        If x is not a Tensor.

    Examples
    --------
    >>> paddle.is_floating_point(paddle.to_tensor([1.0]))
    True
    >>> paddle.is_floating_point(paddle.to_tensor([1j]))
    False
    """
    _check_is_tensor(x, "is_floating_point")
    return is_inexact(x.meta.dtype) and x.meta.dtype.kind != "c"


def is_integer(x: Tensor) -> bool:
    """Whether the dtype of a tensor is an integer one; bool is not.

    Parameters
    ----------
    x : Tensor [*], any dtype

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        If x is not a Tensor.

    Examples
    --------
    >>> paddle.is_integer(paddle.to_tensor([1])), paddle.is_integer(paddle.to_tensor([True]))
    (True, False)
    """
    _check_is_tensor(x, "is_integer")
    return x.meta.dtype.kind in "iu"


def complex(real: Tensor, imag: Tensor, name: str | None = None) -> Tensor:
    """Create complex numbers from real and imaginary parts.

    out = real + i * imag

    Parameters
    ----------
    real, imag : Tensor [*A], Tensor [*B], float32 or float64
        Both should have the same dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], complex64 or complex128

    Raises
    ------
    OpError
        If the shapes do not broadcast, or an operand is not floating.

    Examples
    --------
    >>> paddle.complex(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
    [(1+3j), (2+4j)]
    """
    return OPS["complex"](real, imag)


def polar(abs: Tensor, angle: Tensor, name: str | None = None) -> Tensor:
    """Create complex numbers from absolute values and angles.

    out = abs * (cos(angle) + i * sin(angle))

    Parameters
    ----------
    abs, angle : Tensor [*A], Tensor [*B], float32 or float64
        Both should have the same dtype. Angles are in radians.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], complex64 or complex128

    Raises
    ------
    OpError
        If the shapes do not broadcast, or an operand is not floating.

    Examples
    --------
    >>> x = paddle.polar(paddle.to_tensor([2.0, 2.0]), paddle.to_tensor([0.0, np.pi / 2]))
    >>> paddle.imag(x).tolist()
    [0.0, 2.0]
    """
    multiply = OPS["elementwise_mul"]
    return complex(multiply(abs, OPS["cos"](angle)), multiply(abs, OPS["sin"](angle)))


def real(x: Tensor, name: str | None = None) -> Tensor:
    """Real part of complex numbers.

    Parameters
    ----------
    x : Tensor [*], complex
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], float32 or float64

    Raises
    ------
    OpError
        If x is not complex.

    Examples
    --------
    >>> paddle.real(paddle.to_tensor([1 + 2j, 3 - 4j])).tolist()
    [1.0, 3.0]
    """
    return OPS["real"](x)


def imag(x: Tensor, name: str | None = None) -> Tensor:
    """Imaginary part of complex numbers.

    Parameters
    ----------
    x : Tensor [*], complex
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], float32 or float64

    Raises
    ------
    OpError
        If x is not complex.

    Examples
    --------
    >>> paddle.imag(paddle.to_tensor([1 + 2j, 3 - 4j])).tolist()
    [2.0, -4.0]
    """
    return OPS["imag"](x)


def conj(x: Tensor, name: str | None = None) -> Tensor:
    """Complex conjugate; real numbers are unchanged.

    out = real(x) - i * imag(x)

    Parameters
    ----------
    x : Tensor [*], any dtype
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
    >>> paddle.conj(paddle.to_tensor([1 + 2j, 3 - 4j])).tolist()
    [(1-2j), (3+4j)]
    """
    return OPS["conj"](x)


def angle(x: Tensor, name: str | None = None) -> Tensor:
    """Argument of complex numbers, in radians; 0 or pi for real numbers.

    out = atan2(imag(x), real(x)), in [-pi, pi]

    Parameters
    ----------
    x : Tensor [*], floating or complex
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], floating dtype of x or of its parts

    Raises
    ------
    OpError
        If x is bool or has integers.

    Examples
    --------
    >>> print(paddle.angle(paddle.to_tensor([1j, -1, 1 + 1j])).numpy().round(3))
    [1.571 3.142 0.785]
    >>> print(paddle.angle(paddle.to_tensor([2.0, -2.0])).numpy().round(3))
    [0.    3.142]
    """
    return OPS["angle"](x)


def as_complex(x: Tensor, name: str | None = None) -> Tensor:
    """Create complex numbers from the pairs of real and imaginary parts in the last axis.

    out = x[..., 0] + i * x[..., 1]

    Parameters
    ----------
    x : Tensor [*, 2], float32 or float64
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], complex64 or complex128

    Raises
    ------
    OpError
        If the last axis has another size than 2, or x is not floating.

    Examples
    --------
    >>> paddle.as_complex(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [(1+2j), (3+4j)]
    """
    return OPS["as_complex"](x)


def as_real(x: Tensor, name: str | None = None) -> Tensor:
    """Split complex numbers into their real and imaginary parts, in a new last axis.

    Parameters
    ----------
    x : Tensor [*], complex
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, 2], float32 or float64

    Raises
    ------
    OpError
        If x is not complex.

    Examples
    --------
    >>> paddle.as_real(paddle.to_tensor([1 + 2j, 3 + 4j])).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return OPS["as_real"](x)


def sgn(x: Tensor, name: str | None = None) -> Tensor:
    """Sign of real numbers, direction of complex numbers.

    out = x / |x|, 0 if x is 0

    Parameters
    ----------
    x : Tensor [*], floating or complex
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is bool or has integers, or is not a Tensor.

    Examples
    --------
    >>> paddle.sgn(paddle.to_tensor([-2.5, 0.0, 3.0])).tolist()
    [-1.0, 0.0, 1.0]
    >>> paddle.sgn(paddle.to_tensor([3 + 4j])).numpy().round(3)
    array([0.6+0.8j], dtype=complex64)
    """
    try:
        has_float_dtype = is_inexact(x.meta.dtype)
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if not has_float_dtype:
        raise OpError(append_user_line(f"sgn: needs a floating or complex dtype (X={x.meta})"))
    if not is_complex(x):
        return OPS["sign"](x)
    magnitude = OPS["abs"](x)
    is_zero = OPS["equal"](magnitude, full([], 0.0, magnitude.dtype))
    return OPS["elementwise_div"](
        x, cast(OPS["elementwise_add"](magnitude, cast(is_zero, magnitude.dtype)), x.dtype)
    )
