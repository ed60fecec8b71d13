"""Nested lists, tuples and dicts of variables: `fluid.layers.utils`."""

from __future__ import annotations

from typing import Any

from ...core.errors import append_user_line
from ...utils.layers_utils import (
    assert_same_structure,
    flatten,
    is_sequence,
    map_structure,
    pack_sequence_as,
)

__all__ = [
    "assert_same_structure",
    "convert_to_list",
    "flatten",
    "is_sequence",
    "map_structure",
    "pack_sequence_as",
]


def convert_to_list(value: Any, n: int, name: str, dtype: Any = int) -> list[Any]:
    """Return a list of n values, from one value or a list of n. Raises ValueError for other
    values.
    """
    if isinstance(value, dtype):
        return [value] * n
    try:
        items = list(value)
    except TypeError:
        items = []
    if len(items) != n or not all(isinstance(item, dtype) for item in items):
        raise ValueError(
            append_user_line(
                f"The {name}'s type must be list or tuple of {n} {dtype.__name__}, not {value}"
            )
        )
    return items
