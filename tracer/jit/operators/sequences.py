"""Sequences of which only a run knows the length, in places where Python has lists: slices, sums,
`list(range(n))`, the largest one.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...capture.control.branch_values import as_meta, constant, is_number
from ...capture.control.may_alias import current
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import static_mode
from ...capture.symbolic_scalars import troubled
from ...capture.variable import Variable
from ...core.errors import TraceError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from .iterables import INT64, Range, Reversed, Rows, is_open, rows_of
from .nonlocal_writes import new
from .registry import get_operator


def part(value: Any, start: Any, stop: Any, step: Any) -> Any:
    """`value[start:stop:step]`."""
    value = current(value)
    bounds = start, stop, step
    if type(value) in (list, tuple) and any(isinstance(b, Variable) for b in bounds):
        mode = static_mode(state.mode)
        assert mode is not None
        value = TensorArray.of(mode, value)
    if not isinstance(value, TensorArray):
        found = value[start:stop:step]
        return new(found) if type(found) is list else found
    step = 1 if step is None else step
    if not isinstance(step, int) or step == 0:
        raise TraceError(
            with_user_line(
                f"a slice of a list that a program carries has a step that Python knows "
                f"('{value.name}')"
            )
        )
    found = _part_of_array(value, start, stop, step)
    found.is_tuple = value.is_tuple
    return found


def _part_of_array(array: TensorArray, start: Any, stop: Any, step: int) -> Any:
    if array.element is None:  # nothing, unless a later part of a round writes to it
        array.is_asked()
        return array.copy()
    count = OPS["reshape2"](array.length(), shape=[])
    first, last = (constant(0), count) if step > 0 else (count - 1, constant(-1))
    low, high = (constant(0), count) if step > 0 else (constant(-1), count - 1)
    first = first if start is None else _within(start, count, low, high)
    last = last if stop is None else _within(stop, count, low, high)
    return _listed(Range(first, last, step), lambda at: array[at])


def _within(bound: Any, count: Any, low: Any, high: Any) -> Any:
    """A bound of a slice as a position from the front."""
    at = as_meta(
        OPS["reshape2"](bound, shape=[])
        if isinstance(bound, Variable) and bound.meta.shape
        else bound,
        INT64,
    )
    if not isinstance(bound, Variable):
        at = count + bound if bound < 0 else at
    else:
        at = OPS["where"](OPS["less_than"](at, constant(0)), count + at, at)
    return OPS["elementwise_max"](OPS["elementwise_min"](at, high), low)


def _listed(rows: Any, make: Callable[[Any], Any]) -> Any:
    return get_operator("listed")(rows, make)


def opened(value: Any) -> bool:
    """Whether the items of a value are a program's."""
    return static_mode(state.mode) is not None and isinstance(rows_of(value), Rows)


def _open_rows(value: Any) -> Rows | None:
    """What only a run knows the length of; None for anything else."""
    if static_mode(state.mode) is None or isinstance(value, str | bytes | dict):
        return None
    rows = rows_of(value)
    return rows if is_open(rows) else None


def folded(rows: Rows, start: Any, of_two: Callable[[Any, Any], Any], name: str) -> Any:
    """What a function of two makes of all items, one after the other."""
    found = [start]

    def add(item: Any) -> None:
        found[0] = of_two(found[0], item)

    def put(values: list[Any]) -> None:
        found[:] = values

    get_operator("for_")(rows, add, lambda: list(found), put, [name])
    return found[0]


def _sum(values: Any, start: Any = 0) -> Any:
    rows = _open_rows(values)
    return (
        sum(current(values), start)
        if rows is None
        else folded(rows, start, operator.add, "the sum")
    )


def farthest(values: Any, of_two: Callable[[Any, Any], Any]) -> Any:
    """The largest or smallest of items of which only a run knows how many there are; None for any
    other.
    """
    rows = _open_rows(values) if not isinstance(values, Variable) else None
    if rows is None:
        return None
    return folded(
        rows, rows.item(constant(0)), lambda found, item: of_two(item, found), "the largest one"
    )


def _sequence(python: Callable[..., Any]) -> Callable[..., Any]:
    """`list` and `tuple`."""

    def make(*args: Any) -> Any:
        rows = _open_rows(args[0]) if len(args) == 1 else None
        if rows is None:
            return new(python(*map(current, args)))
        given = current(args[0])
        made = given.copy() if isinstance(given, TensorArray) else _listed(rows, lambda item: item)
        made.is_tuple = python is tuple
        return made

    return make


def _reversed(values: Any) -> Any:
    rows = _open_rows(values)
    return reversed(current(values)) if rows is None else Reversed(rows)


def _from_the_front(index: Any, length: Any) -> Any:
    """A position that may count from the end, which a run knows; one behind the end where there is
    none.
    """
    at = OPS["where"](index < 0, index + length, index)
    return OPS["where"](at < 0, length, at)


def popping(array: TensorArray) -> Callable[..., Any]:
    """The method `pop` of a list that a program carries, from any position."""

    def pop(index: Any = -1) -> Any:
        if is_number(index) and index == -1:
            return array.pop()
        array.check_changes("pop")
        if isinstance(index, Variable):
            index = _from_the_front(
                as_meta(index, INT64), OPS["reshape2"](array.length(), shape=[])
            )
        taken = array[index]
        behind = part(array, index + 1, None, None)
        if not (is_number(index) and index == 0):
            left = part(array, None, index, None)
            left.extend(behind)
            behind = left
        array.take_over(behind)
        return taken

    return pop


def _product(python: Callable[..., Any]) -> Callable[..., Any]:
    """`math.prod` and `numpy.prod` of numbers of which only a run knows some, such as the sizes of
    a shape.
    """

    def prod(values: Any, *args: Any, **kwargs: Any) -> Any:
        given = current(values)
        plain = isinstance(given, list | tuple) and not args and set(kwargs) <= {"start", "dtype"}
        if plain and any(isinstance(v, Variable) for v in given):
            return functools.reduce(operator.mul, given, kwargs.get("start", 1))
        return python(values, *args, **kwargs)

    return prod


def quantified(values: Any, start: bool, of_two: Callable[[Any, Any], Any]) -> Any:
    """`any` or `all` of items of which only a run knows how many there are, `start` where there are
    none; None for any other.
    """
    rows = _open_rows(values)
    return None if rows is None else folded(rows, start, of_two, "whether they hold")


def _sorted(values: Any, **how: Any) -> Any:
    rows = _open_rows(values)
    if rows is not None:
        why = (
            "sorted(): only a run knows how many items there are; use paddle.sort or "
            "paddle.argsort of a tensor"
        )
        troubled(TraceError(with_user_line(why)), None)
        return new([rows.item(0)])
    return new(sorted(current(values), **how))


BUILTINS: dict[Any, Any] = {
    math.prod: _product(math.prod),
    np.prod: _product(np.prod),
    builtins.sum: _sum,
    builtins.list: _sequence(list),
    builtins.tuple: _sequence(tuple),
    builtins.reversed: _reversed,
    builtins.sorted: _sorted,
}
