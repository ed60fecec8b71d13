"""Layers of quantized networks, and functions for matrices with weights of 8 or 4 bits."""

from . import qat
from .functional_layers import FloatFunctionalLayer as FloatFunctionalLayer
from .functional_layers import add as add
from .functional_layers import concat as concat
from .functional_layers import divide as divide
from .functional_layers import flatten as flatten
from .functional_layers import matmul as matmul
from .functional_layers import multiply as multiply
from .functional_layers import reshape as reshape
from .functional_layers import subtract as subtract
from .functional_layers import transpose as transpose
from .quant_layers import QuantStub as QuantStub
from .quantized_linear import (
    llm_int8_linear,
    weight_dequantize,
    weight_only_linear,
    weight_quantize,
)
from .stub import Stub

__all__ = [
    "Stub",
    "llm_int8_linear",
    "weight_dequantize",
    "weight_only_linear",
    "weight_quantize",
]
