"""Layers as functions under the names of paddle.static.nn.common."""

from ...capture.side_effects import py_func_and_static_pylayer
from .conv import conv2d, conv2d_transpose, conv3d, conv3d_transpose, deform_conv2d
from .fc_embedding_row_conv import bilinear_tensor_product, embedding, fc, row_conv
from .noise_contrastive import nce
from .norm import batch_norm, group_norm, instance_norm, layer_norm, spectral_norm
from .prelu import prelu
from .unsupported import data_norm, sparse_embedding

__all__ = [
    "batch_norm",
    "bilinear_tensor_product",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
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
    "sparse_embedding",
    "spectral_norm",
]
