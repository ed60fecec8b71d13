"""Predicates for programs written before Paddle 2.5, which had no 0-D tensors: whether the result
of an op is 0-D in current versions, so that those programs declare it with shape [1].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_REDUCTION_OPS = {
    "reduce_sum",
    "reduce_mean",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_all",
    "reduce_any",
}
_NORM_OPS = {"p_norm", "frobenius_norm", "logsumexp"}
_SLICE_OPS = {"slice", "strided_slice"}
_OTHER_SCALAR_OPS = {
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


def may_reduce_to_scalar(kind: str, attrs: Mapping[str, Any]) -> bool:
    """Whether an op of this type may have a 0-D result.

    attrs: the attributes of the op, as Attr objects.
    """
    if kind in _SLICE_OPS:
        return bool(_attr_value(attrs, "decrease_axis"))
    if kind in _REDUCTION_OPS or kind in _NORM_OPS or kind in _OTHER_SCALAR_OPS:
        return not any(_attr_value(attrs, name) for name in ("keep_dim", "keepdim", "keepdims"))
    return False


def reduces_to_scalar(kind: str, attrs: Mapping[str, Any], rank: int) -> bool:
    """Whether an op on an input of this rank has a 0-D result. Only ops are handled whose gradient
    rule depends on whether the result is 0-D.
    """
    if kind == "mean":
        return True
    if kind in _SLICE_OPS:
        return len(attrs.get("decrease_axis") or ()) == rank
    if kind in _REDUCTION_OPS or kind in ("frobenius_norm", "logsumexp"):
        axes = attrs.get("axis" if kind == "logsumexp" else "dim") or ()
        reduces_all = bool(attrs.get("reduce_all")) or len(axes) in (0, rank)
        return reduces_all and not (attrs.get("keep_dim") or attrs.get("keepdim"))
    if kind == "p_norm":
        return (rank == 1 or bool(attrs.get("asvector"))) and not attrs.get("keepdim")
    return kind == "dot" and rank == 1


def _attr_value(attrs: Mapping[str, Any], name: str) -> Any:
    found = attrs.get(name)
    return None if found is None else found.value
