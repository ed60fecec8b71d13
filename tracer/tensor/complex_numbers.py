"""Complex tensors: made of parts, taken apart; and what kind of numbers a tensor holds."""

from __future__ import annotations

from typing import Any

from ..core.dtype import is_float
from ..core.errors import OpError, with_user_line
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


def _must_be_tensor(x: Any, op: str) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(with_user_line(f"{op}: needs a tensor, got {type(x).__name__}"))


def is_complex(x: Tensor) -> bool:
    """Whether the elements are complex numbers.

    x [*]
    """
    _must_be_tensor(x, "is_complex")
    return x.meta.dtype.kind == "c"


def is_floating_point(x: Tensor) -> bool:
    """Whether the elements are real floating numbers, bfloat16 included.

    x [*]
    """
    _must_be_tensor(x, "is_floating_point")
    return is_float(x.meta.dtype) and x.meta.dtype.kind != "c"


def is_integer(x: Tensor) -> bool:
    """Whether the elements are integers; truth values are none.

    x [*]
    """
    _must_be_tensor(x, "is_integer")
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
    times = OPS["elementwise_mul"]
    return complex(times(abs, OPS["cos"](angle)), times(abs, OPS["sin"](angle)))


def real(x: Tensor, name: str | None = None) -> Tensor:
    """The real part.

    x complex [*] -> [*]
    """
    return OPS["real"](x)


def imag(x: Tensor, name: str | None = None) -> Tensor:
    """The imaginary part.

    x complex [*] -> [*]
    """
    return OPS["imag"](x)


def conj(x: Tensor, name: str | None = None) -> Tensor:
    """The conjugate; real numbers are their own.

    x [*] -> [*]
    """
    return OPS["conj"](x)


def angle(x: Tensor, name: str | None = None) -> Tensor:
    """The angle with the positive real axis: in (-pi, pi], of real numbers 0 or pi.

    x [*] -> real [*]
    """
    return OPS["angle"](x)


def as_complex(x: Tensor, name: str | None = None) -> Tensor:
    """The complex numbers whose parts stand in the last axis.

    x [*, 2] -> complex [*]
    """
    return OPS["as_complex"](x)


def as_real(x: Tensor, name: str | None = None) -> Tensor:
    """The parts of the numbers, in a new last axis.

    x complex [*] -> [*, 2]
    """
    return OPS["as_real"](x)


def sgn(x: Tensor, name: str | None = None) -> Tensor:
    """x / |x|, 0 where x is 0; of real numbers the sign.

    x [*] -> [*]
    """
    try:
        floats = is_float(x.meta.dtype)
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if not floats:
        raise OpError(with_user_line(f"sgn: needs a floating or complex dtype (X={x.meta})"))
    if not is_complex(x):
        return OPS["sign"](x)
    size = OPS["abs"](x)
    nothing = OPS["equal"](size, full([], 0.0, size.dtype))
    return OPS["elementwise_div"](
        x, cast(OPS["elementwise_add"](size, cast(nothing, size.dtype)), x.dtype)
    )
