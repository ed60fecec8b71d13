"""Parameters of no layer."""

from __future__ import annotations

from typing import Any

from ...nn import create_parameter as of_no_layer
from .helper import Helper


def create_parameter(
    shape: Any,
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Any = None,
) -> Any:
    """A parameter of the program that is written.

    Starts as paddle.create_parameter's do.
    -> [*shape]
    """
    Helper("create_parameter", "create_parameter")
    return of_no_layer.create_parameter(shape, dtype, name, attr, is_bias, default_initializer)
