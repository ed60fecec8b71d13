"""What a function of the user's may write outside of itself: cells, globals, attributes, elements.

Converted code says of each object before it changes it (`changing`), and of what it makes (`new`);
what other code may change is noted before it is called (`noting`).
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import MethodType
from typing import Any

from ...capture.control.escape_analysis import born
from ...capture.control.may_alias import Either, EitherDict, EitherList, current, is_moved, items_of
from ...capture.control.mutable_locations import (
    Cell,
    Elements,
    Entries,
    Keeper,
    Members,
    Variables,
    note,
)
from ...capture.modes import static_mode
from ...capture.recorder import Recorder
from ...core.mode import state
from ...core.tensor import Tensor
from ...nn.layer import Layer
from ..guards.bytecode import globals_written
from ..guards.snapshots import MANY, has_attributes
from .dynamic_indexing import Positions

DEPTH = 2  # of containers and objects in one another


def changing(value: Any, name: str, attribute: str = "", reads: bool = False) -> Any:
    """A list, dict or object that converted code is going to change; a list as one that takes
    positions of the program.

    attribute: which one of an object is set, where that is known; reads: what it was is read for
    that.
    """
    mode = static_mode(state.mode)
    if mode is not None and mode.recorder.rollback is not None:
        mode.recorder.rollback.note(value)
    if isinstance(value, Tensor) or mode is None:
        return value
    if is_moved(value):
        return current(value)
    recorder = mode.recorder
    if recorder.looked is not None:
        recorder.looked.changing(value, name, attribute, reads)
    note(recorder, keepers_in(name, value, 0))
    if isinstance(value, Either):
        note(
            recorder,
            (keeper for origin in value.all_origins() for keeper in keepers_in(name, origin, 0)),
        )
    return Positions(recorder, value) if type(value) in (list, EitherList) else value


def set_attribute(value: Any, name: str, given: Any) -> None:
    """`setattr` in converted code."""
    changing(value, "an object")
    setattr(value, name, given)


def delete_attribute(value: Any, name: str) -> None:
    """`delattr` in converted code."""
    changing(value, "an object")
    delattr(value, name)


def refuse_outer_iterators(*values: Any) -> None:
    """Raise SideEffectError before code advances an iterator created outside of the function: a
    rollback could not rewind it.
    """
    mode = static_mode(state.mode)
    if mode is None or mode.recorder.rollback is None or mode.recorder.looked is None:
        return
    for value in values:
        if (
            hasattr(type(value), "__next__")
            and not isinstance(value, io.IOBase)
            and mode.recorder.looked.was_there(value)
        ):
            what = f"advancing an iterator created outside of the function ({type(value).__name__})"
            if mode.recorder.strict:
                mode.refuse_side_effect(what)
            mode.recorder.rollback.irreversible = what


def new(made: Any, original: Any = None) -> Any:
    """Register a list, dict or object created in the recorded code.

    original: the object it is a copy of
    """
    mode = static_mode(state.mode)
    if mode is not None:
        born(mode.recorder, made)
        if type(made) in (list, dict):
            mode.recorder.note_line(made, original)
    return made


def owns(
    put: Any, cells: Any, holders: list[tuple[Callable[[], Any], str]], shared: list[str]
) -> None:
    """Say of a function that sets variables of a statement which they are.

    cells: it closes over them; holders: of attributes; shared: globals.
    """
    put.cells = [
        Cell(name, cell)
        for name, cell in zip(cells.__code__.co_freevars, cells.__closure__ or (), strict=True)
    ]
    put.holders, put.shared = holders, shared


def own(recorder: Recorder, put: Any) -> None:
    """The block that is being written sees to the variables of a statement itself; what they hold
    may change in any way.
    """
    inner = recorder.open[-1]
    for cell in getattr(put, "cells", ()):
        inner.owned.add((id(cell.target), ""))
        note(recorder, keepers_in(cell.name, cell.read().get("")))
    inner.owned.update((id(put.__globals__), name) for name in getattr(put, "shared", ()))
    for holder, name in getattr(put, "holders", ()):
        with suppress(AttributeError, NameError):
            inner.owned.add((id(vars(holder())), name))


def noting(recorder: Recorder, function: Any, converted: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is called inside of a branch or a loop: what it may write is noted before."""

    def noted(*args: Any, **kwargs: Any) -> Any:
        note(recorder, keepers_of(function, args, kwargs))
        return converted(*args, **kwargs)

    return noted


def in_a_block(mode: Any) -> Recorder | None:
    """The recording, if a branch or a loop of it is open."""
    found = static_mode(mode)
    return found.recorder if found is not None and len(found.recorder.open) > 1 else None


def keepers_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Keeper]:
    """What a call may write."""
    plain: Any = function.__func__ if isinstance(function, MethodType) else function
    code = plain.__code__
    for name, cell in zip(code.co_freevars, plain.__closure__ or (), strict=True):
        if not name.startswith(("_ol_", "__ol")):
            kept = Cell(name, cell)
            yield kept
            yield from keepers_in(name, kept.read().get(""))
    written = tuple(dict.fromkeys(globals_written(code)))
    if written:
        yield Variables("globals", plain.__globals__, written)
    for name in code.co_names:
        yield from keepers_in(name, plain.__globals__.get(name))
    if isinstance(function, MethodType):
        args = (function.__self__, *args)
    for i, value in enumerate(args):
        yield from keepers_in(code.co_varnames[i] if i < code.co_argcount else "args", value)
    for name, value in kwargs.items():
        yield from keepers_in(name, value)


def keepers_in(name: str, value: Any, depth: int = DEPTH) -> Iterator[Keeper]:
    """A value that can be changed, and those that it holds."""
    inside: list[tuple[str, Any]] = []
    if type(value) in (list, EitherList):
        yield Elements(name, value)
        inside = [(f"{name}[{i}]", v) for i, v in enumerate(items_of(value)[:MANY])]
    elif type(value) in (dict, EitherDict):
        yield Entries(name, value)
        inside = [(f"{name}[{k!r}]", v) for k, v in dict.items(value)]
    elif isinstance(value, Layer):
        yield Members(name, vars(value), kind=type(value))
        yield Variables(name, value._buffers)
        inside = [(f"{name}.{k}", v) for k, v in vars(value).items() if not k.startswith("_")]
    elif has_attributes(value) and not isinstance(value, type) and not inspect.ismodule(value):
        yield Variables(name, vars(value), kind=type(value))
        inside = [(f"{name}.{k}", v) for k, v in vars(value).items()]
    if depth:
        for label, held in inside:
            yield from keepers_in(label, held, depth - 1)
