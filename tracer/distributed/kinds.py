"""How ranks add up: Paddle's ReduceOp, and which dtypes each of them takes."""

from __future__ import annotations

from typing import Any

from ..core.communicator import AVG, MAX, MIN, PROD, REDUCE_OP_NAMES, SUM
from ..core.errors import OpError, with_user_line

_REFUSED = {"b": {SUM, PROD, AVG}, "c": {MAX, MIN}, "i": {AVG}, "u": {AVG}}


class ReduceOp:
    """What `all_reduce` and its like make of the tensors of all ranks."""

    SUM, MAX, MIN, PROD, AVG = SUM, MAX, MIN, PROD, AVG


def check_op(array: Any, op: int) -> None:
    """Raise OpError for a kind of sum that the dtype does not have, or that nobody has."""
    if op not in range(len(REDUCE_OP_NAMES)):
        raise OpError(
            with_user_line(
                f"distributed: op={op!r} is not one of ReduceOp.{', '.join(REDUCE_OP_NAMES)}"
            )
        )
    if op in _REFUSED.get(array.dtype.kind, ()):
        raise OpError(
            with_user_line(
                f"distributed: no {REDUCE_OP_NAMES[op]} of {array.dtype} "
                f"(X={array.dtype}{list(array.shape)})"
            )
        )
