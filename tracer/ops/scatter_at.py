"""Assignment and accumulation at index arrays that may contain a position several times."""

from __future__ import annotations

import math
from typing import Any

from ..core import cuda, native
from ..core.arrays import is_running_kernel_on_gpu, np
from ..core.op import kernel_selection

# For each ufunc, the type codes of the dtypes that CUDA has atomic operations for.
_ATOMIC_DTYPE_CODES = {
    np.add: "iIQefdFD",
    np.maximum: "iIQfd",
    np.minimum: "iIQfd",
}

_PUT, _TAKE, _LINEARIZE_INDICES = map(
    native.compiled_function_or_placeholder, ("put", "take", "linearize_indices")
)

MIN_LONG_ROW = 256  # minimal number of elements of a row for one call per row


def ufunc_at(ufunc: Any, out: Any, places: Any, values: Any) -> None:
    """`ufunc.at(out, places, values)`. On a GPU, dtypes without atomic operations are
    computed on the CPU.
    """
    # CuPy's subtract.at supports integers only
    if is_running_kernel_on_gpu() and ufunc is np.subtract:
        ufunc, values = np.add, np.negative(values)
    if not is_running_kernel_on_gpu():
        if ufunc is np.add and try_put_compiled(out, places, values, True):
            return
        if _are_long_rows(out, places):
            values = np.broadcast_to(values, (len(places), *out.shape[1:]))
            for at, row in zip(places.tolist(), values, strict=True):
                ufunc(out[at], row, out=out[at])
        else:
            ufunc.at(out, places, _with_axes_of_index(out, places, values))
        return
    if out.dtype.char in _ATOMIC_DTYPE_CODES.get(ufunc, ""):
        # NumPy's ufunc.at does not dispatch to CuPy if the index is a tuple of arrays.
        getattr(cuda.cupy_state.cupy, ufunc.__name__).at(out, places, values)
        return
    made = cuda.to_host(out)
    at = tuple(map(cuda.to_host, places)) if isinstance(places, tuple) else cuda.to_host(places)
    ufunc.at(made, at, _with_axes_of_index(made, at, cuda.to_host(values)))
    out[...] = np.asarray(made)


def _with_axes_of_index(out: Any, places: Any, values: Any) -> Any:
    """Broadcast a vector of values to the shape of an index of a vector `out`. NumPy's `ufunc.at`
    reads beyond the end of the values if it broadcasts them itself (observed with 1.26 and 2.4).
    """
    index = places[0] if isinstance(places, tuple) else places
    if out.ndim == 1 and getattr(values, "ndim", 0) == 1 and index.ndim > 1:
        return np.broadcast_to(values, index.shape)
    return values


def assign_in_place_at(out: Any, places: tuple[Any, ...], values: Any) -> None:
    """`out[places] = values` for index arrays of the leading axes; of several values for one
    position, the last one is assigned.
    """
    if not is_running_kernel_on_gpu() or any(index.dtype.kind == "b" for index in places):
        if not try_put_compiled(out, places, values, False):
            out[places] = values
        return
    # CUDA writes several values for one position in any order. To get the same result as NumPy,
    # each value is first replaced by the last value for its position.
    shape = np.broadcast_shapes(*(index.shape for index in places))
    row_shape = out.shape[len(places) :]
    rows = np.broadcast_to(values, (*shape, *row_shape)).reshape(math.prod(shape), *row_shape)
    out[places] = rows[last_write_index_per_value(out.shape[: len(places)], places)]


def assign_or_add_in_place_at(
    out: Any, places: tuple[Any, ...], values: Any, accumulate: bool
) -> None:
    """Assign values at positions, as `assign_in_place_at`; if `accumulate`, add them instead."""
    if accumulate:
        ufunc_at(np.add, out, places, values)
    else:
        assign_in_place_at(out, places, values)


