"""Comparison and logic. x and y broadcast; the result is bool."""

from __future__ import annotations

from typing import Any

from ..core.op import OPS
from ..core.tensor import Tensor
from .math import make_binary_function

__all__ = [
    "allclose",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "equal",
    "equal_all",
    "greater_equal",
    "greater_than",
    "is_empty",
    "is_tensor",
    "isclose",
    "less_equal",
    "less_than",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
]
IN_PLACE = [
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "equal",
    "greater_equal",
    "greater_than",
    "less_equal",
    "less_than",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
]
METHODS = [n for n in __all__ if n != "is_tensor"]


equal = make_binary_function("equal", "x == y.", result="bool ")
not_equal = make_binary_function("not_equal", "x != y.", result="bool ")
less_than = make_binary_function("less_than", "x < y.", result="bool ")
less_equal = make_binary_function("less_equal", "x <= y.", result="bool ")
greater_than = make_binary_function("greater_than", "x > y.", result="bool ")
greater_equal = make_binary_function("greater_equal", "x >= y.", result="bool ")
logical_and = make_binary_function("logical_and", "x and y.", result="bool ")
logical_or = make_binary_function("logical_or", "x or y.", result="bool ")
logical_xor = make_binary_function("logical_xor", "Exclusive or of x and y.", result="bool ")


def logical_not(x: Tensor, out: Any = None, name: str | None = None) -> Tensor:
    """Not x.

    x [*] -> bool [*]
    """
    return OPS["logical_not"](x)


bitwise_and = make_binary_function("bitwise_and", "x & y for bool or integers.")
bitwise_or = make_binary_function("bitwise_or", "x | y for bool or integers.")
bitwise_xor = make_binary_function("bitwise_xor", "x ^ y for bool or integers.")


def bitwise_not(x: Tensor, out: Any = None, name: str | None = None) -> Tensor:
    """~x.

    x [*], bool or integers -> [*]
    """
    return OPS["bitwise_not"](x)


def equal_all(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return whether x and y have the same shape and equal elements.

    x [*], y [*] -> bool []
    """
    return OPS["equal_all"](x, y)


def isclose(
    x: Tensor,
    y: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    name: str | None = None,
) -> Tensor:
    """|x - y| <= atol + rtol * |y|.

    x [*A], y [*B] -> bool [*broadcast(A, B)]
    """
    return OPS["isclose"](x, y, rtol=str(rtol), atol=str(atol), equal_nan=equal_nan)


def allclose(
    x: Tensor,
    y: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return whether |x - y| <= atol + rtol * |y| for all elements.

    x [*A], y [*B] -> bool []
    """
    return OPS["allclose"](x, y, rtol=str(rtol), atol=str(atol), equal_nan=equal_nan)


def is_empty(x: Tensor, name: str | None = None) -> Tensor:
    """Return whether x has no elements.

    x [*] -> bool []
    """
    return OPS["is_empty"](x)


def is_tensor(x: Any) -> bool:
    """Return whether x is a Tensor."""
    return isinstance(x, Tensor) and x.is_tensor()  # a variable may represent a number
