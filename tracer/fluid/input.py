"""Numbers of words as rows and as ones: fluid.embedding and fluid.one_hot, which want no last axis of size 1 as fluid.layers do."""

from __future__ import annotations

from typing import Any

from ..core.op import OPS
from ..static.nn.helper import Helper
from .deprecated import instead

__all__ = ["embedding", "one_hot"]


@instead("fluid.embedding", "paddle.static.nn.embedding")
def embedding(
    input: Any, size: Any, is_sparse: bool = False, is_distributed: bool = False, padding_idx: int | None = None, param_attr: Any = None,
    dtype: Any = "float32",
) -> Any:  # fmt: skip
    """Rows of a parameter by number.   input int64 [*] -> [*, size[1]]"""
    helper = Helper("embedding", None, input)
    weight = helper.parameter(param_attr, size, dtype)
    padding = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else int(size[0]) + padding_idx
    with helper.writing():
        return OPS["lookup_table_v2"](weight, input, padding_idx=padding)


@instead("fluid.one_hot", "paddle.nn.functional.one_hot")
def one_hot(input: Any, depth: int, allow_out_of_range: bool = False) -> Any:
    """1 at the place that a number says, 0 elsewhere.   input [*] -> float32 [*, depth]"""
    return OPS["one_hot_v2"](input, depth=int(depth), allow_out_of_range=allow_out_of_range)
