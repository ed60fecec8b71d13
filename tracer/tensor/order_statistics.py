"""Order statistics, counts, and statistics that ignore NaN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from ..core.type_aliases import Axes, DTypeLike
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


def amax(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Largest element over axes; equal maxima share the gradient.

    Parameters
    ----------
    x : Tensor [*], integer or floating
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x
        NaN if any element is NaN.

    Raises
    ------
    OpError
        If an axis is out of range or named twice, or there is no element.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 3.0, 3.0], stop_gradient=False)
    >>> paddle.amax(x).backward()
    >>> x.grad.tolist()
    [0.0, 0.5, 0.5]
    """
    return math.reduce("reduce_amax", x, axis, keepdim)


def amin(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Smallest element over axes; equal minima share the gradient.

    Parameters
    ----------
    x : Tensor [*], integer or floating
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x
        NaN if any element is NaN.

    Raises
    ------
    OpError
        If an axis is out of range or named twice, or there is no element.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 1.0, 3.0], stop_gradient=False)
    >>> paddle.amin(x).backward()
    >>> x.grad.tolist()
    [0.5, 0.5, 0.0]
    """
    return math.reduce("reduce_amin", x, axis, keepdim)


def count_nonzero(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Number of elements over axes that are not 0.

    Parameters
    ----------
    x : Tensor [*], any dtype
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, int64
        NaN counts as not 0.

    Raises
    ------
    OpError
        If an axis is out of range or named twice.

    Examples
    --------
    >>> x = paddle.to_tensor([[0, 1], [2, 3]])
    >>> paddle.count_nonzero(x, axis=1).tolist()
    [1, 2]
    """
    check_tensors(x)
    return math.sum(
        cast(logic.not_equal(x, 0) if x.meta.dtype.kind != "b" else x, "int64"),
        axis,
        keepdim=keepdim,
    )


