"""Paddle's ReduceOp, and the dtypes that each operation supports."""

from __future__ import annotations

from typing import Any

from ..core.communicator import AVG, MAX, MIN, PROD, REDUCE_OP_NAMES, SUM
from ..core.errors import OpError, append_user_line

_UNSUPPORTED = {"b": {SUM, PROD, AVG}, "c": {MAX, MIN}, "i": {AVG}, "u": {AVG}}


class ReduceOp:
    """Reduction operations of `all_reduce`, `reduce` and `reduce_scatter`.

    Attributes
    ----------
    SUM, MAX, MIN, PROD, AVG : int
        0 to 4. AVG supports floating-point and complex dtypes only; MAX and MIN support no complex
        numbers; bool supports MAX and MIN only.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> task = paddle.distributed.all_reduce(x, op=paddle.distributed.ReduceOp.MAX)
    >>> x.tolist()
    [1.0, 2.0]
    """

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
