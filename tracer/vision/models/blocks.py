"""What several families share: a convolution with what follows it, widths rounded to a multiple,
published weights.
"""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from ... import nn
from ...core.errors import OpError
from ...framework.io import load
from ...utils.download import get_weights_path_from_url

Net = TypeVar("Net", bound=nn.Layer)


class ConvNormActivation(nn.Sequential):
    """Convolution, normalisation, activation; each of the last two may be None.

    x [N, C, H, W] -> [N, M, H', W']

    padding: what keeps the size at stride 1.   bias: only without a normalisation.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any = 3,
        stride: int = 1,
        padding: Any = None,
        groups: int = 1,
        norm_layer: Any = nn.BatchNorm2D,
        activation_layer: Any = nn.ReLU,
        dilation: int = 1,
        bias: bool | None = None,
    ) -> None:
        if padding is None:
            padding = (kernel_size - 1) // 2 * dilation
        if bias is None:
            bias = norm_layer is None
        layers = [
            nn.Conv2D(
                in_channels,
                out_channels,
                kernel_size,
                stride,
                padding,
                dilation,
                groups,
                bias_attr=None if bias else False,
            )
        ]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer())
        super().__init__(*layers)


def make_divisible(value: float, divisor: int = 8, least: int | None = None) -> int:
    """The multiple of `divisor` nearest to a number of channels, at least `least`, and not more
    than 10 % below it.
    """
    nearest = max(
        divisor if least is None else least, int(value + divisor / 2) // divisor * divisor
    )
    return nearest + divisor if nearest < 0.9 * value else nearest


def with_weights(net: Net, arch: str, pretrained: bool, urls: dict[str, tuple[str, str]]) -> Net:
    """`net`, with the weights that PaddlePaddle publishes for `arch` if pretrained.

    urls: address and MD5 of each.

    OpError when none are published, or when a file lacks values; what has another shape is warned
    about and left.
    """
    if not pretrained:
        return net
    if arch not in urls:
        raise OpError(
            f"{arch}: no weights are published for it; there are some for "
            f"{sorted(urls) or 'nothing'}"
        )
    weights, wanted = load(get_weights_path_from_url(*urls[arch])), net.state_dict()
    missing = [name for name in wanted if name not in weights]
    if missing:
        raise OpError(f"{arch}: the published weights lack {missing[:3]} (of {len(missing)})")
    net.set_state_dict(weights)
    if unwanted := weights.keys() - wanted.keys():
        warnings.warn(
            f"{arch}: the published weights have {len(unwanted)} values of no use here",
            stacklevel=3,
        )
    return net
