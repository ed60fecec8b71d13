"""`paddle.utils.flatten`, `pack_sequence_as`, `map_structure` and related functions on nested
sequences and dicts. In this module, the items of a dict are visited in the order of its sorted
keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import pytree
from ..core.errors import append_user_line


def is_sequence(seq: Any) -> bool:
    """Whether `seq` is a dict or a sequence other than a string."""
    return pytree.flatten_one_level_any_sequence(seq) is not None


def to_sequence(nest: Any) -> Any:
    """Return `nest` unchanged if it is a dict or sequence, otherwise a list that contains it."""
    return nest if is_sequence(nest) else [nest]


def _child_list(structure: Any) -> list[Any]:
    return (
        [structure[key] for key in sorted(structure)]
        if isinstance(structure, dict)
        else list(structure)
    )


def flatten(nest: Any) -> list[Any]:
    """Return the leaves of a structure as a list."""
    return pytree.flatten(nest, sort_keys=True, children_of=pytree.flatten_one_level_any_sequence)[
        0
    ]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Return `structure` with its leaves replaced by the elements of `flat_sequence`. Raises
    ValueError if `flat_sequence` has not as many elements as `structure` has leaves.
    """
    if not is_sequence(flat_sequence):
        raise TypeError(append_user_line("pack_sequence_as: flat_sequence should be a sequence"))
    leaves, spec = pytree.flatten(
        structure, sort_keys=True, children_of=pytree.flatten_one_level_any_sequence
    )
    if len(leaves) != len(flat_sequence):
        problem = f"the structure has {len(leaves)} values, flat_sequence {len(flat_sequence)}"
        raise ValueError(append_user_line(f"pack_sequence_as: {problem}"))
    return pytree.unflatten(spec, list(flat_sequence))


def map_structure(func: Callable[..., Any], *structure: Any) -> Any:
    """Apply `func` to the leaves of one or more structures and return the results in the structure
    of the first one.
    """
    rows = zip(*(flatten(s) for s in structure), strict=True)
    return pack_sequence_as(structure[0], [func(*row) for row in rows])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise ValueError if two structures differ in nesting, lengths or keys, and TypeError if the
    types of their containers differ.
    """
    if is_sequence(nest1) != is_sequence(nest2) or (
        is_sequence(nest1) and len(nest1) != len(nest2)
    ):
        raise ValueError(
            append_user_line(
                f"assert_same_structure: {nest1} and {nest2} have different structures"
            )
        )
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        type_names = f"{type(nest1).__name__} and {type(nest2).__name__}"
        raise TypeError(append_user_line(f"assert_same_structure: the structures are {type_names}"))
    if isinstance(nest1, dict) and set(nest1) != set(nest2):
        raise ValueError(
            append_user_line(f"assert_same_structure: the keys are {set(nest1)} and {set(nest2)}")
        )
    for item1, item2 in zip(_child_list(nest1), _child_list(nest2), strict=True):
        assert_same_structure(item1, item2, check_types)
