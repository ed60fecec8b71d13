"""Sorting, extrema and their indices."""

from __future__ import annotations

from typing import Any

from ..core.dtype import parse_dtype
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor
from .convert import call_with_possibly_symbolic_axis
from .manipulation import unbind_columns

__all__ = ["argmax", "argmin", "argsort", "nonzero", "sort", "topk"]


def _arg_min_or_max(op_type: str, x: Tensor, axis: int | None, keepdim: bool, dtype: Any) -> Tensor:
    if isinstance(axis, Tensor):
        return call_with_possibly_symbolic_axis(
            axis, x.ndim, lambda a: _arg_min_or_max(op_type, x, a, keepdim, dtype)
        )
    attrs: dict[str, Any] = {"axis": 0, "flatten": True} if axis is None else {"axis": axis}
    return OPS[op_type](x, keepdims=keepdim, dtype=parse_dtype(dtype).proto, **attrs)


def argmax(
    x: Tensor,
    axis: int | None = None,
    keepdim: bool = False,
    dtype: Any = "int64",
    name: str | None = None,
) -> Tensor:
    """Index of the maximum along `axis`, of the flattened tensor if None.

    x [*] -> int64 [* without axis]
    """
    return _arg_min_or_max("arg_max", x, axis, keepdim, dtype)


def argmin(
    x: Tensor,
    axis: int | None = None,
    keepdim: bool = False,
    dtype: Any = "int64",
    name: str | None = None,
) -> Tensor:
    """Index of the minimum along `axis`, of the flattened tensor if None.

    x [*] -> int64 [* without axis]
    """
    return _arg_min_or_max("arg_min", x, axis, keepdim, dtype)


def argsort(x: Tensor, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
    """Indices that sort x along `axis`.

    x [*] -> int64 [*]
    """
    return OPS["argsort"](x, axis=axis, descending=descending)[1]


def sort(x: Tensor, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
    """Sort along `axis`.

    x [*] -> [*]
    """
    return OPS["argsort"](x, axis=axis, descending=descending)[0]


def topk(
    x: Tensor,
    k: Any,
    axis: int | None = None,
    largest: bool = True,
    sorted: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) elements along `axis`, and their indices.

    x [*, N] -> [*, k], int64 [*, k]
    """
    k_tensor = k if isinstance(k, Tensor) and state.mode.static else None
    k = 1 if k_tensor is not None else int(k)
    outs = OPS["top_k_v2"](
        x, k_tensor, k=k, axis=-1 if axis is None else axis, largest=largest, sorted=sorted
    )
    return outs[0], outs[1]


def nonzero(x: Tensor, as_tuple: bool = False) -> Any:
    """Indices of the nonzero elements.

    x [*] -> int64 [count, rank], or one [count, 1] per axis
    """
    indices: Tensor = OPS["where_index"](x)
    return unbind_columns(indices) if as_tuple else indices
