"""`QuantedConv2D`: a convolution with a quantized input and weight."""

from __future__ import annotations

from typing import Any

from ....core.tensor import Tensor
from ... import functional as F
from ...conv import convolve_with_settings_of_layer
from .quanted_layer import QuantedInputAndWeightLayer


class QuantedConv2D(QuantedInputAndWeightLayer):
    """`nn.Conv2D` with a quantized input and weight.

    Parameters
    ----------
    layer : nn.Conv2D
        Its parameters are shared, not copied; its stride, padding, dilation and groups are used.
    q_config : SingleLayerConfig
        Factories `activation` and `weight` of the quanters; None: not quantized.

    Shape
    -----
    x : [N, in_channels, H, W]
    returns : [N, out_channels, H', W'], as `nn.Conv2D`

    Examples
    --------
    >>> from oarlock.quantization import QAT, QuantConfig
    >>> from oarlock.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> quanter = FakeQuanterWithAbsMaxObserver()
    >>> net = QAT(QuantConfig(quanter, quanter)).quantize(nn.Sequential(nn.Conv2D(1, 4, 3)))
    >>> type(net[0]).__name__
    'QuantedConv2D'
    """

    def __init__(self, layer: Any, q_config: Any) -> None:
        super().__init__(layer, q_config)
        self._groups = layer._groups
        self._stride = layer._stride
        self._padding = layer._padding
        self._padding_mode = layer._padding_mode
        self._dilation = layer._dilation
        self._data_format = layer._data_format

    def forward(self, input: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        x, weight = self._quantize_operands(input)
        return convolve_with_settings_of_layer(self, F.conv2d, x, weight)
