"""Snapshots of Python values. A guard compares a snapshot from the capture with the current
value.
"""

from __future__ import annotations

import collections
import random
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ir.plain_values import PLAIN_TYPES, are_interchangeable, exact_comparison_key_within_type
from .impure_calls import GLOBAL_RANDOM_GENERATORS
from .object_state import MAX_DEPTH, MAX_ITEMS, are_states_equal, read_internal_state_or_none
from .user_code import is_oarlock_module_name

MISSING = object()
CONTAINER_TYPES = (list, tuple, dict, set, frozenset)
READABLE_STATE_TYPES = (collections.deque, bytearray, array)
RANDOM_TYPES = (random.Random, np.random.RandomState, np.random.Generator)


@dataclass(frozen=True)
class Snapshot(ABC):
    """Base of snapshots of a value. Depending on the class, a snapshot holds the content, the
    internal state, or only the identity of the value.
    """

    value: Any

    @abstractmethod
    def matches(self, now: Any) -> bool:
        """Whether the current value `now` matches the snapshot."""


@dataclass(frozen=True)
class IdentitySnapshot(Snapshot):
    """Snapshot of a value that is compared by identity: a function, a layer or a tensor."""

    def matches(self, now: Any) -> bool:
        """Whether the current value is the same object."""
        return now is self.value


@dataclass(frozen=True)
class ConstantSnapshot(Snapshot):
    """Snapshot of a number, a string or None: compared by type and value."""

    def matches(self, now: Any) -> bool:
        """Whether `now` has the same type and value."""
        return are_interchangeable(now, self.value)


@dataclass(frozen=True)
class ArraySnapshot(Snapshot):
    """Snapshot of an ndarray: compared by dtype, shape and elements."""

    copy: Any

    def matches(self, now: Any) -> bool:
        """Whether `now` is an ndarray with the same dtype, shape and elements."""
        return (
            isinstance(now, np.ndarray)
            and now.dtype == self.copy.dtype
            and now.shape == self.copy.shape
            and now.tobytes() == self.copy.tobytes()
        )


@dataclass(frozen=True)
class SequenceSnapshot(Snapshot):
    """Snapshot of a list or tuple: compared element by element."""

    items: tuple[Snapshot, ...]

    def matches(self, now: Any) -> bool:
        """Whether `now` has the same type and length, and each element matches."""
        if type(now) is not type(self.value) or len(now) != len(self.items):
            return False
        return all(item.matches(value) for item, value in zip(self.items, now, strict=True))


@dataclass(frozen=True)
class DictSnapshot(Snapshot):
    """Snapshot of a dict: compared by its keys, in order, and their values."""

    items: tuple[tuple[Any, Snapshot], ...]

    def matches(self, now: Any) -> bool:
        """Whether `now` has the same type and keys, in order, and each value matches."""
        if type(now) is not type(self.value) or len(now) != len(self.items):
            return False
        return all(
            (key is expected or _is_exact_key_match(key, expected)) and item.matches(value)
            for (expected, item), (key, value) in zip(self.items, now.items(), strict=True)
        )


@dataclass(frozen=True)
class SetSnapshot(Snapshot):
    """Snapshot of a set or frozenset: compared by its type and members."""

    members: Hashable

    def matches(self, now: Any) -> bool:
        """Whether `now` has the same type and members."""
        return (
            type(now) is type(self.value)
            and exact_comparison_key_within_type(frozenset(now)) == self.members
        )


@dataclass(frozen=True)
class LargeContainerSnapshot(Snapshot):
    """Snapshot of a container that has more than MAX_ITEMS items or is nested in MAX_DEPTH
    containers: compared by identity and length.
    """

    num_items: int

    def matches(self, now: Any) -> bool:
        """Whether `now` is the same object with the same length."""
        return now is self.value and len(now) == self.num_items


