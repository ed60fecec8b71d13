"""DenseNet (Huang et al. 2016)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Unpack

from ... import nn
from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...tensor.manipulation import concat
from ..type_aliases import DenseNetOptions
from .blocks import load_weights_if_pretrained

__all__ = ["DenseNet", "densenet121", "densenet161", "densenet169", "densenet201", "densenet264"]

_MD5 = {
    121: "db1b239ed80a905290fd8b01d3af08e4",
    161: "62158869cb315098bd25ddbfd308a853",
    169: "82cc7c635c3f19098c748850efb2d796",
    201: "16ca29565a7712329cf9e36e02caaf58",
    264: "3270ce516b85370bba88cfdd9f60bff4",
}
_BASE_URL = "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph"
URLS = {
    f"densenet{n}": (f"{_BASE_URL}/DenseNet{n}_pretrained.pdparams", md5) for n, md5 in _MD5.items()
}

# Channels of the first convolution, growth rate, layers of each block: table 1 of the paper.
_SHAPES = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
    264: (64, 32, (6, 12, 64, 48)),
}


class BNACConvLayer(nn.Layer):
    """Normalization, activation, convolution.

    x [N, C, H, W] -> [N, num_filters, H', W']
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: int,
        stride: int = 1,
        pad: int = 0,
        groups: int = 1,
        act: str = "relu",
    ) -> None:
        super().__init__()
        self._batch_norm = nn.BatchNorm(num_channels, act)
        self._conv = nn.Conv2D(
            num_channels, num_filters, filter_size, stride, pad, groups=groups, bias_attr=False
        )

    def forward(self, input: Tensor) -> Tensor:
        return self._conv(self._batch_norm(input))


