"""Layers as functions, in programs and in dygraph mode alike: fluid.layers."""

from . import elementwise, reduce, sequence
from .elementwise import *
from .reduce import *
from .sequence import *

__all__ = [*elementwise.__all__, *reduce.__all__, *sequence.__all__]
