"""`QuantedLinear`: a Linear with a quantized input and weight."""

from __future__ import annotations

from typing import Any

from ....core.tensor import Tensor
from ... import functional as F
from .quanted_layer import QuantedInputAndWeightLayer


class QuantedLinear(QuantedInputAndWeightLayer):
    """`nn.Linear` with a quantized input and weight: activation_quanter(x) @
    weight_quanter(weight) + bias.

    Parameters
    ----------
    layer : nn.Linear
        Its parameters are shared, not copied.
    q_config : SingleLayerConfig
        Factories `activation` and `weight` of the quanters; None: not quantized.

    Shape
    -----
    x : [*, in_features]
    returns : [*, out_features]

    Examples
    --------
    >>> from oarlock.quantization import QAT, QuantConfig
    >>> from oarlock.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> quanter = FakeQuanterWithAbsMaxObserver()
    >>> net = QAT(QuantConfig(quanter, quanter)).quantize(nn.Sequential(nn.Linear(4, 2)))
    >>> type(net[0]).__name__
    'QuantedLinear'
    """

    def __init__(self, layer: Any, q_config: Any) -> None:
        super().__init__(layer, q_config)
        self.name = layer.name

    def forward(self, input: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        x, weight = self._quantize_operands(input)
        return F.linear(x, weight, self.bias)
