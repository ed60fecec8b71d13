"""Layers of click-through-rate models, and hashing: `fluid.layers.continuous_value_model`,
filter_by_instag, hash, similarity_focus.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import append_user_line
from ...core.op import OPS
from .layer_utils import set_stop_gradient

__all__ = ["continuous_value_model", "filter_by_instag", "hash", "similarity_focus"]


def continuous_value_model(input: Any, cvm: Any, use_cvm: bool = True) -> Any:
    """Replace the first two columns, shows and clicks, by logarithms; without use_cvm drop them.

    input: [N, D].
    cvm: [N, 2].
    Returns [N, D], or [N, D - 2] without use_cvm.
    """
    return OPS["cvm"](input, None, cvm, use_cvm=use_cvm)


def filter_by_instag(
    ins: Any, ins_tag: Any, filter_tag: Any, is_lod: bool, out_val_if_empty: int = 0
) -> list[Any]:
    """Select the rows of `ins` (with is_lod, the sequences) that have one of the tags in
    filter_tag; returns them and a weight of 1 for each. If no row is selected, return one row of
    out_val_if_empty with the weight 0.

    ins: [R, D].
    ins_tag: int64 [T, 1] with LoD.
    filter_tag: int64 [K].
    Returns [S, D], [n, 1].
    """
    attrs = {"is_lod": is_lod, "out_val_if_empty": out_val_if_empty}
    return list(OPS["filter_by_instag"](ins, None, ins_tag, None, filter_tag, **attrs)[:2])


def hash(input: Any, hash_size: int, num_hash: int = 1, name: str | None = None) -> Any:
    """Return num_hash hash values below hash_size for each row: int [N, D] -> [N, num_hash, 1]."""
    return set_stop_gradient(OPS["hash"](input, num_hash=num_hash, mod_by=hash_size))


def similarity_focus(input: Any, axis: int, indexes: list[int], name: str | None = None) -> Any:
    """Return a mask of 0 and 1. For each matrix at `indexes` of `axis`, its largest elements are
    selected, at most one per row and column; the mask is 1 along the whole `axis` at these
    positions.

    input: [B, C, H, W].
    Returns the same shape.
    """
    if axis not in (1, 2, 3):
        raise ValueError(append_user_line(f"similarity_focus: axis={axis} is not 1, 2 or 3"))
    if not indexes:
        raise ValueError(append_user_line("similarity_focus: indexes is empty"))
    return OPS["similarity_focus"](input, axis=axis, indexes=list(indexes))
