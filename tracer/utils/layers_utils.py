"""`paddle.utils.flatten`, `pack_sequence_as`, `map_structure` and related functions on nested
sequences and dicts. In this module, the items of a dict are visited in the order of its sorted
keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import pytree
from ..core.errors import append_user_line


def is_sequence(seq: object) -> bool:
    """Whether a value is a dict or a sequence other than a string.

    Parameters
    ----------
    seq : Any

    Returns
    -------
    bool

    Examples
    --------
    >>> [paddle.utils.is_sequence(value) for value in ([1], {"a": 1}, "text", 1)]
    [True, True, False, False]
    """
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


def flatten(nest: object) -> list[Any]:
    """Return the leaves of a nested structure; dicts are visited in the order of the sorted keys.

    Parameters
    ----------
    nest : Any
        Nested dicts and sequences; another value is a leaf.

    Returns
    -------
    list

    Examples
    --------
    >>> paddle.utils.flatten([1, {"b": 3, "a": (2, 4)}])
    [1, 2, 4, 3]
    """
    return pytree.flatten(nest, sort_keys=True, children_of=pytree.flatten_one_level_any_sequence)[
        0
    ]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Replace the leaves of a nested structure by the elements of a sequence.

    Parameters
    ----------
    structure : Any
        Nested dicts and sequences.
    flat_sequence : sequence
        One element per leaf, in the order of `flatten`.

    Returns
    -------
    Any
        In the structure of `structure`.

    Raises
    ------
    TypeError
        If `flat_sequence` is not a sequence.
    ValueError
        If `flat_sequence` has another length than `structure` has leaves.

    Examples
    --------
    >>> paddle.utils.pack_sequence_as([1, {"b": 3, "a": 2}], [10, 20, 30])
    [10, {'b': 30, 'a': 20}]
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
    """Apply a function to the leaves of one or more nested structures.

    Parameters
    ----------
    func : callable
        Called with one leaf of each structure.
    *structure : Any
        Structures with the same number of leaves.

    Returns
    -------
    Any
        The results, in the structure of the first argument.

    Raises
    ------
    ValueError
        If the numbers of leaves differ.

    Examples
    --------
    >>> paddle.utils.map_structure(lambda x, y: x + y, [1, (2, 3)], [10, (20, 30)])
    [11, (22, 33)]
    """
    rows = zip(*(flatten(s) for s in structure), strict=True)
    return pack_sequence_as(structure[0], [func(*row) for row in rows])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise an error if two nested structures differ in nesting, lengths or keys.

    Parameters
    ----------
    nest1, nest2 : Any
        Nested dicts and sequences.
    check_types : bool, default True
        Whether the types of the containers must be the same.

    Raises
    ------
    ValueError
        If nesting, lengths or keys differ.
    TypeError
        If `check_types` is set and the types of containers differ.

    Examples
    --------
    >>> paddle.utils.assert_same_structure([1, (2, 3)], [4, (5, 6)])
    >>> paddle.utils.assert_same_structure([1, (2, 3)], [4, 5])
    Traceback (most recent call last):
    ValueError: assert_same_structure: (2, 3) and 5 have different structures...
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
