"""What layers of dygraph mode end with: fluid.dygraph_utils of 1.8."""

from __future__ import annotations

from typing import Any

from ..core.op import OPS
from ..static.nn.helper import activated
from .framework import dygraph_only


@dygraph_only
def _append_activation_in_dygraph(
    input: Any, act: str | None = None, use_cudnn: bool | None = None, **_: Any
) -> Any:
    """An activation of the input, by the type of its op; itself without one."""
    return activated("layer", input, act)


@dygraph_only
def _append_bias_in_dygraph(input: Any, bias: Any = None, axis: int = 1, **_: Any) -> Any:
    """The input plus a bias that begins at an axis; itself without one."""
    return input if bias is None else OPS["elementwise_add"](input, bias, axis=axis)
