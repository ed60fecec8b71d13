"""Branches, loops and tensor arrays: `fluid.layers.While` and similar."""

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
from ...capture.control import tensor_array_to_tensor as _tensor_array_to_tensor
from ...capture.control.dynamic_rnn import DynamicRNN
from ...capture.control.static_rnn import StaticRNN
from ...capture.control.with_blocks import Switch, While
from ...core.op import OPS
from .if_else import IfElse
from .parent_package_getattr import make_getattr_from_package

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

__getattr__ = make_getattr_from_package(__name__)


def tensor_array_to_tensor(
    input: Any, axis: int = 1, name: str | None = None, use_stack: bool = False
) -> tuple[Any, Any]:
    """Concatenate, or with use_stack stack, the items of a tensor array along `axis`; also return
    the size of each item along it, int32 [N].

    Paddle 2 has paddle.concat and paddle.stack instead.
    """
    return _tensor_array_to_tensor(input, axis, use_stack)


def lod_rank_table(x: Any, level: int = 0) -> Any:
    """Return index and length of each sequence of a LoD level, sorted by length, the longest first.

    x: [R, *] with LoD.
    Returns int64 [n, 2]: index and length.
    """
    return OPS["lod_rank_table"](x, None, level=level)


def reorder_lod_tensor_by_rank(x: Any, rank_table: Any) -> Any:
    """Reorder the sequences of x to the order of a lod_rank_table; if x has no LoD, reorder its
    rows.

    x: [R, *].
    Returns the same shape.
    """
    return OPS["reorder_lod_tensor_by_rank"](x, None, rank_table)
