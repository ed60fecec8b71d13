"""What a Python value was, so that it can be asked later whether it still is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...core.tensor import Tensor
from ...ir.plain_values import PLAIN, exactly, identical
from ...nn.layer import Layer

MISSING = object()
# of elements: larger containers are known by identity and length, as comparing them at each call
# would cost more than it helps
MANY = 1000
DEPTH = 3
CONTAINERS = (list, tuple, dict, set, frozenset)


@dataclass(frozen=True)
class Snapshot:
    """A value of which only the identity counts: a function, a layer, a tensor, whose contents are
    looked at elsewhere or at each run.
    """

    value: Any

    def same(self, now: Any) -> bool:
        """Whether `now` is what this was."""
        return now is self.value


@dataclass(frozen=True)
class Plain(Snapshot):
    """A number, a string, None or the like."""

    def same(self, now: Any) -> bool:
        """By type and value."""
        return identical(now, self.value)


@dataclass(frozen=True)
class Array(Snapshot):
    """An ndarray, with a copy of its numbers."""

    copy: Any

    def same(self, now: Any) -> bool:
        """By dtype, shape and numbers."""
        return (
            isinstance(now, np.ndarray)
            and now.dtype == self.copy.dtype
            and now.shape == self.copy.shape
            and now.tobytes() == self.copy.tobytes()
        )


@dataclass(frozen=True)
class Sequence(Snapshot):
    """A list or tuple, by its elements."""

    items: tuple[Snapshot, ...]

    def same(self, now: Any) -> bool:
        """Element by element."""
        if type(now) is not type(self.value) or len(now) != len(self.items):
            return False
        return all(item.same(value) for item, value in zip(self.items, now, strict=True))


@dataclass(frozen=True)
class Mapping(Snapshot):
    """A dict, by its keys in order and their values."""

    items: tuple[tuple[Any, Snapshot], ...]

    def same(self, now: Any) -> bool:
        """Entry by entry."""
        if type(now) is not type(self.value) or len(now) != len(self.items):
            return False
        return all(
            (key is wanted or _one_key(key, wanted)) and item.same(value)
            for (wanted, item), (key, value) in zip(self.items, now.items(), strict=True)
        )


@dataclass(frozen=True)
class Members(Snapshot):
    """A set, by its members."""

    members: Hashable

    def same(self, now: Any) -> bool:
        """Any set of the same members."""
        return isinstance(now, set | frozenset) and exactly(frozenset(now)) == self.members


@dataclass(frozen=True)
class Large(Snapshot):
    """A container of many elements, by identity and length."""

    count: int

    def same(self, now: Any) -> bool:
        """The same one, of the same length."""
        return now is self.value and len(now) == self.count


def _one_key(key: Any, wanted: Any) -> bool:
    return type(key) is type(wanted) and exactly(key) == exactly(wanted)


def snapshot(value: Any, depth: int = DEPTH) -> Snapshot:
    """What a value is now."""
    if isinstance(value, PLAIN):
        return Plain(value)
    if isinstance(value, np.ndarray):
        return Array(value, value.copy()) if value.dtype != object else Snapshot(value)
    return _of_container(value, depth) if is_container(value) else Snapshot(value)


@dataclass(frozen=True)
class Anything(Snapshot):
    """What each call sets anew."""

    def same(self, now: Any) -> bool:
        """Always."""
        return True


def without(was: Snapshot, elements: set[tuple[int, Any]]) -> Snapshot:
    """The same without some elements, by the id of the list or dict and their position or key."""
    if not elements or not isinstance(was, Sequence | Mapping):
        return was
    pairs = was.items if isinstance(was, Mapping) else enumerate(was.items)
    kept = [
        (k, Anything(s.value) if (id(was.value), k) in elements else without(s, elements))
        for k, s in pairs
    ]
    return (
        Mapping(was.value, tuple(kept))
        if isinstance(was, Mapping)
        else Sequence(was.value, tuple(s for _, s in kept))
    )


def each(was: Snapshot, change: Callable[[Snapshot], Snapshot]) -> Snapshot:
    """The same with other snapshots of what has no parts itself."""
    if isinstance(was, Sequence):
        return Sequence(was.value, tuple(each(s, change) for s in was.items))
    if isinstance(was, Mapping):
        return Mapping(was.value, tuple((k, each(s, change)) for k, s in was.items))
    return change(was)


def is_container(value: Any) -> bool:
    """Whether a value is a list, tuple, dict or set, or of a class of the user's that inherits from
    one.
    """
    return isinstance(value, CONTAINERS) and not type(value).__module__.startswith(OURS)


def _of_container(value: Any, depth: int) -> Snapshot:
    if len(value) > MANY or depth == 0:
        return Large(value, len(value))
    if isinstance(value, dict):
        return Mapping(value, tuple((k, snapshot(v, depth - 1)) for k, v in value.items()))
    if isinstance(value, list | tuple):
        return Sequence(value, tuple(snapshot(v, depth - 1) for v in value))
    return Members(value, exactly(frozenset(value)))


def reachable(value: Any, depth: int = DEPTH) -> Iterator[Any]:
    """A value and what its containers hold."""
    yield value
    if (
        depth
        and is_container(value)
        and not isinstance(value, set | frozenset)
        and len(value) <= MANY
    ):
        for item in value.values() if isinstance(value, dict) else value:
            yield from reachable(item, depth - 1)


def restored(before: Snapshot) -> None:
    """Give a list or dict the elements back that it had, and so with those inside of it."""
    if isinstance(before, Sequence):
        for item in before.items:
            restored(item)
        if isinstance(before.value, list):
            before.value[:] = [item.value for item in before.items]
    elif isinstance(before, Mapping):
        for _, item in before.items:
            restored(item)
        before.value.clear()
        before.value.update((key, item.value) for key, item in before.items)


def is_plain(value: Any) -> bool:
    """Whether a value is made of plain ones, so that it can be set again."""
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(map(is_plain, value.values()))
    return value is MISSING or isinstance(value, PLAIN)


def copied(value: Any) -> Any:
    """Data that shares no list with the original."""
    if type(value) in (list, tuple):
        return type(value)(map(copied, value))
    return {k: copied(v) for k, v in value.items()} if type(value) is dict else value


def has_attributes(value: Any) -> bool:
    """Whether a value is an object of the user's, whose attributes a function may read: no
    function, no tensor, nothing of ours.
    """
    if isinstance(
        value, Layer | Tensor | FunctionType | CellType | functools.partial
    ) or not hasattr(value, "__dict__"):
        return False
    module = value.__name__ if isinstance(value, ModuleType) else type(value).__module__
    if isinstance(value, type):
        module = value.__module__
    return not module.startswith(OURS)


OURS = __name__.partition(".")[0]