def try_put_compiled(out: Any, places: Any, values: Any, accumulate: bool) -> bool:
    """Assign or add `values` at index arrays of the leading axes of `out` with a compiled kernel.
    Returns False, and changes nothing, if the kernel does not support the operands.
    """
    indices = places if isinstance(places, tuple) else (places,)
    if (
        not kernel_selection.native_enabled
        or is_running_kernel_on_gpu()
        or not out.flags.c_contiguous
    ):
        return False
    if not indices or any(getattr(index, "dtype", None) is None for index in indices):
        return False
    shape, row_shape = np.broadcast_shapes(*(i.shape for i in indices)), out.shape[len(indices) :]
    if (  # one vector of indices that are not negative
        len(indices) == 1
        and isinstance(values, np.ndarray)
        and values.shape == (*shape, *row_shape)
        and _PUT(out, indices[0], values, 0, False, accumulate) is not NotImplemented
    ):
        return True
    rows = linear_row_indices(out.shape, indices, allows_negative=True)
    if rows is NotImplemented:
        return False
    values = np.asarray(values, None if isinstance(values, np.ndarray) else out.dtype)
    values = np.broadcast_to(values, (*shape, *row_shape)).reshape((rows.size, *row_shape))
    flat = merge_leading_axes(out, len(indices))
    return _PUT(flat, rows, values, 0, False, accumulate) is not NotImplemented


def try_take_compiled(x: Any, indices: Any, allows_negative: bool) -> Any:
    """x[indices] for index arrays of the leading axes, with a compiled kernel. Returns None if
    the kernel does not support the operands or an index is out of range.

    allows_negative: indices in [-size, 0) count from the end.
    """
    if not kernel_selection.native_enabled or is_running_kernel_on_gpu() or not indices:
        return None
    rows = linear_row_indices(x.shape, indices, allows_negative)
    if rows is NotImplemented or needs_copy_to_take(
        x, rows.size * math.prod(x.shape[len(indices) :])
    ):
        return None
    found = _TAKE(merge_leading_axes(x, len(indices)), rows, 0, False)
    if found is NotImplemented:
        return None
    indexed = np.broadcast_shapes(*(i.shape for i in indices))
    return found.reshape((*indexed, *x.shape[len(indices) :]))


def needs_copy_to_take(x: Any, count: int) -> bool:
    """Whether a compiled kernel that takes `count` elements of x would first copy x, which has more
    elements: x is a view, for example transposed or expanded.
    """
    return not x.flags.c_contiguous and count < x.size


def merge_leading_axes(x: Any, count: int) -> Any:
    """Merge the first `count` axes of x to one; no size follows from the number of elements, which
    may be 0.
    """
    return x.reshape((math.prod(x.shape[:count]), *x.shape[count:]))


def linear_row_indices(shape: tuple[int, ...], indices: Any, allows_negative: bool) -> Any:
    """The row-major positions int64 [M] of M index tuples in the leading axes of an array of the
    given shape. The tuples are the elements of index arrays, which broadcast. Returns
    NotImplemented if an index is out of range or an index array has no signed integers.

    allows_negative: indices in [-size, 0) count from the end.
    """
    if any(index.dtype.kind != "i" for index in indices):
        return NotImplemented
    indexed = np.broadcast_shapes(*(index.shape for index in indices))
    vectors = [
        np.broadcast_to(index, indexed).reshape(-1).astype(np.int64, copy=False)
        for index in indices
    ]
    return _LINEARIZE_INDICES(vectors, shape[: len(vectors)], allows_negative)


def add_slices_in_place(out: Any, index: Any, slices: Any, axis: int) -> bool:
    """Add `slices` [*, N, *] to the slices `index` [N] of `out` [*, M, *] along the axis with a
    compiled kernel. Returns False, and changes nothing, if the kernel does not support the
    operands.
    """
    if not kernel_selection.native_enabled or is_running_kernel_on_gpu() or index.dtype.kind != "i":
        return False
    index = index.astype(np.int64, copy=False)
    return _PUT(out, index, slices, axis, False, True) is not NotImplemented


def last_write_index_per_value(shape: tuple[int, ...], places: tuple[Any, ...]) -> Any:
    """For values that are written to `places` in an array of the given shape: for each value, the
    number of the last value that has the same position. Values are numbered in row-major order.
    """
    indexed = np.broadcast_shapes(*(index.shape for index in places))
    numbers = np.arange(math.prod(indexed), dtype=np.int32).reshape(indexed)
    last = np.full(shape, -1, dtype=np.int32)
    if is_running_kernel_on_gpu():
        ufunc_at(np.maximum, last, places, numbers)
    else:
        assign_in_place_at(last, places, numbers)
    return last[places]


def _are_long_rows(out: Any, places: Any) -> bool:
    """Whether the rows of `out` are so long that one NumPy call per row is faster than `ufunc.at`,
    which works element by element.
    """
    return (
        isinstance(places, np.ndarray)
        and places.ndim == 1
        and places.dtype.kind in "iu"
        and out.size >= MIN_LONG_ROW * len(out)
    )
