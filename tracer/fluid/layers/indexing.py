"""Indexing, gathering, scattering, top-k and unique."""

from __future__ import annotations

from typing import Any

from ...core.dtype import parse_dtype
from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor import search, views_diagonals_and_index_updates
from .layer_utils import deprecated_layer, set_stop_gradient, to_list

__all__ = [
    "gather",
    "gather_nd",
    "gather_tree",
    "index_sample",
    "index_select",
    "multiplex",
    "nonzero",
    "one_hot",
    "scatter",
    "scatter_nd",
    "scatter_nd_add",
    "shard_index",
    "topk",
    "unique",
    "unique_with_counts",
    "where",
]


@deprecated_layer("paddle.gather")
def gather(input: Any, index: Any, overwrite: bool = True) -> Any:
    """Gather rows: input [N, *], index int [M] or [M, 1] -> [M, *]."""
    return OPS["gather"](input, index)


@deprecated_layer("paddle.gather_nd")
def gather_nd(input: Any, index: Any, name: str | None = None) -> Any:
    """Gather elements or slices: input [*S], index int [*B, k] -> [*B, *S[k:]]."""
    return OPS["gather_nd"](input, index)


@deprecated_layer("paddle.scatter")
def scatter(
    input: Any, index: Any, updates: Any, name: str | None = None, overwrite: bool = True
) -> Any:
    """Write rows at the indices, or with overwrite=False add them.

    input: [N, *].
    index: int [M] or [M, 1].
    updates: [M, *].
    Returns [N, *].
    """
    return OPS["scatter"](input, index, updates, overwrite=overwrite)


@deprecated_layer("paddle.scatter_nd_add")
def scatter_nd_add(ref: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """Add elements or slices at the indices.

    ref: [*S].
    index: int [*B, k].
    updates: [*B, *S[k:]].
    Returns [*S].
    """
    return OPS["scatter_nd_add"](ref, index, updates)


@deprecated_layer("paddle.scatter_nd")
def scatter_nd(index: Any, updates: Any, shape: Any, name: str | None = None) -> Any:
    """Add elements or slices at the indices to zeros.

    index: int [*B, k].
    updates: [*B, *shape[k:]].
    Returns [*shape].
    """
    return views_diagonals_and_index_updates.scatter_nd(index, updates, shape)


@deprecated_layer("paddle.nn.functional.gather_tree")
def gather_tree(ids: Any, parents: Any) -> Any:
    """Backtrace the beams from the tokens and parent indices of each step.

    ids, parents: int [T, B, W].
    Returns [T, B, W].
    """
    return OPS["gather_tree"](ids, parents)


@deprecated_layer("paddle.index_select")
def index_select(input: Any, index: Any, dim: int = 0) -> Any:
    """Select slices along an axis: index int [M]; the result has size M there."""
    return OPS["index_select"](input, index, dim=dim)


@deprecated_layer("paddle.index_sample")
def index_sample(x: Any, index: Any) -> Any:
    """Gather elements of each row: x [N, M], index int [N, K] -> [N, K]."""
    return OPS["index_sample"](x, index)


@deprecated_layer("paddle.multiplex")
def multiplex(inputs: Any, index: Any) -> Any:
    """Select row i of the input index[i]: inputs list of [N, *], index int [N, 1] -> [N, *]."""
    return OPS["multiplex"](index, to_list(inputs))


@deprecated_layer("paddle.topk")
def topk(input: Any, k: Any, name: str | None = None) -> Any:
    """Return the k largest elements along the last axis, and their indices.

    input: [*, N].
    Returns [*, k], int64 [*, k].
    """
    values, indices = (
        OPS["top_k"](input, k) if isinstance(k, Tensor) else OPS["top_k"](input, k=int(k))
    )
    return set_stop_gradient(values), set_stop_gradient(indices)


@deprecated_layer("paddle.nn.functional.one_hot")
def one_hot(input: Any, depth: Any, allow_out_of_range: bool = False) -> Any:
    """One-hot encoding: int [*, 1] -> float32 [*, depth]."""
    attrs = {"dtype": 5, "allow_out_of_range": allow_out_of_range}
    if isinstance(depth, Tensor):
        return set_stop_gradient(OPS["one_hot"](input, depth, **attrs))
    return set_stop_gradient(OPS["one_hot"](input, depth=int(depth), **attrs))


@deprecated_layer("paddle.nonzero")
def where(condition: Any) -> Any:
    """Return the indices of true elements: bool [*] -> int64 [K, number of axes]."""
    return OPS["where_index"](condition)


@deprecated_layer("paddle.nonzero")
def nonzero(input: Any, as_tuple: bool = False) -> Any:
    """Return the indices of elements other than 0, int64 [K, number of axes], or with as_tuple one
    column per axis.
    """
    return search.nonzero(input, as_tuple=True) if as_tuple else search.nonzero(input)


@deprecated_layer("paddle.unique")
def unique(x: Any, dtype: Any = "int32") -> Any:
    """Return the distinct elements in the order of first occurrence, and the index of each element.

    x: [N].
    Returns [K], int [N].
    """
    values, _, inverse, *_ = OPS["unique"](x, dtype=parse_dtype(dtype).proto, is_sorted=False)
    return values, inverse


@deprecated_layer("paddle.unique")
def unique_with_counts(x: Any, dtype: Any = "int32") -> Any:
    """Return the distinct elements in the order of first occurrence, the index of each element, and
    counts.

    x: [N].
    Returns [K], int [N], int [K].
    """
    outputs: tuple[Any, Any, Any] = OPS["unique_with_counts"](x, dtype=parse_dtype(dtype).proto)
    return outputs


@deprecated_layer("paddle.shard_index")
def shard_index(
    input: Any, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
) -> Any:
    """Convert labels to those of one of nshards shards; ignore_value for labels of other shards.

    input: int [*, 1].
    Returns the same shape.
    """
    return views_diagonals_and_index_updates.shard_index(
        input, index_num, nshards, shard_id, ignore_value
    )
