"""Embeddings and one-hot vectors of ids without a last axis of size 1: fluid.embedding,
fluid.one_hot.
"""

from __future__ import annotations

from typing import Any

from ..core.op import OPS
from ..core.tensor import Tensor
from ..static import nn
from .deprecated import warn_deprecated_on_first_use


@warn_deprecated_on_first_use("fluid.embedding", "paddle.static.nn.embedding")
def embedding(
    input: Any,
    size: Any,
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Any:
    """Look up rows of a table [N, D], int [*] -> [*, D]; the row padding_idx is zeros."""
    return nn.embedding(input, size, is_sparse, is_distributed, padding_idx, param_attr, dtype)


@warn_deprecated_on_first_use("fluid.one_hot", "paddle.nn.functional.one_hot")
def one_hot(input: Any, depth: Any, allow_out_of_range: bool = False) -> Any:
    """One-hot encoding: int [*] -> float32 [*, depth]."""
    attrs = {"dtype": 5, "allow_out_of_range": allow_out_of_range}
    result = (
        OPS["one_hot_v2"](input, depth, **attrs)
        if isinstance(depth, Tensor)
        else OPS["one_hot_v2"](input, depth=int(depth), **attrs)
    )
    result.stop_gradient = True
    return result
