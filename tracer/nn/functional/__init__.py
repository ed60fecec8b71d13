"""Functions of neural networks, under Paddle's names.   Arrays are [N, C, *] unless a data_format says otherwise."""

from .activation import (
    elu,
    gelu,
    glu,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    mish,
    prelu,
    relu,
    relu6,
    sigmoid,
    silu,
    softmax,
    softplus,
    softsign,
    swish,
    tanh,
    tanhshrink,
)
from .common import cosine_similarity, dropout, dropout2d, embedding, label_smooth, linear, normalize, one_hot, pad
from .conv import conv1d, conv2d, conv2d_transpose
from .loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
    softmax_with_cross_entropy,
    square_error_cost,
)
from .norm import batch_norm, group_norm, instance_norm, layer_norm
from .pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_max_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
)

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool2d", "avg_pool1d", "avg_pool2d", "batch_norm",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "conv1d", "conv2d", "conv2d_transpose",
    "cosine_similarity", "cross_entropy", "dropout", "dropout2d", "elu", "embedding", "gelu", "glu", "group_norm",
    "hardsigmoid", "hardswish", "hardtanh", "instance_norm", "kl_div", "l1_loss", "label_smooth", "layer_norm",
    "leaky_relu", "linear", "log_sigmoid", "log_softmax", "max_pool1d", "max_pool2d", "mish", "mse_loss", "nll_loss",
    "normalize", "one_hot", "pad", "prelu", "relu", "relu6", "sigmoid", "silu", "smooth_l1_loss", "softmax",
    "softmax_with_cross_entropy", "softplus", "softsign", "square_error_cost", "swish", "tanh", "tanhshrink",
]  # fmt: skip
