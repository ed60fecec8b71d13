"""`while`, `for` and comprehensions: run in Python, or recorded as a loop if the number of
iterations is known only at run time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...capture.control.branch import undo_inplace_write
from ...capture.control.branch_values import cast_to, scalar_constant, to_bool
from ...capture.control.loop import record_loop
from ...capture.control.mutable_locations import roll_back_mutations
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import Static, static_mode
from ...capture.recorder import OpenBlock
from ...capture.symbolic_scalars import NONNEGATIVE_INT, mark_symbolic_scalar
from ...capture.variable import Variable
from ...core.errors import OpError, TraceError
from ...core.mode import state
from ...core.op import OPS, Meta
from ..guards.opaque_state import reject_visible_iterator
from .branches import Getter, Setter, if_, no_op, track_opaque_state
from .calls import call, truth_value
from .exceptions import reject_unconditional_raise
from .iterables import DynamicIterable, as_dynamic_iterable
from .logical import and_
from .nonlocal_writes import own_locations, reject_outer_iterators, track_new
from .registry import register

INT64 = Meta((), np.dtype(np.int64))


def while_(
    test: Callable[[], Any],
    body: Callable[[], None],
    get: Getter,
    put: Setter,
    names: Sequence[str],
) -> None:
    """Operator for `while test(): body()`. Iterations run in Python until the test is a value of
    the program.
    """
    while True:
        mode, found = _evaluate_test(test, get, put)
        if mode is not None:
            break
        if not found:
            return
        body()

    start = get()
    test, body = track_opaque_state(mode, test, names), track_opaque_state(mode, body, names)

    def recorded_test(values: list[Any]) -> tuple[Any, list[Any]]:
        own_locations(mode.recorder, put)
        put(values)
        condition, after = to_bool(truth_value(test())), get()
        put(start)
        return condition, after

    def recorded_body(values: list[Any]) -> list[Any]:
        own_locations(mode.recorder, put)
        put(values)
        body()
        after = get()
        put(start)
        return after

    put(_loop(mode, recorded_test, recorded_body, start, names))


def _evaluate_test(test: Callable[[], Any], get: Getter, put: Setter) -> tuple[Static | None, Any]:
    """Evaluate a condition. If it is a value of the program, undo its side effects and return the
    mode of the capture. The recorded loop then evaluates the condition again.
    """
    mode = static_mode(state.mode)
    if mode is None:
        return None, truth_value(test())
    given, mark, here = get(), mode.recorder.checkpoint(), OpenBlock(mode.recorder.block)
    with mode.recorder.record_in_block(here):
        own_locations(mode.recorder, put)
        found = truth_value(test())
    if not isinstance(found, Variable):
        return None, found
    roll_back_mutations(here)
    for tensor, desc in here.inplace_writes.values():
        undo_inplace_write(mode, tensor, desc)
    put(given)
    mode.recorder.rewind(mark)
    return mode, found


@register
def for_(
    iterable: Any,
    body: Callable[[Any], None],
    get: Getter,
    put: Setter,
    names: Sequence[str],
    test: Callable[[], Any] | None = None,
) -> None:
    """Operator for `for item in iterable: body(item)`, which continues while `test()` is true.
    Recorded as a loop if the number of items is known only at run time.
    """
    reject_outer_iterators(iterable)
    rows = as_dynamic_iterable(iterable)
    start = 0
    if not isinstance(rows, DynamicIterable) or not isinstance(rows.count, Variable):
        left = _run_in_python(
            iter(rows), body, get, put, names, test, isinstance(rows, DynamicIterable)
        )
        if left is None:
            return
        start = left
    assert isinstance(rows, DynamicIterable)
    _record_iterations(rows, start, body, get, put, names, test)


def _run_in_python(
    items: Iterator[Any],
    body: Callable[[Any], None],
    get: Getter,
    put: Setter,
    names: Sequence[str],
    test: Callable[[], Any] | None,
    counted: bool,
) -> int | None:
    """Run the iterations in Python.

    Returns the number of iterations that ran if the others must be recorded as a loop, otherwise
    None.
    """
    for done, item in enumerate(items):
        goes_on = True if test is None else test()
        if isinstance(goes_on, Variable) and counted:
            return done
        if isinstance(goes_on, Variable):
            reject_visible_iterator(items)
            if_(goes_on, functools.partial(body, item), no_op, get, put, names)
        elif not goes_on:
            return None
        else:
            body(item)
    return None


def _record_iterations(
    rows: DynamicIterable,
    start: int,
    body: Callable[[Any], None],
    get: Getter,
    put: Setter,
    names: Sequence[str],
    test: Callable[[], Any] | None,
) -> None:
    mode = static_mode(state.mode)
    assert mode is not None
    if rows.is_empty():
        return
    count, before = cast_to(rows.count, INT64), get()
    body = track_opaque_state(mode, body, names)

    def recorded_test(values: list[Any]) -> tuple[Any, list[Any]]:
        own_locations(mode.recorder, put)
        put(values[1:])
        inside = OPS["less_than"](cast_to(values[0], INT64), count)
        return inside if test is None else and_(inside, test), values

    def recorded_body(values: list[Any]) -> list[Any]:
        own_locations(mode.recorder, put)
        put(values[1:])
        at = mark_symbolic_scalar(cast_to(values[0], INT64), NONNEGATIVE_INT)
        body(rows.item(at))
        after = get()
        put(before)
        return [OPS["scale"](at, scale=1.0, bias=1.0), *after]

    found = _loop(
        mode,
        recorded_test,
        recorded_body,
        [scalar_constant(start), *before],
        ["the counter", *names],
    )
    put(found[1:])


def _loop(
    mode: Static,
    test: Callable[[list[Any]], Any],
    body: Callable[[list[Any]], list[Any]],
    start: list[Any],
    names: Sequence[str],
) -> list[Any]:
    mark = mode.recorder.checkpoint()
    try:
        found: list[Any] = reject_unconditional_raise(
            lambda: record_loop(mode, test, body, start, names), "an iteration of a loop"
        )
        return found
    except (TraceError, OpError) as error:
        mode.report_error(error, None)
    mode.recorder.rewind(mark)
    return body(start)


@register
def list_comprehension(
    iterable: Any, make: Callable[[Any], Any], wanted: Callable[[Any], Any] | None = None
) -> Any:
    """Operator for `[make(item) for item in iterable if wanted(item)]`. Returns a TensorArray if
    the length is known only at run time.
    """
    if wanted is not None:
        return _filtered_comprehension(iterable, make, wanted)
    rows = as_dynamic_iterable(iterable)
    if not isinstance(rows, DynamicIterable) or not isinstance(rows.count, Variable):
        return track_new([make(value) for value in rows])
    mode = static_mode(state.mode)
    assert mode is not None
    result = TensorArray(mode)

    def append(value: Any) -> None:
        result.append(make(value))

    _record_iterations(rows, 0, append, list, _no_variables, [], None)
    return result


def _filtered_comprehension(
    iterable: Any, make: Callable[[Any], Any], wanted: Callable[[Any], Any]
) -> Any:
    held = [track_new([])]

    def put(values: list[Any]) -> None:
        held[:] = values

    def get() -> list[Any]:
        return list(held)

    def each(item: Any) -> None:
        def append() -> None:
            call(held[0].append)(make(item))

        if_(wanted(item), append, no_op, get, put, ["the list"])

    for_(iterable, each, get, put, ["the list"])
    return held[0]


def _no_variables(values: list[Any]) -> None:
    """The setter of a loop without variables."""
