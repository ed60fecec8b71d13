"""Layers that few models have: fluid.contrib.layers."""

from . import nn, units
from .nn import *
from .units import *

__all__ = [*nn.__all__, *units.__all__]
