"""MobileNetV2 (Sandler et al. 2018)."""

from __future__ import annotations

from typing import Any, Unpack

from ... import nn
from ...core.tensor import Tensor
from ..ops import ConvNormActivation
from ..type_aliases import ClassifierOptions
from .blocks import load_weights_if_pretrained, make_divisible

__all__ = ["MobileNetV2", "mobilenet_v2"]

URLS = {
    "mobilenetv2_1.0": (
        "https://paddle-hapi.bj.bcebos.com/models/mobilenet_v2_x1.0.pdparams",
        "0340af0a901346c8d46f4529882fb63d",
    )
}

# Rows (table 2 of the paper): expansion factor, output channels, number of blocks, and stride of
# the first block of a stage.
_STAGES = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


class InvertedResidual(nn.Layer):
    """Inverted residual: 1x1 expansion, depthwise 3x3, 1x1 projection, and a shortcut if shapes
    allow.

    x [N, inp, H, W] -> [N, oup, H / stride, W / stride]
    """

    def __init__(
        self, inp: int, oup: int, stride: int, expand_ratio: float, norm_layer: Any = nn.BatchNorm2D
    ) -> None:
        super().__init__()
        self.stride = stride
        self.use_res_connect = stride == 1 and inp == oup
        width = round(inp * expand_ratio)
        layers: list[nn.Layer] = []
        if expand_ratio != 1:
            layers.append(
                ConvNormActivation(inp, width, 1, norm_layer=norm_layer, activation_layer=nn.ReLU6)
            )
        layers += [
            ConvNormActivation(
                width,
                width,
                3,
                stride,
                groups=width,
                norm_layer=norm_layer,
                activation_layer=nn.ReLU6,
            ),
            nn.Conv2D(width, oup, 1, bias_attr=False),
            norm_layer(oup),
        ]
        self.conv = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Layer):
    """MobileNetV2: inverted residuals with linear bottlenecks (Sandler et al. 2018).

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
        [N, C, H / 32, W / 32], where C is 1280 * max(1, scale)

    Examples
    --------
    >>> net = paddle.vision.models.MobileNetV2(scale=0.25, num_classes=10)
    >>> net(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        channels = make_divisible(32 * scale)
        last = make_divisible(1280 * max(1.0, scale))
        layers: list[nn.Layer] = [ConvNormActivation(3, channels, 3, 2, activation_layer=nn.ReLU6)]
        for ratio, width, blocks, stride in _STAGES:
            out = make_divisible(width * scale)
            for i in range(blocks):
                layers.append(InvertedResidual(channels, out, 1 if i else stride, ratio))
                channels = out
        layers.append(ConvNormActivation(channels, last, 1, activation_layer=nn.ReLU6))
        self.features = nn.Sequential(*layers)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, num_classes))

    def forward(self, x: Tensor) -> Tensor:
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.classifier(x.flatten(1)) if self.num_classes > 0 else x


def mobilenet_v2(
    pretrained: bool = False, scale: float = 1.0, **kwargs: Unpack[ClassifierOptions]
) -> MobileNetV2:
    """MobileNetV2 for ImageNet (Sandler et al. 2018).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    scale : float, default 1.0
        Factor of the numbers of channels; weights are published for 1.0.
    **kwargs
        Arguments of `MobileNetV2`: `num_classes`, `with_pool`.

    Returns
    -------
    MobileNetV2

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
    >>> paddle.vision.models.mobilenet_v2(scale=0.5, num_classes=10).classifier[1].weight.shape
    [1280, 10]
    """
    return load_weights_if_pretrained(
        MobileNetV2(scale, **kwargs), f"mobilenetv2_{scale}", pretrained, URLS
    )
