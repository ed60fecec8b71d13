"""What converted code calls: Python where a value is Python's, a part of the program where it is a value of the program."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, KeysView, Sequence, ValuesView
from typing import Any

import numpy as np

from ...core.errors import OarlockError, OpError, TraceError, with_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...static.control import nest
from ...static.control.arrays import TensorArray
from ...static.control.branch import cond, put_back, record_branches
from ...static.control.either import KINDS, Sides, items_of, refuse_gone
from ...static.control.keepers import taken_back
from ...static.control.loop import record_loop
from ...static.control.values import Undefined, as_condition, as_meta, constant, meta_of
from ...static.modes import Static, static_mode
from ...static.numbers import BOOL, NATURAL, marked, stands_for
from ...static.record import Inner
from ...static.variable import Variable
from .calls import call
from .checks import Stopped, assert_, raised, refuse_where, tried, unconditional
from .numbers import class_of, entry, is_, matched, mod, shown, standing
from .rows import Range, Rows, rows_of

__all__ = [
    "Undefined", "and_", "and_value", "assert_", "attribute", "call", "chain", "class_of", "for_", "if_", "if_expression", "in_", "is_", "is_set", "item", "listed", "matched", "mod",
    "not_", "nothing_returned", "or_", "or_value", "raised", "returned", "shown", "while_",
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


def _recorded_if(
    mode: Static, condition: Variable, then: Callable[[], None], other: Callable[[], None], get: Get, put: Set, names: Sequence[str],
    count: int | None,
) -> None:  # fmt: skip
    given = get()
    before = _lists_that_stay(mode, given, (then, other), get, put)
    containers = Sides(before)

    def side(holds: bool, run: Callable[[], None]) -> Callable[[], list[Any]]:
        def record() -> list[Any]:
            put(before)
            try:
                tried(mode, holds, run)
                values = get()[:count]
                containers.left(values)
                return [_copy(value) for value in values]
            finally:
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
    for i, branch in enumerate(branches):
        put([_copy(value) for value in before])
        with mode.recorder.inner_block() as inner:
            tried(mode, i == 0, branch)
        taken_back(inner)
        for tensor, desc in inner.changed.values():
            put_back(mode, tensor, desc)
        after = get()
        lengths.append([len(after[i]) if isinstance(after[i], list) else -1 for i in lists])
    mode.recorder.rewind(mark)
    grown = {i for i, *sizes in zip(lists, *lengths, strict=True) if len(set(sizes)) > 1}
    return [TensorArray.of(mode, value) if i in grown else value for i, value in enumerate(before)]


def _copy(value: Any) -> Any:
    """A list or dict as it is now, for branches change it in place; anything else itself."""
    if type(value) not in KINDS:
        return value
    if isinstance(value, dict):
        return {k: _copy(v) for k, v in items_of(value)}
    return [_copy(v) for v in items_of(value)]


def while_(test: Callable[[], Any], body: Callable[[], None], get: Get, put: Set, names: Sequence[str]) -> None:
    """`while test(): body()`: rounds run as Python until the test is a value of the program."""
    while True:
        found = test()
        mode = _mode_for(found)
        if mode is not None:
            break
        if not found:
            return
        body()

    def tested(values: list[Any]) -> tuple[Any, list[Any]]:
        put(values)
        return as_condition(test()), get()

    def ran(values: list[Any]) -> list[Any]:
        put(values)
        body()
        return get()

    put(_loop(mode, tested, ran, get(), names))


def for_(
    iterable: Any, body: Callable[[Any], None], get: Get, put: Set, names: Sequence[str], test: Callable[[], Any] | None = None
) -> None:  # fmt: skip
    """`for item in iterable: body(item)`, while `test()` holds.   Over values of the program it is a loop of the program."""
    rows = rows_of(iterable)
    start = 0
    if not isinstance(rows, Rows) or not isinstance(rows.count, Variable):
        left = _python_rounds(iter(rows), body, get, put, names, test, isinstance(rows, Range))
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
    count = as_meta(rows.count, INT64)

    def tested(values: list[Any]) -> tuple[Any, list[Any]]:
        put(values[1:])
        inside = OPS["less_than"](as_meta(values[0], INT64), count)
        return inside if test is None else and_(inside, test), values

    def ran(values: list[Any]) -> list[Any]:
        put(values[1:])
        at = marked(as_meta(values[0], INT64), NATURAL)
        body(rows.item(at))
        return [OPS["scale"](at, scale=1.0, bias=1.0), *get()]

    found = _loop(mode, tested, ran, [constant(start), *get()], ["the counter", *names])
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


def and_(a: Any, b: Callable[[], Any]) -> Any:
    """`a and b()`."""
    return _lazily("logical_and", a, b) if isinstance(a, Variable) else a and b()


def or_(a: Any, b: Callable[[], Any]) -> Any:
    """`a or b()`."""
    return _lazily("logical_or", a, b) if isinstance(a, Variable) else a or b()


def and_value(a: Any, b: Callable[[], Any]) -> Any:
    """`a and b()`, of which the value counts: one of the two."""
    return _either_value("logical_and", a, b) if isinstance(a, Variable) else a and b()


def or_value(a: Any, b: Callable[[], Any]) -> Any:
    """`a or b()`, of which the value counts: one of the two."""
    return _either_value("logical_or", a, b) if isinstance(a, Variable) else a or b()


def _either_value(op: str, a: Variable, b: Callable[[], Any]) -> Any:
    mode = static_mode(state.mode)
    if mode is None:
        return _logical(op, a, b())
    if a.meta.dtype == bool:
        mark, here = mode.recorder.mark(), Inner(mode.recorder.block)
        with mode.recorder.writing(here):
            second = b()
        if not taken_back(here) and (meta_of(second) or a.meta).dtype == bool and meta_of(second) is not None:
            return _logical(op, a, second)
        mode.recorder.rewind(mark)
    return _chosen_value(op.removeprefix("logical_"), a, b)


def _chosen_value(name: str, a: Variable, b: Callable[[], Any]) -> Any:
    if any(d not in (1, -1) for d in a.meta.shape):
        why = "Python asks whether the first one is true, which has several elements; use `.any()`, `.all()` or paddle.where"
        raise TraceError(with_user_line(f"{name}: {why} (X={a.meta}{a.made_at})"))

    def keep() -> Any:
        return a

    ways = (b, keep) if name == "and" else (keep, b)
    return unconditional(lambda: cond(as_condition(a), *ways, return_names=[f"`{name}`"]), "one side of an expression")


def _lazily(op: str, a: Variable, b: Callable[[], Any]) -> Any:
    """Both operands are computed; where the second one changes more than its result, only if it counts."""
    mode = static_mode(state.mode)
    if mode is None:
        return _logical(op, a, b())
    mark, here = mode.recorder.mark(), Inner(mode.recorder.block)
    with mode.recorder.writing(here):
        second = b()
    if not taken_back(here):
        return _logical(op, a, second)
    mode.recorder.rewind(mark)
    ways = (lambda: as_condition(b())), (lambda: constant(op == "logical_or"))
    return cond(as_condition(a), *(ways if op == "logical_and" else ways[::-1]))


def _logical(op: str, a: Variable, b: Any) -> Any:
    if not isinstance(b, Tensor):
        keeps = bool(b) if op == "logical_and" else not b
        return as_condition(a) if keeps else b
    found = OPS[op](as_condition(a), as_condition(b))
    if stands_for(a) is not None and stands_for(b) is not None:
        marked(found, BOOL)
    mode = static_mode(state.mode)
    if mode is not None:
        mode.recorder.aliases.join([(found, (a, b))])
    return found


def not_(a: Any) -> Any:
    """`not a`."""
    refuse_gone(a)
    return marked(OPS["logical_not"](as_condition(a)), BOOL) if isinstance(a, Variable) else not a


def in_(a: Any, b: Any) -> Any:
    """`a in b`."""
    if isinstance(b, Variable):
        equal = OPS["equal"](b, as_meta(a, b.meta))
        return OPS["reduce_any"](equal, reduce_all=True, dim=[], keep_dim=False)
    if isinstance(a, Variable) and isinstance(b, list | tuple | range | set | frozenset):
        found: Any = False
        for value in b:
            found = or_(found, functools.partial(operator.eq, a, value))
        return found
    if standing(a) is not None and isinstance(b, dict | KeysView | ValuesView | np.ndarray):
        return in_(a, list(b.flat if isinstance(b, np.ndarray) else b))
    return a in b


_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq, "NotEq": operator.ne,
    "Is": is_, "IsNot": lambda a, b: not_(is_(a, b)),
    "In": in_, "NotIn": lambda a, b: not_(in_(a, b)),
}  # fmt: skip


def chain(kinds: list[str], *operands: Callable[[], Any]) -> Any:
    """`a < b < c`: each operand is asked for once, and not at all once it is clear."""
    left, found = operands[0](), True
    for kind, operand in zip(kinds, operands[1:], strict=True):
        right = operand()
        found = and_(found, functools.partial(_COMPARED[kind], left, right))
        if not isinstance(found, Tensor) and not found:
            return found
        left = right
    return found


def if_expression(test: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() if test else b()`."""
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
        index = as_meta(index, Meta(index.meta.shape, np.dtype(np.int64)))
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
        return [make(value) for value in rows]
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
