"""`while`, `for` and comprehensions: Python where Python knows the rounds, a loop of the program
where only a run does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...capture.control.branch import put_back
from ...capture.control.branch_values import as_condition, as_meta, constant
from ...capture.control.loop import record_loop
from ...capture.control.mutable_locations import taken_back
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import Static, static_mode
from ...capture.recorder import Inner
from ...capture.symbolic_scalars import NATURAL, marked
from ...capture.variable import Variable
from ...core.errors import OpError, TraceError
from ...core.mode import state
from ...core.op import OPS, Meta
from ..guards.opaque_state import refuse_if_kept
from .branches import Get, Set, if_, nothing, watched
from .calls import asked, call
from .exceptions import unconditional
from .iterables import Rows, rows_of
from .logical import and_
from .nonlocal_writes import new, own, refuse_outer_iterators
from .registry import register

INT64 = Meta((), np.dtype(np.int64))


def while_(
    test: Callable[[], Any], body: Callable[[], None], get: Get, put: Set, names: Sequence[str]
) -> None:
    """`while test(): body()`: rounds run as Python until the test is a value of the program."""
    while True:
        mode, found = _asked(test, get, put)
        if mode is not None:
            break
        if not found:
            return
        body()

    start = get()
    test, body = watched(mode, test, names), watched(mode, body, names)

    def tested(values: list[Any]) -> tuple[Any, list[Any]]:
        own(mode.recorder, put)
        put(values)
        condition, after = as_condition(asked(test())), get()
        put(start)
        return condition, after

    def ran(values: list[Any]) -> list[Any]:
        own(mode.recorder, put)
        put(values)
        body()
        after = get()
        put(start)
        return after

    put(_loop(mode, tested, ran, start, names))


def _asked(test: Callable[[], Any], get: Get, put: Set) -> tuple[Static | None, Any]:
    """What a condition gives.

    Where that is a value of the program, with the recording, and nothing was done: the loop asks
    again.
    """
    mode = static_mode(state.mode)
    if mode is None:
        return None, asked(test())
    given, mark, here = get(), mode.recorder.mark(), Inner(mode.recorder.block)
    with mode.recorder.writing(here):
        own(mode.recorder, put)
        found = asked(test())
    if not isinstance(found, Variable):
        return None, found
    taken_back(here)
    for tensor, desc in here.changed.values():
        put_back(mode, tensor, desc)
    put(given)
    mode.recorder.rewind(mark)
    return mode, found


@register
def for_(
    iterable: Any,
    body: Callable[[Any], None],
    get: Get,
    put: Set,
    names: Sequence[str],
    test: Callable[[], Any] | None = None,
) -> None:
    """`for item in iterable: body(item)`, while `test()` holds.

    Over values of the program it is a loop of the program.
    """
    refuse_outer_iterators(iterable)
    rows = rows_of(iterable)
    start = 0
    if not isinstance(rows, Rows) or not isinstance(rows.count, Variable):
        left = _python_rounds(iter(rows), body, get, put, names, test, isinstance(rows, Rows))
        if left is None:
            return
        start = left
    assert isinstance(rows, Rows)
    _recorded_rounds(rows, start, body, get, put, names, test)


def _python_rounds(
    items: Iterator[Any],
    body: Callable[[Any], None],
    get: Get,
    put: Set,
    names: Sequence[str],
    test: Callable[[], Any] | None,
    counted: bool,
) -> int | None:
    """Rounds one after the other.

    Gives the number of those done where the rest is to be a loop of the program.
    """
    for done, item in enumerate(items):
        goes_on = True if test is None else test()
        if isinstance(goes_on, Variable) and counted:
            return done
        if isinstance(goes_on, Variable):
            refuse_if_kept(items)
            if_(goes_on, functools.partial(body, item), nothing, get, put, names)
        elif not goes_on:
            return None
        else:
            body(item)
    return None


def _recorded_rounds(
    rows: Rows,
    start: int,
    body: Callable[[Any], None],
    get: Get,
    put: Set,
    names: Sequence[str],
    test: Callable[[], Any] | None,
) -> None:
    mode = static_mode(state.mode)
    assert mode is not None
    if rows.is_empty():
        return
    count, before = as_meta(rows.count, INT64), get()
    body = watched(mode, body, names)

    def tested(values: list[Any]) -> tuple[Any, list[Any]]:
        own(mode.recorder, put)
        put(values[1:])
        inside = OPS["less_than"](as_meta(values[0], INT64), count)
        return inside if test is None else and_(inside, test), values

    def ran(values: list[Any]) -> list[Any]:
        own(mode.recorder, put)
        put(values[1:])
        at = marked(as_meta(values[0], INT64), NATURAL)
        body(rows.item(at))
        after = get()
        put(before)
        return [OPS["scale"](at, scale=1.0, bias=1.0), *after]

    found = _loop(mode, tested, ran, [constant(start), *before], ["the counter", *names])
    put(found[1:])


def _loop(
    mode: Static,
    test: Callable[[list[Any]], Any],
    body: Callable[[list[Any]], list[Any]],
    start: list[Any],
    names: Sequence[str],
) -> list[Any]:
    mark = mode.recorder.mark()
    try:
        found: list[Any] = unconditional(
            lambda: record_loop(mode, test, body, start, names), "a round of a loop"
        )
        return found
    except (TraceError, OpError) as error:
        mode.trouble(error, None)
    mode.recorder.rewind(mark)
    return body(start)


@register
def listed(
    iterable: Any, make: Callable[[Any], Any], wanted: Callable[[Any], Any] | None = None
) -> Any:
    """`[make(item) for item in iterable if wanted(item)]`: over values of the program a list that
    the program carries.
    """
    if wanted is not None:
        return _listed_where(iterable, make, wanted)
    rows = rows_of(iterable)
    if not isinstance(rows, Rows) or not isinstance(rows.count, Variable):
        return new([make(value) for value in rows])
    mode = static_mode(state.mode)
    assert mode is not None
    made = TensorArray(mode)

    def append(value: Any) -> None:
        made.append(make(value))

    _recorded_rounds(rows, 0, append, list, _ignore, [], None)
    return made


def _listed_where(iterable: Any, make: Callable[[Any], Any], wanted: Callable[[Any], Any]) -> Any:
    held = [new([])]

    def put(values: list[Any]) -> None:
        held[:] = values

    def get() -> list[Any]:
        return list(held)

    def each(item: Any) -> None:
        def append() -> None:
            call(held[0].append)(make(item))

        if_(wanted(item), append, nothing, get, put, ["the list"])

    for_(iterable, each, get, put, ["the list"])
    return held[0]


def _ignore(values: list[Any]) -> None:
    """What setting no variables does."""
