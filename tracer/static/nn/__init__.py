"""Layers as functions that create their parameters in the program: `paddle.static.nn`."""

from ...capture.control import case, cond, switch_case, while_loop
from ...capture.control.static_rnn import StaticRNN
from ...capture.side_effects import py_func, static_pylayer
from . import common, control_flow
from .conv import conv2d, conv2d_transpose, conv3d, conv3d_transpose, deform_conv2d
from .fc_embedding_row_conv import bilinear_tensor_product, embedding, fc, row_conv
from .noise_contrastive import nce
from .norm import batch_norm, group_norm, instance_norm, layer_norm, spectral_norm
from .parameters import create_parameter
from .prelu import prelu
from .sequence import (
    sequence_concat,
    sequence_conv,
    sequence_enumerate,
    sequence_expand,
    sequence_expand_as,
    sequence_first_step,
    sequence_last_step,
    sequence_pad,
    sequence_pool,
    sequence_reshape,
    sequence_reverse,
    sequence_scatter,
    sequence_slice,
    sequence_softmax,
    sequence_unpad,
)
from .unsupported import data_norm, sparse_embedding

__all__ = [
    "StaticRNN",
    "batch_norm",
    "bilinear_tensor_product",
    "case",
    "cond",
    "control_flow",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "create_parameter",
    "data_norm",
    "deform_conv2d",
    "embedding",
    "fc",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "nce",
    "prelu",
    "py_func",
    "row_conv",
    "sequence_concat",
    "sequence_conv",
    "sequence_enumerate",
    "sequence_expand",
    "sequence_expand_as",
    "sequence_first_step",
    "sequence_last_step",
    "sequence_pad",
    "sequence_pool",
    "sequence_reshape",
    "sequence_reverse",
    "sequence_scatter",
    "sequence_slice",
    "sequence_softmax",
    "sequence_unpad",
    "sparse_embedding",
    "spectral_norm",
    "static_pylayer",
    "switch_case",
    "while_loop",
]
