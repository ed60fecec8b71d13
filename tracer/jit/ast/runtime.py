"""What converted code calls: Python where a value is Python's, a part of the program where it is a value of the program."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core.dtype import dtype_of
from ...core.errors import OarlockError, OpError, TraceError, with_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...static.control import nest
from ...static.control.arrays import TensorArray
from ...static.control.branch import cond, put_back, record_branches
from ...static.control.either import KINDS, Sides, items_of, refuse_gone
from ...static.control.keepers import note, taken_back
from ...static.control.loop import record_loop
from ...static.control.values import Undefined, as_condition, as_meta, constant, meta_of
from ...static.modes import Static, static_mode
from ...static.numbers import NATURAL, marked
from ...static.record import Inner
from ...static.variable import Variable
from .calls import call
from .checks import Stopped, assert_, raised, refuse_where, tried, unconditional
from .numbers import class_of, entry, is_, matched, mod, shown, standing
from .outside import changing, new, own, owns
from .rows import Rows, rows_of
from .truth import and_, and_value, asked, chain, in_, not_, or_, or_value
from .untracked import refuse_if_kept, untracked_by

__all__ = [
    "Undefined", "and_", "and_value", "assert_", "attribute", "call", "chain", "changing", "class_of", "for_", "if_", "if_expression", "in_",
    "is_", "is_set", "item", "listed", "matched", "mod", "new", "not_", "nothing_returned", "or_", "or_value", "owns", "raised", "returned",
    "shown", "while_",
]  # fmt: skip

INT64 = Meta((), np.dtype(np.int64))
Get = Callable[[], list[Any]]
Set = Callable[[list[Any]], None]
nothing_returned = Undefined("the value returned", "is missing: not every way through the function returns one")


def _mode_for(value: Any) -> Static | None:
    """The recording, where `value` is one of its values."""
    refuse_gone(value)
    return static_mode(state.mode) if isinstance(value, Variable) else None


# -- statements -----------------------------------------------------------------------------------------------------


def if_(
    test: Any,
    then: Callable[[], None],
    other: Callable[[], None],
    get: Get,
    put: Set,
    names: Sequence[str],
    count: int | None = None,
) -> None:
    """`if test: then() else: other()`; get, put: the variables that these change, of which the first `count`, or all, are read afterwards."""
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


def _watched(mode: Static, run: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """A body that is recorded: what it may change that nobody can put back is noted before."""

    def watched(*args: Any) -> Any:
        note(mode.recorder, untracked_by((run,), names))
        return run(*args)

    return watched


def _recorded_if(
    mode: Static, condition: Variable, then: Callable[[], None], other: Callable[[], None], get: Get, put: Set, names: Sequence[str],
    count: int | None,
) -> None:  # fmt: skip
    given = get()
    then, other = (_watched(mode, run, names) for run in (then, other))
    before = _lists_that_stay(mode, given, (then, other), get, put)
    containers = Sides(before[:count])

    def side(holds: bool, run: Callable[[], None]) -> Callable[[], list[Any]]:
        def record() -> list[Any]:
            own(mode.recorder, put)
            put(before)
            try:
                tried(mode, holds, run)
                values = get()[:count]
                containers.left(values)
                return [_copy(value) for value in values]
            finally:
                put(before)
                containers.put_back()

        return record

    found = record_branches(mode, condition, side(True, then), side(False, other), names[:count])
    found = containers.after(found, replaced=[a for a, b in zip(given, before, strict=True) if a is not b])
    put([*found, *before[len(found) :]])


def _lists_that_stay(
    mode: Static, before: list[Any], branches: tuple[Callable[[], None], ...], get: Get, put: Set
) -> list[Any]:  # fmt: skip
    """The variables before two branches: a list that becomes longer in one of them than in the other is one of the program."""
    lists = [i for i, value in enumerate(before) if isinstance(value, list)]
    if not lists:
        return before
    mark, lengths = mode.recorder.mark(), []
    for holds, branch in zip((True, False), branches, strict=True):
        put([_copy(value) for value in before])
        with mode.recorder.inner_block() as inner:
            own(mode.recorder, put)
            tried(mode, holds, branch)
            after = get()
            put(before)
            lengths.append([len(items_of(after[i])) if isinstance(after[i], list) else -1 for i in lists])
        taken_back(inner)
        for tensor, desc in inner.changed.values():
            put_back(mode, tensor, desc)
    mode.recorder.rewind(mark)
    grown = {i for i, *sizes in zip(lists, *lengths, strict=True) if len(set(sizes)) > 1}
    return [TensorArray.of(mode, value) if i in grown else value for i, value in enumerate(before)]


def _copy(value: Any) -> Any:
    """A list or dict as it is now, for branches change it in place; anything else itself."""
    if type(value) not in KINDS:
        return value
    if isinstance(value, dict):
        return new({k: _copy(v) for k, v in items_of(value)})
    return new([_copy(v) for v in items_of(value)])


def while_(test: Callable[[], Any], body: Callable[[], None], get: Get, put: Set, names: Sequence[str]) -> None:
    """`while test(): body()`: rounds run as Python until the test is a value of the program."""
    while True:
        mode, found = _asked(test, get, put)
        if mode is not None:
            break
        if not found:
            return
        body()

    start = get()
    test, body = _watched(mode, test, names), _watched(mode, body, names)

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
    """What a condition gives.   Where that is a value of the program, with the recording, and nothing was done: the loop asks again."""
    mode = static_mode(state.mode)
    if mode is None:
        return None, asked(test())
    given, mark, here = get(), mode.recorder.mark(), Inner(mode.recorder.block)
    with mode.recorder.writing(here):
        own(mode.recorder, put)
        found = asked(test())
    refuse_gone(found)
    if not isinstance(found, Variable):
        return None, found
    taken_back(here)
    for tensor, desc in here.changed.values():
        put_back(mode, tensor, desc)
    put(given)
    mode.recorder.rewind(mark)
    return mode, found


def for_(
    iterable: Any, body: Callable[[Any], None], get: Get, put: Set, names: Sequence[str], test: Callable[[], Any] | None = None
) -> None:  # fmt: skip
    """`for item in iterable: body(item)`, while `test()` holds.   Over values of the program it is a loop of the program."""
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
    items: Iterator[Any], body: Callable[[Any], None], get: Get, put: Set, names: Sequence[str], test: Callable[[], Any] | None,
    counted: bool,
) -> int | None:  # fmt: skip
    """Rounds one after the other.   Gives the number of those done where the rest is to be a loop of the program."""
    for done, item in enumerate(items):
        goes_on = True if test is None else test()
        if isinstance(goes_on, Variable) and counted:
            return done
        if isinstance(goes_on, Variable):
            refuse_if_kept(items)
            if_(goes_on, functools.partial(body, item), _nothing, get, put, names)
        elif not goes_on:
            return None
        else:
            body(item)
    return None


def _recorded_rounds(
    rows: Rows, start: int, body: Callable[[Any], None], get: Get, put: Set, names: Sequence[str], test: Callable[[], Any] | None
) -> None:  # fmt: skip
    mode = static_mode(state.mode)
    assert mode is not None
    count, before = as_meta(rows.count, INT64), get()
    body = _watched(mode, body, names)

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
    mode: Static, test: Callable[[list[Any]], Any], body: Callable[[list[Any]], list[Any]], start: list[Any], names: Sequence[str]
) -> list[Any]:  # fmt: skip
    mark = mode.recorder.mark()
    try:
        found: list[Any] = unconditional(lambda: record_loop(mode, test, body, start, names), "a round of a loop")
        return found
    except (TraceError, OpError) as error:
        mode.trouble(error, None)
    mode.recorder.rewind(mark)
    return body(start)


def returned(value: Any, whether: Any = True) -> Any:
    """What a function gives: None where no way through it gave anything.   whether: it did, where that is not clear from its code."""
    if isinstance(whether, Variable) and value is not None:
        why = "not every way through the function returns a value; Python would give None there"
        error = TraceError(with_user_line(f"return: {why}. Return one at its end"))
        mode = static_mode(state.mode)
        assert mode is not None
        return mode.trouble(error, value)
    held = [v for v in nest.flatten(value)[0] if isinstance(v, Undefined) and v is not nothing_returned]
    if held:
        raise TraceError(with_user_line(f"return: '{held[0].name}' {held[0].why}"))
    return None if isinstance(value, Undefined) or (not isinstance(whether, Variable) and not whether) else value


# -- variables ------------------------------------------------------------------------------------------------------


def attribute(read: Callable[[], Any], name: str) -> Any:
    """The value of an attribute; Undefined where there is none."""
    try:
        return read()
    except (AttributeError, NameError):
        return Undefined(name)


def is_set(value: Any, read: Callable[[], Any]) -> bool:
    """Whether an attribute has to be set to `value`: it is another one now."""
    if isinstance(value, Undefined):
        return False
    try:
        return read() is not value
    except (AttributeError, NameError):
        return True


# -- expressions ----------------------------------------------------------------------------------------------------


def if_expression(test: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() if test else b()`."""
    test = asked(test)
    if _mode_for(test) is None:
        return a() if test else b()
    return unconditional(lambda: cond(as_condition(test), a, b), "one side of an expression")


