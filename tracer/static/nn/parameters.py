"""`create_parameter` for static graph programs."""

from __future__ import annotations

from typing import Any

from ...nn import create_parameter as eager_parameters
from .helper import LayerHelper


def create_parameter(
    shape: Any,
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Any = None,
) -> Any:
    """Create a parameter of the program, like `paddle.create_parameter`."""
    LayerHelper("create_parameter", "create_parameter")
    return eager_parameters.create_parameter(shape, dtype, name, attr, is_bias, default_initializer)
