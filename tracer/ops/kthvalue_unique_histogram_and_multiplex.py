"""Order statistics and counts (kthvalue, mode, unique, searchsorted, histogram, bincount),
multiplex and repeat_interleave.
"""

from __future__ import annotations

import math
from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.op import HOST_PYTHON_LOOP, NO_GRAD_NON_FLOAT_RESULT, OPS, Ints, Long, Meta, check, op
from ..core.result_size_limit import check_result_size
from .along_axis import put_elements, take_elements
from .elementwise import masked
from .half_precision import half_to_float32
from .index import check_integers
from .reduce import reduced_shape
from .scatter_at import ufunc_at
from .shared_op_rules import (
    dims_match,
    normalize_axis,
    num_elements,
    numpy_dtype_of_proto,
    pick_known_dim,
    shapes_match,
    vjp_input_shape,
)
from .sort import kth_sort_index, sort_grad, sort_indices

INT64 = np.dtype(np.int64)


def _take_elements_and_indices_per_line(
    x: Any, indices: Any, axis: int, keepdim: bool
) -> tuple[Any, Any]:
    """Take one element of each line along the axis, at the index in `indices`. Returns the
    elements, and the indices reshaped like them.
    """
    indices = np.expand_dims(indices, axis)
    out = np.take_along_axis(x, indices, axis)
    return (out, indices) if keepdim else (np.squeeze(out, axis), np.squeeze(indices, axis))


def _kthvalue_and_mode_meta(x: Any, axis: int, keepdim: bool) -> tuple[Meta, Meta]:
    shape = reduced_shape(
        x.shape, (normalize_axis(axis, len(x.shape)),) if x.shape else (), keepdim
    )
    return Meta(shape, x.dtype), Meta(shape, INT64)


def _kthvalue_and_mode_vjp(g: Any, x: Any, axis: int, keepdim: bool, indices: Any) -> Any:
    if not keepdim and len(vjp_input_shape(x)):
        g, indices = (OPS["unsqueeze2"](t, axes=[axis]) for t in (g, indices))
    return sort_grad(g, x, indices, axis)


@op("kthvalue", "X -> Out, Indices~")
def kthvalue(x, *, k: int = 1, axis: int = -1, keepdim: bool = False):
    """Out = the k-th smallest element along the axis, Indices = its index.

    X [*, N, *] -> Out [*], Indices int64 [*]
    """
    if not x.ndim:
        check(k == 1, f"k={k} is not in [1, 1]")
        return x.copy(), np.zeros((), np.int64)
    check(0 < k <= x.shape[axis], f"k={k} is not in [1, {x.shape[axis]}]")
    return _take_elements_and_indices_per_line(x, kth_sort_index(x, axis, k), axis, keepdim)


@kthvalue.meta
def _(x, *, k, axis, keepdim):
    size = x.shape[axis] if x.shape else 1
    check(k > 0 and (size < 0 or k <= size), f"k={k} is not in [1, {size}]")
    return _kthvalue_and_mode_meta(x, axis, keepdim)


@kthvalue.vjp
def _(g, x, *, axis, keepdim, Indices):
    return _kthvalue_and_mode_vjp(g, x, axis, keepdim, Indices)


@op("mode", "X -> Out, Indices~")
def mode(x, *, axis: int = -1, keepdim: bool = False):
    """Out = the most frequent value along the axis; if several values are equally frequent, the
    smallest of them. Indices = the last index of the most frequent value.

    X [*, N, *] -> Out [*], int64 [*]
    """
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    check(x.shape[axis] > 0, "an axis to reduce has size 0")
    indices = _mode_indices(np.moveaxis(half_to_float32(x), axis, -1))
    return _take_elements_and_indices_per_line(x, indices, axis, keepdim)


@native.OptionallyNativeFunction
def _mode_indices(lines: Any) -> Any:
    """For each line [*, N], the last index of its most frequent value -> int64 [*]"""
    found = [
        _last_index_of_most_frequent_value(line) for line in lines.reshape(-1, lines.shape[-1])
    ]
    return np.array(found, np.int64).reshape(lines.shape[:-1])


_mode_indices.native(native.compiled_function_or_placeholder("mode_index"))


def _last_index_of_most_frequent_value(line: Any) -> int:
    values, counts = np.unique(line, return_counts=True)
    found = np.flatnonzero(line == values[np.argmax(counts)])
    # NaN is not equal to itself
    return int(found[-1]) if len(found) else int(np.flatnonzero(np.isnan(line))[-1])


@mode.meta
def _(x, *, axis, keepdim):
    check(not x.shape or x.shape[axis] != 0, "an axis to reduce has size 0")
    return _kthvalue_and_mode_meta(x, axis, keepdim)


