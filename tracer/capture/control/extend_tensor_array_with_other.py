"""Append all elements of one TensorArray to another with a recorded loop."""

from __future__ import annotations

from typing import Any

from ...core.mode import state
from ...core.op import OPS
from ..modes import find_static_base_mode
from .branch_values import emit_scalar_constant
from .loop import record_loop
from .tensor_arrays import TensorArray


def extend_tensor_array_with_other(target: TensorArray, source: TensorArray) -> None:
    """Record a loop that appends the elements of the TensorArray `source` to the TensorArray
    `target`.
    """
    mode = find_static_base_mode(state.mode)
    assert mode is not None
    if source.element_meta is None:  # no element was written to `source` so far
        source.record_empty_read()
        return
    count = OPS["reshape2"](source.length(), shape=[])

    def test(values: list[Any]) -> tuple[Any, list[Any]]:
        return OPS["less_than"](values[0], count), values

    def body(values: list[Any]) -> list[Any]:
        target.append_without_mutability_check(source[values[0]])
        return [OPS["scale"](values[0], scale=1.0, bias=1.0)]

    record_loop(mode, test, body, [emit_scalar_constant(0)], ["the counter"])


TensorArray.append_all_elements = extend_tensor_array_with_other
