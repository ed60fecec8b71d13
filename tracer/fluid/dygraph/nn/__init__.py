"""Alias module of the layers: `fluid.dygraph.nn`."""

from ....nn import Flatten
from .. import conv_and_pool, dense_embedding_and_gru_unit, loss, nce, norm_dropout_prelu, tree_conv
from ..conv_and_pool import *
from ..dense_embedding_and_gru_unit import *
from ..loss import *
from ..nce import *
from ..norm_dropout_prelu import *
from ..tree_conv import *

__all__ = [
    *conv_and_pool.__all__,
    *dense_embedding_and_gru_unit.__all__,
    *loss.__all__,
    *norm_dropout_prelu.__all__,
    *nce.__all__,
    *tree_conv.__all__,
]
