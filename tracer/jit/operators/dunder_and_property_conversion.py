"""Conversion of special methods (such as `__add__`) and properties of user classes while a program
is recorded. Python calls special methods and properties itself, so converted code cannot replace
the calls.

A class is converted when one of its objects is an argument of the captured function, is referred to
by a called function, or is created. Other threads that use the class run the original methods.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

from ...capture.modes import find_static_base_mode
from ...core.mode import state
from ...core.tensor import Tensor
from ...nn.layer import Layer
from ..guards.user_code import is_non_oarlock_object_with_attributes

_BINARY_OPERATORS = (
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
_OTHER_DUNDER_NAMES = (
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
CONVERTED_DUNDER_METHODS = frozenset(
    f"__{kind}{name}__" for name in _BINARY_OPERATORS for kind in ("", "r", "i")
) | {f"__{n}__" for n in _OTHER_DUNDER_NAMES}
CONVERTED_LAYER_METHODS = CONVERTED_DUNDER_METHODS - {
    "__call__",
    "__getattr__",
}  # excluded, because the class Layer defines them itself
MAX_DEPTH = 2  # how many levels of nested containers and objects are visited
_MAX_VISITED_ITEMS = 64  # how many items are visited in one container or object

_lock = threading.Lock()
# by class: the number of recordings that have it converted now
_num_active_conversions: dict[type, int] = {}
_original_methods: dict[type, dict[str, Any]] = {}  # by class: its original methods, by name


class DunderAndPropertyConversion:
    """Converts special methods and properties of user classes for one recording, and restores them
    at its end.
    """

    def __init__(
        self,
        is_user_function: Callable[[FunctionType], bool],
        convert_function: Callable[[Any], Any],
    ) -> None:
        self._is_user_function, self._convert_function = is_user_function, convert_function
        self._converted_classes: dict[type, None] = {}

    def convert_classes_of_values(self, *values: Any) -> None:
        """Convert the special methods and properties of the classes of the given values, and of
        values that they contain.
        """
        for kind in dict.fromkeys(iter_classes_of_values(values, MAX_DEPTH)):
            for each in kind.__mro__:
                if each not in self._converted_classes and type(each) in (type, type(Layer)):
                    self._convert_class(each)

    def restore_classes(self) -> None:
        """Restore the original methods at the end of the recording, unless another recording uses
        the classes.
        """
        with _lock:
            for kind in self._converted_classes:
                _num_active_conversions[kind] -= 1
                if not _num_active_conversions[kind]:
                    del _num_active_conversions[kind]
                    for name, method in _original_methods.pop(kind).items():
                        type.__setattr__(kind, name, method)
        self._converted_classes = {}

    def _convert_class(self, kind: type) -> None:
        with _lock:
            # a recording in another thread has converted the class already
            if kind in _num_active_conversions:
                self._converted_classes[kind] = None
                _num_active_conversions[kind] += 1
                return
            members = {
                name: result
                for name, held in vars(kind).items()
                if (result := self._find_replacement_member(kind, name, held)) is not None
            }
            if not members:
                return
            self._converted_classes[kind] = None
            _num_active_conversions[kind] = 1
            _original_methods[kind] = {name: vars(kind)[name] for name in members}
            for name, result in members.items():
                type.__setattr__(kind, name, result)

    def _find_replacement_member(self, kind: type, name: str, member: Any) -> Any:
        """Return the converted version of a method or property; None if the member is not
        replaced.
        """
        if isinstance(member, property):
            getter, setter = (
                self._wrap_to_convert_when_recording(f) for f in (member.fget, member.fset)
            )
            return (
                None
                if getter is member.fget and setter is member.fset
                else type(member)(getter, setter, member.fdel, member.__doc__)
            )
        method_names = (
            CONVERTED_LAYER_METHODS if issubclass(kind, Layer) else CONVERTED_DUNDER_METHODS
        )
        result = self._wrap_to_convert_when_recording(member) if name in method_names else member
        return None if result is member else result

    def _wrap_to_convert_when_recording(self, function: Any) -> Any:
        """Wrap a method so that calls run the converted method while a program is recorded, and the
        original otherwise.
        """
        if (
            not isinstance(function, FunctionType)
            or hasattr(function, "_ol_special")
            or not self._is_non_generated_user_function(function)
        ):
            return function

        @functools.wraps(function)
        def call_method(*args: Any, **kwargs: Any) -> Any:
            if find_static_base_mode(state.mode) is None:
                return function(*args, **kwargs)
            return self._convert_function(function)(*args, **kwargs)

        call_method._ol_special = True  # type: ignore[attr-defined]
        return call_method

    def _is_non_generated_user_function(self, function: FunctionType) -> bool:
        # the code was generated, for example by `dataclass`, so there is no source to convert
        return self._is_user_function(function) and not function.__code__.co_filename.startswith(
            "<"
        )


def iter_classes_of_values(values: Any, depth: int) -> Iterator[type]:
    """Yield the classes of the given values, and of the values that they contain, up to `depth`
    levels.
    """
    for value in values:
        if isinstance(value, type):
            yield value
        elif isinstance(value, Tensor | str | int | float | FunctionType | ModuleType):
            continue
        elif isinstance(value, MethodType):
            yield from iter_classes_of_values((value.__self__,), depth)
        elif depth and isinstance(value, list | tuple | dict):
            inside = dict.values(value) if isinstance(value, dict) else value
            yield from iter_classes_of_values(
                itertools.islice(inside, _MAX_VISITED_ITEMS), depth - 1
            )
        elif isinstance(value, Layer) or is_non_oarlock_object_with_attributes(value):
            yield type(value)
            if depth:
                yield from iter_classes_of_values(
                    list(vars(value).values())[:_MAX_VISITED_ITEMS], depth - 1
                )


def find_python_dunder_method(value: Any, name: str) -> Any:
    """Return the special method `name` of a user object if it is written in Python; otherwise
    None.
    """
    if isinstance(value, Tensor | int | float | str | list | tuple | dict) or value is None:
        return None
    for kind in type(value).__mro__:
        function = vars(kind).get(name)
        if function is not None:
            function = (
                getattr(function, "__wrapped__", function)
                if hasattr(function, "_ol_special")
                else function
            )
            return MethodType(function, value) if isinstance(function, FunctionType) else None
    return None
