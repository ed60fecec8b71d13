"""Private names of `paddle.nn.layer` that model libraries use: attention masks, attributes of
Transformers, and whether a program is recorded.
"""

from __future__ import annotations

from typing import Any

from ..core.dtype import parse_dtype
from ..core.mode import state
from ..core.tensor import Tensor
from .param_attr import ParamAttr
from .transformer import additive_mask_of_dtype, attrs_per_sublayer

__all__ = ["_convert_attention_mask", "_convert_param_attr_to_list", "in_declarative_mode"]


def _convert_attention_mask(attn_mask: Tensor | None, dtype: Any) -> Tensor | None:
    """Convert a mask to a term that is added to attention scores of `dtype`.

    A bool or int mask becomes 0 or -1e9 (False masks a position); a float mask is cast. [*] -> [*]
    """
    return additive_mask_of_dtype(attn_mask, parse_dtype(dtype))


def _convert_param_attr_to_list(param_attr: Any, n: int) -> list[Any]:
    """Return a list with a ParamAttr, or False for no parameter, for each of `n` sublayers. The
    index of the sublayer is appended to the name of a ParamAttr.
    """
    return [
        False if attr is False else ParamAttr.of(attr) or ParamAttr()
        for attr in attrs_per_sublayer(param_attr, n)
    ]


def in_declarative_mode() -> bool:
    """Return whether `to_static` or `jit.save` is recording a program from Python code."""
    return state.mode.static and state.mode.program_builder is None
