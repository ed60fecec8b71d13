"""Layers whose inputs and weights are quantized and dequantized."""

from .conv import QuantedConv2D as QuantedConv2D
from .linear import QuantedLinear as QuantedLinear
