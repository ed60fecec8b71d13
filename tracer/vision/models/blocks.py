"""Parts of several models: channel rounding and published weights."""

from __future__ import annotations

import warnings
from typing import TypeVar

from ... import nn
from ...core.errors import OpError, append_user_line
from ...framework.io import load
from ...utils.download import get_weights_path_from_url

Net = TypeVar("Net", bound=nn.Layer)


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
        raise OpError(
            append_user_line(
                f"{arch}: no weights are published; available: {sorted(urls) or 'none'}"
            )
        )
    weights, state = load(get_weights_path_from_url(*urls[arch])), net.state_dict()
    missing = [name for name in state if name not in weights]
    if missing:
        raise OpError(
            append_user_line(
                f"{arch}: the published weights lack {missing[:3]} (of {len(missing)})"
            )
        )
    net.set_state_dict(weights)
    if unused := weights.keys() - state.keys():
        warnings.warn(
            f"{arch}: the published weights have {len(unused)} values that the model does not have",
            stacklevel=3,
        )
    return net
