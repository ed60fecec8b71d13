"""`if` and conditional expressions: Python where the condition is Python's, a branch of the program
where it is a value of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...capture.control.array_replacement import OtherLength, opened
from ...capture.control.branch import cond, put_back, record_branches
from ...capture.control.branch_values import Undefined, as_condition
from ...capture.control.escape_analysis import is_made_here
from ...capture.control.may_alias import KINDS, Sides, current, is_moved, items_of
from ...capture.control.mutable_locations import Elements, Longer, note, taken_back
from ...capture.control.tensor_arrays import StillEmpty, TensorArray
from ...capture.modes import Static, static_mode
from ...capture.variable import Variable
from ...core.errors import OpError, TraceError
from ...core.mode import state
from ...core.op import Meta
from ..guards.opaque_state import untracked_by
from .calls import asked
from .exceptions import Stopped, refuse_where, tried, unconditional
from .nonlocal_writes import new, own

INT64 = Meta((), np.dtype(np.int64))
Get = Callable[[], list[Any]]
Set = Callable[[list[Any]], None]


def _mode_for(value: Any) -> Static | None:
    """The recording, where `value` is one of its values."""
    return static_mode(state.mode) if isinstance(value, Variable) else None


def if_(
    test: Any,
    then: Callable[[], None],
    other: Callable[[], None],
    get: Get,
    put: Set,
    names: Sequence[str],
    count: int | None = None,
) -> None:
    """`if test: then() else: other()`; get, put: the variables that these change, of which the
    first `count`, or all, are read afterwards.
    """
    test = asked(test)
    mode = _mode_for(test)
    if mode is None:
        (then if test else other)()
        return
    start, condition, mark = get(), as_condition(test), mode.recorder.mark()
    try:
        _recorded_if(mode, condition, then, other, get, put, names, count)
        return
    except Stopped as found:
        stop: Stopped | None = found
    except (TraceError, OpError) as error:
        mode.trouble(error, None)
        stop = None
    mode.recorder.rewind(mark)
    put(start)
    if stop is not None:
        refuse_where(mode, condition, stop)
    (other if stop is not None and stop.holds else then)()  # what is left is no branch any more


def watched(mode: Static, run: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """A body that is recorded: what it may change that nobody can put back is noted before."""

    def noted(*args: Any) -> Any:
        note(mode.recorder, untracked_by((run,), names))
        return run(*args)

    return noted


def _recorded_if(
    mode: Static,
    condition: Variable,
    then: Callable[[], None],
    other: Callable[[], None],
    get: Get,
    put: Set,
    names: Sequence[str],
    count: int | None,
) -> None:
    given = get()
    then, other = (watched(mode, run, names) for run in (then, other))
    before = [current(value) if is_moved(value) else value for value in given]

    def side(holds: bool, run: Callable[[], None]) -> Callable[[], list[Any]]:
        def record() -> list[Any]:
            own(mode.recorder, put)
            put(before)
            try:
                _tried(mode, holds, run)
                values = get()[:count]
                values = [
                    opened(mode, n, v) if n in open else v
                    for n, v in zip(names, values, strict=False)
                ]
                containers.left(values)
                longer = containers.longer()
                if longer is not None:
                    raise Longer(Elements("a list", longer), "one of two branches")
                return [_copy(value) for value in values]
            finally:
                put(before)
                containers.put_back()

        return record

    open: set[str] = set()  # lists of which only a run knows the length
    while True:
        containers, mark = Sides(before[:count]), mode.recorder.mark()
        try:
            found = record_branches(
                mode, condition, side(True, then), side(False, other), names[:count]
            )
            break
        except (
            Longer
        ) as error:  # a list that one of them, or a function that it calls, makes longer
            found_at = [i for i, value in enumerate(before) if value is error.target]
            if not found_at and not is_made_here(mode.recorder, error.target):
                raise
            mode.recorder.rewind(mark)
            name = names[found_at[0]] if found_at else error.keeper.name
            array = TensorArray.replacing(mode, name, error.target)
            before = [array if value is error.target else value for value in before]
        except OtherLength as error:
            if error.name in open:
                raise
            mode.recorder.rewind(mark)
            open.add(error.name)
    found = containers.after(found)
    put([*found, *before[len(found) :]])


def _tried(mode: Static, holds: bool, run: Callable[[], None]) -> None:
    """See tried.

    A branch of a round ends where it reads a list that no round has written to so far: that is
    tried again.
    """
    try:
        tried(mode, holds, run)
    except IndexError as error:
        if not mode.recorder.loops:
            raise
        if not isinstance(error, StillEmpty):
            mode.recorder.early.append(error)


def _lists_that_stay(
    mode: Static,
    before: list[Any],
    branches: tuple[Callable[[], None], ...],
    get: Get,
    put: Set,
    names: Sequence[str],
) -> list[Any]:
    """The variables before two branches: a list that becomes longer in one of them than in the
    other is one of the program.
    """
    before = [current(value) if is_moved(value) else value for value in before]
    lists = [i for i, value in enumerate(before) if isinstance(value, list)]
    if not lists:
        return before
    mark, lengths = mode.recorder.mark(), []
    for holds, branch in zip((True, False), branches, strict=True):
        put([_copy(value) for value in before])
        with mode.recorder.inner_block() as inner:
            own(mode.recorder, put)
            _tried(mode, holds, branch)
            after = get()
            put(before)
            lengths.append([_length(after[i], -1 - holds) for i in lists])
        taken_back(inner)
        for tensor, desc in inner.changed.values():
            put_back(mode, tensor, desc)
    mode.recorder.rewind(mark)
    grown = {i for i, *sizes in zip(lists, *lengths, strict=True) if len(set(sizes)) > 1}
    return [
        TensorArray.replacing(mode, names[i], v) if i in grown else v for i, v in enumerate(before)
    ]


def _length(value: Any, open: int) -> int:
    """How long a list is; `open` where a run knows that."""
    return len(items_of(value)) if isinstance(value, list) and not is_moved(value) else open


def _copy(value: Any) -> Any:
    """A list or dict as it is now, for branches change it in place; anything else itself."""
    if type(value) is tuple:
        copied = tuple(map(_copy, value))
        return value if all(a is b for a, b in zip(copied, value, strict=True)) else copied
    if type(value) not in KINDS:
        return value
    if isinstance(value, dict):
        return new({k: _copy(v) for k, v in items_of(value)}, value)
    return new([_copy(v) for v in items_of(value)], value)


def if_expression(test: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() if test else b()`."""
    test = asked(test)
    mode = _mode_for(test)
    if mode is None:
        return a() if test else b()
    mark = mode.recorder.mark()
    try:
        return unconditional(lambda: cond(as_condition(test), a, b), "one side of an expression")
    except OtherLength:
        mode.recorder.rewind(mark)
    return _chosen_list(test, a, b)


def _chosen_list(test: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """Lists of different lengths: those of a variable that an `if` sets."""
    held: list[Any] = [Undefined("the list")]

    def put(values: list[Any]) -> None:
        held[:] = values

    def side(make: Callable[[], Any]) -> Callable[[], None]:
        return lambda: put([make()])

    if_(test, side(a), side(b), lambda: list(held), put, ["the list"])
    return held[0]


def nothing() -> None:
    """What an `else` that is not there does."""
