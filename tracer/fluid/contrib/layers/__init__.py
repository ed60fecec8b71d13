"""Layers that few models have: fluid.contrib.layers."""

from . import matching, metric_op, nn, rnn, units
from .matching import *
from .metric_op import *
from .nn import *
from .rnn import *
from .units import *

__all__ = [*matching.__all__, *metric_op.__all__, *nn.__all__, *rnn.__all__, *units.__all__]
