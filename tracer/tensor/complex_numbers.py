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
    """Return whether the dtype is complex."""
    _check_is_tensor(x, "is_complex")
    return x.meta.dtype.kind == "c"


def is_floating_point(x: Tensor) -> bool:
    """Return whether the dtype is a real floating-point type, bfloat16 included."""
    _check_is_tensor(x, "is_floating_point")
    return is_inexact(x.meta.dtype) and x.meta.dtype.kind != "c"


def is_integer(x: Tensor) -> bool:
    """Return whether the dtype is an integer type; bool is not."""
    _check_is_tensor(x, "is_integer")
    return x.meta.dtype.kind in "iu"


def complex(real: Tensor, imag: Tensor, name: str | None = None) -> Tensor:
    """real + i imag.

    real [*A], imag [*B], float32 or float64 -> complex [*broadcast(A, B)]
    """
    return OPS["complex"](real, imag)


def polar(abs: Tensor, angle: Tensor, name: str | None = None) -> Tensor:
    """abs * (cos angle + i sin angle).

    abs [*A], angle [*B] -> complex [*broadcast(A, B)]
    """
    multiply = OPS["elementwise_mul"]
    return complex(multiply(abs, OPS["cos"](angle)), multiply(abs, OPS["sin"](angle)))


def real(x: Tensor, name: str | None = None) -> Tensor:
    """Real part.

    x complex [*] -> [*]
    """
    return OPS["real"](x)


def imag(x: Tensor, name: str | None = None) -> Tensor:
    """Imaginary part.

    x complex [*] -> [*]
    """
    return OPS["imag"](x)


def conj(x: Tensor, name: str | None = None) -> Tensor:
    """Complex conjugate; real numbers are unchanged.

    x [*] -> [*]
    """
    return OPS["conj"](x)


def angle(x: Tensor, name: str | None = None) -> Tensor:
    """Argument of x in (-pi, pi]; of real numbers 0 or pi.

    x [*] -> real [*]
    """
    return OPS["angle"](x)


def as_complex(x: Tensor, name: str | None = None) -> Tensor:
    """Combine the real and imaginary parts in the last axis.

    x [*, 2] -> complex [*]
    """
    return OPS["as_complex"](x)


def as_real(x: Tensor, name: str | None = None) -> Tensor:
    """Split into real and imaginary parts in a new last axis.

    x complex [*] -> [*, 2]
    """
    return OPS["as_real"](x)


def sgn(x: Tensor, name: str | None = None) -> Tensor:
    """x / |x|, 0 where x is 0; the sign of real numbers.

    x [*] -> [*]
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
