"""Layers as functions, in programs and in dygraph mode alike: fluid.layers."""

from .elementwise import *
from .elementwise import __all__ as _elementwise

__all__ = [*_elementwise]
