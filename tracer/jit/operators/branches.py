"""`if` statements and conditional expressions: run in Python, or recorded as a branch if the
condition is a symbolic value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...capture.control.array_replacement import (
    ListLengthMismatchError,
    replace_by_tensor_array_if_tensor_sequence,
)
from ...capture.control.branch import cond, record_and_merge_branches
from ...capture.control.branch_values import Undefined, cast_variable_to_bool
from ...capture.control.container_aliasing import (
    MUTABLE_CONTAINERS,
    BranchContainerTracker,
    is_replaced_by_array,
    items_without_alias_check,
    resolve_replaced_list_and_reject_invalidated,
)
from ...capture.control.escape_analysis import is_local_object
from ...capture.control.mutable_locations import (
    ListItemsLocation,
    ListLengthChangeError,
    save_locations_in_open_blocks,
)
from ...capture.control.tensor_arrays import EmptyArrayReadError, TensorArray
from ...capture.modes import Static, find_static_base_mode
from ...capture.variable import Variable
from ...core.errors import OpError, TraceError
from ...core.mode import state
from ...core.op import Meta
from ..guards.opaque_state import iter_opaque_state_locations
from .calls import value_deciding_truth
from .nonlocal_writes import register_new_object, save_containers_and_exclude_merged_variables
from .raise_assert_and_print import (
    RaisedInBranchError,
    emit_assert_for_raising_branch,
    record_body_rejecting_raise,
    record_branch_converting_raise,
)

INT64 = Meta((), np.dtype(np.int64))
Getter = Callable[[], list[Any]]
Setter = Callable[[list[Any]], None]


def _find_recording_mode_if_variable(value: Any) -> Static | None:
    """Return the mode of the recording if `value` is a symbolic value, otherwise None."""
    return find_static_base_mode(state.mode) if isinstance(value, Variable) else None


def if_(
    test: Any,
    true_body: Callable[[], None],
    false_body: Callable[[], None],
    get_values: Getter,
    set_values: Setter,
    names: Sequence[str],
    count: int | None = None,
) -> None:
    """Operator for `if test: true_body() else: false_body()`.

    get_values, set_values: getter and setter of the variables that the branches change.
    count: how many of these variables, from the first one on, are read after the `if`; by default
    all.
    """
    test = value_deciding_truth(test)
    mode = _find_recording_mode_if_variable(test)
    if mode is None:
        (true_body if test else false_body)()
        return
    start, condition, mark = get_values(), cast_variable_to_bool(test), mode.recorder.checkpoint()
    try:
        _record_if(mode, condition, true_body, false_body, get_values, set_values, names, count)
        return
    except RaisedInBranchError as found:
        raised: RaisedInBranchError | None = found
    except (TraceError, OpError) as error:
        mode.raise_error_unless_collecting(error, None)
        raised = None
    mode.recorder.rewind(mark)
    set_values(start)
    if raised is not None:
        emit_assert_for_raising_branch(mode, condition, raised)
    (
        false_body if raised is not None and raised.in_true_branch else true_body
    )()  # run the branch that does not raise


def wrap_to_save_opaque_state_first(
    mode: Static, run: Callable[..., Any], names: Sequence[str]
) -> Callable[..., Any]:
    """Wrap the body of a branch or loop so that it first saves opaque state that it may change."""

    def wrapper(*args: Any) -> Any:
        save_locations_in_open_blocks(mode.recorder, iter_opaque_state_locations((run,), names))
        return run(*args)

    return wrapper


def _record_if(
    mode: Static,
    condition: Variable,
    true_body: Callable[[], None],
    false_body: Callable[[], None],
    get_values: Getter,
    set_values: Setter,
    names: Sequence[str],
    count: int | None,
) -> None:
    """Record an `if` and set its variables to the merged values. If a branch changes the length of
    a list, record the `if` again with a TensorArray in place of the list.
    """
    initial = get_values()
    true_body, false_body = (
        wrap_to_save_opaque_state_first(mode, run, names) for run in (true_body, false_body)
    )
    before = [
        resolve_replaced_list_and_reject_invalidated(value)
        if is_replaced_by_array(value)
        else value
        for value in initial
    ]

    def make_branch_recorder(holds: bool, run: Callable[[], None]) -> Callable[[], list[Any]]:
        def record() -> list[Any]:
            save_containers_and_exclude_merged_variables(mode.recorder, set_values)
            set_values(before)
            try:
                _record_branch_deferring_index_errors(mode, holds, run)
                values = get_values()[:count]
                values = [
                    replace_by_tensor_array_if_tensor_sequence(mode, n, v)
                    if n in dynamic_lists
                    else v
                    for n, v in zip(names, values, strict=False)
                ]
                containers.snapshot_containers_after_branch(values)
                longer = containers.find_list_with_length_mismatch()
                if longer is not None:
                    raise ListLengthChangeError(
                        ListItemsLocation("a list", longer), "one of two branches"
                    )
                return [_copy_if_container(value) for value in values]
            finally:
                set_values(before)
                containers.restore_initial_containers()

        return record

    dynamic_lists: set[str] = set()  # names of lists whose length is known only at run time
    while True:
        containers, mark = BranchContainerTracker(before[:count]), mode.recorder.checkpoint()
        try:
            merged = record_and_merge_branches(
                mode,
                condition,
                make_branch_recorder(True, true_body),
                make_branch_recorder(False, false_body),
                names[:count],
            )
            break
        except ListLengthChangeError as error:
            # a branch, or a function that the branch calls, changes the length of a list
            positions = [i for i, value in enumerate(before) if value is error.target]
            if not positions and not is_local_object(mode.recorder, error.target):
                raise
            mode.recorder.rewind(mark)
            name = names[positions[0]] if positions else error.location.name
            array = TensorArray.replace_list_by_array(mode, name, error.target)
            before = [array if value is error.target else value for value in before]
        except ListLengthMismatchError as error:
            if error.name in dynamic_lists:
                raise
            mode.recorder.rewind(mark)
            dynamic_lists.add(error.name)
    merged = containers.merge_branches(merged)
    set_values([*merged, *before[len(merged) :]])


def _record_branch_deferring_index_errors(
    mode: Static, holds: bool, run: Callable[[], None]
) -> None:
    """Record the body of a branch. If the branch is in a loop, an IndexError is stored instead of
    raised, because a later part of the loop body may fill the list; the loop body is then recorded
    again.
    """
    try:
        record_branch_converting_raise(mode, holds, run)
    except IndexError as error:
        if not mode.recorder.num_open_loops:
            raise
        if not isinstance(error, EmptyArrayReadError):
            mode.recorder.deferred_errors.append(error)


def _copy_if_container(value: Any) -> Any:
    """Return a copy of a list or dict, because the branches change it in place; return other values
    unchanged.
    """
    if type(value) is tuple:
        copied = tuple(map(_copy_if_container, value))
        return value if all(a is b for a, b in zip(copied, value, strict=True)) else copied
    if type(value) not in MUTABLE_CONTAINERS:
        return value
    if isinstance(value, dict):
        return register_new_object(
            {k: _copy_if_container(v) for k, v in items_without_alias_check(value)}, value
        )
    return register_new_object(
        [_copy_if_container(v) for v in items_without_alias_check(value)], value
    )


def if_expression(test: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """Operator for `a() if test else b()`."""
    test = value_deciding_truth(test)
    mode = _find_recording_mode_if_variable(test)
    if mode is None:
        return a() if test else b()
    mark = mode.recorder.checkpoint()
    try:
        return record_body_rejecting_raise(
            lambda: cond(cast_variable_to_bool(test), a, b), "one side of an expression"
        )
    except ListLengthMismatchError:
        mode.recorder.rewind(mark)
    return _record_if_expression_as_statement(test, a, b)


def _record_if_expression_as_statement(
    test: Any, a: Callable[[], Any], b: Callable[[], Any]
) -> Any:
    """Operator for `a() if test else b()` where `a()` and `b()` are lists of different lengths:
    record an `if` statement that assigns one of them to a variable.
    """
    current: list[Any] = [Undefined("the list")]

    def set_current_values(values: list[Any]) -> None:
        current[:] = values

    def make_assigning_body(make: Callable[[], Any]) -> Callable[[], None]:
        return lambda: set_current_values([make()])

    if_(
        test,
        make_assigning_body(a),
        make_assigning_body(b),
        lambda: list(current),
        set_current_values,
        ["the list"],
    )
    return current[0]


def empty_else() -> None:
    """Do nothing: the body of an `else` that an `if` statement does not have."""
