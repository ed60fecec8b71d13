"""Detect changes of opaque Python state in the body of a branch or loop.

Opaque state is the state of objects that a capture cannot restore: deques, sets, iterators, arrays
and random generators. A branch or loop whose body changes such state is rejected with a TraceError.
"""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...capture.control.mutable_locations import MutableLocation
from ...core.errors import TraceError, append_user_line, user_frame
from ...core.tensor import Tensor
from ...ir.plain_values import PLAIN_TYPES
from ...nn.layer import Layer
from .object_state import (
    MAX_DEPTH,
    MAX_ITEMS,
    are_states_equal,
    iter_source_iterators,
    read_internal_state_or_none,
)
from .user_code import (
    is_convertible_function,
    is_non_oarlock_object_with_attributes,
    is_oarlock_module_name,
)

OPAQUE_STATE_FIX_HINT = (
    "change it outside of the branch or loop, or keep data that depends on tensor values in "
    "tensors, lists and dicts that local variables of the function name"
)


class OpaqueStateLocation(MutableLocation):
    """The internal state of an object, which a capture can compare but not restore.

    keys: the attributes of the object that other locations restore.
    """

    can_restore = False

    @property
    def id(self) -> tuple[int, Any]:
        """An identifier of the location: the id of the object."""
        return id(self.target), "opaque"

    @property
    def attribute_assignment_runs_user_code(self) -> bool:  # type: ignore[override]
        """Whether assigning an attribute of the object runs user code."""
        kind = type(self.target)
        if not hasattr(self.target, "__dict__") or kind.__module__ == "builtins":
            return False
        return "__setattr__" in {n for base in kind.__mro__[:-1] for n in vars(base)} or any(
            isinstance(member, property) and member.fset is not None
            for base in kind.__mro__
            for member in vars(base).values()
        )

    def read(self) -> dict[Any, Any]:
        """Return the internal state of the object as a dict."""
        return {"": read_internal_state_or_none(self.target, self.keys or ())}

    def reject_change(self, before: dict[Any, Any], ignore_attributes: bool) -> None:
        """Raise TraceError if the internal state of the object differs from the state `before`."""
        old, new = (state[""] for state in (before, self.read()))
        if ignore_attributes and old[0] == "attributes":
            old, new = old[3], new[3]
        if not are_states_equal(old, new):
            kind = type(self.target).__name__
            why = (
                "changes in a branch or loop that runs only for some inputs; this object is not "
                "part of the program, and Python would change it in every call"
            )
            raise TraceError(
                append_user_line(f"'{self.name}' ({kind}) {why}; {OPAQUE_STATE_FIX_HINT}")
            )


def iter_opaque_state_locations(
    functions: tuple[Callable[..., Any] | None, ...], names: Any
) -> Iterator[OpaqueStateLocation]:
    """Yield locations of the opaque state that the bodies of a branch or loop may change. The
    random generators of NumPy and Python are always included.

    names: the variables and attributes that other locations restore.
    """
    attributes = tuple(dict.fromkeys(name.rpartition(".")[2] for name in names if "." in name))
    seen: dict[int, tuple[Any, int]] = {}
    for label, generator in (("np.random", np.random.mtrand._rand), ("random", random._inst)):
        yield OpaqueStateLocation(label, generator, ())
    for function in functions:
        for label, value in _iter_free_and_global_variables(function, MAX_DEPTH):
            yield from _iter_opaque_state_locations_in(label, value, attributes, seen, MAX_DEPTH)


def _iter_free_and_global_variables(function: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the free variables and globals of a function, and of user functions that it may
    call.
    """
    while isinstance(function, functools.partial | MethodType):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    if not isinstance(function, FunctionType):
        return
    values: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if not name.startswith(("_ol_", "__ol")):
            try:
                values[name] = cell.cell_contents
            except ValueError:  # an empty cell
                continue
    names = _iter_co_names(function.__code__)
    values.update({n: function.__globals__[n] for n in names if n in function.__globals__})
    for name, value in values.items():
        yield name, value
        if depth > 1 and isinstance(value, FunctionType) and is_convertible_function(value):
            yield from _iter_free_and_global_variables(value, depth - 2)


def _iter_co_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _iter_co_names(const)


def _iter_opaque_state_locations_in(
    label: str,
    value: Any,
    ignored: tuple[str, ...],
    seen: dict[int, tuple[Any, int]],
    depth: int,
) -> Iterator[OpaqueStateLocation]:
    """Yield locations of the opaque state of a value and of the values that it contains.

    seen: by id, the values that were visited, with the depth at which each was.
    """
    if isinstance(value, (*PLAIN_TYPES, Tensor, ModuleType, type, FunctionType)):
        return
    _, seen_depth = seen.get(id(value), (value, -1))
    if seen_depth >= depth:
        return
    seen[id(value)] = value, depth
    children: list[tuple[str, Any]] = []
    if isinstance(value, Layer):
        children = [(f"{label}.{k}", v) for k, v in vars(value).items() if not k.startswith("_")]
    elif type(value) in (list, tuple, dict):
        pairs = value.items() if type(value) is dict else enumerate(value[:MAX_ITEMS])
        children = [(f"{label}[{k!r}]", v) for k, v in pairs]
    elif not is_oarlock_module_name(type(value).__module__):
        if seen_depth < 0 and read_internal_state_or_none(value, ignored) is not None:
            yield OpaqueStateLocation(label, value, ignored)
        if is_non_oarlock_object_with_attributes(value) and not inspect.ismodule(value):
            children = [(f"{label}.{k}", v) for k, v in vars(value).items()]
    if depth:
        for name, child in children:
            yield from _iter_opaque_state_locations_in(name, child, ignored, seen, depth - 1)


def reject_user_visible_iterator(iterator: Any) -> None:
    """Raise TraceError for a loop over an iterator if a variable of the user refers to the
    iterator. The number of iterations is known only at run time, so the position of the iterator
    after the loop is unknown.
    """
    if not hasattr(iterator, "__next__"):
        return
    advanced = {id(iterator)} | {id(inner) for inner in iter_source_iterators(iterator)}
    frame = user_frame()
    for name, value in frame.f_locals.items() if frame is not None else ():
        if not name.startswith("_ol_") and advanced & {
            id(v) for v in _iter_value_and_nested_values(value, 2)
        }:
            why = (
                "advances by a number of items that is known only at run time; collect its items "
                "before (`list(...)`) and loop over the list"
            )
            raise TraceError(append_user_line(f"'{name}' ({type(iterator).__name__}) {why}"))


def _iter_value_and_nested_values(value: Any, depth: int) -> Iterator[Any]:
    yield value
    if not depth or isinstance(value, (*PLAIN_TYPES, Tensor, ModuleType, type, FunctionType)):
        return
    children: Any = ()
    if is_non_oarlock_object_with_attributes(value) or isinstance(value, Layer):
        children = vars(value).values()
    elif isinstance(value, list | tuple):
        children = value
    elif isinstance(value, dict):
        children = value.values()
    for child in list(children)[:MAX_ITEMS]:
        yield from _iter_value_and_nested_values(child, depth - 1)