@dataclass(frozen=True)
class IdentityAndStateSnapshot(Snapshot):
    """Snapshot of a deque, an iterator or a random generator: compared by identity and internal
    state.
    """

    state: Any

    def matches(self, now: Any) -> bool:
        """Whether `now` is the same object with the same internal state."""
        return now is self.value and are_states_equal(read_internal_state_or_none(now), self.state)

    def current_deque_items(self) -> Iterable[Any]:
        """Return the current items if the object is a deque; an empty result for other objects."""
        return self.value if isinstance(self.value, collections.deque) else ()

    def restore_deque_items(self) -> None:
        """Restore the items that the deque had when the snapshot was taken."""
        self.value.clear()
        self.value.extend(self.state)

    @property
    def is_readable_without_change(self) -> bool:
        """Whether code can read the object without changing its state: True for example for a
        deque, False for an iterator or a random generator.
        """
        return isinstance(self.value, READABLE_STATE_TYPES)


@dataclass(frozen=True)
class UncheckedSnapshot(Snapshot):
    """Snapshot of a value that each call assigns again, so that any current value matches."""

    def matches(self, now: Any) -> bool:
        """Return True: any value matches."""
        return True


def _is_exact_key_match(key: Any, expected: Any) -> bool:
    return type(key) is type(expected) and exact_comparison_key_within_type(
        key
    ) == exact_comparison_key_within_type(expected)


def take_snapshot(value: Any, depth: int = MAX_DEPTH) -> Snapshot:
    """Return a snapshot of a value. Iterators, deques, bytearrays, objects of the module `array`
    and random generators are compared by identity only; `take_snapshot_with_internal_states` also
    compares their state.
    """
    if isinstance(value, PLAIN_TYPES):
        return ConstantSnapshot(value)
    if isinstance(value, np.ndarray):
        has_objects = value.dtype == object
        return IdentitySnapshot(value) if has_objects else ArraySnapshot(value, value.copy())
    return _snapshot_container(value, depth) if is_container(value) else IdentitySnapshot(value)


def take_snapshot_with_internal_states(value: Any) -> Snapshot:
    """Return a snapshot of a value that also compares the state of iterators, deques and random
    generators.
    """
    return map_leaf_snapshots(_with_internal_state_if_any, take_snapshot(value))


def _with_internal_state_if_any(leaf: Snapshot) -> Snapshot:
    value = leaf.value
    return (
        IdentityAndStateSnapshot(value, read_internal_state_or_none(value))
        if is_compared_by_internal_state(value)
        else leaf
    )


def is_compared_by_internal_state(value: Any) -> bool:
    """Whether a value is a deque, a buffer, an iterator or a random generator, of which a snapshot
    holds the identity and the internal state.
    """
    return isinstance(value, (*READABLE_STATE_TYPES, *RANDOM_TYPES)) or (
        hasattr(type(value), "__next__") and not hasattr(value, "__dict__")
    )


def with_iterators_and_rngs_by_identity(snapshot: Snapshot) -> Snapshot:
    """Return a copy of the snapshot that compares iterators and random generators by identity
    only.
    """

    def without_state(leaf: Snapshot) -> Snapshot:
        is_ignored = (
            isinstance(leaf, IdentityAndStateSnapshot) and not leaf.is_readable_without_change
        )
        return IdentitySnapshot(leaf.value) if is_ignored else leaf

    return map_leaf_snapshots(without_state, snapshot)


def with_given_elements_unchecked(snapshot: Snapshot, elements: set[tuple[int, Any]]) -> Snapshot:
    """Return a copy of the snapshot that does not compare the elements in `elements`.

    elements: pairs of the id of a list or dict, and the index or key of an element in it.
    """
    if not elements or not isinstance(snapshot, SequenceSnapshot | DictSnapshot):
        return snapshot

    def uncheck(key: Any, item: Snapshot) -> Snapshot:
        if (id(snapshot.value), key) in elements:
            return UncheckedSnapshot(item.value)
        return with_given_elements_unchecked(item, elements)

    if isinstance(snapshot, DictSnapshot):
        return DictSnapshot(snapshot.value, tuple((k, uncheck(k, s)) for k, s in snapshot.items))
    items = tuple(uncheck(i, s) for i, s in enumerate(snapshot.items))
    return SequenceSnapshot(snapshot.value, items)


