"""The public names of this package, for type checkers."""

# Written by `python -m tests.tools.type_stubs`.

from collections.abc import Callable, Sequence
from typing import Any

from oarlock.core.tensor import Tensor
from oarlock.core.type_aliases import Array, Shape, Size
from oarlock.nn import (
    activation,
    clip,
    common,
    container,
    conv,
    conv_filters,
    create_parameter,
    decode,
    function_layer,
    functional,
    initializer,
    internals,
    layer,
    layer_with_argument_attributes,
    loss,
    norm,
    param_attr,
    pooling,
    quant,
    rnn,
    state_dict,
    transformer,
    type_aliases,
    utils,
    vision,
)
from oarlock.nn.activation import PReLU, RReLU, Softmax2D
from oarlock.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from oarlock.nn.common import Dropout, Embedding, Flatten, Identity, Linear
from oarlock.nn.container import LayerDict, LayerList, ParameterList, Sequential
from oarlock.nn.conv import (
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
)
from oarlock.nn.decode import BeamSearchDecoder, dynamic_decode
from oarlock.nn.function_layer import FunctionLayer
from oarlock.nn.internals import in_declarative_mode
from oarlock.nn.layer import Layer
from oarlock.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    CTCLoss,
    HSigmoidLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from oarlock.nn.norm import (
    BatchNorm,
    BatchNorm1D,
    BatchNorm2D,
    BatchNorm3D,
    GroupNorm,
    InstanceNorm1D,
    InstanceNorm2D,
    InstanceNorm3D,
    LayerNorm,
    SpectralNorm,
    SyncBatchNorm,
)
from oarlock.nn.param_attr import ParamAttr
from oarlock.nn.pooling import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveAvgPool3D,
    AdaptiveMaxPool1D,
    AdaptiveMaxPool2D,
    AdaptiveMaxPool3D,
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
    MaxUnPool1D,
    MaxUnPool2D,
    MaxUnPool3D,
)
from oarlock.nn.rnn import (
    GRU,
    LSTM,
    RNN,
    BiRNN,
    GRUCell,
    LSTMCell,
    RNNCellBase,
    SimpleRNN,
    SimpleRNNCell,
)
from oarlock.nn.transformer import (
    MultiHeadAttention,
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from oarlock.nn.type_aliases import Ints
from oarlock.nn.vision import (
    Bilinear,
    PairwiseDistance,
    Unflatten,
    _PadLayer,
    _ResizeLayer,
    _UpsampleBilinear,
    _UpsampleNearest,
)

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "AlphaDropout",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "BeamSearchDecoder",
    "BiRNN",
    "Bilinear",
    "CTCLoss",
    "ChannelShuffle",
    "ClipGradByGlobalNorm",
    "ClipGradByNorm",
    "ClipGradByValue",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "Embedding",
    "Flatten",
    "Fold",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "HSigmoidLoss",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "Identity",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "Layer",
    "LayerDict",
    "LayerList",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxUnPool1D",
    "MaxUnPool2D",
    "MaxUnPool3D",
    "Maxout",
    "Mish",
    "MultiHeadAttention",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "PReLU",
    "Pad1D",
    "Pad2D",
    "Pad3D",
    "PairwiseDistance",
    "ParamAttr",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RNNCellBase",
    "RReLU",
    "ReLU",
    "ReLU6",
    "Sequential",
    "Sigmoid",
    "Silu",
    "SimpleRNN",
    "SimpleRNNCell",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2D",
    "Softplus",
    "Softshrink",
    "Softsign",
    "SpectralNorm",
    "Swish",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "ThresholdedReLU",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2D",
    "UpsamplingNearest2D",
    "ZeroPad2D",
    "activation",
    "clip",
    "common",
    "container",
    "conv",
    "conv_filters",
    "create_parameter",
    "decode",
    "dynamic_decode",
    "function_layer",
    "functional",
    "in_declarative_mode",
    "initializer",
    "internals",
    "layer",
    "layer_with_argument_attributes",
    "loss",
    "norm",
    "param_attr",
    "pooling",
    "quant",
    "rnn",
    "state_dict",
    "transformer",
    "type_aliases",
    "utils",
    "vision",
]

