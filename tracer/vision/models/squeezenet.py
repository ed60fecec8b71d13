"""SqueezeNet (Iandola et al. 2016)."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...core.errors import OpError
from ...core.tensor import Tensor
from ...nn import functional as F
from ...tensor.manipulation import concat
from .blocks import load_weights_if_pretrained

__all__ = ["SqueezeNet", "squeezenet1_0", "squeezenet1_1"]

_BASE_URL = "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph"
URLS = {
    "squeezenet1_0": (
        f"{_BASE_URL}/SqueezeNet1_0_pretrained.pdparams",
        "30b95af60a2178f03cf9b66cd77e1db1",
    ),
    "squeezenet1_1": (
        f"{_BASE_URL}/SqueezeNet1_1_pretrained.pdparams",
        "a11250d3a1f91d7131fd095ebbf09eee",
    ),
}

# Rows: channels of a fire module: input, squeeze convolution, and output of each of its two expand
# convolutions. The rows are equal in both versions of SqueezeNet, except for the first input.
_FIRES = [
    (96, 16, 64),
    (128, 16, 64),
    (128, 32, 128),
    (256, 32, 128),
    (256, 48, 192),
    (384, 48, 192),
    (384, 64, 256),
    (512, 64, 256),
]
_POOLS = {"1.0": (3, 7), "1.1": (2, 4)}  # indices of the fire modules that a pool follows


class MakeFireConv(nn.Layer):
    """Convolution and ReLU.

    x [N, C, H, W] -> [N, M, H', W']
    """

    def __init__(
        self, input_channels: int, output_channels: int, filter_size: int, padding: int = 0
    ) -> None:
        super().__init__()
        self._conv = nn.Conv2D(input_channels, output_channels, filter_size, padding=padding)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return F.relu(self._conv(x))


class MakeFire(nn.Layer):
    """Fire module: 1x1 squeeze, then concatenated 1x1 and 3x3 convolutions.

    x [N, C, H, W] -> [N, expand1x1_channels + expand3x3_channels, H, W]
    """

    def __init__(
        self,
        input_channels: int,
        squeeze_channels: int,
        expand1x1_channels: int,
        expand3x3_channels: int,
    ) -> None:
        super().__init__()
        self._conv = MakeFireConv(input_channels, squeeze_channels, 1)
        self._conv_path1 = MakeFireConv(squeeze_channels, expand1x1_channels, 1)
        self._conv_path2 = MakeFireConv(squeeze_channels, expand3x3_channels, 3, 1)

    def forward(self, inputs: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        x = self._conv(inputs)
        return concat([self._conv_path1(x), self._conv_path2(x)], 1)


class SqueezeNet(nn.Layer):
    """SqueezeNet: eight fire modules.

    x [N, 3, H, W] -> [N, num_classes], or the output of the pool or the last convolution without
    classifier or pool

    version: '1.0' or '1.1'
    """

    def __init__(self, version: str, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        if version not in _POOLS:
            raise OpError(f"SqueezeNet: version={version!r} is not one of {list(_POOLS)}")
        self.version, self.num_classes, self.with_pool = version, num_classes, with_pool
        first, size, padding = (96, 7, 0) if version == "1.0" else (64, 3, 1)
        self._conv = nn.Conv2D(3, first, size, 2, padding)
        self._pool = nn.MaxPool2D(3, 2, 0)
        for i, (channels, squeezed, out) in enumerate(_FIRES):
            self.add_sublayer(
                f"_conv{i + 1}",
                MakeFire(channels if i else first, squeezed, out, out),
            )
        if num_classes > 0:
            self._drop = nn.Dropout(0.5, mode="downscale_in_infer")
            self._conv9 = nn.Conv2D(512, num_classes, 1)
        self._avg_pool = nn.AdaptiveAvgPool2D(1)

    def forward(self, inputs: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        x = self._pool(F.relu(self._conv(inputs)))
        for i in range(1, 9):
            x = getattr(self, f"_conv{i}")(x)
            if i in _POOLS[self.version]:
                x = self._pool(x)
        if self.num_classes > 0:
            x = self._conv9(self._drop(x))
        if self.with_pool:
            x = self._avg_pool(F.relu(x)).squeeze([2, 3])
        return x


def squeezenet1_0(pretrained: bool = False, **kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.0 for ImageNet.

    kwargs: num_classes, with_pool
    """
    return load_weights_if_pretrained(
        SqueezeNet("1.0", **kwargs), "squeezenet1_0", pretrained, URLS
    )


def squeezenet1_1(pretrained: bool = False, **kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.1 for ImageNet, with less computation than SqueezeNet 1.0.

    kwargs: num_classes, with_pool
    """
    return load_weights_if_pretrained(
        SqueezeNet("1.1", **kwargs), "squeezenet1_1", pretrained, URLS
    )
