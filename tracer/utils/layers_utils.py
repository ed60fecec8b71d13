"""Structures of lists, tuples and dicts: taken apart, put together, compared.

Dicts are walked in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..core.errors import with_user_line


def is_sequence(seq: Any) -> bool:
    """Whether `seq` is a structure: a dict, or a sequence but a string."""
    return isinstance(seq, dict) or (isinstance(seq, Sequence) and not isinstance(seq, str))


def to_sequence(nest: Any) -> Any:
    """A structure as it is; anything else in a list."""
    return nest if is_sequence(nest) else [nest]


def _items(structure: Any) -> list[Any]:
    return (
        [structure[key] for key in sorted(structure)]
        if isinstance(structure, dict)
        else list(structure)
    )


def flatten(nest: Any) -> list[Any]:
    """What stands in a structure, in a row."""
    return (
        [leaf for item in _items(nest) for leaf in flatten(item)] if is_sequence(nest) else [nest]
    )


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """The structure with other values.   Raises ValueError for too many or too few."""
    if not is_sequence(flat_sequence):
        raise TypeError(with_user_line("pack_sequence_as: flat_sequence should be a sequence"))
    count = len(flatten(structure))
    if count != len(flat_sequence):
        why = f"the structure holds {count} values, flat_sequence {len(flat_sequence)}"
        raise ValueError(with_user_line(f"pack_sequence_as: {why}"))
    return _packed(structure, iter(flat_sequence))


def _packed(structure: Any, values: Iterator[Any]) -> Any:
    if not is_sequence(structure):
        return next(values)
    made = [_packed(item, values) for item in _items(structure)]
    if isinstance(structure, dict):
        found = dict(zip(sorted(structure), made, strict=True))
        return type(structure)((key, found[key]) for key in structure)
    return type(structure)(*made) if hasattr(structure, "_fields") else type(structure)(made)


def map_structure(func: Callable[..., Any], *structure: Any) -> Any:
    """`func` of what stands at the same place in structures alike, in the structure of
    the first.
    """
    rows = zip(*(flatten(s) for s in structure), strict=True)
    return pack_sequence_as(structure[0], [func(*row) for row in rows])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise ValueError where two structures hold another number of values, or are nested otherwise;
    TypeError where their kinds differ.
    """
    if len(flatten(nest1)) != len(flatten(nest2)) or is_sequence(nest1) != is_sequence(nest2):
        raise ValueError(
            with_user_line(f"assert_same_structure: {nest1} and {nest2} are not nested alike")
        )
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        kinds = f"{type(nest1).__name__} and {type(nest2).__name__}"
        raise TypeError(with_user_line(f"assert_same_structure: the structures are {kinds}"))
    if isinstance(nest1, dict) and set(nest1) != set(nest2):
        raise ValueError(
            with_user_line(f"assert_same_structure: the keys are {set(nest1)} and {set(nest2)}")
        )
    for one, two in zip(_items(nest1), _items(nest2), strict=True):
        assert_same_structure(one, two, check_types)
