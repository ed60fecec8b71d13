"""Paddle's ReduceOp, and the dtypes that each operation supports."""

from __future__ import annotations

from typing import Any

from ..core.communicator import AVG, MAX, MIN, PROD, REDUCE_OP_NAMES, SUM
from ..core.errors import OpError, append_user_line

_UNSUPPORTED = {"b": {SUM, PROD, AVG}, "c": {MAX, MIN}, "i": {AVG}, "u": {AVG}}


class ReduceOp:
    """The reduction operations that `all_reduce`, `reduce` and `reduce_scatter` accept."""

    SUM, MAX, MIN, PROD, AVG = SUM, MAX, MIN, PROD, AVG


def check_reduce_op_supports_dtype(array: Any, op: int) -> None:
    """Raise OpError for an unknown operation, or one that the dtype does not support."""
    if op not in range(len(REDUCE_OP_NAMES)):
        raise OpError(
            append_user_line(
                f"distributed: op={op!r} is not one of ReduceOp.{', '.join(REDUCE_OP_NAMES)}"
            )
        )
    if op in _UNSUPPORTED.get(array.dtype.kind, ()):
        raise OpError(
            append_user_line(
                f"distributed: {REDUCE_OP_NAMES[op]} does not support {array.dtype} "
                f"(X={array.dtype}{list(array.shape)})"
            )
        )
