"""Building blocks of several models: convolution with normalization and activation, channel
rounding, published weights.
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
    """Convolution, normalization and activation; the last two may be None.

    x [N, C, H, W] -> [N, M, H', W']

    padding: by default preserves the size at stride 1.
    bias: by default only without normalization.
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
    """Round a number of channels to the nearest multiple of `divisor`, at least `least` and at most
    10 % lower.
    """
    rounded = max(
        divisor if least is None else least, int(value + divisor / 2) // divisor * divisor
    )
    return rounded + divisor if rounded < 0.9 * value else rounded


def load_weights_if_pretrained(
    net: Net, arch: str, pretrained: bool, urls: dict[str, tuple[str, str]]
) -> Net:
    """Load the weights that PaddlePaddle publishes for `arch` into `net` if pretrained; returns
    `net`.

    urls: URL and MD5 by name

    Raises OpError if no weights are published or a file lacks values. Warns about values with
    another shape and skips them.
    """
    if not pretrained:
        return net
    if arch not in urls:
        raise OpError(f"{arch}: no weights are published; available: {sorted(urls) or 'none'}")
    weights, state = load(get_weights_path_from_url(*urls[arch])), net.state_dict()
    missing = [name for name in state if name not in weights]
    if missing:
        raise OpError(f"{arch}: the published weights lack {missing[:3]} (of {len(missing)})")
    net.set_state_dict(weights)
    if unused := weights.keys() - state.keys():
        warnings.warn(
            f"{arch}: the published weights have {len(unused)} values that the model does not have",
            stacklevel=3,
        )
    return net
