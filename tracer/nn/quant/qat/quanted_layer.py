"""Base class of the layers with a quanter of the weight and one of the input."""

from __future__ import annotations

from typing import Any

from ....core.tensor import Tensor
from ..format import ConvertibleQuantedLayer


class QuantedInputAndWeightLayer(ConvertibleQuantedLayer):
    """Base of the layers of quantization-aware training: the parameters of a float layer, and
    quanters of its weight and input.
    """

    def __init__(self, layer: Any, q_config: Any) -> None:
        super().__init__()
        self.weight = layer.weight
        self.bias = layer.bias
        self.weight_quanter: Any = None
        self.activation_quanter: Any = None
        if q_config.weight is not None:
            self.weight_quanter = q_config.weight._instance(layer)
        if q_config.activation is not None:
            self.activation_quanter = q_config.activation._instance(layer)

    def _quantize_operands(self, input: Tensor) -> tuple[Tensor, Tensor]:
        """Return the input and the weight as the quanters return them."""
        weight = self.weight
        if self.activation_quanter is not None:
            input = self.activation_quanter(input)
        if self.weight_quanter is not None:
            weight = self.weight_quanter(weight)
        return input, weight

    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """Return a pair of attribute names for each weight: that of the weight and that of its
        quanter.
        """
        return [("weight", "weight_quanter")]

    def activation_quanters(self) -> list[str]:
        """Return the attribute names of the quanters of inputs."""
        return ["activation_quanter"]
