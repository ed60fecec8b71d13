"""GoogLeNet (Szegedy et al. 2014)."""

from __future__ import annotations

import math
from typing import Unpack

from ... import nn
from ...core.tensor import Tensor
from ...nn import functional as F
from ...tensor.manipulation import concat
from ..type_aliases import ClassifierOptions
from .blocks import load_weights_if_pretrained

__all__ = ["GoogLeNet", "googlenet"]

URLS = {
    "googlenet": (
        "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/GoogLeNet_pretrained.pdparams",
        "80c06f038e905c53ab32c40eca6e26ae",
    )
}

# Rows: name, input channels, and the output channels of the convolutions 1x1; 3x3 reduce, 3x3; 5x5
# reduce, 5x5; pool projection (table 1 of the paper).
_INCEPTIONS = [
    ("3a", 192, 64, 96, 128, 16, 32, 32),
    ("3b", 256, 128, 128, 192, 32, 96, 64),
    ("4a", 480, 192, 96, 208, 16, 48, 64),
    ("4b", 512, 160, 112, 224, 24, 64, 64),
    ("4c", 512, 128, 128, 256, 24, 64, 64),
    ("4d", 512, 112, 144, 288, 32, 64, 64),
    ("4e", 528, 256, 160, 320, 32, 128, 128),
    ("5a", 832, 256, 160, 320, 32, 128, 128),
    ("5b", 832, 384, 192, 384, 48, 128, 128),
]


def _create_uniform_linear(channels: int, out: int, fan_in: int) -> nn.Linear:
    """Create a linear layer initialized from Uniform(-sqrt(3 / fan_in), sqrt(3 / fan_in))."""
    bound = math.sqrt(3.0 / fan_in)
    return nn.Linear(channels, out, weight_attr=nn.initializer.Uniform(-bound, bound))


class ConvLayer(nn.Layer):
    """Convolution that preserves the size at stride 1.

    x [N, C, H, W] -> [N, M, H', W']
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: int,
        stride: int = 1,
        groups: int = 1,
    ) -> None:
        super().__init__()
        self._conv = nn.Conv2D(
            num_channels,
            num_filters,
            filter_size,
            stride,
            (filter_size - 1) // 2,
            groups=groups,
            bias_attr=False,
        )

    def forward(self, inputs: Tensor) -> Tensor:
        return self._conv(inputs)


class Inception(nn.Layer):
    """Inception block: concatenated 1x1, 3x3, 5x5 and pooling branches.

    x [N, C, H, W] -> [N, sum of filters, H, W]
    """

    def __init__(
        self,
        input_channels: int,
        output_channels: int,
        filter1: int,
        filter3R: int,
        filter3: int,
        filter5R: int,
        filter5: int,
        proj: int,
    ) -> None:
        super().__init__()
        self._conv1 = ConvLayer(input_channels, filter1, 1)
        self._conv3r = ConvLayer(input_channels, filter3R, 1)
        self._conv3 = ConvLayer(filter3R, filter3, 3)
        self._conv5r = ConvLayer(input_channels, filter5R, 1)
        self._conv5 = ConvLayer(filter5R, filter5, 5)
        self._pool = nn.MaxPool2D(3, 1, 1)
        self._convprj = ConvLayer(input_channels, proj, 1)

    def forward(self, inputs: Tensor) -> Tensor:
        third, fifth = self._conv3(self._conv3r(inputs)), self._conv5(self._conv5r(inputs))
        return F.relu(
            concat([self._conv1(inputs), third, fifth, self._convprj(self._pool(inputs))], 1)
        )


class GoogLeNet(nn.Layer):
    """GoogLeNet: nine inception blocks and two auxiliary classifiers (Szegedy et al. 2014).

    Parameters
    ----------
    num_classes : int, default 1000
        0 or less: leave out the classifiers.
    with_pool : bool, default True
        False: leave out the average pools; use it with ``num_classes=0``.

    Shape
    -----
    x : [N, 3, 224, 224], float32 | float64
    returns : list [out, out1, out2], each [N, num_classes]
        The outputs of the classifier and of the two auxiliary classifiers, whose losses are added
        in training. Without classifiers: the outputs of the pools; without pools: those of the
        blocks 5b [N, 1024, 6, 6], 4a [N, 512, 13, 13] and 4d [N, 528, 13, 13].

    Examples
    --------
    >>> net = paddle.vision.models.GoogLeNet(num_classes=10)
    >>> [layer.weight.shape for layer in (net._fc_out, net._out1, net._out2)]
    [[1024, 10], [1024, 10], [1024, 10]]
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self._conv = ConvLayer(3, 64, 7, 2)
        self._pool = nn.MaxPool2D(3, 2)
        self._conv_1 = ConvLayer(64, 64, 1)
        self._conv_2 = ConvLayer(64, 192, 3)
        for name, channels, *filters in _INCEPTIONS:
            self.add_sublayer(f"_ince{name}", Inception(channels, channels, *filters))
        if with_pool:
            self._pool_5 = nn.AdaptiveAvgPool2D(1)
            self._pool_o1 = nn.AvgPool2D(5, 3)
            self._pool_o2 = nn.AvgPool2D(5, 3)
        if num_classes > 0:
            self._drop = nn.Dropout(0.4, mode="downscale_in_infer")
            self._fc_out = _create_uniform_linear(1024, num_classes, 1024)
            self._conv_o1 = ConvLayer(512, 128, 1)
            self._fc_o1 = _create_uniform_linear(1152, 1024, 2048)
            self._drop_o1 = nn.Dropout(0.7, mode="downscale_in_infer")
            self._out1 = _create_uniform_linear(1024, num_classes, 1024)
            self._conv_o2 = ConvLayer(528, 128, 1)
            self._fc_o2 = _create_uniform_linear(1152, 1024, 2048)
            self._drop_o2 = nn.Dropout(0.7, mode="downscale_in_infer")
            self._out2 = _create_uniform_linear(1024, num_classes, 1024)

    def _apply_inceptions(self, x: Tensor, *names: str) -> Tensor:
        """Apply the named inception blocks."""
        for name in names:
            x = getattr(self, f"_ince{name}")(x)
        return x

    def forward(self, inputs: Tensor) -> list[Tensor]:
        x = self._pool(self._conv_2(self._conv_1(self._pool(self._conv(inputs)))))
        out1 = self._apply_inceptions(self._pool(self._apply_inceptions(x, "3a", "3b")), "4a")
        out2 = self._apply_inceptions(out1, "4b", "4c", "4d")
        out = self._apply_inceptions(self._pool(self._apply_inceptions(out2, "4e")), "5a", "5b")
        if self.with_pool:
            out, out1, out2 = self._pool_5(out), self._pool_o1(out1), self._pool_o2(out2)
        if self.num_classes > 0:
            out = self._fc_out(self._drop(out).squeeze([2, 3]))
            out1 = self._out1(self._drop_o1(F.relu(self._fc_o1(self._conv_o1(out1).flatten(1)))))
            # The second auxiliary classifier has no ReLU, as in Paddle.
            out2 = self._out2(self._drop_o2(self._fc_o2(self._conv_o2(out2).flatten(1))))
        return [out, out1, out2]


def googlenet(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> GoogLeNet:
    """GoogLeNet for ImageNet (Szegedy et al. 2014).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `GoogLeNet`: `num_classes`, `with_pool`.

    Returns
    -------
    GoogLeNet

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
    >>> paddle.vision.models.googlenet(num_classes=10)._fc_out.weight.shape
    [1024, 10]
    """
    return load_weights_if_pretrained(GoogLeNet(**kwargs), "googlenet", pretrained, URLS)