class ConvBNLayer(nn.Layer):
    """Convolution, normalization, activation.

    x [N, C, H, W] -> [N, num_filters, H', W']
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: int,
        stride: int = 1,
        pad: int = 0,
        groups: int = 1,
        act: str = "relu",
    ) -> None:
        super().__init__()
        self._conv = nn.Conv2D(
            num_channels, num_filters, filter_size, stride, pad, groups=groups, bias_attr=False
        )
        self._batch_norm = nn.BatchNorm(num_filters, act)

    def forward(self, input: Tensor) -> Tensor:
        return self._batch_norm(self._conv(input))


class DenseLayer(nn.Layer):
    """Two convolutions whose output is concatenated to the input.

    x [N, C, H, W] -> [N, C + growth_rate, H, W]
    """

    def __init__(self, num_channels: int, growth_rate: int, bn_size: int, dropout: float) -> None:
        super().__init__()
        self.bn_ac_func1 = BNACConvLayer(num_channels, bn_size * growth_rate, 1)
        self.bn_ac_func2 = BNACConvLayer(bn_size * growth_rate, growth_rate, 3, pad=1)
        self.dropout_func = nn.Dropout(dropout, mode="downscale_in_infer") if dropout else None

    def forward(self, input: Tensor) -> Tensor:
        x = self.bn_ac_func2(self.bn_ac_func1(input))
        return concat([input, x if self.dropout_func is None else self.dropout_func(x)], 1)


class DenseBlock(nn.Layer):
    """Layers that each get the outputs of all previous layers.

    x [N, C, H, W] -> [N, C + num_layers * growth_rate, H, W]

    name: prefix of the sublayers' names `name_1`, `name_2`, ...
    """

    def __init__(
        self,
        num_channels: int,
        num_layers: int,
        bn_size: int,
        growth_rate: int,
        dropout: float,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.dense_layer_func = [
            self.add_sublayer(
                f"{name}_{i + 1}",
                DenseLayer(num_channels + i * growth_rate, growth_rate, bn_size, dropout),
            )
            for i in range(num_layers)
        ]

    def forward(self, input: Tensor) -> Tensor:
        for layer in self.dense_layer_func:
            input = layer(input)
        return input


class TransitionLayer(nn.Layer):
    """1x1 convolution and average pooling with stride 2.

    x [N, C, H, W] -> [N, num_output_features, H / 2, W / 2]
    """

    def __init__(self, num_channels: int, num_output_features: int) -> None:
        super().__init__()
        self.conv_ac_func = BNACConvLayer(num_channels, num_output_features, 1)
        self.pool2d_avg = nn.AvgPool2D(2, 2)

    def forward(self, input: Tensor) -> Tensor:
        return self.pool2d_avg(self.conv_ac_func(input))


class DenseNet(nn.Layer):
    """DenseNet: four dense blocks, whose layers see all previous outputs (Huang et al. 2016).

    Parameters
    ----------
    layers : 121, 161, 169, 201 or 264, default 121
    bn_size : int, default 4
        Width of the 1x1 convolution of a layer, as a multiple of the growth rate.
    dropout : float, default 0.0
        Probability of dropping an output of a layer.
    num_classes : int, default 1000
        0 or less: leave out the classifier.
    with_pool : bool, default True
        False: leave out the global average pool; use it with ``num_classes=0``.

    Shape
    -----
    x : [N, 3, H, W], float32 | float64
    returns : [N, num_classes]; without classifier [N, C, 1, 1]; without pool
        [N, C, H / 32, W / 32], where C is 1024, 2208, 1664, 1920 or 2688

    Raises
    ------
    OpError
        If `layers` is another number.

    Examples
    --------
    >>> net = paddle.vision.models.DenseNet(layers=121, num_classes=10)
    >>> net.out.weight.shape
    [1024, 10]
    """

    def __init__(
        self,
        layers: int = 121,
        bn_size: int = 4,
        dropout: float = 0.0,
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__()
        if layers not in _SHAPES:
            raise OpError(
                append_user_line(f"DenseNet: layers={layers} is not one of {list(_SHAPES)}")
            )
        self.num_classes, self.with_pool = num_classes, with_pool
        channels, growth, depths = _SHAPES[layers]
        self.conv1_func = ConvBNLayer(3, channels, 7, 2, 3)
        self.pool2d_max = nn.MaxPool2D(3, 2, 1)
        self.dense_block_func_list = []
        for i, depth in enumerate(depths, start=2):
            block: nn.Layer = DenseBlock(channels, depth, bn_size, growth, dropout, f"conv{i}")
            self.dense_block_func_list.append(self.add_sublayer(f"db_conv_{i}", block))
            channels += depth * growth
            if i < len(depths) + 1:
                transition = TransitionLayer(channels, channels // 2)
                self.dense_block_func_list.append(self.add_sublayer(f"tr_conv{i}_blk", transition))
                channels //= 2
        self.batch_norm = nn.BatchNorm(channels, "relu")
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            bound = 1.0 / math.sqrt(channels)
            self.out = nn.Linear(
                channels, num_classes, weight_attr=nn.initializer.Uniform(-bound, bound)
            )

    def forward(self, input: Tensor) -> Tensor:
        x = self.pool2d_max(self.conv1_func(input))
        for block in self.dense_block_func_list:
            x = block(x)
        x = self.batch_norm(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.out(x.flatten(1)) if self.num_classes > 0 else x


def _densenet(layers: int, pretrained: bool, kwargs: Mapping[str, Any]) -> DenseNet:
    return load_weights_if_pretrained(
        DenseNet(layers, **kwargs), f"densenet{layers}", pretrained, URLS
    )


def densenet121(pretrained: bool = False, **kwargs: Unpack[DenseNetOptions]) -> DenseNet:
    """DenseNet with 121 layers for ImageNet (Huang et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `DenseNet`: `num_classes`, `with_pool`, `bn_size`, `dropout`.

    Returns
    -------
    DenseNet

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
    >>> paddle.vision.models.densenet121(num_classes=10).out.weight.shape
    [1024, 10]
    """
    return _densenet(121, pretrained, kwargs)


def densenet161(pretrained: bool = False, **kwargs: Unpack[DenseNetOptions]) -> DenseNet:
    """DenseNet with 161 layers for ImageNet (Huang et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `DenseNet`: `num_classes`, `with_pool`, `bn_size`, `dropout`.

    Returns
    -------
    DenseNet

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
    >>> paddle.vision.models.densenet161(num_classes=10).out.weight.shape
    [2208, 10]
    """
    return _densenet(161, pretrained, kwargs)


def densenet169(pretrained: bool = False, **kwargs: Unpack[DenseNetOptions]) -> DenseNet:
    """DenseNet with 169 layers for ImageNet (Huang et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `DenseNet`: `num_classes`, `with_pool`, `bn_size`, `dropout`.

    Returns
    -------
    DenseNet

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
    >>> paddle.vision.models.densenet169(num_classes=10).out.weight.shape
    [1664, 10]
    """
    return _densenet(169, pretrained, kwargs)


def densenet201(pretrained: bool = False, **kwargs: Unpack[DenseNetOptions]) -> DenseNet:
    """DenseNet with 201 layers for ImageNet (Huang et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `DenseNet`: `num_classes`, `with_pool`, `bn_size`, `dropout`.

    Returns
    -------
    DenseNet

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
    >>> paddle.vision.models.densenet201(num_classes=10).out.weight.shape
    [1920, 10]
    """
    return _densenet(201, pretrained, kwargs)


def densenet264(pretrained: bool = False, **kwargs: Unpack[DenseNetOptions]) -> DenseNet:
    """DenseNet with 264 layers for ImageNet (Huang et al. 2016).

    Parameters
    ----------
    pretrained : bool, default False
        Load the ImageNet weights that PaddlePaddle publishes; they are downloaded once.
    **kwargs
        Arguments of `DenseNet`: `num_classes`, `with_pool`, `bn_size`, `dropout`.

    Returns
    -------
    DenseNet

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
    >>> paddle.vision.models.densenet264(num_classes=10).out.weight.shape
    [2688, 10]
    """
    return _densenet(264, pretrained, kwargs)