class AlphaDropout(FunctionLayer):
    """Dropout for SELU, which keeps mean 0 and variance 1 (Klambauer et al. 2017)."""
    def __init__(self, p: float = 0.5, name: str | None = None) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class CELU(FunctionLayer):
    """Continuous ELU: x where x > 0, otherwise alpha * (exp(x / alpha) - 1) (Barron 2017)."""
    def __init__(self, alpha: float = 1.0, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class ChannelShuffle(FunctionLayer):
    """Interleave the channels of all groups (Zhang et al. 2017)."""
    def __init__(self, groups: int, data_format: str = "NCHW", name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class CosineEmbeddingLoss(FunctionLayer):
    """Cosine embedding loss of pairs of vectors."""
    def __init__(
        self, margin: float = 0, reduction: str = "mean", name: str | None = None
    ) -> None: ...
    def forward(self, input1: Tensor, input2: Tensor, label: Tensor) -> Tensor: ...

class CosineSimilarity(FunctionLayer):
    """Cosine of the angle between vectors along an axis."""
    def __init__(self, axis: int = 1, eps: float = 1e-08) -> None: ...
    def forward(self, x1: Tensor, x2: Tensor) -> Tensor: ...

class Dropout2D(FunctionLayer):
    """In training, set each channel of each image to 0 with probability `p`."""
    def __init__(
        self, p: float = 0.5, data_format: str = "NCHW", name: str | None = None
    ) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class Dropout3D(FunctionLayer):
    """In training, set each channel of each volume to 0 with probability `p`."""
    def __init__(
        self, p: float = 0.5, data_format: str = "NCDHW", name: str | None = None
    ) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class ELU(FunctionLayer):
    """Exponential linear unit (Clevert et al. 2016)."""
    def __init__(self, alpha: float = 1.0, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Fold(FunctionLayer):
    """Sum columns into sliding windows of images (col2im): the adjoint of `Unfold`."""
    def __init__(
        self,
        output_sizes: Ints,
        kernel_sizes: Ints,
        dilations: Ints = 1,
        paddings: Ints = 0,
        strides: Ints = 1,
        name: str | None = None,
    ) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class GELU(FunctionLayer):
    """Gaussian error linear unit: x * Phi(x) (Hendrycks and Gimpel 2016)."""
    def __init__(self, approximate: bool = False, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class GLU(FunctionLayer):
    """Gated linear unit: a * sigmoid(b) for the halves a, b of the input (Dauphin et al.
    2017).
    """
    def __init__(self, axis: int = -1, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class GaussianNLLLoss(FunctionLayer):
    """Negative log-likelihood of normal distributions."""
    def __init__(
        self,
        full: bool = False,
        epsilon: float = 1e-06,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None: ...
    def forward(self, input: Tensor, label: Tensor, variance: Tensor) -> Tensor: ...

class Hardshrink(FunctionLayer):
    """Hard shrinkage: x where abs(x) > threshold, otherwise 0."""
    def __init__(self, threshold: float = 0.5, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Hardsigmoid(FunctionLayer):
    """Piecewise linear sigmoid: x / 6 + 0.5, clipped to [0, 1]."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Hardswish(FunctionLayer):
    """Piecewise swish: x * min(max(x + 3, 0), 6) / 6 (Howard et al. 2019)."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Hardtanh(FunctionLayer):
    """Clip to [min, max]."""
    def __init__(self, min: float = -1.0, max: float = 1.0, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class HingeEmbeddingLoss(FunctionLayer):
    """Embedding loss: input where label is 1, max(0, margin - input) where label is -1."""
    def __init__(
        self, margin: float = 1.0, reduction: str = "mean", name: str | None = None
    ) -> None: ...
    def forward(self, input: Tensor, label: Tensor) -> Tensor: ...

class LeakyReLU(FunctionLayer):
    """Leaky ReLU: x where x > 0, otherwise negative_slope * x."""
    def __init__(self, negative_slope: float = 0.01, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class LocalResponseNorm(FunctionLayer):
    """Divide by a power of the mean square of neighboring channels (Krizhevsky 2012)."""
    def __init__(
        self,
        size: int,
        alpha: float = 0.0001,
        beta: float = 0.75,
        k: float = 1.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class LogSigmoid(FunctionLayer):
    """Logarithm of the sigmoid: log(1 / (1 + exp(-x)))."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class LogSoftmax(FunctionLayer):
    """Logarithm of the softmax along an axis: x - log(sum(exp(x)))."""
    def __init__(self, axis: int = -1, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class MarginRankingLoss(FunctionLayer):
    """Ranking loss of pairs: max(0, -label * (input - other) + margin)."""
    def __init__(
        self, margin: float = 0.0, reduction: str = "mean", name: str | None = None
    ) -> None: ...
    def forward(self, input: Tensor, other: Tensor, label: Tensor) -> Tensor: ...

class Maxout(FunctionLayer):
    """Maximum over groups of consecutive channels (Goodfellow et al. 2013)."""
    def __init__(self, groups: int, axis: int = 1, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Mish(FunctionLayer):
    """Mish: x * tanh(log(1 + exp(x))) (Misra 2019)."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class MultiLabelSoftMarginLoss(FunctionLayer):
    """Mean of the binary cross entropies of the classes."""
    def __init__(
        self, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None
    ) -> None: ...
    def forward(self, input: Tensor, label: Tensor) -> Tensor: ...

class MultiMarginLoss(FunctionLayer):
    """Hinge loss of classes (Crammer and Singer 2001)."""
    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None: ...
    def forward(self, input: Tensor, label: Tensor) -> Tensor: ...

class Pad1D(_PadLayer):
    """Pad the last axis of a batch of sequences on all sides."""
    def __init__(
        self,
        padding: int | Sequence[Size] | Tensor | Array,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCL",
        name: str | None = None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Pad2D(_PadLayer):
    """Pad a batch of images on all sides."""
    def __init__(
        self,
        padding: int | Sequence[Size] | Tensor | Array,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Pad3D(_PadLayer):
    """Pad a batch of volumes on all sides."""
    def __init__(
        self,
        padding: int | Sequence[Size] | Tensor | Array,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class PixelShuffle(FunctionLayer):
    """Rearrange groups of r * r channels into blocks of r x r pixels (Shi et al. 2016)."""
    def __init__(
        self, upscale_factor: int, data_format: str = "NCHW", name: str | None = None
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class PixelUnshuffle(FunctionLayer):
    """Rearrange blocks of r x r pixels into r * r channels: the inverse of `PixelShuffle`."""
    def __init__(
        self, downscale_factor: int, data_format: str = "NCHW", name: str | None = None
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class PoissonNLLLoss(FunctionLayer):
    """Negative log-likelihood of Poisson distributions."""
    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        epsilon: float = 1e-08,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None: ...
    def forward(self, input: Tensor, label: Tensor) -> Tensor: ...

class ReLU(FunctionLayer):
    """Rectified linear unit: max(x, 0)."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class ReLU6(FunctionLayer):
    """Clip to [0, 6]: min(max(x, 0), 6)."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class SELU(FunctionLayer):
    """Scaled exponential linear unit (Klambauer et al. 2017)."""
    def __init__(
        self,
        scale: float = 1.0507009873554805,
        alpha: float = 1.6732632423543772,
        name: str | None = None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Sigmoid(FunctionLayer):
    """Logistic sigmoid: 1 / (1 + exp(-x))."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Silu(FunctionLayer):
    """Sigmoid linear unit: x * sigmoid(x)."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class SoftMarginLoss(FunctionLayer):
    """Logistic loss: log(1 + exp(-label * input))."""
    def __init__(self, reduction: str = "mean", name: str | None = None) -> None: ...
    def forward(self, input: Tensor, label: Tensor) -> Tensor: ...

class Softmax(FunctionLayer):
    """Normalize exponentials along an axis: exp(x) / sum(exp(x))."""
    def __init__(self, axis: int = -1, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Softplus(FunctionLayer):
    """Smooth ReLU: log(1 + exp(beta * x)) / beta, or x where beta * x > threshold."""
    def __init__(self, beta: float = 1, threshold: float = 20, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Softshrink(FunctionLayer):
    """Soft shrinkage: x - sign(x) * threshold where abs(x) > threshold, otherwise 0."""
    def __init__(self, threshold: float = 0.5, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Softsign(FunctionLayer):
    """Softsign: x / (1 + abs(x))."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Swish(FunctionLayer):
    """Swish: x * sigmoid(x) (Ramachandran et al. 2017)."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Tanh(FunctionLayer):
    """Hyperbolic tangent."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Tanhshrink(FunctionLayer):
    """Compute x - tanh(x)."""
    def __init__(self, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class ThresholdedReLU(FunctionLayer):
    """Keep x where x > threshold, otherwise 0."""
    def __init__(self, threshold: float = 1.0, name: str | None = None) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class TripletMarginLoss(FunctionLayer):
    """Triplet loss (Schroff et al. 2015)."""
    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        epsilon: float = 1e-06,
        swap: bool = False,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None: ...
    def forward(self, input: Tensor, positive: Tensor, negative: Tensor) -> Tensor: ...

class TripletMarginWithDistanceLoss(FunctionLayer):
    """Triplet loss with a given distance d (Schroff et al. 2015)."""
    def __init__(
        self,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None: ...
    def forward(self, input: Tensor, positive: Tensor, negative: Tensor) -> Tensor: ...

class Unfold(FunctionLayer):
    """Extract sliding windows of images as columns (im2col)."""
    def __init__(
        self,
        kernel_sizes: Ints,
        dilations: Ints = 1,
        paddings: Ints = 0,
        strides: Ints = 1,
        name: str | None = None,
    ) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class Upsample(_ResizeLayer):
    """Resize a batch of sequences, images or volumes by interpolation."""
    def __init__(
        self,
        size: Shape | None = None,
        scale_factor: float | Sequence[float] | Tensor | None = None,
        mode: str = "nearest",
        align_corners: bool = False,
        align_mode: int = 0,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class UpsamplingBilinear2D(_UpsampleBilinear):
    """Resize a batch of images by bilinear interpolation with aligned corners."""
    def __init__(
        self,
        size: Shape | None = None,
        scale_factor: float | Sequence[float] | Tensor | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class UpsamplingNearest2D(_UpsampleNearest):
    """Resize a batch of images by nearest-neighbor interpolation."""
    def __init__(
        self,
        size: Shape | None = None,
        scale_factor: float | Sequence[float] | Tensor | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...

class ZeroPad2D(_PadLayer):
    """Pad a batch of images with zeros."""
    def __init__(
        self,
        padding: int | Sequence[Size] | Tensor | Array,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None: ...
    def forward(self, x: Tensor) -> Tensor: ...
