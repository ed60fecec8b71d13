"""Contributed layers: `fluid.contrib.layers`."""

from . import metric_op, nms, nn, rnn_impl, rnn_units, sequence_pair_and_tree_layers
from .metric_op import *
from .nms import *
from .nn import *
from .rnn_impl import *
from .rnn_units import *
from .sequence_pair_and_tree_layers import *

__all__ = [
    *sequence_pair_and_tree_layers.__all__,
    *metric_op.__all__,
    *nms.__all__,
    *nn.__all__,
    *rnn_impl.__all__,
    *rnn_units.__all__,
]
