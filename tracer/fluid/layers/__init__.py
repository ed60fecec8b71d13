"""Layers as functions, in programs and in dygraph mode alike: fluid.layers."""

from . import control_flow, elementwise, reduce, sequence
from .control_flow import *
from .elementwise import *
from .reduce import *
from .sequence import *

__all__ = [*control_flow.__all__, *elementwise.__all__, *reduce.__all__, *sequence.__all__]
