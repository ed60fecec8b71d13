"""Alias module of the layers: `fluid.dygraph.nn`."""

from ....nn import Flatten
from .. import conv, dense_embedding_and_gru_unit, loss, nce, norm_dropout_prelu, tree_conv
from ..conv import *
from ..dense_embedding_and_gru_unit import *
from ..loss import *
from ..nce import *
from ..norm_dropout_prelu import *
from ..tree_conv import *

__all__ = [
    *conv.__all__,
    *dense_embedding_and_gru_unit.__all__,
    *loss.__all__,
    *norm_dropout_prelu.__all__,
    *nce.__all__,
    *tree_conv.__all__,
]
