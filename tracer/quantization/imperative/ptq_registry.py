"""Which layers `ImperativePTQ` observes and quantizes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import nn
from ...core.errors import ArgumentAssertionError, append_user_line
from ...nn.layer import Layer
from ...nn.quant import functional_layers, quant_layers


class LayerInfo(NamedTuple):
    """A layer type and the slots of its op: inputs, weights, outputs."""

    layer: type
    input_names: list[str]
    weight_names: list[str]
    output_names: list[str]


PTQ_LAYERS_INFO = [
    LayerInfo(nn.Conv2D, ["Input"], ["Filter"], ["Output"]),
    LayerInfo(nn.Linear, ["X"], ["Y"], ["Out"]),
    LayerInfo(nn.BatchNorm2D, ["X"], [], ["Y"]),
    *(
        LayerInfo(layer, ["X"], [], ["Out"])
        for layer in (
            nn.AdaptiveMaxPool2D,
            nn.AdaptiveAvgPool2D,
            nn.AvgPool2D,
            nn.MaxPool2D,
            nn.ReLU,
            nn.ReLU6,
            nn.Hardswish,
            nn.Swish,
            nn.Sigmoid,
            nn.Softmax,
            nn.Tanh,
        )
    ),
    LayerInfo(functional_layers.add, ["X", "Y"], [], ["Out"]),
]
QUANT_LAYERS_INFO = [
    LayerInfo(quant_layers.QuantizedConv2D, ["Input"], ["Filter"], ["Output"]),
    LayerInfo(quant_layers.QuantizedLinear, ["X"], ["Y"], ["Out"]),
]
SIMULATED_LAYERS: list[type] = [nn.Conv2D, nn.Linear]


def _is_one_of(layer: Any, types: list[type]) -> bool:
    """Whether a class, or the class of a layer, is one of the types."""
    return layer in types or isinstance(layer, tuple(types))


class PTQRegistry:
    """The layer types of `ImperativePTQ`; each method accepts a layer or a class.

    Examples
    --------
    >>> from oarlock.quantization import PTQRegistry
    >>> PTQRegistry.is_supported_layer(nn.ReLU()), PTQRegistry.is_simulated_quant_layer(nn.ReLU)
    (True, False)
    """

    @classmethod
    def is_supported_layer(cls, layer: Layer | type[Layer]) -> bool:
        """Return whether `ImperativePTQ` observes the output of a layer.

        Parameters
        ----------
        layer : Layer or subclass of Layer

        Returns
        -------
        bool

        Examples
        --------
        >>> from oarlock.quantization import PTQRegistry
        >>> PTQRegistry.is_supported_layer(nn.ReLU()), PTQRegistry.is_supported_layer(nn.GELU)
        (True, False)
        """
        return _is_one_of(layer, [info.layer for info in PTQ_LAYERS_INFO])

    @classmethod
    def is_registered_layer(cls, layer: Layer | type[Layer]) -> bool:
        """Return whether `layer_info` returns the slots of a layer instead of raising an error.

        Parameters
        ----------
        layer : Layer or subclass of Layer

        Returns
        -------
        bool

        Examples
        --------
        >>> from oarlock.quantization import PTQRegistry
        >>> PTQRegistry.is_registered_layer(nn.Linear), PTQRegistry.is_registered_layer(nn.GELU)
        (True, False)
        """
        return _is_one_of(layer, [info.layer for info in PTQ_LAYERS_INFO + QUANT_LAYERS_INFO])

    @classmethod
    def is_simulated_quant_layer(cls, layer: Layer | type[Layer]) -> bool:
        """Return whether `ImperativePTQ` quantizes the input and the weight of a layer.

        Parameters
        ----------
        layer : Layer or subclass of Layer

        Returns
        -------
        bool

        Examples
        --------
        >>> from oarlock.quantization import PTQRegistry
        >>> PTQRegistry.is_simulated_quant_layer(nn.Linear(2, 2))
        True
        """
        return _is_one_of(layer, SIMULATED_LAYERS)

    @classmethod
    def layer_info(cls, layer: Layer | type[Layer]) -> LayerInfo:
        """Return the slots of the op of a layer.

        Parameters
        ----------
        layer : Layer or subclass of Layer

        Returns
        -------
        LayerInfo
            A named tuple with the class `layer` and the lists `input_names`, `weight_names` and
            `output_names`.

        Raises
        ------
        OpError
            If the layer is not registered.

        Examples
        --------
        >>> from oarlock.quantization import PTQRegistry
        >>> PTQRegistry.layer_info(nn.Linear).weight_names
        ['Y']
        """
        for info in PTQ_LAYERS_INFO + QUANT_LAYERS_INFO:
            if layer == info.layer or isinstance(layer, info.layer):
                return info
        raise ArgumentAssertionError(append_user_line(f"PTQRegistry: {layer!r} is not registered"))
