"""Export of layers to ONNX."""

from .export import export

__all__ = ["export"]
