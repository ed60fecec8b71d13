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
    """Apply the activation op of type `act` to the input; if `act` is None, return the input."""
    return apply_activation("layer", input, act)


@dygraph_only
def _append_bias_in_dygraph(input: Any, bias: Any = None, axis: int = 1, **_: Any) -> Any:
    """Add a bias to the input, aligned so that the first axis of the bias is axis `axis` of the
    input; if `bias` is None, return the input.
    """
    return input if bias is None else OPS["elementwise_add"](input, bias, axis=axis)
