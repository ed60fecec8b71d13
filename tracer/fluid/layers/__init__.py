"""Layers as functions, in programs and in dygraph mode alike: fluid.layers."""

from . import control_flow, elementwise, reduce, sequence, text, units
from .control_flow import *
from .elementwise import *
from .reduce import *
from .sequence import *
from .text import *
from .units import *

__all__ = [
    *control_flow.__all__,
    *elementwise.__all__,
    *reduce.__all__,
    *sequence.__all__,
    *text.__all__,
    *units.__all__,
]
