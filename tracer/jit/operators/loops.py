"""`while`, `for` and comprehensions: run in Python, or recorded as a loop if the number of
iterations is known only at run time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...capture.control.branch import rebind_tensor_to_declaration
from ...capture.control.branch_values import (
    cast_or_fill_like,
    cast_variable_to_bool,
    emit_scalar_constant,
)
from ...capture.control.loop import record_loop
from ...capture.control.mutable_locations import collect_and_roll_back_mutations
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import Static, find_static_base_mode
from ...capture.recorder import OpenBlock
from ...capture.symbolic_scalars import NONNEGATIVE_INT, mark_symbolic_scalar
from ...capture.variable import Variable
from ...core.errors import OpError, TraceError
from ...core.mode import state
from ...core.op import OPS, Meta
from ..guards.opaque_state import reject_user_visible_iterator
from .branches import Getter, Setter, empty_else, if_, wrap_to_save_opaque_state_first
from .calls import call, value_deciding_truth
from .iterables import IndexedIterable, as_indexed_iterable_if_possible
from .logical import and_
from .nonlocal_writes import (
    register_new_object,
    reject_or_note_preexisting_iterators,
    save_containers_and_exclude_merged_variables,
)
from .raise_assert_and_print import record_body_rejecting_raise
from .registry import register

INT64 = Meta((), np.dtype(np.int64))


def while_(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_values: Getter,
    set_values: Setter,
    names: Sequence[str],
) -> None:
    """Operator for `while test(): body()`. Iterations run in Python until the test returns a
    symbolic value; the remaining iterations are recorded as a loop.
    """
    while True:
        mode, condition = _evaluate_condition_undoing_if_symbolic(test, get_values, set_values)
        if mode is not None:
            break
        if not condition:
            return
        body()

    start = get_values()
    test, body = (
        wrap_to_save_opaque_state_first(mode, test, names),
        wrap_to_save_opaque_state_first(mode, body, names),
    )

    def recorded_test(values: list[Any]) -> tuple[Any, list[Any]]:
        save_containers_and_exclude_merged_variables(mode.recorder, set_values)
        set_values(values)
        condition, after = cast_variable_to_bool(value_deciding_truth(test())), get_values()
        set_values(start)
        return condition, after

    def recorded_body(values: list[Any]) -> list[Any]:
        save_containers_and_exclude_merged_variables(mode.recorder, set_values)
        set_values(values)
        body()
        after = get_values()
        set_values(start)
        return after

    set_values(_record_loop_or_collect_error(mode, recorded_test, recorded_body, start, names))


def _evaluate_condition_undoing_if_symbolic(
    test: Callable[[], Any], get_values: Getter, set_values: Setter
) -> tuple[Static | None, Any]:
    """Evaluate the test of a loop; return a mode and the condition. If the condition is a symbolic
    value, undo the side effects of the test and return the capture's mode, because the recorded
    loop evaluates the test again; otherwise the mode is None.
    """
    mode = find_static_base_mode(state.mode)
    if mode is None:
        return None, value_deciding_truth(test())
    initial, mark, trial_block = (
        get_values(),
        mode.recorder.checkpoint(),
        OpenBlock(mode.recorder.block),
    )
    with mode.recorder.enter_block(trial_block):
        save_containers_and_exclude_merged_variables(mode.recorder, set_values)
        condition = value_deciding_truth(test())
    if not isinstance(condition, Variable):
        return None, condition
    collect_and_roll_back_mutations(trial_block)
    for tensor, desc in trial_block.inplace_writes.values():
        rebind_tensor_to_declaration(mode, tensor, desc)
    set_values(initial)
    mode.recorder.rewind(mark)
    return mode, condition


@register
def for_(
    iterable: Any,
    body: Callable[[Any], None],
    get_values: Getter,
    set_values: Setter,
    names: Sequence[str],
    test: Callable[[], Any] | None = None,
) -> None:
    """Operator for `for item in iterable: body(item)`, which continues while `test()` is true.
    The statement is recorded as a loop if the number of items is known only at run time.
    """
    reject_or_note_preexisting_iterators(iterable)
    rows = as_indexed_iterable_if_possible(iterable)
    start = 0
    if not isinstance(rows, IndexedIterable) or not isinstance(rows.count, Variable):
        num_done = _run_for_loop_until_symbolic_test(
            iter(rows), body, get_values, set_values, names, test, isinstance(rows, IndexedIterable)
        )
        if num_done is None:
            return
        start = num_done
    assert isinstance(rows, IndexedIterable)
    _record_remaining_iterations_as_loop(rows, start, body, get_values, set_values, names, test)


def _run_for_loop_until_symbolic_test(
    items: Iterator[Any],
    body: Callable[[Any], None],
    get_values: Getter,
    set_values: Setter,
    names: Sequence[str],
    test: Callable[[], Any] | None,
    counted: bool,
) -> int | None:
    """Run the iterations in Python while `test` returns a Python value.

    If `test` returns a symbolic value and `counted` is true, return the number of iterations that
    ran; the caller records the remaining iterations as a loop. If `counted` is false, record each
    remaining iteration as a branch on the test. Returns None if no iteration remains.
    """
    for num_done, item in enumerate(items):
        continues = True if test is None else test()
        if isinstance(continues, Variable) and counted:
            return num_done
        if isinstance(continues, Variable):
            reject_user_visible_iterator(items)
            if_(continues, functools.partial(body, item), empty_else, get_values, set_values, names)
        elif not continues:
            return None
        else:
            body(item)
    return None


def _record_remaining_iterations_as_loop(
    rows: IndexedIterable,
    start: int,
    body: Callable[[Any], None],
    get_values: Getter,
    set_values: Setter,
    names: Sequence[str],
    test: Callable[[], Any] | None,
) -> None:
    mode = find_static_base_mode(state.mode)
    assert mode is not None
    if rows.is_empty():
        return
    count, before = cast_or_fill_like(rows.count, INT64), get_values()
    body = wrap_to_save_opaque_state_first(mode, body, names)

    def recorded_test(values: list[Any]) -> tuple[Any, list[Any]]:
        save_containers_and_exclude_merged_variables(mode.recorder, set_values)
        set_values(values[1:])
        inside = OPS["less_than"](cast_or_fill_like(values[0], INT64), count)
        return inside if test is None else and_(inside, test), values

    def recorded_body(values: list[Any]) -> list[Any]:
        save_containers_and_exclude_merged_variables(mode.recorder, set_values)
        set_values(values[1:])
        at = mark_symbolic_scalar(cast_or_fill_like(values[0], INT64), NONNEGATIVE_INT)
        body(rows.item(at))
        after = get_values()
        set_values(before)
        return [OPS["scale"](at, scale=1.0, bias=1.0), *after]

    found = _record_loop_or_collect_error(
        mode,
        recorded_test,
        recorded_body,
        [emit_scalar_constant(start), *before],
        ["the counter", *names],
    )
    set_values(found[1:])


def _record_loop_or_collect_error(
    mode: Static,
    test: Callable[[list[Any]], Any],
    body: Callable[[list[Any]], list[Any]],
    start: list[Any],
    names: Sequence[str],
) -> list[Any]:
    """Record a loop and return the values of the variables after it.

    If the recording fails while `oarlock explain` collects errors, undo it and return the values
    after one iteration of `body`, recorded outside of a loop, so that the capture can continue.
    """
    mark = mode.recorder.checkpoint()
    try:
        found: list[Any] = record_body_rejecting_raise(
            lambda: record_loop(mode, test, body, start, names), "an iteration of a loop"
        )
        return found
    except (TraceError, OpError) as error:
        mode.raise_error_unless_collecting(error, None)
    mode.recorder.rewind(mark)
    return body(start)


@register
def list_comprehension(
    iterable: Any, make: Callable[[Any], Any], condition: Callable[[Any], Any] | None = None
) -> Any:
    """Operator for `[make(item) for item in iterable if condition(item)]`. Returns a TensorArray if
    the length is known only at run time.
    """
    if condition is not None:
        return _run_filtered_comprehension(iterable, make, condition)
    rows = as_indexed_iterable_if_possible(iterable)
    if not isinstance(rows, IndexedIterable) or not isinstance(rows.count, Variable):
        return register_new_object([make(value) for value in rows])
    mode = find_static_base_mode(state.mode)
    assert mode is not None
    result = TensorArray(mode)

    def append(value: Any) -> None:
        result.append(make(value))

    _record_remaining_iterations_as_loop(rows, 0, append, list, _set_no_variables, [], None)
    return result


def _run_filtered_comprehension(
    iterable: Any, make: Callable[[Any], Any], condition: Callable[[Any], Any]
) -> Any:
    current = [register_new_object([])]

    def set_list(values: list[Any]) -> None:
        current[:] = values

    def get_list() -> list[Any]:
        return list(current)

    def append_if(item: Any) -> None:
        def append() -> None:
            call(current[0].append)(make(item))

        if_(condition(item), append, empty_else, get_list, set_list, ["the list"])

    for_(iterable, append_if, get_list, set_list, ["the list"])
    return current[0]


def _set_no_variables(values: list[Any]) -> None:
    """Do nothing: the setter of a loop that changes no variables."""