def map_leaf_snapshots(function: Callable[[Snapshot], Snapshot], snapshot: Snapshot) -> Snapshot:
    """Return a copy of a snapshot in which each nested snapshot without items is replaced by the
    result of `function` for it.
    """
    if isinstance(snapshot, SequenceSnapshot):
        items = tuple(map_leaf_snapshots(function, item) for item in snapshot.items)
        return SequenceSnapshot(snapshot.value, items)
    if isinstance(snapshot, DictSnapshot):
        pairs = tuple((key, map_leaf_snapshots(function, item)) for key, item in snapshot.items)
        return DictSnapshot(snapshot.value, pairs)
    return function(snapshot)


def iter_snapshots(snapshot: Snapshot) -> Iterator[Snapshot]:
    """Yield a snapshot and those of its items, at any depth."""
    yield snapshot
    children: Iterable[Snapshot] = ()
    if isinstance(snapshot, SequenceSnapshot):
        children = snapshot.items
    elif isinstance(snapshot, DictSnapshot):
        children = [item for _, item in snapshot.items]
    for child in children:
        yield from iter_snapshots(child)


def iter_identity_and_state_snapshots(snapshot: Snapshot) -> Iterator[IdentityAndStateSnapshot]:
    """Yield the snapshots, at any depth, of objects that are compared by internal state."""
    return (s for s in iter_snapshots(snapshot) if isinstance(s, IdentityAndStateSnapshot))


def snapshot_global_random_generators() -> list[tuple[str, IdentityAndStateSnapshot]]:
    """Return snapshots of the global random generators of Python and NumPy."""
    generators = GLOBAL_RANDOM_GENERATORS.items()
    return [
        (name, IdentityAndStateSnapshot(source, read_internal_state_or_none(source)))
        for name, source in generators
    ]


def is_container(value: Any) -> bool:
    """Whether a value is a list, tuple, dict or set, or of a user class that inherits from one."""
    return isinstance(value, CONTAINER_TYPES) and not is_oarlock_module_name(type(value).__module__)


def _snapshot_container(value: Any, depth: int) -> Snapshot:
    if len(value) > MAX_ITEMS or depth == 0:
        return LargeContainerSnapshot(value, len(value))
    if isinstance(value, dict):
        pairs = tuple((k, take_snapshot(v, depth - 1)) for k, v in value.items())
        return DictSnapshot(value, pairs)
    if isinstance(value, list | tuple):
        return SequenceSnapshot(value, tuple(take_snapshot(v, depth - 1) for v in value))
    return SetSnapshot(value, exact_comparison_key_within_type(frozenset(value)))


def iter_value_and_items(value: Any, depth: int = MAX_DEPTH) -> Iterator[Any]:
    """Yield a value and the items of its lists, tuples and dicts."""
    yield value
    is_expanded = depth and is_container(value) and not isinstance(value, set | frozenset)
    if is_expanded and len(value) <= MAX_ITEMS:
        for item in value.values() if isinstance(value, dict) else value:
            yield from iter_value_and_items(item, depth - 1)


def restore_container_items(snapshot: Snapshot) -> None:
    """Restore the items that a list or dict, and the containers in it, had when the snapshot was
    taken.
    """
    if isinstance(snapshot, SequenceSnapshot):
        for item in snapshot.items:
            restore_container_items(item)
        if isinstance(snapshot.value, list):
            snapshot.value[:] = [item.value for item in snapshot.items]
    elif isinstance(snapshot, DictSnapshot):
        for _, item in snapshot.items:
            restore_container_items(item)
        snapshot.value.clear()
        snapshot.value.update((key, item.value) for key, item in snapshot.items)


def consists_of_constants(value: Any) -> bool:
    """Whether a value consists of constants only, so that each call can assign a copy of it."""
    if type(value) in (list, tuple):
        return all(map(consists_of_constants, value))
    if type(value) is dict:
        return all(map(consists_of_constants, value.values()))
    return value is MISSING or isinstance(value, PLAIN_TYPES)


def copy_nested_constants(value: Any) -> Any:
    """Copy a value that consists of constants, with its lists and dicts."""
    if type(value) in (list, tuple):
        return type(value)(map(copy_nested_constants, value))
    return {k: copy_nested_constants(v) for k, v in value.items()} if type(value) is dict else value
