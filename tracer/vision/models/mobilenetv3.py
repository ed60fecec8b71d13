"""MobileNetV3 (Howard et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Unpack

from ... import nn
from ...core.tensor import Tensor
from ..ops import ConvNormActivation
from ..type_aliases import ClassifierOptions
from .blocks import load_weights_if_pretrained, make_divisible

__all__ = ["MobileNetV3Large", "MobileNetV3Small", "mobilenet_v3_large", "mobilenet_v3_small"]

URLS = {
    "mobilenet_v3_small_x1.0": (
        "https://paddle-hapi.bj.bcebos.com/models/mobilenet_v3_small_x1.0.pdparams",
        "34fe0e7c1f8b00b2b056ad6788d0590c",
    ),
    "mobilenet_v3_large_x1.0": (
        "https://paddle-hapi.bj.bcebos.com/models/mobilenet_v3_large_x1.0.pdparams",
        "118db5792b4e183b925d8e8e334db3df",
    ),
}

# Rows (tables 1 and 2 of the paper): input channels, kernel size, expanded channels, output
# channels, whether squeeze-and-excitation is used, activation and stride of a block.
_LARGE = [
    (16, 3, 16, 16, False, "relu", 1),
    (16, 3, 64, 24, False, "relu", 2),
    (24, 3, 72, 24, False, "relu", 1),
    (24, 5, 72, 40, True, "relu", 2),
    (40, 5, 120, 40, True, "relu", 1),
    (40, 5, 120, 40, True, "relu", 1),
    (40, 3, 240, 80, False, "hardswish", 2),
    (80, 3, 200, 80, False, "hardswish", 1),
    (80, 3, 184, 80, False, "hardswish", 1),
    (80, 3, 184, 80, False, "hardswish", 1),
    (80, 3, 480, 112, True, "hardswish", 1),
    (112, 3, 672, 112, True, "hardswish", 1),
    (112, 5, 672, 160, True, "hardswish", 2),
    (160, 5, 960, 160, True, "hardswish", 1),
    (160, 5, 960, 160, True, "hardswish", 1),
]
_SMALL = [
    (16, 3, 16, 16, True, "relu", 2),
    (16, 3, 72, 24, False, "relu", 2),
    (24, 3, 88, 24, False, "relu", 1),
    (24, 5, 96, 40, True, "hardswish", 2),
    (40, 5, 240, 40, True, "hardswish", 1),
    (40, 5, 240, 40, True, "hardswish", 1),
    (40, 5, 120, 48, True, "hardswish", 1),
    (48, 5, 144, 48, True, "hardswish", 1),
    (48, 5, 288, 96, True, "hardswish", 2),
    (96, 5, 576, 96, True, "hardswish", 1),
    (96, 5, 576, 96, True, "hardswish", 1),
]


class SqueezeExcitation(nn.Layer):
    """Squeeze-and-excitation: scale channels by a function of their means (Hu et al. 2017).

    x [N, C, H, W] -> like x
    """

    def __init__(
        self,
        input_channels: int,
        squeeze_channels: int,
        activation: Any = nn.ReLU,
        scale_activation: Any = nn.Sigmoid,
    ) -> None:
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2D(1)
        self.fc1 = nn.Conv2D(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2D(squeeze_channels, input_channels, 1)
        self.activation = activation()
        self.scale_activation = scale_activation()

    def forward(self, input: Tensor) -> Tensor:
        scale = self.fc2(self.activation(self.fc1(self.avgpool(input))))
        return self.scale_activation(scale) * input


class InvertedResidualConfig:
    """The arguments of one InvertedResidual block, with numbers of channels multiplied by `scale`.

    activation: 'relu', 'hardswish' or None
    """

    def __init__(
        self,
        in_channels: int,
        kernel: int,
        expanded_channels: int,
        out_channels: int,
        use_se: bool,
        activation: str | None,
        stride: int,
        scale: float = 1.0,
    ) -> None:
        self.in_channels = make_divisible(in_channels * scale)
        self.kernel = kernel
        self.expanded_channels = make_divisible(expanded_channels * scale)
        self.out_channels = make_divisible(out_channels * scale)
        self.use_se = use_se
        self.activation_layer = {None: None, "relu": nn.ReLU, "hardswish": nn.Hardswish}[activation]
        self.stride = stride


class InvertedResidual(nn.Layer):
    """Inverted residual: 1x1 expansion, depthwise convolution, squeeze-and-excitation, 1x1
    projection, and a shortcut if shapes allow.

    x [N, C, H, W] -> [N, M, H / stride, W / stride]
    """

    def __init__(
        self,
        in_channels: int,
        expanded_channels: int,
        out_channels: int,
        filter_size: int,
        stride: int,
        use_se: bool,
        activation_layer: Any,
        norm_layer: Any,
    ) -> None:
        super().__init__()
        conv = partial(ConvNormActivation, norm_layer=norm_layer, activation_layer=activation_layer)
        width = expanded_channels
        self.use_res_connect = stride == 1 and in_channels == out_channels
        self.use_se = use_se
        self.expand = in_channels != width
        if self.expand:
            self.expand_conv = conv(in_channels, width, 1)
        self.bottleneck_conv = conv(width, width, filter_size, stride, groups=width)
        if use_se:
            self.mid_se = SqueezeExcitation(
                width, make_divisible(width // 4), scale_activation=nn.Hardsigmoid
            )
        self.linear_conv = conv(width, out_channels, 1, activation_layer=None)

    def forward(self, x: Tensor) -> Tensor:
        y = self.bottleneck_conv(self.expand_conv(x) if self.expand else x)
        y = self.linear_conv(self.mid_se(y) if self.use_se else y)
        return x + y if self.use_res_connect else y


class MobileNetV3(nn.Layer):
    """MobileNetV3: inverted residuals as `config` specifies.

    x [N, 3, H, W] -> [N, num_classes], or the output of the pool or blocks without classifier or
    pool
    """

    def __init__(
        self,
        config: Sequence[InvertedResidualConfig],
        last_channel: int,
        scale: float = 1.0,
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        norm = partial(nn.BatchNorm2D, epsilon=0.001, momentum=0.99)
        conv = partial(ConvNormActivation, norm_layer=norm, activation_layer=nn.Hardswish)
        self.conv = conv(3, config[0].in_channels, 3, 2, 1)
        self.blocks = nn.Sequential(
            *(
                InvertedResidual(
                    c.in_channels,
                    c.expanded_channels,
                    c.out_channels,
                    c.kernel,
                    c.stride,
                    c.use_se,
                    c.activation_layer,
                    norm,
                )
                for c in config
            )
        )
        width = config[-1].out_channels * 6
        self.lastconv = conv(config[-1].out_channels, width, 1, 1, 0)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(
                nn.Linear(width, last_channel),
                nn.Hardswish(),
                nn.Dropout(0.2),
                nn.Linear(last_channel, num_classes),
            )

    def forward(self, x: Tensor) -> Tensor:
        x = self.lastconv(self.blocks(self.conv(x)))
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(x.flatten(1)) if self.num_classes > 0 else x


class MobileNetV3Small(MobileNetV3):
    """MobileNetV3 Small: inverted residuals with squeeze-and-excitation (Howard et al. 2019).

    Parameters
    ----------
    scale : float, default 1.0
        Factor of the numbers of channels, which are rounded to multiples of 8.
    num_classes : int, default 1000
        0 or less: leave out the classifier.
    with_pool : bool, default True
        False: leave out the global average pool; use it with ``num_classes=0``.

    Shape
    -----
    x : [N, 3, H, W], float32 | float64
    returns : [N, num_classes]; without classifier [N, C, 1, 1]; without pool
        [N, C, H / 32, W / 32], where C is 576 for scale 1

    Examples
    --------
    >>> net = paddle.vision.models.MobileNetV3Small(scale=0.25, num_classes=10)
    >>> net(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        config = [InvertedResidualConfig(*row, scale) for row in _SMALL]
        super().__init__(config, make_divisible(1024 * scale), scale, num_classes, with_pool)


class MobileNetV3Large(MobileNetV3):
    """MobileNetV3 Large: inverted residuals with squeeze-and-excitation (Howard et al. 2019).

    Parameters
    ----------
    scale : float, default 1.0
        Factor of the numbers of channels, which are rounded to multiples of 8.
    num_classes : int, default 1000
        0 or less: leave out the classifier.
    with_pool : bool, default True
        False: leave out the global average pool; use it with ``num_classes=0``.

    Shape
    -----
    x : [N, 3, H, W], float32 | float64
    returns : [N, num_classes]; without classifier [N, C, 1, 1]; without pool
        [N, C, H / 32, W / 32], where C is 960 for scale 1

    Examples
    --------
    >>> net = paddle.vision.models.MobileNetV3Large(scale=0.25, num_classes=10)
    >>> net(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        config = [InvertedResidualConfig(*row, scale) for row in _LARGE]
        super().__init__(config, make_divisible(1280 * scale), scale, num_classes, with_pool)


def mobilenet_v3_small(
    pretrained: bool = False, scale: float = 1.0, **kwargs: Unpack[ClassifierOptions]
) -> MobileNetV3Small:
    """MobileNetV3 Small for ImageNet (Howard et al. 2019).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    scale : float, default 1.0
        Factor of the numbers of channels; weights are published for 1.0.
    **kwargs
        Arguments of `MobileNetV3Small`: `num_classes`, `with_pool`.

    Returns
    -------
    MobileNetV3Small

    Raises
    ------
    OpError
        If `pretrained` is set and no weights are published for this model.
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> paddle.vision.models.mobilenet_v3_small(num_classes=10).classifier[-1].weight.shape
    [1024, 10]
    """
    return load_weights_if_pretrained(
        MobileNetV3Small(scale, **kwargs), f"mobilenet_v3_small_x{scale}", pretrained, URLS
    )


def mobilenet_v3_large(
    pretrained: bool = False, scale: float = 1.0, **kwargs: Unpack[ClassifierOptions]
) -> MobileNetV3Large:
    """MobileNetV3 Large for ImageNet (Howard et al. 2019).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    scale : float, default 1.0
        Factor of the numbers of channels; weights are published for 1.0.
    **kwargs
        Arguments of `MobileNetV3Large`: `num_classes`, `with_pool`.

    Returns
    -------
    MobileNetV3Large

    Raises
    ------
    OpError
        If `pretrained` is set and no weights are published for this model.
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> paddle.vision.models.mobilenet_v3_large(num_classes=10).classifier[-1].weight.shape
    [1280, 10]
    """
    return load_weights_if_pretrained(
        MobileNetV3Large(scale, **kwargs), f"mobilenet_v3_large_x{scale}", pretrained, URLS
    )
