"""Python functions (`list`, `sum`, `max`, `sorted`, `any`) and slices for sequences whose length is
known only at run time.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...capture.control.branch_values import (
    cast_or_fill_like,
    emit_scalar_constant,
    is_python_or_numpy_scalar,
)
from ...capture.control.container_aliasing import resolve_replaced_list_and_reject_invalidated
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import find_static_base_mode
from ...capture.symbolic_scalars import raise_or_collect_error
from ...capture.variable import Variable
from ...core.errors import TraceError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from .iterables import (
    INT64,
    IndexedIterable,
    ReversedIterable,
    SymbolicRange,
    as_indexed_iterable_if_possible,
    has_dynamic_length,
)
from .nonlocal_writes import register_new_object
from .registry import get_operator


def get_slice(value: Any, start: Any, stop: Any, step: Any) -> Any:
    """Operator for `value[start:stop:step]`."""
    value = resolve_replaced_list_and_reject_invalidated(value)
    bounds = start, stop, step
    if type(value) in (list, tuple) and any(isinstance(b, Variable) for b in bounds):
        mode = find_static_base_mode(state.mode)
        assert mode is not None
        value = TensorArray.from_items(mode, value)
    if not isinstance(value, TensorArray):
        sliced = value[start:stop:step]
        return register_new_object(sliced) if type(sliced) is list else sliced
    step = 1 if step is None else step
    if not isinstance(step, int) or step == 0:
        raise TraceError(
            append_user_line(
                f"slice: the step must be a Python int, because the length of the list is known "
                f"only at run time ('{value.name}')"
            )
        )
    sliced = _slice_tensor_array(value, start, stop, step)
    sliced.is_tuple = value.is_tuple
    return sliced


def _slice_tensor_array(array: TensorArray, start: Any, stop: Any, step: int) -> Any:
    if array.element_meta is None:  # no element was written to the TensorArray so far
        array.record_empty_read()
        return array.copy()
    count = OPS["reshape2"](array.length(), shape=[])
    first, last = (
        (emit_scalar_constant(0), count) if step > 0 else (count - 1, emit_scalar_constant(-1))
    )
    low, high = (
        (emit_scalar_constant(0), count) if step > 0 else (emit_scalar_constant(-1), count - 1)
    )
    first = first if start is None else _emit_normalized_slice_bound(start, count, low, high)
    last = last if stop is None else _emit_normalized_slice_bound(stop, count, low, high)
    return _map_to_tensor_array(SymbolicRange(first, last, step), lambda at: array[at])


def _emit_normalized_slice_bound(bound: Any, count: Any, low: Any, high: Any) -> Any:
    """Emit ops that convert a bound of a slice to an index from the start of the list, limited to
    [low, high], and return it. `low` is -1 for a negative step.
    """
    at = cast_or_fill_like(
        OPS["reshape2"](bound, shape=[])
        if isinstance(bound, Variable) and bound.meta.shape
        else bound,
        INT64,
    )
    if not isinstance(bound, Variable):
        at = count + bound if bound < 0 else at
    else:
        at = OPS["where"](OPS["less_than"](at, emit_scalar_constant(0)), count + at, at)
    return OPS["elementwise_max"](OPS["elementwise_min"](at, high), low)


def _map_to_tensor_array(rows: Any, get_element: Callable[[Any], Any]) -> Any:
    return get_operator("list_comprehension")(rows, get_element)


def is_iterable_by_recorded_loop(value: Any) -> bool:
    """Whether a program is recorded and a recorded loop can iterate over the value: a tensor,
    TensorArray, range, or reversed, enumerate or zip of these; not a list.
    """
    return find_static_base_mode(state.mode) is not None and isinstance(
        as_indexed_iterable_if_possible(value), IndexedIterable
    )


def _dynamic_length_iterable_or_none(value: Any) -> IndexedIterable | None:
    """Return an IndexedIterable for a value whose length is known only at run time; None for other
    values.
    """
    if find_static_base_mode(state.mode) is None or isinstance(value, str | bytes | dict):
        return None
    rows = as_indexed_iterable_if_possible(value)
    return rows if has_dynamic_length(rows) else None


def fold_items(
    rows: IndexedIterable, start: Any, combine: Callable[[Any, Any], Any], name: str
) -> Any:
    """Combine all items with the function `combine` of two values, from left to right, in a
    recorded loop.
    """
    accumulated = [start]

    def add(item: Any) -> None:
        accumulated[0] = combine(accumulated[0], item)

    def set_accumulated(values: list[Any]) -> None:
        accumulated[:] = values

    get_operator("for_")(rows, add, lambda: list(accumulated), set_accumulated, [name])
    return accumulated[0]


def _operator_sum(values: Any, start: Any = 0) -> Any:
    rows = _dynamic_length_iterable_or_none(values)
    return (
        sum(resolve_replaced_list_and_reject_invalidated(values), start)
        if rows is None
        else fold_items(rows, start, operator.add, "the sum")
    )


def fold_extremum_or_none(values: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Return the largest or smallest item of an iterable whose length is known only at run time;
    None for a tensor or any other value.
    """
    rows = _dynamic_length_iterable_or_none(values) if not isinstance(values, Variable) else None
    if rows is None:
        return None
    return fold_items(
        rows,
        rows.item(emit_scalar_constant(0)),
        lambda found, item: combine(item, found),
        "the largest one",
    )


