"""Many values brought together in one place, as `ufunc.at` does it."""

from __future__ import annotations

from typing import Any

from ..core import cuda
from ..core.arrays import elsewhere, np

# What CUDA can do in one step that nobody comes between, by the letters of dtypes.
_ATOMIC = {np.add: "iIQefdFD", np.subtract: "iIQefdFD", np.maximum: "iIQfd", np.minimum: "iIQfd"}


def combine_at(ufunc: Any, out: Any, places: Any, values: Any) -> None:
    """`ufunc.at(out, places, values)`: each value combined with what is in its place of `out`; on the processor where CUDA cannot."""
    if not elsewhere() or out.dtype.char in _ATOMIC.get(ufunc, ""):
        ufunc.at(out, places, values)
        return
    made = cuda.host(out)
    at = tuple(map(cuda.host, places)) if isinstance(places, tuple) else cuda.host(places)
    ufunc.at(made, at, cuda.host(values))
    out[...] = np.asarray(made)
