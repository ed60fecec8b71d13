"""The op nanmedian."""

from __future__ import annotations

import math
from typing import Any

from ..core.arrays import np
from ..core.op import OPS, Ints, Meta, check, op
from .elementwise import zeros_like
from .half_precision import half_to_float32
from .reduce import axes_to_reduce, reduced_shape
from .shared_op_rules import check_not_bool


def _flat_indices_of_middle_elements(x: Any, axes: tuple[int, ...]) -> Any:
    """The indices in the flattened x of the two middle elements along the axes, [*,2]. For an odd
    number of elements, the two indices are equal. NaN elements are ignored; if all elements are
    NaN, the index is that of the first element.
    """
    rest = tuple(i for i in range(x.ndim) if i not in axes)
    length = math.prod(x.shape[i] for i in axes)
    check(length > 0, "an axis to reduce has size 0")
    own = np.arange(x.size).reshape(x.shape)
    lines, at = (
        t.transpose(*rest, *axes).reshape(*(x.shape[i] for i in rest), length)
        for t in (half_to_float32(x), own)
    )
    count = np.sum(~np.isnan(lines), axis=-1)
    middles = np.stack(
        [np.maximum(count - 1, 0) // 2, np.minimum(count // 2, np.maximum(count - 1, 0))], axis=-1
    )
    order = np.argsort(lines, axis=-1, kind="stable")
    return np.take_along_axis(at, np.take_along_axis(order, middles, -1), -1)


@op("nanmedian", "X -> Out, MedianIndex~")
def nanmedian(x, *, axis: Ints = [], keepdim: bool = True):
    """Out = the median over the axes, ignoring NaN. MedianIndex = the indices of the two middle
    elements in the flattened X.

    axis: empty for all axes.

    X [*] -> Out [*], MedianIndex int64 [*,2]
    """
    check_not_bool(x)
    axes = axes_to_reduce(axis, False, x.ndim)
    places = _flat_indices_of_middle_elements(x, axes)
    low, high = (x.reshape(-1)[places[..., i]] for i in range(2))
    with np.errstate(all="ignore"):
        # The mean of two float16 elements is computed in float32, because their sum may overflow.
        # In wider dtypes the sum may overflow, as in Paddle.
        found = np.where(
            low == high, low, ((half_to_float32(low) + half_to_float32(high)) / 2).astype(x.dtype)
        )
    return np.asarray(found).reshape(reduced_shape(x.shape, axes, keepdim)), places


@nanmedian.meta
def _(x, *, axis, keepdim):
    check_not_bool(x)
    axes = axes_to_reduce(axis, False, len(x.shape))
    check(all(x.shape[a] != 0 for a in axes), "an axis to reduce has size 0")
    return Meta(reduced_shape(x.shape, axes, keepdim), x.dtype), Meta(
        (*reduced_shape(x.shape, axes, False), 2), np.dtype(np.int64)
    )


@nanmedian.vjp
def _(g, x, *, axis, keepdim, MedianIndex):
    """Each of the two middle elements gets half of the gradient."""
    reshape, half = OPS["reshape2"], OPS["scale"](g, scale=0.5)
    column = reshape(half, shape=[-1, 1])
    places, parts = (
        reshape(MedianIndex, shape=[-1, 1]),
        reshape(OPS["concat"]([column, column], axis=1), shape=[-1]),
    )
    back = OPS["scatter_nd_add"](reshape(zeros_like(x), shape=[-1]), places, parts)
    return OPS["reshape_like"](back, x)
