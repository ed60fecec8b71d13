"""Reads and assignments of elements of Python lists at run-time indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...capture.control.branch_values import cast_to, scalar_constant, value_meta
from ...capture.control.may_alias import resolve_replaced_list, unchecked_items
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import Static, static_mode
from ...capture.recorder import Recorder
from ...capture.variable import Variable
from ...core.dtype import dtype_of
from ...core.errors import OarlockError, TraceError, with_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from .python_scalars import get_entry, kind_of

INT64 = Meta((), np.dtype(np.int64))


class IndexableList:
    """A list of which an element is about to be assigned; accepts run-time indices."""

    def __init__(self, recorder: Recorder, target: Any) -> None:
        self._recorder, self._target = recorder, target

    def _must_become_array(self, position: Any) -> bool:
        """Whether the index is known only at run time and an open loop carries the list. The list
        must then become a TensorArray.
        """
        loops = [
            inner for inner in self._recorder.open_blocks if id(self._target) in inner.loop_lists
        ]
        if not isinstance(position, Variable) or not loops:
            return False
        loops[-1].loop_lists[id(self._target)] = True
        return True

    def __getitem__(self, position: Any) -> Any:
        if self._must_become_array(position):
            return self._target[0]
        return (
            select_item(self._target, position)
            if isinstance(position, Variable)
            else self._target[position]
        )

    def __setitem__(self, position: Any, value: Any) -> None:
        if self._must_become_array(position):
            return
        if isinstance(position, Variable):
            self._target[:] = with_item_replaced(self._target, position, value)
        else:
            self._target[position] = value

    def __delitem__(self, position: Any) -> None:
        if isinstance(position, Variable):
            why = (
                "del: the index is known only at run time; use `l[:k] + l[k + 1:]` for a list of "
                "the program"
            )
            raise TraceError(with_user_line(why))
        del self._target[position]


def select_item(values: Sequence[Any], index: Variable) -> Any:
    """Return `values[index]` for a run-time index."""
    mode = _mode()
    if index.meta.dtype == bool:
        return select_item(
            values, OPS["cast"](index, in_dtype=0, out_dtype=dtype_of("int64").proto)
        )
    if (
        all(isinstance(v, Tensor) for v in values)
        and len({(v.meta.dtype, tuple(v.meta.shape)) for v in values}) == 1
    ):
        stacked = OPS["stack"](list(values), axis=0)
        found = stacked[OPS["reshape2"](index, shape=[]) if index.meta.shape else index]
        mode.recorder.aliases.record_merge([(found, tuple(values))])
        return found
    if all(value_meta(v) is not None for v in values):
        return TensorArray.from_items(mode, values)[index]
    raise OarlockError(
        with_user_line(
            f"a position that is known only at run time cannot choose from "
            f"{[type(v).__name__ for v in values]}"
        )
    )


def with_item_replaced(values: Sequence[Any], index: Variable, value: Any) -> list[Any]:
    """Return the items of a list as they are after `values[index] = value`."""
    items = unchecked_items(values)
    kinds = {
        (meta.dtype, len(meta.shape)) if meta is not None else type(v)
        for v in (*items, value)
        for meta in (value_meta(v),)
    }
    if len(kinds) != 1 or value_meta(value) is None:
        held = ", ".join(dict.fromkeys(_describe(v) for v in items))
        why = (
            f"a position that is known only at run time takes a value like all elements, which are "
            f"{held or 'none'}"
        )
        raise TraceError(with_user_line(f"{why}; the value is {_describe(value)}"))
    array = TensorArray.from_items(_mode(), items)
    array[_checked_index(index, len(items))] = value
    return [array[i] for i in range(len(items))]


def _describe(value: Any) -> str:
    meta = value_meta(value)
    return type(value).__name__ if meta is None else str(meta)


def _checked_index(index: Variable, count: int) -> Any:
    """Return a non-negative index. A run in which the index is out of range fails."""
    at = cast_to(OPS["reshape2"](index, shape=[1]), INT64)
    front = OPS["elementwise_add"](at, scalar_constant(count))
    at = OPS["where"](OPS["less_than"](at, scalar_constant(0)), front, at)
    places = OPS["assign_value"](
        shape=[count], dtype=dtype_of("int64").proto, int64_values=list(range(count))
    )
    return OPS["reshape2"](OPS["gather"](places, at), shape=[])


def _mode() -> Static:
    mode = static_mode(state.mode)
    assert mode is not None
    return mode


def get_item(value: Any, index: Any) -> Any:
    """Operator for `value[index]`. If `index` is a symbolic scalar and `value` a list of tensors,
    the program selects an element at run time.
    """
    value = resolve_replaced_list(value)
    mode = static_mode(state.mode)
    if (
        mode is not None
        and mode.recorder.read_tracker is not None
        and not isinstance(index, Variable)
    ):
        mode.recorder.read_tracker.record_item(value, index)
    if isinstance(index, Variable) and isinstance(value, list | tuple):
        return select_item(value, index)
    if (
        kind_of(index) is not None
        and isinstance(value, dict)
        and "__missing__" not in dir(type(value))
    ):
        return get_entry(value, index)
    return value[index]
