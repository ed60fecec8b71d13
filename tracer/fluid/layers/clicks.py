"""Layers of models that guess clicks, and numbers of words: fluid.layers.continuous_value_model,
filter_by_instag, hash, similarity_focus.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import with_user_line
from ...core.op import OPS
from .helper import stopped

__all__ = ["continuous_value_model", "filter_by_instag", "hash", "similarity_focus"]


def continuous_value_model(input: Any, cvm: Any, use_cvm: bool = True) -> Any:
    """Features whose first two columns, shows and clicks, become logs, or without use_cvm are left
    out.

    input [N, D], cvm [N, 2] -> [N, D]
    """
    return OPS["cvm"](input, None, cvm, use_cvm=use_cvm)


def filter_by_instag(
    ins: Any, ins_tag: Any, filter_tag: Any, is_lod: bool, out_val_if_empty: int = 0
) -> list[Any]:
    """The rows of ins, with is_lod its sequences, that have one of the tags, and ones for them;
    where none has, a row of out_val_if_empty and 0.

    ins [R, D], ins_tag int64 [T, 1], sequences, filter_tag int64 [K] -> [S, D], [n, 1]
    """
    attrs = {"is_lod": is_lod, "out_val_if_empty": out_val_if_empty}
    return list(OPS["filter_by_instag"](ins, None, ins_tag, None, filter_tag, **attrs)[:2])


def hash(input: Any, hash_size: int, num_hash: int = 1, name: str | None = None) -> Any:
    """num_hash numbers below hash_size for each row.   input int [N, D] -> [N, num_hash, 1]"""
    return stopped(OPS["hash"](input, num_hash=num_hash, mod_by=hash_size))


def similarity_focus(input: Any, axis: int, indexes: list[int], name: str | None = None) -> Any:
    """1 along the axis where the table at one of the indexes has one of its largest elements, else
    0.

    input [B, C, H, W] -> same
    """
    if axis not in (1, 2, 3):
        raise ValueError(with_user_line("similarity_focus: axis must be 1, 2 or 3"))
    if not indexes:
        raise ValueError(with_user_line("similarity_focus: indexes can not be empty"))
    return OPS["similarity_focus"](input, axis=axis, indexes=list(indexes))
