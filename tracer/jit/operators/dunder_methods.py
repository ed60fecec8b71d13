"""Operators, properties and the like of the user's classes, which Python itself calls: while a
program is recorded they are converted ones.

A class is met where one of its objects is: as an argument, as a name of a function that is called,
as what a call makes. Other threads that use it meanwhile find what was there before.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

from ...capture.modes import static_mode
from ...core.mode import state
from ...core.tensor import Tensor
from ...nn.layer import Layer
from ..guards.snapshots import has_attributes

_OF_TWO = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)
_OTHERS = (
    "neg",
    "pos",
    "abs",
    "invert",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "getitem",
    "setitem",
    "delitem",
    "call",
    "enter",
    "exit",
    "contains",
    "getattr",
    "round",
)
NAMES = frozenset(f"__{kind}{name}__" for name in _OF_TWO for kind in ("", "r", "i")) | {
    f"__{n}__" for n in _OTHERS
}
OF_LAYERS = NAMES - {"__call__", "__getattr__"}  # Layer has these itself
DEPTH = 2  # of containers and objects in one another
_MOST = 64  # things that are looked at in one container or object

_lock = threading.Lock()
_held: dict[type, int] = {}  # how many recordings have met a class
_before: dict[type, dict[str, Any]] = {}  # what its methods were


class Special:
    """The classes that one recording has met."""

    def __init__(
        self, is_users: Callable[[FunctionType], bool], converted: Callable[[Any], Any]
    ) -> None:
        self._is_users, self._converted = is_users, converted
        self._met: dict[type, None] = {}

    def meet(self, *values: Any) -> None:
        """Convert the operators and properties of what is among some values, and in them."""
        for kind in dict.fromkeys(kinds_in(values, DEPTH)):
            for each in kind.__mro__:
                if each not in self._met and type(each) in (type, type(Layer)):
                    self._meet(each)

    def leave(self) -> None:
        """The recording ends: the classes are what they were, if no other one has met them."""
        with _lock:
            for kind in self._met:
                _held[kind] -= 1
                if not _held[kind]:
                    del _held[kind]
                    for name, method in _before.pop(kind).items():
                        type.__setattr__(kind, name, method)
        self._met = {}

    def _meet(self, kind: type) -> None:
        found = {
            name: made
            for name, held in vars(kind).items()
            if (made := self._made(kind, name, held)) is not None
        }
        if not found:
            return
        with _lock:
            self._met[kind] = None
            _held[kind] = _held.get(kind, 0) + 1
            if _held[kind] > 1:
                return
            _before[kind] = {name: vars(kind)[name] for name in found}
            for name, made in found.items():
                type.__setattr__(kind, name, made)

    def _made(self, kind: type, name: str, held: Any) -> Any:
        """What takes the place of a method or property; None where it is to stay."""
        if isinstance(held, property):
            get, put = (self._dispatching(f) for f in (held.fget, held.fset))
            return (
                None
                if get is held.fget and put is held.fset
                else type(held)(get, put, held.fdel, held.__doc__)
            )
        wanted = OF_LAYERS if issubclass(kind, Layer) else NAMES
        made = self._dispatching(held) if name in wanted else held
        return None if made is held else made

    def _dispatching(self, function: Any) -> Any:
        """A method that is converted where it is called while a program is recorded."""
        if (
            not isinstance(function, FunctionType)
            or hasattr(function, "_ol_special")
            or not self._may_choose(function)
        ):
            return function

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if static_mode(state.mode) is None:
                return function(*args, **kwargs)
            return self._converted(function)(*args, **kwargs)

        called._ol_special = True  # type: ignore[attr-defined]
        return called

    def _may_choose(self, function: FunctionType) -> bool:
        # as of a dataclass
        return self._is_users(function) and not function.__code__.co_filename.startswith("<")


def kinds_in(values: Any, depth: int) -> Iterator[type]:
    """The classes of the objects in some values."""
    for value in values:
        if isinstance(value, type):
            yield value
        elif isinstance(value, Tensor | str | int | float | FunctionType | ModuleType):
            continue
        elif isinstance(value, MethodType):
            yield from kinds_in((value.__self__,), depth)
        elif depth and isinstance(value, list | tuple | dict):
            inside = dict.values(value) if isinstance(value, dict) else value
            yield from kinds_in(itertools.islice(inside, _MOST), depth - 1)
        elif isinstance(value, Layer) or has_attributes(value):
            yield type(value)
            if depth:
                yield from kinds_in(list(vars(value).values())[:_MOST], depth - 1)


def method_for(value: Any, name: str) -> Any:
    """A special method of an object of the user's class, None where the class has none that is
    written in Python.
    """
    if isinstance(value, Tensor | int | float | str | list | tuple | dict) or value is None:
        return None
    for kind in type(value).__mro__:
        found = vars(kind).get(name)
        if found is not None:
            found = getattr(found, "__wrapped__", found) if hasattr(found, "_ol_special") else found
            return MethodType(found, value) if isinstance(found, FunctionType) else None
    return None
