"""Convolutions   (as cross-correlations, the way all frameworks have it)."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from .common import with_bias

__all__ = ["conv1d", "conv2d", "conv2d_transpose"]


def pair(value: Any, n: int = 2) -> list[int]:
    """An int or a list of n ints as a list of n ints."""
    if isinstance(value, int):
        return [value] * n
    items = [int(v) for v in value]
    if len(items) != n:
        raise OpError(with_user_line(f"expected an int or {n} of them, got {value!r}"))
    return items


def padding_attrs(padding: Any, n: int, channel_last: bool) -> dict[str, Any]:
    """Paddle's two attributes for what users pass: 'SAME', 'VALID', an int, n ints, 2n ints, or a pair for every axis."""
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise OpError(with_user_line(f"padding={padding!r} is neither 'SAME' nor 'VALID'"))
        return {"paddings": [0] * n, "padding_algorithm": padding.upper()}
    if isinstance(padding, int):
        return {"paddings": [padding] * n, "padding_algorithm": "EXPLICIT"}
    items = list(padding)
    if items and isinstance(items[0], list | tuple):
        spatial = items[1:-1] if channel_last and len(items) == n + 2 else items[2:] if len(items) == n + 2 else items
        items = [int(v) for p in spatial for v in p]
    if len(items) == 2 * n and all(items[2 * i] == items[2 * i + 1] for i in range(n)):
        items = items[::2]
    if len(items) not in (n, 2 * n):
        raise OpError(with_user_line(f"padding={padding!r} does not fit {n} axes"))
    return {"paddings": items, "padding_algorithm": "EXPLICIT"}


def conv2d(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1,
    data_format: str = "NCHW", name: str | None = None,
) -> Tensor:  # fmt: skip
    """2-D convolution.   x [N, C, H, W], weight [M, C / groups, kH, kW], bias [M] -> [N, M, H', W']"""
    last = data_format == "NHWC"
    channels = x.meta.shape[3 if last else 1]
    depthwise = groups == channels and groups > 1 and weight.meta.shape[0] % groups == 0
    out = OPS["depthwise_conv2d" if depthwise else "conv2d"](
        x,
        weight,
        strides=pair(stride),
        dilations=pair(dilation),
        groups=groups,
        data_format=data_format,
        **padding_attrs(padding, 2, last),
    )
    return with_bias(out, bias, last)


def conv1d(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1,
    data_format: str = "NCL", name: str | None = None,
) -> Tensor:  # fmt: skip
    """1-D convolution, by way of a 2-D one of width 1.   x [N, C, L], weight [M, C / groups, k], bias [M] -> [N, M, L']"""
    last = data_format == "NLC"
    pads = padding_attrs(padding, 1, last)
    pads["paddings"] = pads["paddings"] + [0] * len(pads["paddings"])
    wide = OPS["unsqueeze2"](x, axes=[2 if last else -1])
    out = OPS["conv2d"](
        wide, OPS["unsqueeze2"](weight, axes=[-1]), strides=[*pair(stride, 1), 1], dilations=[*pair(dilation, 1), 1], groups=groups,
        data_format="NHWC" if last else "NCHW", **pads,
    )  # fmt: skip
    return OPS["squeeze2"](with_bias(out, bias, last), axes=[2 if last else -1])


def conv2d_transpose(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1, output_size: Any = None, data_format: str = "NCHW", name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transpose of conv2d.   x [N, C, H, W], weight [C, M / groups, kH, kW], bias [M] -> [N, M, H', W']"""
    last = data_format == "NHWC"
    extra = [] if output_padding in (0, [0, 0], (0, 0)) else pair(output_padding)
    out = OPS["conv2d_transpose"](
        x, weight, strides=pair(stride), dilations=pair(dilation), groups=groups, data_format=data_format, output_padding=extra,
        output_size=[] if output_size is None else pair(output_size), **padding_attrs(padding, 2, last),
    )  # fmt: skip
    return with_bias(out, bias, last)
