"""ShuffleNetV2 (Ma et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Unpack

from ... import nn
from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...tensor.manipulation import concat, split
from ..ops import ConvNormActivation
from ..type_aliases import ShuffleNetOptions, ShuffleNetSwishOptions
from .blocks import load_weights_if_pretrained

__all__ = [
    "ShuffleNetV2",
    "shufflenet_v2_swish",
    "shufflenet_v2_x0_5",
    "shufflenet_v2_x0_25",
    "shufflenet_v2_x0_33",
    "shufflenet_v2_x1_0",
    "shufflenet_v2_x1_5",
    "shufflenet_v2_x2_0",
]

_MD5 = {
    "shufflenet_v2_x0_25": "1e509b4c140eeb096bb16e214796d03b",
    "shufflenet_v2_x0_33": "3d7b3ab0eaa5c0927ff1026d31b729bd",
    "shufflenet_v2_x0_5": "5e5cee182a7793c4e4c73949b1a71bd4",
    "shufflenet_v2_x1_0": "122d42478b9e81eb49f8a9ede327b1a4",
    "shufflenet_v2_x1_5": "faced5827380d73531d0ee027c67826d",
    "shufflenet_v2_x2_0": "cd3dddcd8305e7bcd8ad14d1c69a5784",
    "shufflenet_v2_swish": "adde0aa3b023e5b0c94a68be1c394b84",
}
URLS = {
    name: (f"https://paddle-hapi.bj.bcebos.com/models/{name}.pdparams", md5)
    for name, md5 in _MD5.items()
}

# The channels of the three stages and of the last convolution, by scale: table 5 of the paper, and
# two smaller models.
_WIDTHS = {
    0.25: (24, 48, 96, 512),
    0.33: (32, 64, 128, 512),
    0.5: (48, 96, 192, 1024),
    1.0: (116, 232, 464, 1024),
    1.5: (176, 352, 704, 1024),
    2.0: (224, 488, 976, 2048),
}
_ACTIVATIONS = {"swish": nn.Swish, "relu": nn.ReLU, None: None}


def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """Interleave the channels of all groups.

    x [N, C, H, W] -> like x
    """
    batch, channels, height, width = x.shape
    grouped = x.reshape([batch, groups, channels // groups, height, width]).transpose(
        [0, 2, 1, 3, 4]
    )
    return grouped.reshape([batch, channels, height, width])


class InvertedResidual(nn.Layer):
    """Convolutions on half of the channels, then channel shuffle.

    x [N, C, H, W] -> like x
    """

    def __init__(
        self, in_channels: int, out_channels: int, stride: int, activation_layer: Any = nn.ReLU
    ) -> None:
        super().__init__()
        half = out_channels // 2
        conv = partial(ConvNormActivation, activation_layer=activation_layer)
        self._conv_pw = conv(in_channels // 2, half, 1, 1, 0)
        self._conv_dw = conv(half, half, 3, stride, 1, half, activation_layer=None)
        self._conv_linear = conv(half, half, 1, 1, 0)

    def forward(self, inputs: Tensor) -> Tensor:
        identity, x = split(inputs, 2, 1)
        return channel_shuffle(
            concat([identity, self._conv_linear(self._conv_dw(self._conv_pw(x)))], 1), 2
        )


class InvertedResidualDS(nn.Layer):
    """Downsampling block: two branches of convolutions, then channel shuffle.

    x [N, C, H, W] -> [N, out_channels, H / stride, W / stride]
    """

    def __init__(
        self, in_channels: int, out_channels: int, stride: int, activation_layer: Any = nn.ReLU
    ) -> None:
        super().__init__()
        half = out_channels // 2
        conv = partial(ConvNormActivation, activation_layer=activation_layer)
        self._conv_dw_1 = conv(
            in_channels, in_channels, 3, stride, 1, in_channels, activation_layer=None
        )
        self._conv_linear_1 = conv(in_channels, half, 1, 1, 0)
        self._conv_pw_2 = conv(in_channels, half, 1, 1, 0)
        self._conv_dw_2 = conv(half, half, 3, stride, 1, half, activation_layer=None)
        self._conv_linear_2 = conv(half, half, 1, 1, 0)

    def forward(self, inputs: Tensor) -> Tensor:
        first = self._conv_linear_1(self._conv_dw_1(inputs))
        second = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(inputs)))
        return channel_shuffle(concat([first, second], 1), 2)


class ShuffleNetV2(nn.Layer):
    """ShuffleNetV2: three stages of blocks that shuffle channels (Ma et al. 2018).

    Parameters
    ----------
    scale : 0.25, 0.33, 0.5, 1.0, 1.5 or 2.0, default 1.0
        Factor of the numbers of channels.
    act : "relu", "swish" or None, default "relu"
        Activation.
    num_classes : int, default 1000
        0 or less: leave out the classifier.
    with_pool : bool, default True
        False: leave out the global average pool; use it with ``num_classes=0``.

    Shape
    -----
    x : [N, 3, H, W], float32 | float64
    returns : [N, num_classes]; without classifier [N, C, 1, 1]; without pool
        [N, C, H / 32, W / 32], where C is 512 for scales below 0.5, 2048 for 2.0 and otherwise 1024

    Raises
    ------
    OpError
        If `scale` or `act` has another value.

    Examples
    --------
    >>> net = paddle.vision.models.ShuffleNetV2(scale=0.25, num_classes=10)
    >>> net(paddle.zeros([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(
        self,
        scale: float = 1.0,
        act: str | None = "relu",
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__()
        if scale not in _WIDTHS or act not in _ACTIVATIONS:
            raise OpError(
                append_user_line(
                    f"ShuffleNetV2: scale={scale}, act={act!r}; scale must be one of "
                    f"{list(_WIDTHS)}, act of {list(_ACTIVATIONS)}"
                )
            )
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        activation: Any = _ACTIVATIONS[act]
        *widths, last = _WIDTHS[scale]
        self._conv1 = ConvNormActivation(3, 24, 3, 2, 1, activation_layer=activation)
        self._max_pool = nn.MaxPool2D(3, 2, 1)
        self._block_list = self._create_blocks(widths, activation)
        self._last_conv = ConvNormActivation(widths[-1], last, 1, 1, 0, activation_layer=activation)
        if with_pool:
            self._pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self._fc = nn.Linear(last, num_classes)

    def _create_blocks(self, widths: list[int], activation: Any) -> list[nn.Layer]:
        blocks: list[nn.Layer] = []
        channels = 24
        for stage, (width, count) in enumerate(zip(widths, (4, 8, 4), strict=True), start=2):
            for i in range(count):
                block: nn.Layer = (
                    InvertedResidual(width, width, 1, activation)
                    if i
                    else InvertedResidualDS(channels, width, 2, activation)
                )
                blocks.append(self.add_sublayer(f"{stage}_{i + 1}", block))
            channels = width
        return blocks

    def forward(self, inputs: Tensor) -> Tensor:
        x = self._max_pool(self._conv1(inputs))
        for block in self._block_list:
            x = block(x)
        x = self._last_conv(x)
        if self.with_pool:
            x = self._pool2d_avg(x)
        return self._fc(x.flatten(1)) if self.num_classes > 0 else x


def _shufflenet(arch: str, pretrained: bool, kwargs: Mapping[str, Any]) -> ShuffleNetV2:
    return load_weights_if_pretrained(ShuffleNetV2(**kwargs), arch, pretrained, URLS)


def shufflenet_v2_x0_25(
    pretrained: bool = False, **kwargs: Unpack[ShuffleNetOptions]
) -> ShuffleNetV2:
    """ShuffleNetV2 with 0.25 times the channels for ImageNet (Ma et al. 2018).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ShuffleNetV2`: `num_classes`, `with_pool`, `act`.

    Returns
    -------
    ShuffleNetV2

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
    >>> paddle.vision.models.shufflenet_v2_x0_25(num_classes=10)._fc.weight.shape
    [512, 10]
    """
    return _shufflenet("shufflenet_v2_x0_25", pretrained, {"scale": 0.25, **kwargs})


def shufflenet_v2_x0_33(
    pretrained: bool = False, **kwargs: Unpack[ShuffleNetOptions]
) -> ShuffleNetV2:
    """ShuffleNetV2 with 0.33 times the channels for ImageNet (Ma et al. 2018).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ShuffleNetV2`: `num_classes`, `with_pool`, `act`.

    Returns
    -------
    ShuffleNetV2

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
    >>> paddle.vision.models.shufflenet_v2_x0_33(num_classes=10)._fc.weight.shape
    [512, 10]
    """
    return _shufflenet("shufflenet_v2_x0_33", pretrained, {"scale": 0.33, **kwargs})


def shufflenet_v2_x0_5(
    pretrained: bool = False, **kwargs: Unpack[ShuffleNetOptions]
) -> ShuffleNetV2:
    """ShuffleNetV2 with half the channels for ImageNet (Ma et al. 2018).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ShuffleNetV2`: `num_classes`, `with_pool`, `act`.

    Returns
    -------
    ShuffleNetV2

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
    >>> paddle.vision.models.shufflenet_v2_x0_5(num_classes=10)._fc.weight.shape
    [1024, 10]
    """
    return _shufflenet("shufflenet_v2_x0_5", pretrained, {"scale": 0.5, **kwargs})


def shufflenet_v2_x1_0(
    pretrained: bool = False, **kwargs: Unpack[ShuffleNetOptions]
) -> ShuffleNetV2:
    """ShuffleNetV2 for ImageNet (Ma et al. 2018).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ShuffleNetV2`: `num_classes`, `with_pool`, `act`.

    Returns
    -------
    ShuffleNetV2

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
    >>> paddle.vision.models.shufflenet_v2_x1_0(num_classes=10)._fc.weight.shape
    [1024, 10]
    """
    return _shufflenet("shufflenet_v2_x1_0", pretrained, {"scale": 1.0, **kwargs})


def shufflenet_v2_x1_5(
    pretrained: bool = False, **kwargs: Unpack[ShuffleNetOptions]
) -> ShuffleNetV2:
    """ShuffleNetV2 with 1.5 times the channels for ImageNet (Ma et al. 2018).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ShuffleNetV2`: `num_classes`, `with_pool`, `act`.

    Returns
    -------
    ShuffleNetV2

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
    >>> paddle.vision.models.shufflenet_v2_x1_5(num_classes=10)._fc.weight.shape
    [1024, 10]
    """
    return _shufflenet("shufflenet_v2_x1_5", pretrained, {"scale": 1.5, **kwargs})


def shufflenet_v2_x2_0(
    pretrained: bool = False, **kwargs: Unpack[ShuffleNetOptions]
) -> ShuffleNetV2:
    """ShuffleNetV2 with twice the channels for ImageNet (Ma et al. 2018).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ShuffleNetV2`: `num_classes`, `with_pool`, `act`.

    Returns
    -------
    ShuffleNetV2

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
    >>> paddle.vision.models.shufflenet_v2_x2_0(num_classes=10)._fc.weight.shape
    [2048, 10]
    """
    return _shufflenet("shufflenet_v2_x2_0", pretrained, {"scale": 2.0, **kwargs})


def shufflenet_v2_swish(
    pretrained: bool = False, **kwargs: Unpack[ShuffleNetSwishOptions]
) -> ShuffleNetV2:
    """ShuffleNetV2 with the activation swish instead of ReLU for ImageNet.

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `ShuffleNetV2`: `num_classes`, `with_pool`, `scale`.

    Returns
    -------
    ShuffleNetV2

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
    >>> paddle.vision.models.shufflenet_v2_swish(num_classes=10)._fc.weight.shape
    [1024, 10]
    """
    return _shufflenet("shufflenet_v2_swish", pretrained, {"scale": 1.0, "act": "swish", **kwargs})
