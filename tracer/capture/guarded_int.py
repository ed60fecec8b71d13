"""Sizes that tell what Python does with them: one that is only computed with is in the program, one
that is compared decided something.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

Note = Callable[[], None]


class Size(int):
    """A size, or an int computed from sizes.

    notes: called when Python decides on it: compares it, asks whether it is 0, makes a plain number
    of it.
    """

    notes: tuple[Note, ...]

    def __new__(cls, value: int, notes: tuple[Note, ...]) -> Size:
        """A size; its value is fixed."""
        made = super().__new__(cls, value)
        made.notes = notes
        return made

    def __deepcopy__(self, memo: Any) -> int:
        return plain_int(self)

    def __reduce__(self) -> Any:
        return int, (plain_int(self),)


def plain_int(value: int) -> int:
    """The number, unnoticed."""
    return int.__pos__(value)


def _deciding(name: str) -> Any:
    """A method of int that Python bases something on."""
    plain = getattr(int, name)

    def method(self: Size, *args: Any) -> Any:
        for size in (self, *args):
            for note in getattr(size, "notes", ()):
                note()
        return plain(self, *args)

    return method


def _computing(name: str) -> Any:
    """A method of int whose result is a size again."""
    plain = getattr(int, name)

    def method(self: Size, *args: Any) -> Any:
        found = plain(self, *args)
        others = [note for size in args for note in getattr(size, "notes", ())]
        return Size(found, (*self.notes, *others)) if type(found) is int else found

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
    setattr(Size, f"__{_name}__", _computing(f"__{_name}__"))
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
    setattr(Size, f"__{_name}__", _deciding(f"__{_name}__"))


class WatchedShape(list[Any]):
    """A shape that tells when Python looks at a size.

    note: called with the axis; decided: called with the axis where Python does more than compute,
    None where nobody wants to know.
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
        made = [
            self._size(size, axis)
            for size, axis in zip(found if many else [found], axes, strict=True)
        ]
        return made if many else made[0]

    def _size(self, size: int, axis: int) -> Size:
        decided = self._decided
        assert decided is not None
        return Size(size, (lambda: decided(axis),))


def _noting_all(name: str) -> Callable[..., Any]:
    """A method of list that looks at every size."""
    plain = getattr(list, name)

    def method(self: WatchedShape, *args: Any, **kwargs: Any) -> Any:
        sizes = WatchedShape.__getitem__(self, slice(None))
        if name in CHANGING:
            for axis in range(len(self)) if self._decided is not None else ():
                self._decided(axis)  # type: ignore[misc]
        return plain(self if name in CHANGING else sizes, *args, **kwargs)

    return method


CHANGING = (
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
READING = (
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
for _name in (*CHANGING, *READING):
    setattr(WatchedShape, _name, _noting_all(_name))
WatchedShape.__radd__ = lambda self, other: list(other) + self[:]  # type: ignore[attr-defined]
WatchedShape.__hash__ = None
