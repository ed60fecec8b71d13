"""Branches, loops and lists of tensors: fluid.layers.While and its kin."""

from __future__ import annotations

from typing import Any

from ...capture.control import (
    array_length,
    array_read,
    array_write,
    case,
    cond,
    create_array,
    switch_case,
    while_loop,
)
from ...capture.control import tensor_array_to_tensor as _joined
from ...capture.control.dynamic_rnn import DynamicRNN
from ...capture.control.static_rnn import StaticRNN
from ...capture.control.with_blocks import Switch, While
from ...core.op import OPS
from .branches import IfElse
from .elsewhere import elsewhere

__all__ = [
    "DynamicRNN",
    "IfElse",
    "StaticRNN",
    "Switch",
    "While",
    "array_length",
    "array_read",
    "array_write",
    "case",
    "cond",
    "create_array",
    "reorder_lod_tensor_by_rank",
    "switch_case",
    "tensor_array_to_tensor",
    "while_loop",
]

__getattr__ = elsewhere(__name__)


def tensor_array_to_tensor(
    input: Any, axis: int = 1, name: str | None = None, use_stack: bool = False
) -> tuple[Any, Any]:
    """The elements of a list joined along `axis`, which is new with use_stack; and the size of each
    along it, int32[N].
    """
    return _joined(input, axis, use_stack)


def lod_rank_table(x: Any, level: int = 0) -> Any:
    """The sequences of a level in the order of their lengths, the longest first.

    x [R, *] -> int64 [n, 2]: number and length
    """
    return OPS["lod_rank_table"](x, None, level=level)


def reorder_lod_tensor_by_rank(x: Any, rank_table: Any) -> Any:
    """The sequences of x, or rows where it holds none, in the order of a lod_rank_table.

    x [R, *] -> same
    """
    return OPS["reorder_lod_tensor_by_rank"](x, None, rank_table)
