"""The names that Paddle's own `paddle.compat` has: what differed between Python 2 and 3."""

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


def _each(value: Any, inplace: bool, change: Any) -> Any:
    """What `change` gives of a value, or of each in a list, set or dict; inplace: the container
    itself changes.
    """
    if isinstance(value, dict):
        made: Any = {_each(k, False, change): _each(v, False, change) for k, v in value.items()}
    elif isinstance(value, list | set):
        made = type(value)(_each(v, False, change) for v in value)
    else:
        return change(value)
    if not inplace:
        return made
    value.clear()
    if isinstance(value, list):
        value.extend(made)
    else:
        value.update(made)
    return value


def to_text(obj: Any, encoding: str = "utf-8", inplace: bool = False) -> Any:
    """Bytes as str, in lists, sets and dicts too; all else as it is."""
    return _each(obj, inplace, lambda v: v.decode(encoding) if isinstance(v, bytes) else v)


def to_bytes(obj: Any, encoding: str = "utf-8", inplace: bool = False) -> Any:
    """Str as bytes, in lists, sets and dicts too; all else as it is."""
    return _each(obj, inplace, lambda v: v.encode(encoding) if isinstance(v, str) else v)


def round(x: float, d: int = 0) -> float:
    """x to d digits, halves away from zero, as in Python 2."""
    factor = 10**d
    return math.copysign(math.floor(abs(x) * factor + 0.5) / factor, x) if x else 0.0


def floor_division(x: Any, y: Any) -> Any:
    """x // y."""
    return x // y


def get_exception_message(exc: BaseException) -> str:
    """What an exception says."""
    assert exc is not None
    return str(exc)
