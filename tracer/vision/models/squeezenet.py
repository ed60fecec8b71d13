"""SqueezeNet (Iandola et al. 2016)."""

from __future__ import annotations

from typing import Unpack

from ... import nn
from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...nn import functional as F
from ...tensor.manipulation import concat
from ..type_aliases import ClassifierOptions
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
        x = self._conv(inputs)
        return concat([self._conv_path1(x), self._conv_path2(x)], 1)


class SqueezeNet(nn.Layer):
    """SqueezeNet: eight fire modules and a 1x1 convolution (Iandola et al. 2016).

    Parameters
    ----------
    version : "1.0" or "1.1"
        "1.1" has smaller filters and earlier pools and needs less than half of the computation.
    num_classes : int, default 1000
        0 or less: leave out the last convolution.
    with_pool : bool, default True
        False: leave out the global average pool.

    Shape
    -----
    x : [N, 3, H, W] with H, W >= 27, float32 | float64
    returns : [N, num_classes]; without last convolution [N, 512]; without pool
        [N, C, H', W'], about 1/16 of the size

    Raises
    ------
    OpError
        If `version` has another value.

    Examples
    --------
    >>> net = paddle.vision.models.SqueezeNet("1.1", num_classes=10)
    >>> net(paddle.zeros([1, 3, 64, 64])).shape
    [1, 10]
    """

    def __init__(self, version: str, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        if version not in _POOLS:
            raise OpError(
                append_user_line(f"SqueezeNet: version={version!r} is not one of {list(_POOLS)}")
            )
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


def squeezenet1_0(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> SqueezeNet:
    """SqueezeNet 1.0 for ImageNet (Iandola et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `SqueezeNet`: `num_classes`, `with_pool`.

    Returns
    -------
    SqueezeNet

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
    >>> paddle.vision.models.squeezenet1_0(num_classes=10).version
    '1.0'
    """
    return load_weights_if_pretrained(
        SqueezeNet("1.0", **kwargs), "squeezenet1_0", pretrained, URLS
    )


def squeezenet1_1(pretrained: bool = False, **kwargs: Unpack[ClassifierOptions]) -> SqueezeNet:
    """SqueezeNet 1.1 for ImageNet (Iandola et al. 2016).

    It needs less than half of the computation of SqueezeNet 1.0.

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `SqueezeNet`: `num_classes`, `with_pool`.

    Returns
    -------
    SqueezeNet

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
    >>> paddle.vision.models.squeezenet1_1(num_classes=10).version
    '1.1'
    """
    return load_weights_if_pretrained(
        SqueezeNet("1.1", **kwargs), "squeezenet1_1", pretrained, URLS
    )
