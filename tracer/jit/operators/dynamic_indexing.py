"""Elements of Python's lists at positions that only a run knows: read, and set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...capture.control.branch_values import as_meta, constant, meta_of
from ...capture.control.may_alias import current, items_of
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import Static, static_mode
from ...capture.recorder import Recorder
from ...capture.variable import Variable
from ...core.dtype import dtype_of
from ...core.errors import OarlockError, TraceError, with_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from .python_scalars import entry, standing

INT64 = Meta((), np.dtype(np.int64))


class Positions:
    """A list an element of which is going to be set."""

    def __init__(self, recorder: Recorder, target: Any) -> None:
        self._recorder, self._target = recorder, target

    def _goes_round(self, position: Any) -> bool:
        """Whether only a run knows a position, and a loop has the list, which then is to be one of
        the program.
        """
        loops = [inner for inner in self._recorder.open if id(self._target) in inner.lists]
        if not isinstance(position, Variable) or not loops:
            return False
        loops[-1].lists[id(self._target)] = True
        return True

    def __getitem__(self, position: Any) -> Any:
        if self._goes_round(position):
            return self._target[0]
        return (
            chosen(self._target, position)
            if isinstance(position, Variable)
            else self._target[position]
        )

    def __setitem__(self, position: Any, value: Any) -> None:
        if self._goes_round(position):
            return
        if isinstance(position, Variable):
            self._target[:] = replaced(self._target, position, value)
        else:
            self._target[position] = value

    def __delitem__(self, position: Any) -> None:
        if isinstance(position, Variable):
            why = (
                "del: a position that only a run knows; a list of the program has `l[:k] + "
                "l[k + 1:]`"
            )
            raise TraceError(with_user_line(why))
        del self._target[position]


def chosen(values: Sequence[Any], index: Variable) -> Any:
    """`values[index]`."""
    mode = _mode()
    if index.meta.dtype == bool:
        return chosen(values, OPS["cast"](index, in_dtype=0, out_dtype=dtype_of("int64").proto))
    if (
        all(isinstance(v, Tensor) for v in values)
        and len({(v.meta.dtype, tuple(v.meta.shape)) for v in values}) == 1
    ):
        stacked = OPS["stack"](list(values), axis=0)
        found = stacked[OPS["reshape2"](index, shape=[]) if index.meta.shape else index]
        mode.recorder.aliases.join([(found, tuple(values))])
        return found
    if all(meta_of(v) is not None for v in values):
        return TensorArray.of(mode, values)[index]
    raise OarlockError(
        with_user_line(
            f"a position that only a run knows cannot choose from "
            f"{[type(v).__name__ for v in values]}"
        )
    )


def replaced(values: Sequence[Any], index: Variable, value: Any) -> list[Any]:
    """What a list holds after `values[index] = value`."""
    items = items_of(values)
    kinds = {
        (meta.dtype, len(meta.shape)) if meta is not None else type(v)
        for v in (*items, value)
        for meta in (meta_of(v),)
    }
    if len(kinds) != 1 or meta_of(value) is None:
        held = ", ".join(dict.fromkeys(_shown(v) for v in items))
        why = (
            f"a position that only a run knows takes a value like all elements, which are "
            f"{held or 'none'}"
        )
        raise TraceError(with_user_line(f"{why}; the value is {_shown(value)}"))
    array = TensorArray.of(_mode(), items)
    array[_within(index, len(items))] = value
    return [array[i] for i in range(len(items))]


def _shown(value: Any) -> str:
    meta = meta_of(value)
    return type(value).__name__ if meta is None else str(meta)


def _within(index: Variable, count: int) -> Any:
    """A position from the front, which there has to be: a run for which there is none fails."""
    at = as_meta(OPS["reshape2"](index, shape=[1]), INT64)
    front = OPS["elementwise_add"](at, constant(count))
    at = OPS["where"](OPS["less_than"](at, constant(0)), front, at)
    places = OPS["assign_value"](
        shape=[count], dtype=dtype_of("int64").proto, int64_values=list(range(count))
    )
    return OPS["reshape2"](OPS["gather"](places, at), shape=[])


def _mode() -> Static:
    mode = static_mode(state.mode)
    assert mode is not None
    return mode


def item(value: Any, index: Any) -> Any:
    """`value[index]`. If `index` is a symbolic scalar and `value` a list of tensors, the program
    selects an element at run time.
    """
    value = current(value)
    mode = static_mode(state.mode)
    if mode is not None and mode.recorder.looked is not None and not isinstance(index, Variable):
        mode.recorder.looked.read(value, index, True)
    if isinstance(index, Variable) and isinstance(value, list | tuple):
        return chosen(value, index)
    if (
        standing(index) is not None
        and isinstance(value, dict)
        and "__missing__" not in dir(type(value))
    ):
        return entry(value, index)
    return value[index]
