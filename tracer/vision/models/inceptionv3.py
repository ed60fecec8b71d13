"""Inception v3 (Szegedy et al. 2015)."""

from __future__ import annotations

import math
from typing import Any, Unpack

from ... import nn
from ...core.tensor import Tensor
from ...tensor.manipulation import concat
from ..ops import ConvNormActivation
from ..type_aliases import ClassifierOptions
from .blocks import load_weights_if_pretrained

__all__ = ["InceptionV3", "inception_v3"]

URLS = {
    "inception_v3": (
        "https://paddle-hapi.bj.bcebos.com/models/inception_v3.pdparams",
        "649a4547c3243e8b59c656f41fe330b8",
    )
}

_WIDE, _HIGH = (
    ((1, 7), (0, 3)),
    ((7, 1), (3, 0)),
)  # kernel and padding of the two factors of a 7x7 convolution


def _create_conv_norm_activation(
    channels: int, out: int, size: Any = 1, padding: Any = 0, stride: int = 1
) -> ConvNormActivation:
    """Create a convolution with normalization and activation."""
    return ConvNormActivation(channels, out, size, stride, padding)


class InceptionStem(nn.Layer):
    """Five convolutions and two max pools.

    x [N, 3, H, W] -> [N, 192, H', W'], about an eighth of the size
    """

    def __init__(self) -> None:
        super().__init__()
        self.conv_1a_3x3 = _create_conv_norm_activation(3, 32, 3, stride=2)
        self.conv_2a_3x3 = _create_conv_norm_activation(32, 32, 3)
        self.conv_2b_3x3 = _create_conv_norm_activation(32, 64, 3, 1)
        self.max_pool = nn.MaxPool2D(3, 2, 0)
        self.conv_3b_1x1 = _create_conv_norm_activation(64, 80)
        self.conv_4a_3x3 = _create_conv_norm_activation(80, 192, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.max_pool(self.conv_2b_3x3(self.conv_2a_3x3(self.conv_1a_3x3(x))))
        return self.max_pool(self.conv_4a_3x3(self.conv_3b_1x1(x)))


class InceptionA(nn.Layer):
    """Concatenated branches: 1x1, 5x5, two 3x3, pool.

    x [N, C, H, W] -> [N, 224 + pool_features, H, W]
    """

    def __init__(self, num_channels: int, pool_features: int) -> None:
        super().__init__()
        self.branch1x1 = _create_conv_norm_activation(num_channels, 64)
        self.branch5x5_1 = _create_conv_norm_activation(num_channels, 48)
        self.branch5x5_2 = _create_conv_norm_activation(48, 64, 5, 2)
        self.branch3x3dbl_1 = _create_conv_norm_activation(num_channels, 64)
        self.branch3x3dbl_2 = _create_conv_norm_activation(64, 96, 3, 1)
        self.branch3x3dbl_3 = _create_conv_norm_activation(96, 96, 3, 1)
        self.branch_pool = nn.AvgPool2D(3, 1, 1, exclusive=False)
        self.branch_pool_conv = _create_conv_norm_activation(num_channels, pool_features)

    def forward(self, x: Tensor) -> Tensor:
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        pooled = self.branch_pool_conv(self.branch_pool(x))
        return concat([self.branch1x1(x), self.branch5x5_2(self.branch5x5_1(x)), double, pooled], 1)


class InceptionB(nn.Layer):
    """Concatenated branches with stride 2: 3x3, two 3x3, pool.

    x [N, C, H, W] -> [N, C + 480, H', W']
    """

    def __init__(self, num_channels: int) -> None:
        super().__init__()
        self.branch3x3 = _create_conv_norm_activation(num_channels, 384, 3, stride=2)
        self.branch3x3dbl_1 = _create_conv_norm_activation(num_channels, 64)
        self.branch3x3dbl_2 = _create_conv_norm_activation(64, 96, 3, 1)
        self.branch3x3dbl_3 = _create_conv_norm_activation(96, 96, 3, stride=2)
        self.branch_pool = nn.MaxPool2D(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return concat([self.branch3x3(x), double, self.branch_pool(x)], 1)


class InceptionC(nn.Layer):
    """Concatenated branches: 1x1, 7x7, two 7x7, pool; each 7x7 is factored into 1x7 and 7x1.

    x [N, C, H, W] -> [N, 768, H, W]
    """

    def __init__(self, num_channels: int, channels_7x7: int) -> None:
        super().__init__()
        c = channels_7x7
        self.branch1x1 = _create_conv_norm_activation(num_channels, 192)
        self.branch7x7_1 = _create_conv_norm_activation(num_channels, c)
        self.branch7x7_2 = _create_conv_norm_activation(c, c, *_WIDE)
        self.branch7x7_3 = _create_conv_norm_activation(c, 192, *_HIGH)
        self.branch7x7dbl_1 = _create_conv_norm_activation(num_channels, c)
        self.branch7x7dbl_2 = _create_conv_norm_activation(c, c, *_HIGH)
        self.branch7x7dbl_3 = _create_conv_norm_activation(c, c, *_WIDE)
        self.branch7x7dbl_4 = _create_conv_norm_activation(c, c, *_HIGH)
        self.branch7x7dbl_5 = _create_conv_norm_activation(c, 192, *_WIDE)
        self.branch_pool = nn.AvgPool2D(3, 1, 1, exclusive=False)
        self.branch_pool_conv = _create_conv_norm_activation(num_channels, 192)

    def forward(self, x: Tensor) -> Tensor:
        single = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        double = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        double = self.branch7x7dbl_5(self.branch7x7dbl_4(double))
        return concat(
            [self.branch1x1(x), single, double, self.branch_pool_conv(self.branch_pool(x))], 1
        )


class InceptionD(nn.Layer):
    """Concatenated branches with stride 2: 3x3, 7x7 and 3x3, pool.

    x [N, C, H, W] -> [N, C + 512, H', W']
    """

    def __init__(self, num_channels: int) -> None:
        super().__init__()
        self.branch3x3_1 = _create_conv_norm_activation(num_channels, 192)
        self.branch3x3_2 = _create_conv_norm_activation(192, 320, 3, stride=2)
        self.branch7x7x3_1 = _create_conv_norm_activation(num_channels, 192)
        self.branch7x7x3_2 = _create_conv_norm_activation(192, 192, *_WIDE)
        self.branch7x7x3_3 = _create_conv_norm_activation(192, 192, *_HIGH)
        self.branch7x7x3_4 = _create_conv_norm_activation(192, 192, 3, stride=2)
        self.branch_pool = nn.MaxPool2D(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        large = self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x)))
        return concat(
            [self.branch3x3_2(self.branch3x3_1(x)), self.branch7x7x3_4(large), self.branch_pool(x)],
            1,
        )