def _make_sequence_constructor_operator(python: Callable[..., Any]) -> Callable[..., Any]:
    """Return the operator for the builtin `python`, which is `list` or `tuple`."""

    def construct(*args: Any) -> Any:
        rows = _dynamic_length_iterable_or_none(args[0]) if len(args) == 1 else None
        if rows is None:
            return register_new_object(
                python(*map(resolve_replaced_list_and_reject_invalidated, args))
            )
        given = resolve_replaced_list_and_reject_invalidated(args[0])
        result = (
            given.copy()
            if isinstance(given, TensorArray)
            else _map_to_tensor_array(rows, lambda item: item)
        )
        result.is_tuple = python is tuple
        return result

    return construct


def _operator_reversed(values: Any) -> Any:
    rows = _dynamic_length_iterable_or_none(values)
    return (
        reversed(resolve_replaced_list_and_reject_invalidated(values))
        if rows is None
        else ReversedIterable(rows)
    )


def _emit_nonnegative_or_past_end_index(index: Any, length: Any) -> Any:
    """Emit ops that convert an index, which may count from the end, to a non-negative index. If the
    list has no element with the index, the result is the length of the list, which is out of range.
    """
    at = OPS["where"](index < 0, index + length, index)
    return OPS["where"](at < 0, length, at)


def make_tensor_array_pop(array: TensorArray) -> Callable[..., Any]:
    """Return the method `pop` of a TensorArray, which can remove the element at any position."""

    def pop_at_index(index: Any = -1) -> Any:
        if is_python_or_numpy_scalar(index) and index == -1:
            return array.pop()
        array.require_not_tuple("pop")
        if isinstance(index, Variable):
            index = _emit_nonnegative_or_past_end_index(
                cast_or_fill_like(index, INT64), OPS["reshape2"](array.length(), shape=[])
            )
        taken = array[index]
        behind = get_slice(array, index + 1, None, None)
        if not (is_python_or_numpy_scalar(index) and index == 0):
            left = get_slice(array, None, index, None)
            left.extend(behind)
            behind = left
        array.assign_from(behind)
        return taken

    return pop_at_index


def _make_prod_operator(python: Callable[..., Any]) -> Callable[..., Any]:
    """Return the operator for `math.prod` and `numpy.prod`, which multiplies symbolic scalars such
    as sizes.
    """

    def prod(values: Any, *args: Any, **kwargs: Any) -> Any:
        given = resolve_replaced_list_and_reject_invalidated(values)
        plain = isinstance(given, list | tuple) and not args and set(kwargs) <= {"start", "dtype"}
        if plain and any(isinstance(v, Variable) for v in given):
            return functools.reduce(operator.mul, given, kwargs.get("start", 1))
        return python(values, *args, **kwargs)

    return prod


def fold_quantifier_or_none(values: Any, start: bool, combine: Callable[[Any, Any], Any]) -> Any:
    """Operator for `any` and `all` of an iterable whose length is known only at run time; returns
    None for other values. The result for an empty iterable is `start`.
    """
    rows = _dynamic_length_iterable_or_none(values)
    return None if rows is None else fold_items(rows, start, combine, "whether they hold")


def _operator_sorted(values: Any, **options: Any) -> Any:
    rows = _dynamic_length_iterable_or_none(values)
    if rows is not None:
        why = (
            "sorted(): the number of items is known only at run time; use paddle.sort or "
            "paddle.argsort of a tensor"
        )
        raise_or_collect_error(TraceError(append_user_line(why)), None)
        return register_new_object([rows.item(0)])
    return register_new_object(
        sorted(resolve_replaced_list_and_reject_invalidated(values), **options)
    )


BUILTIN_REPLACEMENTS: dict[Any, Any] = {
    math.prod: _make_prod_operator(math.prod),
    np.prod: _make_prod_operator(np.prod),
    builtins.sum: _operator_sum,
    builtins.list: _make_sequence_constructor_operator(list),
    builtins.tuple: _make_sequence_constructor_operator(tuple),
    builtins.reversed: _operator_reversed,
    builtins.sorted: _operator_sorted,
}
