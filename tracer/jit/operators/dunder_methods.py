"""Conversion of special methods (such as `__add__`) and properties of user classes while a program
is recorded. Python calls these itself, so converted code cannot replace the calls.

A class is converted when one of its objects is an argument, is referred to by a called function, or
is created. Other threads that use the class run the original methods.
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
from ..guards.user_code import is_user_object

_BINARY = (
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
_OTHER_METHODS = (
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
METHODS = frozenset(f"__{kind}{name}__" for name in _BINARY for kind in ("", "r", "i")) | {
    f"__{n}__" for n in _OTHER_METHODS
}
LAYER_METHODS = METHODS - {"__call__", "__getattr__"}  # Layer defines these itself
MAX_DEPTH = 2  # of nested containers and objects
_MAX_ITEMS = 64  # items that are visited in one container or object

_lock = threading.Lock()
_use_counts: dict[type, int] = {}  # number of recordings that converted a class
_original_methods: dict[type, dict[str, Any]] = {}  # the original methods of a class


class DunderConversion:
    """The classes that one recording has converted."""

    def __init__(
        self, is_users: Callable[[FunctionType], bool], converted: Callable[[Any], Any]
    ) -> None:
        self._is_users, self._converted = is_users, converted
        self._classes: dict[type, None] = {}

    def convert_classes_of(self, *values: Any) -> None:
        """Convert the special methods and properties of the classes of some values, and of the
        values that they contain.
        """
        for kind in dict.fromkeys(iter_classes(values, MAX_DEPTH)):
            for each in kind.__mro__:
                if each not in self._classes and type(each) in (type, type(Layer)):
                    self._convert_class(each)

    def restore(self) -> None:
        """Restore the original methods at the end of the recording, unless another recording uses
        the classes.
        """
        with _lock:
            for kind in self._classes:
                _use_counts[kind] -= 1
                if not _use_counts[kind]:
                    del _use_counts[kind]
                    for name, method in _original_methods.pop(kind).items():
                        type.__setattr__(kind, name, method)
        self._classes = {}

    def _convert_class(self, kind: type) -> None:
        found = {
            name: result
            for name, held in vars(kind).items()
            if (result := self._replacement(kind, name, held)) is not None
        }
        if not found:
            return
        with _lock:
            self._classes[kind] = None
            _use_counts[kind] = _use_counts.get(kind, 0) + 1
            if _use_counts[kind] > 1:
                return
            _original_methods[kind] = {name: vars(kind)[name] for name in found}
            for name, result in found.items():
                type.__setattr__(kind, name, result)

    def _replacement(self, kind: type, name: str, held: Any) -> Any:
        """Return the replacement of a method or property; None if it is not replaced."""
        if isinstance(held, property):
            get, put = (self._convert_when_recording(f) for f in (held.fget, held.fset))
            return (
                None
                if get is held.fget and put is held.fset
                else type(held)(get, put, held.fdel, held.__doc__)
            )
        wanted = LAYER_METHODS if issubclass(kind, Layer) else METHODS
        result = self._convert_when_recording(held) if name in wanted else held
        return None if result is held else result

    def _convert_when_recording(self, function: Any) -> Any:
        """Wrap a method so that it is converted while a program is recorded."""
        if (
            not isinstance(function, FunctionType)
            or hasattr(function, "_ol_special")
            or not self._is_convertible(function)
        ):
            return function

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if static_mode(state.mode) is None:
                return function(*args, **kwargs)
            return self._converted(function)(*args, **kwargs)

        called._ol_special = True  # type: ignore[attr-defined]
        return called

    def _is_convertible(self, function: FunctionType) -> bool:
        # generated code, such as that of a dataclass
        return self._is_users(function) and not function.__code__.co_filename.startswith("<")


def iter_classes(values: Any, depth: int) -> Iterator[type]:
    """Yield the classes of some values, and of the values that they contain."""
    for value in values:
        if isinstance(value, type):
            yield value
        elif isinstance(value, Tensor | str | int | float | FunctionType | ModuleType):
            continue
        elif isinstance(value, MethodType):
            yield from iter_classes((value.__self__,), depth)
        elif depth and isinstance(value, list | tuple | dict):
            inside = dict.values(value) if isinstance(value, dict) else value
            yield from iter_classes(itertools.islice(inside, _MAX_ITEMS), depth - 1)
        elif isinstance(value, Layer) or is_user_object(value):
            yield type(value)
            if depth:
                yield from iter_classes(list(vars(value).values())[:_MAX_ITEMS], depth - 1)


def python_method(value: Any, name: str) -> Any:
    """Return a special method of a user object that is written in Python; None if there is none."""
    if isinstance(value, Tensor | int | float | str | list | tuple | dict) or value is None:
        return None
    for kind in type(value).__mro__:
        found = vars(kind).get(name)
        if found is not None:
            found = getattr(found, "__wrapped__", found) if hasattr(found, "_ol_special") else found
            return MethodType(found, value) if isinstance(found, FunctionType) else None
    return None
