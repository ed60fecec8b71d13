"""Names of `paddle.incubate.nn`: layers that Paddle implements by fused kernels."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...nn import Layer
from . import functional

__all__ = ["FusedLinear"]


class FusedLinear(Layer):
    """Linear layer x @ weight + bias.

    x [*, in_features], weight [in_features, out_features] (reversed if transpose_weight), bias
    [out_features] -> [*, out_features]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        transpose_weight: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__()
        shape = [out_features, in_features] if transpose_weight else [in_features, out_features]
        self.weight: Any = self.create_parameter(shape, weight_attr)
        self.bias: Any = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.transpose_weight, self.name = transpose_weight, name

    def forward(self, input: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of the class describes the shapes."""
        return functional.fused_linear(
            input, self.weight, self.bias, self.transpose_weight, self.name
        )
