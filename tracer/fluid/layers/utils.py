"""Nested lists, tuples and dicts of variables: `fluid.layers.utils`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core import pytree
from ...core.errors import append_user_line

__all__ = [
    "assert_same_structure",
    "convert_to_list",
    "flatten",
    "is_sequence",
    "map_structure",
    "pack_sequence_as",
]


def is_sequence(seq: Any) -> bool:
    """Whether `seq` is a dict or a sequence other than str or bytes."""
    return _factory_and_children(seq) is not None


def _factory_and_children(value: Any) -> pytree.FactoryAndChildren | None:
    return pytree.flatten_one_level_any_sequence(value, (str, bytes))


def _child_list(nest: Any) -> list[Any]:
    return [nest[key] for key in sorted(nest)] if isinstance(nest, dict) else list(nest)


def flatten(nest: Any) -> list[Any]:
    """Return the leaves of a nest as a list; those of a dict in the order of its sorted keys."""
    return pytree.flatten(nest, sort_keys=True, children_of=_factory_and_children)[0]


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """Return the structure with other leaves. Raises ValueError if their number differs."""
    if not is_sequence(flat_sequence):
        raise TypeError(append_user_line("pack_sequence_as: flat_sequence must be a sequence"))
    leaves, spec = pytree.flatten(structure, sort_keys=True, children_of=_factory_and_children)
    if len(leaves) != len(flat_sequence):
        why = (
            f"pack_sequence_as: the structure has {len(leaves)} elements, the flat sequence "
            f"{len(flat_sequence)}"
        )
        raise ValueError(append_user_line(why))
    return pytree.unflatten(spec, list(flat_sequence))


def map_structure(func: Callable[..., Any], *structure: Any) -> Any:
    """Apply `func` to the leaves of one or more nests and return the results in the structure of
    the first one.
    """
    return pack_sequence_as(
        structure[0],
        [func(*leaves) for leaves in zip(*(flatten(s) for s in structure), strict=False)],
    )


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise ValueError if two nests differ in nesting, lengths or keys, and, with `check_types`,
    TypeError if the types of their containers differ.
    """
    if is_sequence(nest1) != is_sequence(nest2) or (
        is_sequence(nest1) and len(nest1) != len(nest2)
    ):
        raise ValueError(
            append_user_line(
                f"The two structures don't have the same nested structure: {nest1}, {nest2}"
            )
        )
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(
            append_user_line(
                f"The structures are of {type(nest1).__name__} and {type(nest2).__name__}"
            )
        )
    if isinstance(nest1, dict) and set(nest1) != set(nest2):
        raise ValueError(
            append_user_line(f"The structures have the keys {sorted(nest1)} and {sorted(nest2)}")
        )
    for first, second in zip(_child_list(nest1), _child_list(nest2), strict=True):
        assert_same_structure(first, second, check_types)


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
