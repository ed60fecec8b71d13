"""Comparison and logic.   x, y broadcast; the result is bool."""

from __future__ import annotations

from typing import Any

from ..core.op import OPS
from ..core.tensor import Tensor
from .math import binary

__all__ = [
    "allclose", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "equal", "equal_all", "greater_equal", "greater_than",
    "is_empty", "is_tensor", "isclose", "less_equal", "less_than", "logical_and", "logical_not", "logical_or", "logical_xor",
    "not_equal",
]  # fmt: skip
IN_PLACE = [
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "equal", "greater_equal", "greater_than", "less_equal", "less_than",
    "logical_and", "logical_not", "logical_or", "logical_xor", "not_equal",
]  # fmt: skip
METHODS = [n for n in __all__ if n != "is_tensor"]


def _comparison(op_type: str, doc: str) -> Any:
    def function(x: Any, y: Any, name: str | None = None) -> Tensor:
        return binary(OPS[op_type], x, y)

    function.__name__ = function.__qualname__ = op_type
    function.__doc__ = f"{doc}   x [*A], y [*B] -> bool [*broadcast(A, B)]"
    return function


equal = _comparison("equal", "x == y.")
not_equal = _comparison("not_equal", "x != y.")
less_than = _comparison("less_than", "x < y.")
less_equal = _comparison("less_equal", "x <= y.")
greater_than = _comparison("greater_than", "x > y.")
greater_equal = _comparison("greater_equal", "x >= y.")
logical_and = _comparison("logical_and", "x and y.")
logical_or = _comparison("logical_or", "x or y.")
logical_xor = _comparison("logical_xor", "Either x or y, not both.")


def logical_not(x: Tensor, out: Any = None, name: str | None = None) -> Tensor:
    """Not x.   x [*] -> bool [*]"""
    return OPS["logical_not"](x)


def _bitwise(op_type: str, doc: str) -> Any:
    def function(x: Any, y: Any, name: str | None = None) -> Tensor:
        return binary(OPS[op_type], x, y)

    function.__name__ = function.__qualname__ = op_type
    function.__doc__ = f"{doc}   x [*A], y [*B], bool or integers -> [*broadcast(A, B)]"
    return function


bitwise_and = _bitwise("bitwise_and", "x & y.")
bitwise_or = _bitwise("bitwise_or", "x | y.")
bitwise_xor = _bitwise("bitwise_xor", "x ^ y.")


def bitwise_not(x: Tensor, out: Any = None, name: str | None = None) -> Tensor:
    """~x.   x [*], bool or integers -> [*]"""
    return OPS["bitwise_not"](x)


def equal_all(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Whether x and y have one shape and are equal everywhere.   x [*], y [*] -> bool []"""
    return OPS["equal_all"](x, y)


def isclose(
    x: Tensor, y: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: str | None = None
) -> Tensor:
    """|x - y| <= atol + rtol * |y|.   x [*A], y [*B] -> bool [*broadcast(A, B)]"""
    return OPS["isclose"](x, y, rtol=str(rtol), atol=str(atol), equal_nan=equal_nan)


def allclose(
    x: Tensor, y: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: str | None = None
) -> Tensor:
    """Whether isclose everywhere.   x [*A], y [*B] -> bool []"""
    return OPS["allclose"](x, y, rtol=str(rtol), atol=str(atol), equal_nan=equal_nan)


def is_empty(x: Tensor, name: str | None = None) -> Tensor:
    """Whether there is no element.   x [*] -> bool []"""
    return OPS["is_empty"](x)


def is_tensor(x: Any) -> bool:
    """Whether `x` is a Tensor."""
    return isinstance(x, Tensor)
