"""Reads and assignments of elements of Python lists at run-time indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...capture.control.branch_values import (
    cast_or_fill_like,
    emit_scalar_constant,
    find_meta_of_value,
)
from ...capture.control.container_aliasing import (
    items_without_alias_check,
    resolve_replaced_list_and_reject_invalidated,
)
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import Static, find_static_base_mode
from ...capture.recorder import Recorder
from ...capture.variable import Variable
from ...core.dtype import parse_dtype
from ...core.errors import OarlockError, TraceError, append_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from .python_scalars import select_dict_entry_by_symbolic_key, symbolic_scalar_kind

INT64 = Meta((), np.dtype(np.int64))


class RuntimeIndexAssignmentTarget:
    """Wraps a list while one of its elements is assigned, so that the index may be known only at
    run time.
    """

    def __init__(self, recorder: Recorder, target: Any) -> None:
        self._recorder, self._target_list = recorder, target

    def _try_mark_for_array_conversion(self, position: Any) -> bool:
        """If the index is known only at run time and an open loop carries the list, mark the list
        in the innermost such loop, which must then convert it to a TensorArray. Return whether the
        list was marked.
        """
        loops = [
            inner
            for inner in self._recorder.open_blocks
            if id(self._target_list) in inner.loop_lists
        ]
        if not isinstance(position, Variable) or not loops:
            return False
        loops[-1].loop_lists[id(self._target_list)] = True
        return True

    def __getitem__(self, position: Any) -> Any:
        if self._try_mark_for_array_conversion(position):
            if not self._target_list:
                raise TraceError(
                    append_user_line(
                        "a list without elements is read at a position that is known only at run "
                        "time"
                    )
                )
            return self._target_list[0]
        return (
            select_item_at_runtime(self._target_list, position)
            if isinstance(position, Variable)
            else self._target_list[position]
        )

    def __setitem__(self, position: Any, value: Any) -> None:
        if self._try_mark_for_array_conversion(position):
            return
        if isinstance(position, Variable):
            self._target_list[:] = items_after_assignment(self._target_list, position, value)
        else:
            self._target_list[position] = value

    def __delitem__(self, position: Any) -> None:
        if isinstance(position, Variable):
            why = (
                "del: the index is known only at run time; use `l[:k] + l[k + 1:]` for a list of "
                "the program"
            )
            raise TraceError(append_user_line(why))
        del self._target_list[position]


def select_item_at_runtime(values: Sequence[Any], index: Variable) -> Any:
    """Return `values[index]` for an index that is known only at run time, by ops that select the
    item in each run.
    """
    mode = _current_static_base_mode()
    if index.meta.dtype == bool:
        return select_item_at_runtime(
            values, OPS["cast"](index, in_dtype=0, out_dtype=parse_dtype("int64").proto)
        )
    if (
        all(isinstance(v, Tensor) for v in values)
        and len({(v.meta.dtype, tuple(v.meta.shape)) for v in values}) == 1
    ):
        stacked = OPS["stack"](list(values), axis=0)
        element = stacked[OPS["reshape2"](index, shape=[]) if index.meta.shape else index]
        mode.recorder.aliases.record_merged_value_aliases([(element, tuple(values))])
        return element
    if all(find_meta_of_value(v) is not None for v in values):
        return TensorArray.from_items(mode, values)[index]
    raise OarlockError(
        append_user_line(
            f"a position that is known only at run time cannot choose from "
            f"{[type(v).__name__ for v in values]}"
        )
    )


def items_after_assignment(values: Sequence[Any], index: Variable, value: Any) -> list[Any]:
    """Return the items that a list has after `values[index] = value`, for an index that is known
    only at run time.
    """
    items = items_without_alias_check(values)
    kinds = {
        (meta.dtype, len(meta.shape)) if meta is not None else type(v)
        for v in (*items, value)
        for meta in (find_meta_of_value(v),)
    }
    if len(kinds) != 1 or find_meta_of_value(value) is None:
        kinds_text = ", ".join(dict.fromkeys(_describe_type(v) for v in items))
        why = (
            "at a position that is known only at run time, the value should have the type of all "
            f"elements, which are {kinds_text or 'none'}"
        )
        raise TraceError(append_user_line(f"{why}; the value is {_describe_type(value)}"))
    array = TensorArray.from_items(_current_static_base_mode(), items)
    array[_emit_checked_nonnegative_index(index, len(items))] = value
    return [array[i] for i in range(len(items))]


def _describe_type(value: Any) -> str:
    meta = find_meta_of_value(value)
    return type(value).__name__ if meta is None else str(meta)


def _emit_checked_nonnegative_index(index: Variable, count: int) -> Any:
    """Emit ops that make an index non-negative, and that stop a run in which the index is out of
    range. Returns the non-negative index.
    """
    index_vector = cast_or_fill_like(OPS["reshape2"](index, shape=[1]), INT64)
    from_end = OPS["elementwise_add"](index_vector, emit_scalar_constant(count))
    index_vector = OPS["where"](
        OPS["less_than"](index_vector, emit_scalar_constant(0)), from_end, index_vector
    )
    positions = OPS["assign_value"](
        shape=[count], dtype=parse_dtype("int64").proto, int64_values=list(range(count))
    )
    return OPS["reshape2"](OPS["gather"](positions, index_vector), shape=[])


def _current_static_base_mode() -> Static:
    mode = find_static_base_mode(state.mode)
    assert mode is not None
    return mode


def get_item(value: Any, index: Any) -> Any:
    """Operator for `value[index]`. If `index` is a symbolic scalar and `value` a list of tensors,
    the program selects an element at run time.
    """
    value = resolve_replaced_list_and_reject_invalidated(value)
    mode = find_static_base_mode(state.mode)
    if (
        mode is not None
        and mode.recorder.read_tracker is not None
        and not isinstance(index, Variable)
    ):
        mode.recorder.read_tracker.guard_item_read(value, index)
    if isinstance(index, Variable) and isinstance(value, list | tuple):
        return select_item_at_runtime(value, index)
    if (
        symbolic_scalar_kind(index) is not None
        and isinstance(value, dict)
        and "__missing__" not in dir(type(value))
    ):
        return select_dict_entry_by_symbolic_key(value, index)
    return value[index]
