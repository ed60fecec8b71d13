"""Order statistics, counts, and statistics that ignore NaN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from . import creation, logic, manipulation, math, search
from .convert import axis_list, cast, full, normalize_axis, to_tensor

__all__ = [
    "amax",
    "amin",
    "bincount",
    "bucketize",
    "count_nonzero",
    "histogram",
    "kthvalue",
    "median",
    "mode",
    "multiplex",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "quantile",
    "searchsorted",
    "unique",
    "unique_consecutive",
]


def amax(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Maximum over `axis`; equal maxima share the gradient.

    x [*] -> [* without axis]
    """
    return math.reduce("reduce_amax", x, axis, keepdim)


def amin(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Minimum over `axis`; equal minima share the gradient.

    x [*] -> [* without axis]
    """
    return math.reduce("reduce_amin", x, axis, keepdim)


def count_nonzero(
    x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Number of nonzero elements over `axis`.

    x [*] -> int64 [* without axis]
    """
    check_tensors(x)
    return math.sum(
        cast(logic.not_equal(x, 0) if x.meta.dtype.kind != "b" else x, "int64"),
        axis,
        keepdim=keepdim,
    )


def nansum(
    x: Tensor, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Sum over `axis`, ignoring NaN.

    x [*] -> [* without axis]
    """
    return math.sum(_nan_to_zero(x), axis, dtype, keepdim)


def _nan_to_zero(x: Tensor) -> Tensor:
    return manipulation.where(OPS["isnan_v2"](x), OPS["fill_any_like"](x, value=0.0), x)


def nanmean(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Mean over `axis`, ignoring NaN.

    x [*] -> [* without axis]
    """
    is_valid = cast(logic.logical_not(OPS["isnan_v2"](x)), x.dtype)
    return math.true_divide(
        nansum(x, axis, keepdim=keepdim), math.sum(is_valid, axis, keepdim=keepdim)
    )


def kthvalue(
    x: Tensor, k: int, axis: int | None = None, keepdim: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """k-th smallest element along `axis` (default: the last) and its index.

    x [*, N, *] -> [*], int64 [*]
    """
    return OPS["kthvalue"](x, k=k, axis=-1 if axis is None else axis, keepdim=keepdim)


def mode(
    x: Tensor, axis: int = -1, keepdim: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Most frequent value along `axis` and its last index.

    x [*, N, *] -> [*], int64 [*]
    """
    return OPS["mode"](x, axis=axis, keepdim=keepdim)


def unique(
    x: Tensor,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    name: str | None = None,
) -> Any:
    """Sorted distinct values of x, or distinct slices along `axis`.

    x [*] -> [N]; on request the first index of each int [N], the index of each element in the
    result int [size], counts int [N]
    """
    axes = [] if axis is None else [normalize_axis(axis, x, "unique")]
    outs = OPS["unique"](
        x,
        dtype=parse_dtype(dtype).proto,
        return_index=return_index,
        return_inverse=return_inverse,
        return_counts=return_counts,
        axis=axes,
        is_sorted=True,
    )
    requested = [
        t
        for t, is_requested in zip(
            outs, (True, return_index, return_inverse, return_counts), strict=True
        )
        if is_requested
    ]
    return requested[0] if len(requested) == 1 else tuple(requested)


def unique_consecutive(
    x: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    name: str | None = None,
) -> Any:
    """x without elements (slices along `axis`) that equal their predecessor; on request also the
    index of each element in the result, and counts.

    x [*] -> [N], ...
    """
    outs = OPS["unique_consecutive"](
        x,
        dtype=parse_dtype(dtype).proto,
        return_inverse=return_inverse,
        return_counts=return_counts,
        axis=[] if axis is None else [normalize_axis(axis, x, "unique_consecutive")],
    )
    requested = [
        t
        for t, is_requested in zip(outs, (True, return_inverse, return_counts), strict=True)
        if is_requested
    ]
    return requested[0] if len(requested) == 1 else tuple(requested)


def searchsorted(
    sorted_sequence: Tensor,
    values: Tensor,
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
) -> Tensor:
    """Insertion positions of `values` in the sorted last axis.

    sorted_sequence [*B, N] or [N], values [*B, M] or [*] -> int like values
    """
    check_tensors(sorted_sequence, values)
    return OPS["searchsorted"](
        sorted_sequence, cast(values, sorted_sequence.dtype), out_int32=out_int32, right=right
    )


def bucketize(
    x: Tensor,
    sorted_sequence: Tensor,
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
) -> Tensor:
    """Insertion positions of x in a sorted vector.

    x [*], sorted_sequence [N] -> int [*]
    """
    check_tensors(x, sorted_sequence)
    if sorted_sequence.ndim != 1:
        raise OpError(
            append_user_line(
                f"bucketize: the rank of sorted_sequence must be 1 (X={sorted_sequence.meta})"
            )
        )
    return searchsorted(sorted_sequence, x, out_int32, right)


def histogram(
    input: Tensor, bins: int = 100, min: int = 0, max: int = 0, name: str | None = None
) -> Tensor:
    """Count the elements in each of `bins` equal intervals of [min, max]; if both are 0, of the
    range of input.

    input [*] -> int64 [bins]
    """
    return OPS["histogram"](input, bins=bins, min=int(min), max=int(max))


def bincount(
    x: Tensor, weights: Tensor | None = None, minlength: int = 0, name: str | None = None
) -> Tensor:
    """Count the occurrences of each integer in x, or sum their weights.

    x int [N], weights [N] -> [max(minlength, largest + 1)]
    """
    if not isinstance(minlength, Tensor) or not state.mode.static:
        return OPS["bincount"](x, weights, minlength=int(minlength))
    counts = OPS["bincount"](x, weights, minlength=0)
    missing = minlength.astype("int32") - OPS["shape"](counts)[0]
    filler = creation.zeros([math.maximum(missing, full([], 0, "int32"))], counts.dtype)
    return OPS["concat"]([counts, filler], axis=0)


def multiplex(inputs: Sequence[Tensor], index: Tensor, name: str | None = None) -> Tensor:
    """Row i of input number index[i].

    inputs: [M, *] each, index int [M, 1] -> [M, *]
    """
    return OPS["multiplex"](index, list(inputs))


# -- medians and quantiles
# --------------------------------------------------------------------------------------


def _merge_axes_at_end(x: Tensor, axis: Any) -> tuple[Tensor, list[int]]:
    """Move the axes (None: all) to the end and merge them; returns the tensor and the axes."""
    rank = x.ndim
    axis_arg = axis_list(axis)
    if any(not -rank <= a < rank for a in axis_arg) or len({a % rank for a in axis_arg}) < len(
        axis_arg
    ):
        problem = f"axis={axis_arg} names an axis twice or one out of range (X={x.meta})"
        raise OpError(append_user_line(f"median, quantile: {problem}"))
    axes = sorted(a % rank for a in axis_arg) or list(range(rank))
    others = [i for i in range(rank) if i not in axes]
    transposed = OPS["transpose2"](x, axis=[*others, *axes]) if others else x
    sizes = [x.shape[i] for i in axes]
    merged_size = np.prod(sizes, dtype=int).item() if all(isinstance(n, int) for n in sizes) else -1
    return manipulation.reshape(transposed, [*(x.shape[i] for i in others), merged_size]), axes


def _unsqueeze_if_keepdim(out: Tensor, axes: list[int], keepdim: bool) -> Tensor:
    return manipulation.unsqueeze(out, axes) if keepdim else out


def median(
    x: Tensor, axis: int | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Median along `axis`, the mean of the two middle elements, NaN if any is NaN. float64 for
    float64, otherwise float32. In contrast to this function, Paddle 2.6 also returns NaN if an
    element is infinite.

    x [*] -> [* without axis]
    """
    return _unsqueeze_if_keepdim(*_median_and_normalized_axes(x, axis), keepdim)


def _median_and_normalized_axes(x: Tensor, axis: Any) -> tuple[Tensor, list[int]]:
    check_tensors(x)
    rows, axes = _merge_axes_at_end(
        cast(x, "float64" if x.meta.dtype == np.float64 else "float32")
        if x.ndim
        else manipulation.reshape(x, [1]),
        axis,
    )
    size = rows.shape[-1]
    ordered = search.sort(rows, -1)
    low, high = (_select_on_last_axis(ordered, k) for k in ((size - 1) // 2, size // 2))
    if isinstance(size, int):
        middle = low if size % 2 else math.scale(math.add(low, high), 0.5)
    else:  # with a dynamic size there may be one or two
        middle = math.add(math.scale(low, 0.5), math.scale(high, 0.5))
    last = _select_on_last_axis(ordered, size - 1)  # NaN is sorted last
    return manipulation.where(OPS["isnan_v2"](last), last, middle), axes if x.ndim else []


def _select_on_last_axis(x: Tensor, index: Any) -> Tensor:
    if not isinstance(index, int):
        return manipulation.squeeze(
            manipulation.gather(x, manipulation.reshape(index, [1]), axis=-1), [-1]
        )
    return OPS["slice"](
        x, axes=[x.ndim - 1], starts=[index], ends=[index + 1], decrease_axis=[x.ndim - 1]
    )


def quantile(x: Tensor, q: Any, axis: Any = None, keepdim: bool = False) -> Tensor:
    """Quantiles q with linear interpolation, in float64.

    x [*], q one or several of [0, 1] -> [*q, * without axis]
    """
    return _quantiles_of_axes(x, q, axis, keepdim, ignore_nan=False)


def nanquantile(x: Tensor, q: Any, axis: Any = None, keepdim: bool = False) -> Tensor:
    """Quantiles q with linear interpolation in float64, ignoring NaN.

    x [*], q one or several of [0, 1] -> float64 [*q, * without axis]
    """
    return _quantiles_of_axes(x, q, axis, keepdim, ignore_nan=True)


def nanmedian(
    x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Median along `axis`, ignoring NaN.

    x [*] -> [* without axis]
    """
    return OPS["nanmedian"](x, axis=axis_list(axis), keepdim=keepdim)[0]


def _quantiles_of_axes(x: Tensor, q: Any, axis: Any, keepdim: bool, ignore_nan: bool) -> Tensor:
    check_tensors(x)
    fractions = [float(v) for v in (q if isinstance(q, list | tuple) else [q])]
    if not fractions or not all(0 <= fraction <= 1 for fraction in fractions):
        raise OpError(append_user_line(f"quantile: q={q!r} is not in [0, 1] (X={x.meta})"))
    rows, axes = _merge_axes_at_end(cast(x, "float64"), axis)
    ordered = search.sort(rows, -1)
    is_nan = OPS["isnan_v2"](ordered)
    last = math.subtract(
        math.sum(cast(logic.logical_not(is_nan), "float64"), -1, keepdim=True), 1.0
    )
    outs = [
        _unsqueeze_if_keepdim(
            _interpolate_quantile(ordered, is_nan, last, fraction, ignore_nan), axes, keepdim
        )
        for fraction in fractions
    ]
    return manipulation.stack(outs) if isinstance(q, list | tuple) else outs[0]


def _interpolate_quantile(
    ordered: Tensor, is_nan: Tensor, last_index: Tensor, fraction: float, ignore_nan: bool
) -> Tensor:
    # The position of the quantile is not computed by the op scale, because files store the
    # attribute `scale` as float32.
    position = math.multiply(
        math.maximum(last_index, full([], 0, "float64")), full([], fraction, "float64")
    )
    lower = math.floor(position)
    low, high = (
        manipulation.take_along_axis(ordered, cast(p, "int64"), -1)
        for p in (lower, math.ceil(position))
    )
    out = OPS["lerp"](low, high, math.subtract(position, lower))
    if not ignore_nan:
        out = manipulation.where(
            math.any(is_nan, -1, keepdim=True), to_tensor(float("nan"), "float64"), out
        )
    return manipulation.squeeze(out, [-1])
