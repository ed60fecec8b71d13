"""Programs from before Paddle 2.5, which had no tensors without axes: what gives [] today gave [1],
and says so where it declares its result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_REDUCTIONS = {
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_all",
    "reduce_any",
}
_NORMS = {"p_norm", "frobenius_norm", "logsumexp"}
_PARTS = {"slice", "strided_slice"}
_OTHERS = {
    "mean",
    "dot",
    "size",
    "is_empty",
    "squared_l2_norm",
    "trace",
    "arg_max",
    "arg_min",
    "squeeze",
    "squeeze2",
    "auc",
    "identity_loss",
    "l1_norm",
}


def may_leave_none(kind: str, attrs: Mapping[str, Any]) -> bool:
    """Whether an op of this type may leave no axis of its operand; attrs as in a program."""
    if kind in _PARTS:
        return bool(_value(attrs, "decrease_axis"))
    if kind in _REDUCTIONS or kind in _NORMS or kind in _OTHERS:
        return not any(_value(attrs, name) for name in ("keep_dim", "keepdim", "keepdims"))
    return False


def leaves_none(kind: str, attrs: Mapping[str, Any], rank: int) -> bool:
    """Whether an op on an operand of this rank gives [] today, where its gradient has to know."""
    if kind == "mean":
        return True
    if kind in _PARTS:
        return len(attrs.get("decrease_axis") or ()) == rank
    if kind in _REDUCTIONS:
        dims = attrs.get("dim") or ()
        return not attrs.get("keep_dim") and (
            bool(attrs.get("reduce_all")) or len(dims) in (0, rank)
        )
    return kind in ("p_norm", "dot", "logsumexp") and rank == 1 and not attrs.get("keepdim")


def _value(attrs: Mapping[str, Any], name: str) -> Any:
    found = attrs.get(name)
    return None if found is None else found.value