class InceptionE(nn.Layer):
    """Concatenated branches: 1x1, 3x3, two 3x3, pool; the last 3x3 is split into 1x3 and 3x1.

    x [N, C, H, W] -> [N, 2048, H, W]
    """

    def __init__(self, num_channels: int) -> None:
        super().__init__()
        self.branch1x1 = _create_conv_norm_activation(num_channels, 320)
        self.branch3x3_1 = _create_conv_norm_activation(num_channels, 384)
        self.branch3x3_2a = _create_conv_norm_activation(384, 384, (1, 3), (0, 1))
        self.branch3x3_2b = _create_conv_norm_activation(384, 384, (3, 1), (1, 0))
        self.branch3x3dbl_1 = _create_conv_norm_activation(num_channels, 448)
        self.branch3x3dbl_2 = _create_conv_norm_activation(448, 384, 3, 1)
        self.branch3x3dbl_3a = _create_conv_norm_activation(384, 384, (1, 3), (0, 1))
        self.branch3x3dbl_3b = _create_conv_norm_activation(384, 384, (3, 1), (1, 0))
        self.branch_pool = nn.AvgPool2D(3, 1, 1, exclusive=False)
        self.branch_pool_conv = _create_conv_norm_activation(num_channels, 192)

    def forward(self, x: Tensor) -> Tensor:
        single = self.branch3x3_1(x)
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        return concat(
            [
                self.branch1x1(x),
                self.branch3x3_2a(single),
                self.branch3x3_2b(single),
                self.branch3x3dbl_3a(double),
                self.branch3x3dbl_3b(double),
                self.branch_pool_conv(self.branch_pool(x)),
            ],
            1,
        )


class InceptionV3(nn.Layer):
    """Inception v3: a stem and eleven inception blocks (Szegedy et al. 2015).

    Parameters
    ----------
    num_classes : int, default 1000
        0 or less: leave out the classifier.
    with_pool : bool, default True
        False: leave out the global average pool; use it with ``num_classes=0``.

    Shape
    -----
    x : [N, 3, H, W] with H, W >= 75, float32 | float64
    returns : [N, num_classes]; without classifier [N, 2048, 1, 1]; without pool [N, 2048, H', W'],
        H' about H / 32 - 1 (299 px: 8)

    Raises
    ------
    OpError
        In a call, if the image is too small.

    Examples
    --------
    >>> net = paddle.vision.models.InceptionV3(num_classes=10)
    >>> net.fc.weight.shape
    [2048, 10]
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inception_stem = InceptionStem()
        self.inception_block_list = nn.LayerList(
            [
                InceptionA(192, 32),
                InceptionA(256, 64),
                InceptionA(288, 64),
                InceptionB(288),
                InceptionC(768, 128),
                InceptionC(768, 160),
                InceptionC(768, 160),
                InceptionC(768, 192),
                InceptionD(768),
                InceptionE(1280),
                InceptionE(2048),
            ]
        )
        if with_pool:
            self.avg_pool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            bound = 1.0 / math.sqrt(2048)
            self.dropout = nn.Dropout(0.2, mode="downscale_in_infer")
            self.fc = nn.Linear(
                2048, num_classes, weight_attr=nn.initializer.Uniform(-bound, bound)
            )

    def forward(self, x: Tensor) -> Tensor:
        x = self.inception_stem(x)
        for block in self.inception_block_list:
            x = block(x)
        if self.with_pool:
            x = self.avg_pool(x)
        return self.fc(self.dropout(x.reshape([-1, 2048]))) if self.num_classes > 0 else x


def inception_v3(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> InceptionV3:
    """Inception v3 for ImageNet (Szegedy et al. 2015).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `InceptionV3`: `num_classes`, `with_pool`.

    Returns
    -------
    InceptionV3

    Raises
    ------
    OarlockError
        If the weights cannot be downloaded.

    Notes
    -----
    Weights of another shape, such as those of the classifier if `num_classes` is not 1000, are
    skipped with a warning.

    Examples
    --------
    >>> paddle.vision.models.inception_v3(num_classes=10).fc.weight.shape
    [2048, 10]
    """
    return load_weights_if_pretrained(InceptionV3(**kwargs), "inception_v3", pretrained, URLS)
