"""Sizes that report how Python code uses them. A size that Python only uses in arithmetic may
become dynamic; a size that Python compares or converts must stay constant.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

Callback = Callable[[], None]


class GuardedInt(int):
    """A size, or an int computed from sizes.

    callbacks: called when Python code compares the value, tests whether it is 0, or converts it to
    a plain number.
    """

    callbacks: tuple[Callback, ...]

    def __new__(cls, value: int, callbacks: tuple[Callback, ...]) -> GuardedInt:
        """Create a size with a value and its callbacks."""
        result = super().__new__(cls, value)
        result.callbacks = callbacks
        return result

    def __deepcopy__(self, memo: Any) -> int:
        return plain_int(self)

    def __reduce__(self) -> Any:
        return int, (plain_int(self),)


def plain_int(value: int) -> int:
    """Return the value as an int without calling the callbacks."""
    return int.__pos__(value)


def _deciding_method(name: str) -> Any:
    """Return a method of int that calls the callbacks."""
    plain = getattr(int, name)

    def method(self: GuardedInt, *args: Any) -> Any:
        for size in (self, *args):
            for note in getattr(size, "callbacks", ()):
                note()
        return plain(self, *args)

    return method


def _computing_method(name: str) -> Any:
    """Return a method of int whose result is a GuardedInt."""
    plain = getattr(int, name)

    def method(self: GuardedInt, *args: Any) -> Any:
        found = plain(self, *args)
        others = [note for size in args for note in getattr(size, "callbacks", ())]
        return GuardedInt(found, (*self.callbacks, *others)) if type(found) is int else found

    return method


for _name in (
    "add",
    "sub",
    "mul",
    "floordiv",
    "mod",
    "radd",
    "rsub",
    "rmul",
    "rfloordiv",
    "rmod",
    "neg",
    "pos",
    "abs",
):
    setattr(GuardedInt, f"__{_name}__", _computing_method(f"__{_name}__"))
for _name in (
    "lt",
    "le",
    "eq",
    "ne",
    "gt",
    "ge",
    "bool",
    "hash",
    "int",
    "float",
    "truediv",
    "rtruediv",
    "repr",
    "format",
    "str",
    "divmod",
    "rdivmod",
    "pow",
    "rpow",
    "round",
    "trunc",
    "floor",
    "ceil",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
    "rand",
    "ror",
    "rxor",
):
    setattr(GuardedInt, f"__{_name}__", _deciding_method(f"__{_name}__"))


class GuardedShape(list[Any]):
    """A shape that reports when Python code reads a size.

    note: called with the axis that is read.
    decided: called with an axis whose size Python compares or converts; None to ignore this.
    """

    def __init__(
        self,
        sizes: tuple[int, ...],
        note: Callable[[int], None],
        decided: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(sizes)
        self._note, self._decided = note, decided

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        many = isinstance(index, slice)
        axes = range(len(self))[index] if many else (operator.index(index) % len(self),)
        for axis in axes:
            self._note(axis)
        if self._decided is None:
            return found
        result = [
            self._size(size, axis)
            for size, axis in zip(found if many else [found], axes, strict=True)
        ]
        return result if many else result[0]

    def _size(self, size: int, axis: int) -> GuardedInt:
        decided = self._decided
        assert decided is not None
        return GuardedInt(size, (lambda: decided(axis),))


def _reading_method(name: str) -> Callable[..., Any]:
    """Return a method of list that reads every size."""
    plain = getattr(list, name)

    def method(self: GuardedShape, *args: Any, **kwargs: Any) -> Any:
        sizes = GuardedShape.__getitem__(self, slice(None))
        if name in WRITE_METHODS:
            for axis in range(len(self)) if self._decided is not None else ():
                self._decided(axis)  # type: ignore[misc]
        return plain(self if name in WRITE_METHODS else sizes, *args, **kwargs)

    return method


WRITE_METHODS = (
    "__setitem__",
    "__delitem__",
    "__iadd__",
    "__imul__",
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "remove",
    "reverse",
    "sort",
)
READ_METHODS = (
    "__add__",
    "__contains__",
    "__eq__",
    "__ge__",
    "__gt__",
    "__iter__",
    "__le__",
    "__lt__",
    "__mul__",
    "__ne__",
    "__repr__",
    "__reversed__",
    "__rmul__",
    "copy",
    "count",
    "index",
)
for _name in (*WRITE_METHODS, *READ_METHODS):
    setattr(GuardedShape, _name, _reading_method(_name))
GuardedShape.__radd__ = lambda self, other: list(other) + self[:]  # type: ignore[attr-defined]
GuardedShape.__hash__ = None
