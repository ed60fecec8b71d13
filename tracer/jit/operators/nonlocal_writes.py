"""Writes to locations outside of a function: cells, globals, attributes and elements.

Converted code calls `save_and_wrap_before_write` before it mutates an object, and
`register_new_object` for each object that the code creates. `wrap_to_save_locations_before_call`
saves the locations that a called function may write.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import MethodType
from typing import Any

from ...capture.control.container_aliasing import (
    MayAliasContainer,
    MayAliasDict,
    MayAliasList,
    is_replaced_by_array,
    items_without_alias_check,
    resolve_replaced_list_and_reject_invalidated,
)
from ...capture.control.escape_analysis import register_local_object
from ...capture.control.mutable_locations import (
    ClosureCellLocation,
    DictItemsLocation,
    GlobalsOrAttributesLocation,
    LayerAttributesLocation,
    ListItemsLocation,
    MutableLocation,
    save_locations_in_open_blocks,
)
from ...capture.modes import find_static_base_mode
from ...capture.recorder import Recorder
from ...core.mode import state
from ...core.tensor import Tensor
from ...nn.layer import Layer
from ..guards.bytecode import iter_assigned_global_names
from ..guards.object_state import MAX_ITEMS
from ..guards.user_code import is_non_oarlock_object_with_attributes
from .dynamic_indexing import RuntimeIndexAssignmentTarget

# how many levels of nested containers and objects are searched for locations
MAX_LOCATION_DEPTH = 2


def save_and_wrap_before_write(
    value: Any, name: str, attribute: str = "", reads: bool = False
) -> Any:
    """Add a guard for the state of a list, dict or object that converted code is about to change,
    save the state, and return the object. A list is returned in a wrapper that accepts run-time
    indices.

    attribute: the attribute that is assigned, if known.
    reads: whether the code reads the attribute before it assigns it.
    """
    mode = find_static_base_mode(state.mode)
    if mode is not None and mode.recorder.rollback is not None:
        mode.recorder.rollback.save_before_mutation(value)
    if isinstance(value, Tensor) or mode is None:
        return value
    if is_replaced_by_array(value):
        return resolve_replaced_list_and_reject_invalidated(value)
    recorder = mode.recorder
    if recorder.read_tracker is not None:
        recorder.read_tracker.guard_state_before_write(value, name, attribute, reads)
    save_locations_in_open_blocks(recorder, iter_locations_in(name, value, 0))
    if isinstance(value, MayAliasContainer):
        save_locations_in_open_blocks(
            recorder,
            (
                location
                for origin in value.iter_origins_transitively()
                for location in iter_locations_in(name, origin, 0)
            ),
        )
    return (
        RuntimeIndexAssignmentTarget(recorder, value)
        if type(value) in (list, MayAliasList)
        else value
    )


def operator_setattr(value: Any, name: str, attribute_value: Any) -> None:
    """Operator for calls of the builtin `setattr`: add a guard for the state of the object, save
    the state, and set the attribute.
    """
    save_and_wrap_before_write(value, "an object")
    setattr(value, name, attribute_value)


def operator_delattr(value: Any, name: str) -> None:
    """Operator for calls of the builtin `delattr`: add a guard for the state of the object, save
    the state, and delete the attribute.
    """
    save_and_wrap_before_write(value, "an object")
    delattr(value, name)


def reject_or_note_preexisting_iterators(*values: Any) -> None:
    """Check iterators that code is about to advance, because a rollback cannot rewind an iterator
    that was created outside of the captured function. For an iterator from outside, raise
    SideEffectError if the recorder is strict; otherwise note that the capture cannot be undone
    (`rollback.irreversible_effect`).
    """
    mode = find_static_base_mode(state.mode)
    if mode is None or mode.recorder.rollback is None or mode.recorder.read_tracker is None:
        return
    for value in values:
        if (
            hasattr(type(value), "__next__")
            and not isinstance(value, io.IOBase)
            and mode.recorder.read_tracker.existed_before_capture(value)
        ):
            what = f"advancing an iterator created outside of the function ({type(value).__name__})"
            if mode.recorder.strict:
                mode.reject_or_must_skip_side_effect(what)
            mode.recorder.rollback.irreversible_effect = what


def register_new_object(obj: Any, original: Any = None) -> Any:
    """Register a list, dict or object created in the recorded code, and return it.

    original: the object that `obj` is a copy of
    """
    mode = find_static_base_mode(state.mode)
    if mode is not None:
        register_local_object(mode.recorder, obj)
        if type(obj) in (list, dict):
            mode.recorder.record_container_creation_line(obj, original)
    return obj


def attach_write_targets_to_setter(
    setter: Any, cells: Any, holders: list[tuple[Callable[[], Any], str]], shared: list[str]
) -> None:
    """Store in the setter of an `if` or loop statement which variables, attributes and globals the
    setter sets.

    cells: a function whose closure holds the variables.
    holders: the objects and names of the attributes.
    shared: the names of the globals.
    """
    setter.cells = [
        ClosureCellLocation(name, cell)
        for name, cell in zip(cells.__code__.co_freevars, cells.__closure__ or (), strict=True)
    ]
    setter.holders, setter.shared = holders, shared


def save_containers_and_exclude_merged_variables(recorder: Recorder, setter: Any) -> None:
    """Exclude the variables of an `if` or loop statement from the tracking of mutations in the
    current block, because the statement merges the variables itself. The containers that the
    variables hold are saved first.
    """
    inner = recorder.open_blocks[-1]
    for cell in getattr(setter, "cells", ()):
        inner.merged_keys.add((id(cell.target), ""))
        save_locations_in_open_blocks(recorder, iter_locations_in(cell.name, cell.read().get("")))
    inner.merged_keys.update(
        (id(setter.__globals__), name) for name in getattr(setter, "shared", ())
    )
    for holder, name in getattr(setter, "holders", ()):
        # TypeError: the object has no __dict__
        with suppress(AttributeError, NameError, TypeError):
            inner.merged_keys.add((id(vars(holder())), name))


def wrap_to_save_locations_before_call(
    recorder: Recorder, function: Any, converted: Callable[..., Any]
) -> Callable[..., Any]:
    """Wrap a function that is called in a branch or loop. The wrapper first saves the locations
    that the function may write.
    """

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        save_locations_in_open_blocks(
            recorder, iter_locations_written_by_call(function, args, kwargs)
        )
        return converted(*args, **kwargs)

    return wrapper


def find_recorder_if_in_branch_or_loop(mode: Any) -> Recorder | None:
    """Return the recorder of the mode if a branch or loop is being recorded; otherwise None."""
    found = find_static_base_mode(mode)
    return found.recorder if found is not None and len(found.recorder.open_blocks) > 1 else None


def iter_locations_written_by_call(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[MutableLocation]:
    """Yield the mutable locations that a call of a function may write."""
    plain: Any = function.__func__ if isinstance(function, MethodType) else function
    code = plain.__code__
    for name, cell in zip(code.co_freevars, plain.__closure__ or (), strict=True):
        if not name.startswith(("_ol_", "__ol")):
            location = ClosureCellLocation(name, cell)
            yield location
            yield from iter_locations_in(name, location.read().get(""))
    written = tuple(dict.fromkeys(iter_assigned_global_names(code)))
    if written:
        yield GlobalsOrAttributesLocation("globals", plain.__globals__, written)
    for name in code.co_names:
        yield from iter_locations_in(name, plain.__globals__.get(name))
    if isinstance(function, MethodType):
        args = (function.__self__, *args)
    for i, value in enumerate(args):
        yield from iter_locations_in(code.co_varnames[i] if i < code.co_argcount else "args", value)
    for name, value in kwargs.items():
        yield from iter_locations_in(name, value)


def iter_locations_in(
    name: str, value: Any, depth: int = MAX_LOCATION_DEPTH
) -> Iterator[MutableLocation]:
    """Yield the mutable locations in a value, such as the items of a list, and those in the values
    that it contains.
    """
    children: list[tuple[str, Any]] = []
    if type(value) in (list, MayAliasList):
        yield ListItemsLocation(name, value)
        children = [
            (f"{name}[{i}]", v) for i, v in enumerate(items_without_alias_check(value)[:MAX_ITEMS])
        ]
    elif type(value) in (dict, MayAliasDict):
        yield DictItemsLocation(name, value)
        children = [(f"{name}[{k!r}]", v) for k, v in dict.items(value)]
    elif isinstance(value, Layer):
        yield LayerAttributesLocation(name, vars(value), attribute_owner_class=type(value))
        yield GlobalsOrAttributesLocation(name, value._buffers)
        children = [(f"{name}.{k}", v) for k, v in vars(value).items() if not k.startswith("_")]
    elif (
        is_non_oarlock_object_with_attributes(value)
        and not isinstance(value, type)
        and not inspect.ismodule(value)
    ):
        yield GlobalsOrAttributesLocation(name, vars(value), attribute_owner_class=type(value))
        children = [(f"{name}.{k}", v) for k, v in vars(value).items()]
    if depth:
        for label, child in children:
            yield from iter_locations_in(label, child, depth - 1)
