"""Layers that few models have: fluid.contrib.layers."""

from . import nn, rnn, units
from .nn import *
from .rnn import *
from .units import *

__all__ = [*nn.__all__, *rnn.__all__, *units.__all__]
