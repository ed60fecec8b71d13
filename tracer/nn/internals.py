"""What model libraries take from the inside of `paddle.nn.layer`: the masks and attributes of
Transformers, and whether a program is recorded.
"""

from __future__ import annotations

from typing import Any

from ..core.dtype import dtype_of
from ..core.mode import state
from ..core.tensor import Tensor
from .param_attr import ParamAttr
from .transformer import as_added, each_part

__all__ = ["_convert_attention_mask", "_convert_param_attr_to_list", "in_declarative_mode"]


def _convert_attention_mask(attn_mask: Tensor | None, dtype: Any) -> Tensor | None:
    """What is added to scores of `dtype` for a mask: a bool or int one (False hides) becomes 0 or
    -1e9.

    [*] -> [*]
    """
    return as_added(attn_mask, dtype_of(dtype))


def _convert_param_attr_to_list(param_attr: Any, n: int) -> list[Any]:
    """An attribute for each of n parts: a ParamAttr, or False for a part without; a name gets the
    part's number.
    """
    return [
        False if part is False else ParamAttr.of(part) or ParamAttr()
        for part in each_part(param_attr, n)
    ]


def in_declarative_mode() -> bool:
    """Whether a program is recorded from Python that `to_static` or `jit.save` converts."""
    return state.mode.static and state.mode.builder is None
