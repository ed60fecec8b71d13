"""Layers as functions, in programs and in dygraph mode alike: fluid.layers."""

from . import elementwise, reduce
from .elementwise import *
from .reduce import *

__all__ = [*elementwise.__all__, *reduce.__all__]
