"""Bias and activation of layers in dygraph mode: `fluid.dygraph_utils` of 1.8."""

from __future__ import annotations

from typing import Any

from ..core.op import OPS
from ..static.nn.helper import apply_activation
from .framework import dygraph_only


@dygraph_only
def _append_activation_in_dygraph(
    input: Any, act: str | None = None, use_cudnn: bool | None = None, **_: Any
) -> Any:
    """Apply an activation, given by the type of its op; without one return the input."""
    return apply_activation("layer", input, act)


@dygraph_only
def _append_bias_in_dygraph(input: Any, bias: Any = None, axis: int = 1, **_: Any) -> Any:
    """Add a bias whose first axis is aligned to `axis`; without one return the input."""
    return input if bias is None else OPS["elementwise_add"](input, bias, axis=axis)
