"""Scatter with accumulation, like `ufunc.at`."""

from __future__ import annotations

from typing import Any

from ..core import cuda
from ..core.arrays import is_on_gpu, np

# Dtypes with atomic CUDA operations, by letter.
_ATOMIC_DTYPE_CODES = {
    np.add: "iIQefdFD",
    np.subtract: "iIQefdFD",
    np.maximum: "iIQfd",
    np.minimum: "iIQfd",
}

MIN_LONG_ROW = 256  # minimal number of elements of a row for one call per row


def ufunc_at(ufunc: Any, out: Any, places: Any, values: Any) -> None:
    """`ufunc.at(out, places, values)`. On a GPU, dtypes without atomic operations are
    computed on the CPU.
    """
    if not is_on_gpu() and _are_long_rows(out, places):
        values = np.broadcast_to(values, (len(places), *out.shape[1:]))
        for at, row in zip(places.tolist(), values, strict=True):
            ufunc(out[at], row, out=out[at])
        return
    if not is_on_gpu() or out.dtype.char in _ATOMIC_DTYPE_CODES.get(ufunc, ""):
        ufunc.at(out, places, values)
        return
    made = cuda.to_host(out)
    at = tuple(map(cuda.to_host, places)) if isinstance(places, tuple) else cuda.to_host(places)
    ufunc.at(made, at, cuda.to_host(values))
    out[...] = np.asarray(made)


def _are_long_rows(out: Any, places: Any) -> bool:
    """Whether rows are so long that one call per row is faster than `ufunc.at`, which works
    element by element.
    """
    return (
        isinstance(places, np.ndarray)
        and places.ndim == 1
        and places.dtype.kind in "iu"
        and out.size >= MIN_LONG_ROW * len(out)
    )
