"""Functions of the package `paddle.compat`, which hide differences between Python 2 and 3."""

from __future__ import annotations

import math
from typing import Any

__all__ = [
    "floor_division",
    "get_exception_message",
    "int_type",
    "long_type",
    "round",
    "to_bytes",
    "to_text",
]

int_type = long_type = int


def _map_value_or_elements(value: Any, inplace: bool, convert: Any) -> Any:
    """Apply `convert` to a value, or to the elements of a list, set or dict.

    inplace: modify the container instead of returning a new one
    """
    if isinstance(value, dict):
        converted: Any = {
            _map_value_or_elements(k, False, convert): _map_value_or_elements(v, False, convert)
            for k, v in value.items()
        }
    elif isinstance(value, list | set):
        converted = type(value)(_map_value_or_elements(v, False, convert) for v in value)
    else:
        return convert(value)
    if not inplace:
        return converted
    value.clear()
    if isinstance(value, list):
        value.extend(converted)
    else:
        value.update(converted)
    return value


def to_text(obj: Any, encoding: str = "utf-8", inplace: bool = False) -> Any:
    """Decode bytes, also in lists, sets and dicts; return other values unchanged."""
    return _map_value_or_elements(
        obj, inplace, lambda v: v.decode(encoding) if isinstance(v, bytes) else v
    )


def to_bytes(obj: Any, encoding: str = "utf-8", inplace: bool = False) -> Any:
    """Encode str, also in lists, sets and dicts; return other values unchanged."""
    return _map_value_or_elements(
        obj, inplace, lambda v: v.encode(encoding) if isinstance(v, str) else v
    )


def round(x: float, d: int = 0) -> float:
    """Round x to d digits, halves away from zero, as in Python 2."""
    factor = 10**d
    return math.copysign(math.floor(abs(x) * factor + 0.5) / factor, x) if x else 0.0


def floor_division(x: Any, y: Any) -> Any:
    """Return x // y."""
    return x // y


def get_exception_message(exc: BaseException) -> str:
    """Return the message of an exception."""
    assert exc is not None
    return str(exc)