@mode.vjp
def _(g, x, *, axis, keepdim, Indices):
    return _kthvalue_and_mode_vjp(g, x, axis, keepdim, Indices)


def _normalized_axis_or_none(x: Any, axis: Any) -> int | None:
    return None if not axis else normalize_axis(axis[0], len(x.shape))


@native.OptionallyNativeFunction
def _unique_with_index_inverse_and_counts(x: Any, axis: int | None) -> tuple[Any, Any, Any, Any]:
    """The sorted unique elements of x, or slices along the axis; the index of their first
    occurrences; for each element of x, the position of its value among them; and their counts.
    """
    return np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis)


@_unique_with_index_inverse_and_counts.native
def _(x, axis):
    if axis is not None or not x.size:
        return NotImplemented
    shape, x = x.shape, x.reshape(-1)
    order = sort_indices.native_function(x, 0, False)
    if order is NotImplemented:
        return NotImplemented
    ordered = take_elements(x, order, 0)
    # whether an element differs from the one before; NaN are last, and count as equal
    begins = np.ones(x.shape, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    begins[1:] &= ~(np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
    starts = np.flatnonzero(begins)
    inverse = put_elements(np.empty_like(order), order, np.cumsum(begins) - 1, 0, False)
    inverse = inverse.reshape(shape)  # NumPy's shape
    return ordered[starts], order[starts], inverse, np.diff(starts, append=x.size)


def _unique_shape(x: Any, axis: Any) -> tuple[int, ...]:
    at = _normalized_axis_or_none(x, axis)
    return (-1,) if at is None else tuple(-1 if i == at else d for i, d in enumerate(x.shape))


@op(
    "unique",
    "X -> Out, Indices~, Index~, Counts~",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    value_dependent_shape=True,
)
def unique(
    x,
    *,
    dtype: int = 3,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Ints = [],
    is_sorted: bool = False,
):
    """Out = the sorted unique elements of X. Indices = the index of the first occurrence of each
    unique element. Index = for each element of X, its index in Out. Counts = how often each unique
    element occurs.

    axis: unique slices along this axis instead of elements.
    is_sorted: if false, Out is in the order of first occurrence.

    X [*] -> Out [N] or [*, N, *], Indices [N], Index [size of X or of the axis], Counts [N]
    """
    target = numpy_dtype_of_proto(dtype)
    out, first, inverse, counts = _unique_with_index_inverse_and_counts(
        x, _normalized_axis_or_none(x, axis)
    )
    if not is_sorted:
        order = np.argsort(first)
        out, first, counts = (
            np.take(out, order, _normalized_axis_or_none(x, axis) or 0),
            first[order],
            counts[order],
        )
        inverse = np.argsort(order)[inverse]
    return out, first.astype(target), inverse.reshape(-1).astype(target), counts.astype(target)


@unique.meta
def _(x, *, dtype, axis, **_):
    at = _normalized_axis_or_none(x, axis)
    many, target = Meta((-1,), numpy_dtype_of_proto(dtype)), numpy_dtype_of_proto(dtype)
    return (
        Meta(_unique_shape(x, axis), x.dtype),
        many,
        Meta((num_elements(x.shape) if at is None else x.shape[at],), target),
        many,
    )


@op(
    "unique_with_counts",
    "X -> Out, Index~, Count~",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
)
def unique_with_counts(x, *, dtype: int):
    """Out = the unique elements of X in the order of first occurrence. Index = for each element of
    X its index in Out. Count = how often each unique element occurs.

    X [N] -> Out [K], Index [N], Count [K]
    """
    out, _, index, counts = unique.numpy_kernel(x, dtype=dtype)
    return out, index, counts


@unique_with_counts.meta
def _(x, *, dtype):
    target = numpy_dtype_of_proto(dtype)
    return Meta((-1,), x.dtype), Meta(x.shape, target), Meta((-1,), target)


@op(
    "unique_consecutive",
    "X -> Out, Index~, Counts~",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
)
def unique_consecutive(
    x, *, dtype: int = 5, return_inverse: bool = False, return_counts: bool = False, axis: Ints = []
):
    """Out = X without elements (or slices along `axis`) that equal the previous one. Index = for
    each element of X its index in Out. Counts = the length of each run of equal elements.

    X [*] -> Out [N] or [*, N, *], Index [size of X or of the axis], Counts [N]
    """
    at, target = _normalized_axis_or_none(x, axis), numpy_dtype_of_proto(dtype)
    rows = x.reshape(-1) if at is None else np.moveaxis(x, at, 0)
    differs = (
        (rows[1:] != rows[:-1])
        .reshape(max(len(rows) - 1, 0), math.prod(rows.shape[1:]))
        .any(axis=1)
    )
    starts = np.flatnonzero(np.concatenate([[True], differs]))[: len(rows)]
    out = rows[starts] if at is None else np.moveaxis(rows[starts], 0, at)
    inverse = np.repeat(np.arange(len(starts)), np.diff([*starts, len(rows)]))
    return out, inverse.astype(target), np.diff([*starts, len(rows)]).astype(target)


@unique_consecutive.meta
def _(x, *, dtype, axis, **_):
    at, target = _normalized_axis_or_none(x, axis), numpy_dtype_of_proto(dtype)
    inverse = Meta((num_elements(x.shape) if at is None else x.shape[at],), target)
    return Meta(_unique_shape(x, axis), x.dtype), inverse, Meta((-1,), target)


@op(
    "searchsorted",
    "SortedSequence, Values -> Out",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    validate_before_kernel=True,
)
def searchsorted(sequence, values, *, out_int32: bool = False, right: bool = False):
    """Out = the indices at which Values would be inserted into the sorted last axis of
    SortedSequence.

    right: insert after equal elements instead of before.

    SortedSequence [*B, N], Values [*B, M], or [N] and [*] -> int like Values
    """
    side: Any = "right" if right else "left"
    if sequence.ndim == 1:
        out = np.searchsorted(sequence, values, side)
    elif not values.size:
        out = np.zeros(values.shape)
    else:
        lines = zip(
            sequence.reshape(-1, sequence.shape[-1]),
            values.reshape(-1, values.shape[-1]),
            strict=True,
        )
        out = np.array([np.searchsorted(s, v, side) for s, v in lines]).reshape(values.shape)
    return np.asarray(out).astype(np.int32 if out_int32 else np.int64)


@searchsorted.meta
def _(sequence, values, *, out_int32, right):
    check(bool(sequence.shape), "SortedSequence needs an axis")
    same = len(sequence.shape) == 1 or shapes_match(sequence.shape[:-1], values.shape[:-1])
    check(same, "Values differs from SortedSequence in another axis than the last")
    return Meta(values.shape, np.dtype(np.int32 if out_int32 else np.int64))


@op("histogram", "X -> Out", no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)
def histogram(x, *, bins: Long = 100, min: int = 0, max: int = 0):
    """Out = the number of elements of X in each of `bins` equal intervals of [min, max]. If min and
    max are both 0, the interval is that of the smallest to the largest element of X.

    X [*] -> int64 [bins]
    """
    low, high = (min, max) if (min, max) != (0, 0) or not x.size else (x.min(), x.max())
    if low == high:
        low, high = low - 1, high + 1
    return _histogram(x, bins, (float(low), float(high)))


@native.OptionallyNativeFunction
def _histogram(x: Any, bins: int, ends: tuple[float, float]) -> Any:
    return np.histogram(x, bins=bins, range=ends)[0].astype(np.int64)


@_histogram.native
def _(x, bins, ends):
    return _COUNT_IN_BINS(x, np.histogram_bin_edges(x.reshape(-1)[:0], bins, ends))


_COUNT_IN_BINS = native.compiled_function_or_placeholder("count_in_bins")


@histogram.meta
def _(x, *, bins, min, max):
    check(bins > 0, f"bins={bins} is not positive")
    check(max >= min, f"max={max} is below min={min}")
    return Meta((bins,), INT64)


@op(
    "bincount",
    "X, Weights? -> Out",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    value_dependent_shape=True,
)
def bincount(x, weights=None, *, minlength: int = 0):
    """Out = the number of occurrences of each integer in X, or the sum of their Weights.

    X int [N], Weights [N] -> Out [max(minlength, max(X) + 1)]
    """
    check(not x.size or int(x.min()) >= 0, "X has negative elements")
    # checked here, because NumPy writes out of bounds if the size of the result overflows 64 bits
    if x.size:
        check_result_size((int(x.max()) + 1,), 8)
    found = np.bincount(x, weights, minlength)
    return found.astype(
        np.int64 if weights is None else np.float32 if weights.dtype == np.float32 else np.float64
    )


@bincount.meta
def _(x, weights, *, minlength):
    check_integers(x)
    check(len(x.shape) == 1, "X does not have one axis")
    check(minlength >= 0, f"minlength={minlength} is negative")
    check(
        weights is None or shapes_match(weights.shape, x.shape),
        "Weights and X have different shapes",
    )
    wide = (
        INT64
        if weights is None
        else np.dtype(np.float32 if weights.dtype == np.float32 else np.float64)
    )
    return Meta((-1,), wide)


@op("multiplex", "Ids, X* -> Out", same_dtype="X")
def multiplex(ids, xs):
    """Out[i] = X[Ids[i]][i]. Ids int [N, 1], X list of [N, *] -> Out [N, *]"""
    picked = ids.reshape(-1)
    check(
        not picked.size or (int(picked.min()) >= 0 and int(picked.max()) < len(xs)),
        f"Ids is not in [0, {len(xs)})",
    )
    return np.stack([xs[int(k)][i] for i, k in enumerate(picked)]) if picked.size else xs[0].copy()


@multiplex.meta
def _(ids, xs):
    check_integers(ids)
    check(bool(xs), "X is empty")
    check(
        all(shapes_match(x.shape, xs[0].shape) and x.dtype == xs[0].dtype for x in xs),
        "the X differ in shape or dtype",
    )
    check(
        bool(xs[0].shape) and dims_match(ids.shape[0], xs[0].shape[0]),
        "Ids does not have one element per row",
    )
    return Meta((pick_known_dim(ids.shape[0], xs[0].shape[0]), *xs[0].shape[1:]), xs[0].dtype)


@multiplex.vjp
def _(g, ids, xs):
    def make_grad_function_of_x_at(k: int) -> Any:
        return lambda: masked(g, mask_of_rows_with_id(ids, g, value=k))

    return None, [make_grad_function_of_x_at(k) for k in range(len(xs))]


@op("rows_equal", "Ids, Y -> Out", no_grad_reason=NO_GRAD_NON_FLOAT_RESULT, internal=True)
def mask_of_rows_with_id(ids, y, *, value: int):
    """Out = a mask with the shape of Y, true in the rows whose id in Ids is `value`. Ids [N, 1], Y
    [N, *] -> bool [N, *]
    """
    return np.broadcast_to((ids == value).reshape(-1, *[1] * (y.ndim - 1)), y.shape)


@mask_of_rows_with_id.meta
def _(ids, y, *, value):
    return Meta(y.shape, np.dtype(bool))


def _repeat_counts(x: Any, repeats: Any, count: int) -> Any:
    if repeats is None:
        check(count > 0, f"Repeats={count} is not positive")
        return count
    check(not repeats.size or int(repeats.min()) >= 0, "RepeatsTensor has negative elements")
    return repeats.reshape(-1)


@op("repeat_interleave", "X, RepeatsTensor? -> Out", validate_before_kernel=True)
def repeat_interleave(x, repeats=None, *, Repeats: int = 0, dim: int = 0):
    """Out = each slice of X along dim, repeated Repeats times; with RepeatsTensor, each slice has
    its own count.

    X [*, N, *], RepeatsTensor int [N] -> Out [*, M, *]
    """
    return np.repeat(x, _repeat_counts(x, repeats, Repeats), dim)


@repeat_interleave.meta
def _(x, repeats, *, Repeats, dim):
    at = normalize_axis(dim, len(x.shape))
    if repeats is None:
        check(Repeats > 0, f"Repeats={Repeats} is not positive")
    else:
        check_integers(repeats)
        check(
            len(repeats.shape) == 1 and dims_match(repeats.shape[0], x.shape[at]),
            "RepeatsTensor should have one element per slice of X",
        )
    size = -1 if repeats is not None or x.shape[at] < 0 else x.shape[at] * Repeats
    return Meta(tuple(size if i == at else d for i, d in enumerate(x.shape)), x.dtype)


@repeat_interleave.vjp
def _(g, x, repeats, *, Repeats, dim):
    return repeat_interleave_grad(x, repeats, g, Repeats=Repeats, dim=dim), None


@op(
    "repeat_interleave_grad",
    "X, RepeatsTensor?, Out@GRAD -> X@GRAD",
    meta=lambda x, *_, **__: x,
    internal=True,
)
def repeat_interleave_grad(x, repeats, g, *, Repeats: int = 0, dim: int = 0):
    """X@GRAD = for each slice of X, the sum of the slices of Out@GRAD that repeat it.

    -> X@GRAD like X
    """
    if repeats is None:
        at = dim % x.ndim
        return g.reshape(*x.shape[: at + 1], Repeats, *x.shape[at + 1 :]).sum(axis=at + 1)
    found = np.zeros_like(x)
    which = np.repeat(np.arange(x.shape[dim]), repeats.reshape(-1))
    ufunc_at(np.add, np.moveaxis(found, dim, 0), which, np.moveaxis(g, dim, 0))
    return found


@repeat_interleave_grad.vjp
def _(gg, x, repeats, g, *, Repeats, dim):
    return None, None, repeat_interleave(gg, repeats, Repeats=Repeats, dim=dim)
