"""MobileNet (Howard et al. 2017)."""

from __future__ import annotations

from typing import Unpack

from ... import nn
from ...core.tensor import Tensor
from ..ops import ConvNormActivation
from ..type_aliases import ClassifierOptions
from .blocks import load_weights_if_pretrained

__all__ = ["MobileNetV1", "mobilenet_v1"]

URLS = {
    "mobilenetv1_1.0": (
        "https://paddle-hapi.bj.bcebos.com/models/mobilenetv1_1.0.pdparams",
        "3033ab1975b1670bef51545feb65fc45",
    )
}

# Rows: name, input channels, output channels and stride of a block.
_BLOCKS = [
    ("conv2_1", 32, 64, 1),
    ("conv2_2", 64, 128, 2),
    ("conv3_1", 128, 128, 1),
    ("conv3_2", 128, 256, 2),
    ("conv4_1", 256, 256, 1),
    ("conv4_2", 256, 512, 2),
    *((f"conv5_{i}", 512, 512, 1) for i in range(1, 6)),
    ("conv5_6", 512, 1024, 2),
    ("conv6", 1024, 1024, 1),
]


class DepthwiseSeparable(nn.Layer):
    """Depthwise 3x3 convolution and 1x1 convolution.

    x [N, C, H, W] -> [N, M, H / stride, W / stride]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels1: int,
        out_channels2: int,
        num_groups: int,
        stride: int,
        scale: float,
    ) -> None:
        super().__init__()
        width = int(out_channels1 * scale)
        self._depthwise_conv = ConvNormActivation(
            in_channels, width, 3, stride, 1, int(num_groups * scale)
        )
        self._pointwise_conv = ConvNormActivation(width, int(out_channels2 * scale), 1, 1, 0)

    def forward(self, x: Tensor) -> Tensor:
        return self._pointwise_conv(self._depthwise_conv(x))


class MobileNetV1(nn.Layer):
    """MobileNet: depthwise separable convolutions (Howard et al. 2017).

    Parameters
    ----------
    scale : float, default 1.0
        Factor of the numbers of channels.
    num_classes : int, default 1000
        0 or less: leave out the classifier.
    with_pool : bool, default True
        False: leave out the global average pool; use it with ``num_classes=0``.

    Shape
    -----
    x : [N, 3, H, W], float32 | float64
    returns : [N, num_classes]; without classifier [N, C, 1, 1]; without pool
        [N, C, H / 32, W / 32], where C is 1024 * scale

    Examples
    --------
    >>> net = paddle.vision.models.MobileNetV1(scale=0.25, num_classes=10)
    >>> net(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        self.conv1 = ConvNormActivation(3, int(32 * scale), 3, 2, 1)
        self.dwsl = [
            self.add_sublayer(name, DepthwiseSeparable(int(c * scale), c, out, c, stride, scale))
            for name, c, out, stride in _BLOCKS
        ]
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = nn.Linear(int(1024 * scale), num_classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv1(x)
        for block in self.dwsl:
            x = block(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.fc(x.flatten(1)) if self.num_classes > 0 else x


def mobilenet_v1(
    pretrained: bool = False, scale: float = 1.0, **kwargs: Unpack[ClassifierOptions]
) -> MobileNetV1:
    """MobileNet for ImageNet (Howard et al. 2017).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    scale : float, default 1.0
        Factor of the numbers of channels; weights are published for 1.0.
    **kwargs
        Arguments of `MobileNetV1`: `num_classes`, `with_pool`.

    Returns
    -------
    MobileNetV1

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
    >>> paddle.vision.models.mobilenet_v1(scale=0.5, num_classes=10).fc.weight.shape
    [512, 10]
    """
    return load_weights_if_pretrained(
        MobileNetV1(scale, **kwargs), f"mobilenetv1_{scale}", pretrained, URLS
    )
