"""Order: sorting and the largest k."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.op import Meta, check, op
from .index import take_along_axis_grad
from .meta import normal_axis


def order_of(x: Any, axis: int, descending: bool) -> Any:
    """The indices that sort x along the axis, equal elements in their own order."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    back = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(back, axis)


@op("argsort", "X -> Out, Indices~")
def argsort(x, *, axis: int = -1, descending: bool = False):
    """Out = X sorted along the axis, Indices = where each came from.   X [*] -> Out [*], Indices int64 [*]"""
    if not x.ndim:
        return x.copy(), np.int64(0)
    order = order_of(x, normal_axis(axis, x.ndim), descending)
    return np.take_along_axis(x, order, axis=axis), order.astype(np.int64, copy=False)


@argsort.meta
def _(x, *, axis, descending):
    normal_axis(axis, len(x.shape))
    return x, Meta(x.shape, np.dtype(np.int64))


@argsort.vjp
def _(g, x, *, axis, Indices):
    return take_along_axis_grad(x, Indices, g, Axis=axis) if x.meta.shape else g


@op("top_k_v2", "X, K? -> Out, Indices~")
def top_k(x, k_tensor=None, *, k: int = 1, axis: int = -1, largest: bool = True, sorted: bool = True):
    """Out = the k largest (or smallest) X along the axis, in order, Indices = where.   X [*,D,*] -> Out [*,k,*], Indices int64"""
    count = k if k_tensor is None else int(k_tensor.reshape(()).item())
    if not x.ndim:
        check(count == 1, f"k={count} is not in 1 ... 1")
        return x.copy(), np.int64(0)
    along = normal_axis(axis, x.ndim)
    check(1 <= count <= x.shape[along], f"k={count} is not in 1 ... {x.shape[along]}")
    order = np.take(order_of(x, along, largest), np.arange(count), axis=along)
    return np.take_along_axis(x, order, axis=along), order.astype(np.int64, copy=False)


@top_k.meta
def _(x, k_tensor, *, k, axis, largest, sorted):
    if not x.shape:
        return x, Meta((), np.dtype(np.int64))
    along = normal_axis(axis, len(x.shape))
    size = x.shape[along]
    check(k_tensor is not None or (k >= 1 and (size < 0 or k <= size)), f"k={k} is not in 1 ... {size}")
    shape = x.shape[:along] + (k if k_tensor is None else -1,) + x.shape[along + 1 :]
    return Meta(shape, x.dtype), Meta(shape, np.dtype(np.int64))


@top_k.vjp
def _(g, x, k_tensor, *, axis, Indices):
    return (take_along_axis_grad(x, Indices, g, Axis=axis) if x.meta.shape else g), None
