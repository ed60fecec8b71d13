"""Looking for numbers that went wrong."""

from __future__ import annotations

from enum import Enum

import numpy as np

from ..core.dtype import work_dtype
from ..core.errors import OarlockError, with_user_line
from ..core.tensor import Tensor

__all__ = ["DebugMode", "check_numerics"]


class DebugMode(Enum):
    """What check_numerics does; the first raises OarlockError where it finds a NaN or an infinity."""

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL_FOR_OVERFLOW = 2
    CHECK_ALL = 3


def check_numerics(
    tensor: Tensor, op_type: str, var_name: str, debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT
) -> tuple[Tensor, Tensor]:
    """How many NaNs, infinities and zeros `tensor` has, and its max, min and mean.   x [*] -> int64 [3], float32 [3]

    op_type, var_name: who made it, for the error.
    """
    array = tensor.numpy()
    array = array.astype(work_dtype(array.dtype), copy=False)
    counts = [int(np.sum(test)) for test in (np.isnan(array), np.isinf(array), array == 0)]
    if (counts[0] or counts[1]) and debug_mode is DebugMode.CHECK_NAN_INF_AND_ABORT:
        found = f"{counts[0]} NaNs, {counts[1]} infinities, {counts[2]} zeros"
        raise OarlockError(with_user_line(f"{op_type}: {found} in {var_name} (X={tensor.meta})"))
    with np.errstate(all="ignore"):
        values = (
            [np.fmax.reduce(array, axis=None), np.fmin.reduce(array, axis=None), array.mean()]
            if array.size
            else [0, 0, 0]
        )
    return Tensor(np.array(counts, np.int64)), Tensor(np.array(values, np.float32))