def nansum(
    x: Tensor,
    axis: Axes | Tensor | None = None,
    dtype: DTypeLike | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Sum of the elements over axes, with NaN counted as 0.

    Parameters
    ----------
    x : Tensor [*]
    axis : int, list of int or Tensor, optional
        The axes to sum over; a negative axis counts from the end. Default: all.
    dtype : str or dtype, optional
        Dtype of the sum and of the result. Default: int64 for bool and int32, otherwise the dtype
        of x.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim

    Raises
    ------
    OpError
        If an axis is out of range or named twice.

    Examples
    --------
    >>> float(paddle.nansum(paddle.to_tensor([1.0, float("nan"), 2.0])))
    3.0
    """
    return math.sum(_nan_to_zero(x), axis, dtype, keepdim)


def _nan_to_zero(x: Tensor) -> Tensor:
    return manipulation.where(OPS["isnan_v2"](x), OPS["fill_any_like"](x, value=0.0), x)


def nanmean(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Mean of the elements over axes that are not NaN.

    Parameters
    ----------
    x : Tensor [*], floating
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x
        NaN if all elements are NaN. float32 if x has integers.

    Raises
    ------
    OpError
        If an axis is out of range or named twice.

    Examples
    --------
    >>> float(paddle.nanmean(paddle.to_tensor([1.0, float("nan"), 2.0])))
    1.5
    """
    is_valid = cast(logic.logical_not(OPS["isnan_v2"](x)), x.dtype)
    return math.true_divide(
        nansum(x, axis, keepdim=keepdim), math.sum(is_valid, axis, keepdim=keepdim)
    )


def kthvalue(
    x: Tensor, k: int, axis: int | None = None, keepdim: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The k-th smallest element along one axis, and its index.

    Parameters
    ----------
    x : Tensor [*, N, *], integer or floating
    k : int
        In [1, N].
    axis : int, optional
        A negative axis counts from the end. Default: the last axis.
    keepdim : bool, default False
        Whether the axis remains with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    values : Tensor [* without axis], dtype of x
        NaN counts as the largest value.
    indices : Tensor of the same shape, int64

    Raises
    ------
    OpError
        If k is not in [1, N], or the axis is out of range.

    Examples
    --------
    >>> values, indices = paddle.kthvalue(paddle.to_tensor([[3, 1, 2], [4, 6, 5]]), k=2)
    >>> values.tolist(), indices.tolist()
    ([2, 5], [2, 2])
    """
    return OPS["kthvalue"](x, k=k, axis=-1 if axis is None else axis, keepdim=keepdim)


def mode(
    x: Tensor, axis: int = -1, keepdim: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The most frequent element along one axis, and its index.

    Parameters
    ----------
    x : Tensor [*, N, *], integer or floating
    axis : int, default -1
        A negative axis counts from the end.
    keepdim : bool, default False
        Whether the axis remains with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    values : Tensor [* without axis], dtype of x
        The smallest of equally frequent elements.
    indices : Tensor of the same shape, int64
        The last index of the element.

    Raises
    ------
    OpError
        If the axis is out of range.

    Notes
    -----
    Needs O(N^2) memory.

    Examples
    --------
    >>> values, indices = paddle.mode(paddle.to_tensor([[2, 2, 1], [3, 1, 3]]))
    >>> values.tolist(), indices.tolist()
    ([2, 3], [1, 2])
    """
    return OPS["mode"](x, axis=axis, keepdim=keepdim)


@overload
def unique(
    x: Tensor,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = ...,
    dtype: DTypeLike = ...,
    name: str | None = ...,
) -> Tensor: ...
@overload
def unique(
    x: Tensor,
    *,
    return_index: Literal[True],
    return_inverse: bool = ...,
    return_counts: bool = ...,
    axis: int | None = ...,
    dtype: DTypeLike = ...,
    name: str | None = ...,
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    x: Tensor,
    return_index: bool = ...,
    *,
    return_inverse: Literal[True],
    return_counts: bool = ...,
    axis: int | None = ...,
    dtype: DTypeLike = ...,
    name: str | None = ...,
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    x: Tensor,
    return_index: bool = ...,
    return_inverse: bool = ...,
    *,
    return_counts: Literal[True],
    axis: int | None = ...,
    dtype: DTypeLike = ...,
    name: str | None = ...,
) -> tuple[Tensor, ...]: ...
@overload
def unique(
    x: Tensor,
    return_index: bool = ...,
    return_inverse: bool = ...,
    return_counts: bool = ...,
    axis: int | None = ...,
    dtype: DTypeLike = ...,
    name: str | None = ...,
) -> Any: ...
def unique(
    x: Tensor,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: DTypeLike = "int64",
    name: str | None = None,
) -> Any:
    """Sorted distinct elements of a tensor, or its distinct slices along one axis.

    Parameters
    ----------
    x : Tensor [*]
    return_index : bool, default False
        Whether to return the index of the first occurrence of each distinct element.
    return_inverse : bool, default False
        Whether to return the index into the distinct elements for each element of x.
    return_counts : bool, default False
        Whether to return how often each distinct element occurs.
    axis : int, optional
        The axis of the slices; a negative axis counts from the end. Default: x is flattened.
    dtype : "int32" or "int64", default "int64"
        Dtype of the indices and counts.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [K] or [*, K, *], or a tuple of it and the requested Tensors
        In this order: the distinct elements (dtype of x), index [K], inverse [N], counts [K], for N
        elements or slices of x.

    Raises
    ------
    OpError
        If the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([3, 1, 3])
    >>> paddle.unique(x).tolist()
    [1, 3]
    >>> values, counts = paddle.unique(x, return_counts=True)
    >>> counts.tolist()
    [1, 2]
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


@overload
def unique_consecutive(
    x: Tensor,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = ...,
    dtype: DTypeLike = ...,
    name: str | None = ...,
) -> Tensor: ...
@overload
def unique_consecutive(
    x: Tensor,
    *,
    return_inverse: Literal[True],
    return_counts: bool = ...,
    axis: int | None = ...,
    dtype: DTypeLike = ...,
    name: str | None = ...,
) -> tuple[Tensor, ...]: ...
@overload
def unique_consecutive(
    x: Tensor,
    return_inverse: bool = ...,
    *,
    return_counts: Literal[True],
    axis: int | None = ...,
    dtype: DTypeLike = ...,
    name: str | None = ...,
) -> tuple[Tensor, ...]: ...
@overload
def unique_consecutive(
    x: Tensor,
    return_inverse: bool = ...,
    return_counts: bool = ...,
    axis: int | None = ...,
    dtype: DTypeLike = ...,
    name: str | None = ...,
) -> Any: ...
def unique_consecutive(
    x: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: DTypeLike = "int64",
    name: str | None = None,
) -> Any:
    """Remove elements, or slices along one axis, that equal their predecessor.

    Parameters
    ----------
    x : Tensor [*]
    return_inverse : bool, default False
        Whether to return the index into the result for each element of x.
    return_counts : bool, default False
        Whether to return how many equal elements follow each other.
    axis : int, optional
        The axis of the slices; a negative axis counts from the end. Default: x is flattened.
    dtype : "int32" or "int64", default "int64"
        Dtype of the indices and counts.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [K] or [*, K, *], or a tuple of it and the requested Tensors
        In this order: the remaining elements (dtype of x), inverse [N], counts [K], for N elements
        or slices of x.

    Raises
    ------
    OpError
        If the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([1, 1, 2, 1])
    >>> values, counts = paddle.unique_consecutive(x, return_counts=True)
    >>> values.tolist(), counts.tolist()
    ([1, 2, 1], [2, 1, 1])
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
    """Positions at which values can be inserted into sorted rows without changing the order.

    out = the number of elements < v (<= v if right) of the row, for each value v

    Parameters
    ----------
    sorted_sequence : Tensor [*B, N] or [N]
        Sorted in ascending order along the last axis.
    values : Tensor [*B, M], or [*] for a sequence [N]
        Cast to the dtype of the sequence, so fractions are lost if it has integers.
    out_int32 : bool, default False
        Whether the result is int32 instead of int64.
    right : bool, default False
        Whether a value is placed after equal elements.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor of the shape of values, int64 or int32

    Raises
    ------
    OpError
        If the shapes do not fit.

    Examples
    --------
    >>> x, values = paddle.to_tensor([1, 3, 5]), paddle.to_tensor([0, 3, 6])
    >>> paddle.searchsorted(x, values).tolist()
    [0, 1, 3]
    >>> paddle.searchsorted(x, values, right=True).tolist()
    [0, 2, 3]
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
    """Index of the bucket of each element, for buckets with sorted boundaries.

    out = the number of boundaries < x (<= x if right)

    Parameters
    ----------
    x : Tensor [*]
        Cast to the dtype of the boundaries, so fractions are lost if they are integers.
    sorted_sequence : Tensor [N]
        The boundaries in ascending order.
    out_int32 : bool, default False
        Whether the result is int32 instead of int64.
    right : bool, default False
        Whether an element that equals a boundary belongs to the bucket after it.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], int64 or int32

    Raises
    ------
    OpError
        If `sorted_sequence` has another rank than 1.

    Examples
    --------
    >>> boundaries = paddle.to_tensor([1, 3, 5])
    >>> paddle.bucketize(paddle.to_tensor([[0, 3], [6, 1]]), boundaries).tolist()
    [[0, 1], [3, 0]]
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
    """Number of elements in each of several equal intervals.

    Parameters
    ----------
    input : Tensor [*], integer or floating
    bins : int, default 100
        The number of intervals.
    min, max : int, default 0
        The range that is divided; fractions are lost. Elements outside of it are not counted. If
        both are 0, the range of the elements is used.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [bins], int64
        The last interval includes its end.

    Raises
    ------
    OpError
        If max < min, `bins` is not positive, or the range of the elements is not finite.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0, 1.0])
    >>> paddle.histogram(x, bins=4, min=0, max=3).tolist()
    [0, 2, 1, 0]
    """
    return OPS["histogram"](input, bins=bins, min=int(min), max=int(max))


def bincount(
    x: Tensor, weights: Tensor | None = None, minlength: int = 0, name: str | None = None
) -> Tensor:
    """Number of occurrences of each integer from 0 on, or the sum of their weights.

    out[v] = number of i with x[i] = v, or the sum of weights[i] over them

    Parameters
    ----------
    x : Tensor [N], integer
        Not negative.
    weights : Tensor [N], optional
        Default: count.
    minlength : int or Tensor with one element, default 0
        The least size of the result.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [max(minlength, largest element + 1)], int64
        With weights float32 if they are float32, otherwise float64.

    Raises
    ------
    OpError
        If x is negative, not of integers or not one-dimensional, or `weights` has another shape.

    Examples
    --------
    >>> x = paddle.to_tensor([0, 1, 1, 3])
    >>> paddle.bincount(x).tolist()
    [1, 2, 0, 1]
    >>> paddle.bincount(x, weights=paddle.to_tensor([0.5, 1.0, 1.0, 2.0])).tolist()
    [0.5, 2.0, 0.0, 2.0]
    """
    if not isinstance(minlength, Tensor) or not state.mode.static:
        return OPS["bincount"](x, weights, minlength=int(minlength))
    counts = OPS["bincount"](x, weights, minlength=0)
    missing = minlength.astype("int32") - OPS["shape"](counts)[0]
    filler = creation.zeros([math.maximum(missing, full([], 0, "int32"))], counts.dtype)
    return OPS["concat"]([counts, filler], axis=0)


def multiplex(inputs: Sequence[Tensor], index: Tensor, name: str | None = None) -> Tensor:
    """Choose each row from one of several tensors.

    out[i] = inputs[index[i]][i]

    Parameters
    ----------
    inputs : list of K Tensor [M, *], any dtype
        All have the same shape and dtype.
    index : Tensor [M, 1] or [M], int32 or int64
        Positions in [0, K).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [M, *], dtype of the inputs

    Raises
    ------
    OpError
        If an index is not in [0, K).

    Examples
    --------
    >>> x, y = paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[5, 6], [7, 8]])
    >>> paddle.multiplex([x, y], paddle.to_tensor([[1], [0]])).tolist()
    [[5, 6], [3, 4]]
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
    """Median over axes; NaN if any element is NaN.

    The middle one of the sorted elements, or the mean of the two middle ones.

    Parameters
    ----------
    x : Tensor [*]
    axis : int or list of int, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim
        float64 for float64, otherwise float32.

    Raises
    ------
    OpError
        If an axis is out of range or named twice, or there is no element.

    Notes
    -----
    Paddle 2.6 also returns NaN if an element is infinite.

    Examples
    --------
    >>> x = paddle.to_tensor([[3, 1, 2], [4, 8, 6]])
    >>> float(paddle.median(x))
    3.5
    >>> paddle.median(x, axis=1).tolist()
    [2.0, 6.0]
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


def quantile(
    x: Tensor,
    q: float | Sequence[float] | Tensor,
    axis: Axes | Tensor | None = None,
    keepdim: bool = False,
) -> Tensor:
    """Quantiles over axes with linear interpolation; NaN if any element is NaN.

    For n sorted elements, the quantile q is the element at the position q * (n - 1).

    Parameters
    ----------
    x : Tensor [*]
    q : float or list of float
        In [0, 1].
    axis : int or list of int, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.

    Returns
    -------
    Tensor [* without axis], or [number of q, * without axis] for a list, float64

    Raises
    ------
    OpError
        If q is not in [0, 1], an axis is out of range or named twice, or there is no element.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    >>> float(paddle.quantile(x, 0.5))
    2.5
    >>> paddle.quantile(x, [0.0, 0.25]).tolist()
    [1.0, 1.75]
    """
    return _quantiles_of_axes(x, q, axis, keepdim, ignore_nan=False)


def nanquantile(
    x: Tensor,
    q: float | Sequence[float] | Tensor,
    axis: Axes | Tensor | None = None,
    keepdim: bool = False,
) -> Tensor:
    """Quantiles over axes of the elements that are not NaN, with linear interpolation.

    For n sorted elements, the quantile q is the element at the position q * (n - 1).

    Parameters
    ----------
    x : Tensor [*]
    q : float or list of float
        In [0, 1].
    axis : int or list of int, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.

    Returns
    -------
    Tensor [* without axis], or [number of q, * without axis] for a list, float64
        NaN if all elements are NaN.

    Raises
    ------
    OpError
        If q is not in [0, 1], an axis is out of range or named twice, or there is no element.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, float("nan"), 3.0])
    >>> float(paddle.nanquantile(x, 0.5))
    2.0
    """
    return _quantiles_of_axes(x, q, axis, keepdim, ignore_nan=True)


def nanmedian(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Median over axes of the elements that are not NaN.

    The middle one of the sorted elements, or the mean of the two middle ones.

    Parameters
    ----------
    x : Tensor [*], integer or floating
    axis : int or list of int, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x
        NaN if all elements are NaN.

    Raises
    ------
    OpError
        If an axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, float("nan")], [3.0, 2.0]])
    >>> paddle.nanmedian(x, axis=1).tolist()
    [1.0, 2.5]
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
