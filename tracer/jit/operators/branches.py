"""`if` statements and conditional expressions: run in Python, or recorded as a branch if the
condition is a value of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...capture.control.array_replacement import LengthMismatch, to_tensor_array
from ...capture.control.branch import cond, record_branches
from ...capture.control.branch_values import Undefined, to_bool
from ...capture.control.escape_analysis import is_local_object
from ...capture.control.may_alias import (
    MUTABLE_CONTAINERS,
    BranchContainerTracker,
    is_replaced_by_array,
    resolve_replaced_list,
    unchecked_items,
)
from ...capture.control.mutable_locations import LengthChange, ListItemsLocation, save_locations
from ...capture.control.tensor_arrays import EmptyArrayRead, TensorArray
from ...capture.modes import Static, static_mode
from ...capture.variable import Variable
from ...core.errors import OpError, TraceError
from ...core.mode import state
from ...core.op import Meta
from ..guards.opaque_state import find_opaque_state
from .calls import truth_value
from .exceptions import (
    BranchRaises,
    emit_raise_check,
    record_branch_body,
    reject_unconditional_raise,
)
from .nonlocal_writes import own_locations, track_new

INT64 = Meta((), np.dtype(np.int64))
Getter = Callable[[], list[Any]]
Setter = Callable[[list[Any]], None]


def _mode_of(value: Any) -> Static | None:
    """Return the mode of the recording if `value` is a value of the program, otherwise None."""
    return static_mode(state.mode) if isinstance(value, Variable) else None


def if_(
    test: Any,
    then: Callable[[], None],
    other: Callable[[], None],
    get: Getter,
    put: Setter,
    names: Sequence[str],
    count: int | None = None,
) -> None:
    """Operator for `if test: then() else: other()`.

    get, put: getter and setter of the variables that the branches change.
    count: how many of them, from the first one on, are read afterwards; by default all.
    """
    test = truth_value(test)
    mode = _mode_of(test)
    if mode is None:
        (then if test else other)()
        return
    start, condition, mark = get(), to_bool(test), mode.recorder.checkpoint()
    try:
        _record_if(mode, condition, then, other, get, put, names, count)
        return
    except BranchRaises as found:
        stop: BranchRaises | None = found
    except (TraceError, OpError) as error:
        mode.report_error(error, None)
        stop = None
    mode.recorder.rewind(mark)
    put(start)
    if stop is not None:
        emit_raise_check(mode, condition, stop)
    (other if stop is not None and stop.in_true_branch else then)()  # the branch without a `raise`


def track_opaque_state(
    mode: Static, run: Callable[..., Any], names: Sequence[str]
) -> Callable[..., Any]:
    """Wrap the body of a branch or loop. The wrapper first saves the opaque state that the body may
    change, so that a change can be detected.
    """

    def wrapper(*args: Any) -> Any:
        save_locations(mode.recorder, find_opaque_state((run,), names))
        return run(*args)

    return wrapper


def _record_if(
    mode: Static,
    condition: Variable,
    then: Callable[[], None],
    other: Callable[[], None],
    get: Getter,
    put: Setter,
    names: Sequence[str],
    count: int | None,
) -> None:
    given = get()
    then, other = (track_opaque_state(mode, run, names) for run in (then, other))
    before = [
        resolve_replaced_list(value) if is_replaced_by_array(value) else value for value in given
    ]

    def branch_fn(holds: bool, run: Callable[[], None]) -> Callable[[], list[Any]]:
        def record() -> list[Any]:
            own_locations(mode.recorder, put)
            put(before)
            try:
                _record_body(mode, holds, run)
                values = get()[:count]
                values = [
                    to_tensor_array(mode, n, v) if n in open else v
                    for n, v in zip(names, values, strict=False)
                ]
                containers.record_branch(values)
                longer = containers.find_length_mismatch()
                if longer is not None:
                    raise LengthChange(ListItemsLocation("a list", longer), "one of two branches")
                return [_copy(value) for value in values]
            finally:
                put(before)
                containers.restore_initial()

        return record

    open: set[str] = set()  # lists whose length is known only at run time
    while True:
        containers, mark = BranchContainerTracker(before[:count]), mode.recorder.checkpoint()
        try:
            found = record_branches(
                mode, condition, branch_fn(True, then), branch_fn(False, other), names[:count]
            )
            break
        except (
            LengthChange
        ) as error:  # a branch, or a function that it calls, changes the length of a list
            found_at = [i for i, value in enumerate(before) if value is error.target]
            if not found_at and not is_local_object(mode.recorder, error.target):
                raise
            mode.recorder.rewind(mark)
            name = names[found_at[0]] if found_at else error.location.name
            array = TensorArray.replace_list(mode, name, error.target)
            before = [array if value is error.target else value for value in before]
        except LengthMismatch as error:
            if error.name in open:
                raise
            mode.recorder.rewind(mark)
            open.add(error.name)
    found = containers.merge_branches(found)
    put([*found, *before[len(found) :]])


def _record_body(mode: Static, holds: bool, run: Callable[[], None]) -> None:
    """Record the body of a branch. If an index is out of range in a loop body, a later part of the
    body may fill the list; then the loop body is recorded again.
    """
    try:
        record_branch_body(mode, holds, run)
    except IndexError as error:
        if not mode.recorder.num_open_loops:
            raise
        if not isinstance(error, EmptyArrayRead):
            mode.recorder.deferred_errors.append(error)


def _copy(value: Any) -> Any:
    """Return a copy of a list or dict, which the branches change in place; other values
    unchanged.
    """
    if type(value) is tuple:
        copied = tuple(map(_copy, value))
        return value if all(a is b for a, b in zip(copied, value, strict=True)) else copied
    if type(value) not in MUTABLE_CONTAINERS:
        return value
    if isinstance(value, dict):
        return track_new({k: _copy(v) for k, v in unchecked_items(value)}, value)
    return track_new([_copy(v) for v in unchecked_items(value)], value)


def if_expression(test: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """Operator for `a() if test else b()`."""
    test = truth_value(test)
    mode = _mode_of(test)
    if mode is None:
        return a() if test else b()
    mark = mode.recorder.checkpoint()
    try:
        return reject_unconditional_raise(
            lambda: cond(to_bool(test), a, b), "one side of an expression"
        )
    except LengthMismatch:
        mode.recorder.rewind(mark)
    return _select_list(test, a, b)


def _select_list(test: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """Select between lists of different lengths, by recording an `if` statement that assigns a
    variable.
    """
    held: list[Any] = [Undefined("the list")]

    def put(values: list[Any]) -> None:
        held[:] = values

    def branch_fn(make: Callable[[], Any]) -> Callable[[], None]:
        return lambda: put([make()])

    if_(test, branch_fn(a), branch_fn(b), lambda: list(held), put, ["the list"])
    return held[0]


def no_op() -> None:
    """The body of a missing `else`."""
