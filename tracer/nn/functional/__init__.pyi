"""The public names of this package, for type checkers."""

# Written by `python -m tests.tools.type_stubs`.

from oarlock.core.tensor import Tensor
from oarlock.core.type_aliases import DTypeLike
from oarlock.nn.functional import (
    activation,
    common,
    conv,
    loss,
    margin_and_likelihood_losses,
    norm,
    pooling,
    sequence,
    sync_norm,
    vision,
)
from oarlock.nn.functional.activation import (
    celu,
    elu,
    gelu,
    glu,
    gumbel_softmax,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_softmax,
    maxout,
    prelu,
    rrelu,
    selu,
    softmax,
    softplus,
    softshrink,
    tanhshrink,
    thresholded_relu,
)
from oarlock.nn.functional.common import (
    alpha_dropout,
    bilinear,
    cosine_similarity,
    dropout,
    dropout2d,
    dropout3d,
    embedding,
    label_smooth,
    linear,
    normalize,
    one_hot,
    pad,
    pairwise_distance,
    zeropad2d,
)
from oarlock.nn.functional.conv import (
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
)
from oarlock.nn.functional.loss import (
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
from oarlock.nn.functional.margin_and_likelihood_losses import (
    cosine_embedding_loss,
    dice_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    log_loss,
    margin_ranking_loss,
    multi_label_soft_margin_loss,
    multi_margin_loss,
    npair_loss,
    poisson_nll_loss,
    sigmoid_focal_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from oarlock.nn.functional.norm import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
)
from oarlock.nn.functional.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from oarlock.nn.functional.sequence import (
    ctc_loss,
    gather_tree,
    hsigmoid_loss,
    scaled_dot_product_attention,
    sequence_mask,
)
from oarlock.nn.functional.vision import (
    affine_grid,
    channel_shuffle,
    fold,
    grid_sample,
    interpolate,
    pixel_shuffle,
    pixel_unshuffle,
    temporal_shift,
    unfold,
    upsample,
)
from oarlock.tensor.views_diagonals_and_index_updates import diag_embed

__all__ = [
    "activation",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "channel_shuffle",
    "common",
    "conv",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "diag_embed",
    "dice_loss",
    "dropout",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "fold",
    "gather_tree",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "hsigmoid_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "label_smooth",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "local_response_norm",
    "log_loss",
    "log_sigmoid",
    "log_softmax",
    "loss",
    "margin_and_likelihood_losses",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "maxout",
    "mish",
    "mse_loss",
    "multi_label_soft_margin_loss",
    "multi_margin_loss",
    "nll_loss",
    "norm",
    "normalize",
    "npair_loss",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "pooling",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "scaled_dot_product_attention",
    "selu",
    "sequence",
    "sequence_mask",
    "sigmoid",
    "sigmoid_focal_loss",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmax_",
    "softmax_with_cross_entropy",
    "softplus",
    "softshrink",
    "softsign",
    "square_error_cost",
    "swish",
    "sync_norm",
    "tanh",
    "tanh_",
    "tanhshrink",
    "temporal_shift",
    "thresholded_relu",
    "thresholded_relu_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "vision",
    "zeropad2d",
]

def elu_(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Exponential linear unit (Clevert et al. 2016), in place."""

def hardtanh_(x: Tensor, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Tensor:
    """Clip to [min, max], in place."""

def leaky_relu_(x: Tensor, negative_slope: float = 0.01, name: str | None = None) -> Tensor:
    """Leaky ReLU: x where x > 0, otherwise negative_slope * x, in place."""

def log_sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """Logarithm of the sigmoid function, without overflow."""

def mish(x: Tensor, name: str | None = None) -> Tensor:
    """Mish activation (Misra 2019)."""

def relu(x: Tensor, name: str | None = None) -> Tensor:
    """Rectified linear unit."""

def relu6(x: Tensor, name: str | None = None) -> Tensor:
    """Rectified linear unit, limited to 6."""

def relu_(x: Tensor, name: str | None = None) -> Tensor:
    """Rectified linear unit, in place."""

def sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """Sigmoid (logistic) function."""

def silu(x: Tensor, name: str | None = None) -> Tensor:
    """Sigmoid linear unit."""

def softmax_(
    x: Tensor, axis: int = -1, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Normalize exponentials along an axis: exp(x) / sum(exp(x)), in place."""

def softsign(x: Tensor, name: str | None = None) -> Tensor:
    """Softsign activation."""

def swish(x: Tensor, name: str | None = None) -> Tensor:
    """Swish function with beta = 1 (Ramachandran et al. 2017), the same as `silu`."""

def tanh(x: Tensor, name: str | None = None) -> Tensor:
    """Hyperbolic tangent."""

def tanh_(x: Tensor, name: str | None = None) -> Tensor:
    """Hyperbolic tangent, in place."""

def thresholded_relu_(x: Tensor, threshold: float = 1.0, name: str | None = None) -> Tensor:
    """Keep x where x > threshold, otherwise 0, in place."""
