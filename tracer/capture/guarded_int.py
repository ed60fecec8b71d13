"""Ints and shapes that call back when Python code reads, compares or converts a size. A size that
Python only uses in arithmetic may become dynamic; a size that Python compares or converts must stay
constant.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

ReadCallback = Callable[[], None]


class GuardedInt(int):
    """A size, or an int computed from sizes, that reports how Python code uses it.

    callbacks: called when Python code compares the value, tests whether it is 0, or converts it to
    a plain number. The operators of a float whose second operand is a GuardedInt, such as
    `0.5 * size`, convert it without a call.
    """

    callbacks: tuple[ReadCallback, ...]

    def __new__(cls, value: int, callbacks: tuple[ReadCallback, ...]) -> GuardedInt:
        """Create a GuardedInt with a value and the callbacks of the sizes from which it was
        computed.
        """
        result = super().__new__(cls, value)
        result.callbacks = callbacks
        return result

    def __deepcopy__(self, memo: Any) -> int:
        return unguarded_int(self)

    def __reduce__(self) -> Any:
        return int, (unguarded_int(self),)


def unguarded_int(value: int) -> int:
    """Return the value as an int without calling the callbacks."""
    return int.__pos__(value)


def _make_size_read_reporting_int_method(name: str) -> Any:
    """Return the method `name` of int, extended to call the callbacks of its operands first."""
    int_method = getattr(int, name)

    def method(self: GuardedInt, *args: Any) -> Any:
        for size in (self, *args):
            for note in getattr(size, "callbacks", ()):
                note()
        return int_method(self, *args)

    return method


def _make_guard_propagating_method(name: str) -> Any:
    """Return the method `name` of int, whose result is a GuardedInt with the callbacks of both
    operands.
    """
    int_method = getattr(int, name)

    def method(self: GuardedInt, *args: Any) -> Any:
        found = int_method(self, *args)
        others = [note for size in args for note in getattr(size, "callbacks", ())]
        if type(found) is int:
            return GuardedInt(found, (*self.callbacks, *others))
        # an operand that is no int, such as a float, converts the value
        for note in self.callbacks:
            note()
        return found

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
    setattr(GuardedInt, f"__{_name}__", _make_guard_propagating_method(f"__{_name}__"))
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
    "invert",
    "rlshift",
    "rrshift",
    "rand",
    "ror",
    "rxor",
):
    setattr(GuardedInt, f"__{_name}__", _make_size_read_reporting_int_method(f"__{_name}__"))


class GuardedShape(list[Any]):
    """A shape that reports when Python code reads a size.

    note: called with the axis of each size that is read.
    decided: called with the axis of a size that Python compares or converts; None if only reads are
    reported.
    """

    def __init__(
        self,
        sizes: tuple[int, ...],
        note: Callable[[int], None],
        decided: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(sizes)
        self._on_read, self._on_decision = note, decided

    def __getitem__(self, index: Any) -> Any:
        sizes = super().__getitem__(index)
        many = isinstance(index, slice)
        axes = range(len(self))[index] if many else (operator.index(index) % len(self),)
        for axis in axes:
            self._on_read(axis)
        if self._on_decision is None:
            return sizes
        result = [
            self._to_guarded_int(size, axis)
            for size, axis in zip(sizes if many else [sizes], axes, strict=True)
        ]
        return result if many else result[0]

    def _to_guarded_int(self, size: int, axis: int) -> GuardedInt:
        on_decision = self._on_decision
        assert on_decision is not None
        return GuardedInt(size, (lambda: on_decision(axis),))


def _make_sizes_read_reporting_list_method(name: str) -> Callable[..., Any]:
    """Return the method `name` of list, extended to report a read of every size."""
    list_method = getattr(list, name)

    def method(self: GuardedShape, *args: Any, **kwargs: Any) -> Any:
        sizes = GuardedShape.__getitem__(self, slice(None))
        if name in LIST_WRITE_METHODS:
            for axis in range(len(self)) if self._on_decision is not None else ():
                self._on_decision(axis)  # type: ignore[misc]
        return list_method(self if name in LIST_WRITE_METHODS else sizes, *args, **kwargs)

    return method


LIST_WRITE_METHODS = (
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
LIST_READ_METHODS = (
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
for _name in (*LIST_WRITE_METHODS, *LIST_READ_METHODS):
    setattr(GuardedShape, _name, _make_sizes_read_reporting_list_method(_name))
GuardedShape.__radd__ = lambda self, other: list(other) + self[:]  # type: ignore[attr-defined]
GuardedShape.__hash__ = None
