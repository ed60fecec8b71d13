"""Assignment and accumulation at index arrays that may contain a position several times."""

from __future__ import annotations

import math
from typing import Any

from ..core import cuda
from ..core.arrays import is_running_kernel_on_gpu, np

# For each ufunc, the type codes of the dtypes that CUDA has atomic operations for.
_ATOMIC_DTYPE_CODES = {
    np.add: "iIQefdFD",
    np.maximum: "iIQfd",
    np.minimum: "iIQfd",
}

MIN_LONG_ROW = 256  # minimal number of elements of a row for one call per row


def ufunc_at(ufunc: Any, out: Any, places: Any, values: Any) -> None:
    """`ufunc.at(out, places, values)`. On a GPU, dtypes without atomic operations are
    computed on the CPU.
    """
    # CuPy's subtract.at supports integers only
    if is_running_kernel_on_gpu() and ufunc is np.subtract:
        ufunc, values = np.add, np.negative(values)
    if not is_running_kernel_on_gpu():
        if _are_long_rows(out, places):
            values = np.broadcast_to(values, (len(places), *out.shape[1:]))
            for at, row in zip(places.tolist(), values, strict=True):
                ufunc(out[at], row, out=out[at])
        else:
            ufunc.at(out, places, values)
        return
    if out.dtype.char in _ATOMIC_DTYPE_CODES.get(ufunc, ""):
        # NumPy's ufunc.at does not dispatch to CuPy if the index is a tuple of arrays.
        getattr(cuda.cupy_state.cupy, ufunc.__name__).at(out, places, values)
        return
    made = cuda.to_host(out)
    at = tuple(map(cuda.to_host, places)) if isinstance(places, tuple) else cuda.to_host(places)
    ufunc.at(made, at, cuda.to_host(values))
    out[...] = np.asarray(made)


def assign_in_place_at(out: Any, places: tuple[Any, ...], values: Any) -> None:
    """`out[places] = values` for index arrays of the leading axes; of several values for one
    position, the last one is assigned.
    """
    if not is_running_kernel_on_gpu() or any(index.dtype.kind == "b" for index in places):
        out[places] = values
        return
    # CUDA writes several values for one position in any order. To get the same result as NumPy,
    # each value is first replaced by the last value for its position.
    shape = np.broadcast_shapes(*(index.shape for index in places))
    row_shape = out.shape[len(places) :]
    rows = np.broadcast_to(values, (*shape, *row_shape)).reshape(-1, *row_shape)
    out[places] = rows[last_write_index_per_value(out.shape[: len(places)], places)]


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
        last[places] = numbers
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
