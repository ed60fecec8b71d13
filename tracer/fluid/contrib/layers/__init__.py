"""Contributed layers: `fluid.contrib.layers`."""

from . import matching, metric_op, nms, nn, rnn_impl, units
from .matching import *
from .metric_op import *
from .nms import *
from .nn import *
from .rnn_impl import *
from .units import *

__all__ = [
    *matching.__all__,
    *metric_op.__all__,
    *nms.__all__,
    *nn.__all__,
    *rnn_impl.__all__,
    *units.__all__,
]