def item(value: Any, index: Any) -> Any:
    """`value[index]`: a position that is a value of the program chooses among the tensors of a list."""
    if isinstance(index, Variable) and isinstance(value, list | tuple):
        return _chosen_item(value, index)
    refuse_gone(value)
    if standing(index) is not None and isinstance(value, dict) and "__missing__" not in dir(type(value)):
        return entry(value, index)
    return value[index]


def _chosen_item(values: Sequence[Any], index: Variable) -> Any:
    mode = static_mode(state.mode)
    assert mode is not None
    if index.meta.dtype == bool:
        return _chosen_item(values, OPS["cast"](index, in_dtype=0, out_dtype=dtype_of("int64").proto))
    if all(isinstance(v, Tensor) for v in values) and len({(v.meta.dtype, tuple(v.meta.shape)) for v in values}) == 1:
        stacked = OPS["stack"](list(values), axis=0)
        found = stacked[OPS["reshape2"](index, shape=[]) if index.meta.shape else index]
        mode.recorder.aliases.join([(found, tuple(values))])
        return found
    if all(meta_of(v) is not None for v in values):
        return TensorArray.of(mode, values)[index]
    raise OarlockError(
        with_user_line(f"a position that only a run knows cannot choose from {[type(v).__name__ for v in values]}")
    )


def listed(iterable: Any, make: Callable[[Any], Any]) -> Any:
    """`[make(item) for item in iterable]`: over values of the program a list that the program carries."""
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


def _nothing() -> None:
    """What an `else` that is not there does."""


def _ignore(values: list[Any]) -> None:
    """What setting no variables does."""
