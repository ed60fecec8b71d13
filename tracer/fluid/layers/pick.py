"""Elements by their places: gathered, scattered, the largest ones, one of many."""

from __future__ import annotations

from typing import Any

from ...core.dtype import dtype_of
from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor import layout, search
from .helper import listed, stopped, today

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


@today("paddle.gather")
def gather(input: Any, index: Any, overwrite: bool = True) -> Any:
    """Rows by number.   input [N, *], index int [M] or [M, 1] -> [M, *]"""
    return OPS["gather"](input, index)


@today("paddle.gather_nd")
def gather_nd(input: Any, index: Any, name: str | None = None) -> Any:
    """Elements or slices by their places.   input [*S], index int [*B, k] -> [*B, *S[k:]]"""
    return OPS["gather_nd"](input, index)


@today("paddle.scatter")
def scatter(
    input: Any, index: Any, updates: Any, name: str | None = None, overwrite: bool = True
) -> Any:
    """Rows put at these places, or added up there.

    input [N, *], index int [M] or [M, 1], updates [M, *] -> [N, *]
    """
    return OPS["scatter"](input, index, updates, overwrite=overwrite)


@today("paddle.scatter_nd_add")
def scatter_nd_add(ref: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """Elements or slices added at their places.

    ref [*S], index int [*B, k], updates [*B, *S[k:]] -> [*S]
    """
    return OPS["scatter_nd_add"](ref, index, updates)


@today("paddle.scatter_nd")
def scatter_nd(index: Any, updates: Any, shape: Any, name: str | None = None) -> Any:
    """Elements or slices added up at their places, zeros elsewhere.

    index int [*B, k], updates [*B, *shape[k:]] -> [*shape]
    """
    return layout.scatter_nd(index, updates, shape)


@today("paddle.nn.functional.gather_tree")
def gather_tree(ids: Any, parents: Any) -> Any:
    """The whole beams, from the tokens of each step and which beam they went on.

    int [T, B, W], [T, B, W] -> [T, B, W]
    """
    return OPS["gather_tree"](ids, parents)


@today("paddle.index_select")
def index_select(input: Any, index: Any, dim: int = 0) -> Any:
    """Parts along an axis by number.   input [*], index int [M] -> [*] with M there"""
    return OPS["index_select"](input, index, dim=dim)


@today("paddle.index_sample")
def index_sample(x: Any, index: Any) -> Any:
    """Elements of each row by number.   x [N, M], index int [N, K] -> [N, K]"""
    return OPS["index_sample"](x, index)


@today("paddle.multiplex")
def multiplex(inputs: Any, index: Any) -> Any:
    """Row i of the input that index[i] names.   inputs: [N, *] each, index int [N, 1] -> [N, *]"""
    return OPS["multiplex"](index, listed(inputs))


@today("paddle.topk")
def topk(input: Any, k: Any, name: str | None = None) -> Any:
    """The k largest along the last axis, and where they were.

    input [*, N] -> [*, k], int64 [*, k]
    """
    found = OPS["top_k"](input, k) if isinstance(k, Tensor) else OPS["top_k"](input, k=int(k))
    return stopped(found[0]), stopped(found[1])


@today("paddle.nn.functional.one_hot")
def one_hot(input: Any, depth: Any, allow_out_of_range: bool = False) -> Any:
    """1 at the place that input names, else 0.   input int [*, 1] -> float32 [*, depth]"""
    attrs = {"dtype": 5, "allow_out_of_range": allow_out_of_range}
    if isinstance(depth, Tensor):
        return stopped(OPS["one_hot"](input, depth, **attrs))
    return stopped(OPS["one_hot"](input, depth=int(depth), **attrs))


@today("paddle.nonzero")
def where(condition: Any) -> Any:
    """The places of what is true.   condition bool [*] -> int64 [K, number of axes]"""
    return OPS["where_index"](condition)


@today("paddle.nonzero")
def nonzero(input: Any, as_tuple: bool = False) -> Any:
    """The places of what is not 0, one column for each axis or as one matrix.

    input [*] -> int64 [K, number of axes]
    """
    return search.nonzero(input, as_tuple)


@today("paddle.unique")
def unique(x: Any, dtype: Any = "int32") -> Any:
    """The different elements in the order in which they come first, and which of them each is.

    x [N] -> [K], int [N]
    """
    found = OPS["unique"](x, dtype=dtype_of(dtype).proto, is_sorted=False)
    return found[0], found[2]


@today("paddle.unique")
def unique_with_counts(x: Any, dtype: Any = "int32") -> Any:
    """The different elements in the order in which they come first, which of them each is, and how
    often.

    x [N] -> [K], int [N], int [K]
    """
    found: tuple[Any, Any, Any] = OPS["unique_with_counts"](x, dtype=dtype_of(dtype).proto)
    return found


@today("paddle.shard_index")
def shard_index(
    input: Any, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
) -> Any:
    """Labels as those of one of several shards, ignore_value for those of others.

    input int [*, 1] -> same
    """
    return layout.shard_index(input, index_num, nshards, shard_id, ignore_value)
