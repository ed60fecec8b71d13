"""Contributed layers: `fluid.contrib.layers`."""

from . import metric_op, nms, nn, rnn_impl, sequence_pair_and_tree_layers, units
from .metric_op import *
from .nms import *
from .nn import *
from .rnn_impl import *
from .sequence_pair_and_tree_layers import *
from .units import *

__all__ = [
    *sequence_pair_and_tree_layers.__all__,
    *metric_op.__all__,
    *nms.__all__,
    *nn.__all__,
    *rnn_impl.__all__,
    *units.__all__,
]
