"""Tensors in tuples, lists and dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def mapped(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """`function` of what stands at the same place in structures alike, in the same structure."""
    if isinstance(first, list | tuple):
        found = [mapped(function, *items) for items in zip(first, *others, strict=True)]
        return type(first)(*found) if hasattr(first, "_fields") else type(first)(found)
    if isinstance(first, dict):
        return {
            key: mapped(function, value, *(o[key] for o in others)) for key, value in first.items()
        }
    return function(first, *others)


def flattened(value: Any) -> list[Any]:
    """What stands in a structure, in a row."""
    if isinstance(value, dict):
        value = list(value.values())
    return (
        [leaf for v in value for leaf in flattened(v)]
        if isinstance(value, list | tuple)
        else [value]
    )
