"""Nested lists, tuples and dicts of variables: fluid.layers.utils."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...core.errors import with_user_line

__all__ = [
    "assert_same_structure",
    "convert_to_list",
    "flatten",
    "is_sequence",
    "map_structure",
    "pack_sequence_as",
]


def is_sequence(seq: Any) -> bool:
    """Whether it holds others: a dict, or a list or tuple of any kind, but no str."""
    return isinstance(seq, dict) or (isinstance(seq, Sequence) and not isinstance(seq, str | bytes))


def _children(nest: Any) -> list[Any]:
    return [nest[key] for key in sorted(nest)] if isinstance(nest, dict) else list(nest)


def flatten(nest: Any) -> list[Any]:
    """What is at the ends, in order; of dicts in the order of their keys."""
    return (
        [leaf for child in _children(nest) for leaf in flatten(child)]
        if is_sequence(nest)
        else [nest]
    )


def _like(nest: Any, children: list[Any]) -> Any:
    if isinstance(nest, dict):
        found = dict(zip(sorted(nest), children, strict=True))
        return type(nest)((key, found[key]) for key in nest)
    return type(nest)(*children) if hasattr(nest, "_fields") else type(nest)(children)


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """A nest like structure with other ends.   Raises ValueError for another number of them."""
    if not is_sequence(flat_sequence):
        raise TypeError(with_user_line("pack_sequence_as: flat_sequence must be a sequence"))
    wanted = len(flatten(structure))
    if wanted != len(flat_sequence):
        why = (
            f"pack_sequence_as: the structure has {wanted} elements, the flat sequence "
            f"{len(flat_sequence)}"
        )
        raise ValueError(with_user_line(why))
    return _packed(structure, iter(flat_sequence))


def _packed(structure: Any, ends: Iterator[Any]) -> Any:
    if not is_sequence(structure):
        return next(ends)
    return _like(structure, [_packed(child, ends) for child in _children(structure)])


def map_structure(func: Callable[..., Any], *structure: Any) -> Any:
    """func of the ends of nests that are alike, as such a nest."""
    return pack_sequence_as(
        structure[0], [func(*ends) for ends in zip(*(flatten(s) for s in structure), strict=False)]
    )


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise ValueError for nests that are not alike, and TypeError for those of other classes where
    check_types says so.
    """
    if is_sequence(nest1) != is_sequence(nest2) or (
        is_sequence(nest1) and len(nest1) != len(nest2)
    ):
        raise ValueError(
            with_user_line(
                f"The two structures don't have the same nested structure: {nest1}, {nest2}"
            )
        )
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(
            with_user_line(
                f"The structures are of {type(nest1).__name__} and {type(nest2).__name__}"
            )
        )
    if isinstance(nest1, dict) and set(nest1) != set(nest2):
        raise ValueError(
            with_user_line(f"The structures have the keys {sorted(nest1)} and {sorted(nest2)}")
        )
    for first, second in zip(_children(nest1), _children(nest2), strict=True):
        assert_same_structure(first, second, check_types)


def convert_to_list(value: Any, n: int, name: str, dtype: Any = int) -> list[Any]:
    """n numbers, from one that stands for all or from a list of them.

    Raises ValueError for others.
    """
    if isinstance(value, dtype):
        return [value] * n
    try:
        found = list(value)
    except TypeError:
        found = []
    if len(found) != n or not all(isinstance(item, dtype) for item in found):
        raise ValueError(
            with_user_line(
                f"The {name}'s type must be list or tuple of {n} {dtype.__name__}, not {value}"
            )
        )
    return found
