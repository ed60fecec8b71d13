"""Convolutions   (as cross-correlations, the way all frameworks have it)."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import not_a_tensor_error
from ...core.tensor import Tensor
from .common import with_bias

__all__ = ["conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose"]


def pair(value: Any, n: int = 2) -> list[int]:
    """An int or a list of n ints as a list of n ints."""
    if isinstance(value, int):
        return [value] * n
    items = [int(v) for v in value]
    if len(items) != n:
        raise OpError(with_user_line(f"expected an int or {n} of them, got {value!r}"))
    return items


def is_last(data_format: str) -> bool:
    """Whether the channels are the last axis."""
    return data_format in ("NLC", "NHWC", "NDHWC")


def padding_attrs(padding: Any, n: int, channel_last: bool) -> dict[str, Any]:
    """Paddle's two attributes for what users pass: 'SAME', 'VALID', an int, n ints, 2n ints, or a
    pair for every axis.
    """
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise OpError(with_user_line(f"padding={padding!r} is neither 'SAME' nor 'VALID'"))
        return {"paddings": [0] * n, "padding_algorithm": padding.upper()}
    if isinstance(padding, int):
        return {"paddings": [padding] * n, "padding_algorithm": "EXPLICIT"}
    items = list(padding)
    if items and isinstance(items[0], list | tuple):
        spatial = (
            items[1:-1]
            if channel_last and len(items) == n + 2
            else items[2:]
            if len(items) == n + 2
            else items
        )
        items = [int(v) for p in spatial for v in p]
    if len(items) == 2 * n and all(items[2 * i] == items[2 * i + 1] for i in range(n)):
        items = items[::2]
    if len(items) not in (n, 2 * n):
        raise OpError(with_user_line(f"padding={padding!r} does not fit {n} axes"))
    return {"paddings": items, "padding_algorithm": "EXPLICIT"}


def _depthwise(x: Tensor, groups: int, filters: int, last: bool) -> bool:
    try:
        channels = x.meta.shape[-1 if last else 1]
    except AttributeError:
        raise not_a_tensor_error(x) from None
    except IndexError:
        return False  # the op raises the error
    return groups == channels and groups > 1 and filters % groups == 0


def _filters(weight: Tensor, axis: int) -> int:
    try:
        return weight.meta.shape[axis]
    except AttributeError:
        raise not_a_tensor_error(weight) from None
    except IndexError:
        return 0  # the op raises the error


def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """2-D convolution.

    x [N, C, H, W], weight [M, C / groups, kH, kW], bias [M] -> [N, M, H', W']
    """
    last = is_last(data_format)
    op = OPS["depthwise_conv2d" if _depthwise(x, groups, _filters(weight, 0), last) else "conv2d"]
    out = op(
        x,
        weight,
        strides=pair(stride),
        dilations=pair(dilation),
        groups=groups,
        data_format=data_format,
        **padding_attrs(padding, 2, last),
    )
    return with_bias(out, bias, last)


def conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """3-D convolution.

    x [N, C, D, H, W], weight [M, C / groups, kD, kH, kW], bias [M] -> [N, M, D', H', W']
    """
    last = is_last(data_format)
    out = OPS["conv3d"](
        x,
        weight,
        strides=pair(stride, 3),
        dilations=pair(dilation, 3),
        groups=groups,
        data_format=data_format,
        **padding_attrs(padding, 3, last),
    )
    return with_bias(out, bias, last)


def _widened(padding: Any, last: bool) -> dict[str, Any]:
    """The padding of a 1-D convolution for the 2-D one of width 1 that stands for it."""
    pads = padding_attrs(padding, 1, last)
    pads["paddings"] = pads["paddings"] + [0] * len(pads["paddings"])
    return pads


def conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCL",
    name: str | None = None,
) -> Tensor:
    """1-D convolution, by way of a 2-D one of width 1.

    x [N, C, L], weight [M, C / groups, k], bias [M] -> [N, M, L']
    """
    last = is_last(data_format)
    axes = [2 if last else -1]
    out = OPS["conv2d"](
        OPS["unsqueeze2"](x, axes=axes),
        OPS["unsqueeze2"](weight, axes=[-1]),
        strides=[*pair(stride, 1), 1],
        dilations=[*pair(dilation, 1), 1],
        groups=groups,
        data_format="NHWC" if last else "NCHW",
        **_widened(padding, last),
    )
    return OPS["squeeze2"](with_bias(out, bias, last), axes=axes)


def _sizes_out(output_padding: Any, output_size: Any, n: int) -> dict[str, Any]:
    """The attributes that choose among the sizes that a transposed convolution may have."""
    if output_size is None:
        extra = pair(output_padding, n)
        return {"output_padding": extra if any(extra) else [], "output_size": []}
    if output_padding != 0:
        raise OpError(
            with_user_line("conv_transpose: output_padding and output_size exclude each other")
        )
    return {"output_padding": [], "output_size": pair(output_size, n)}


def sizes_of_a_run(sizes: Any, n: int) -> list[Any] | None:
    """n sizes where only a run knows one of them; None where all are numbers."""
    if not state.mode.static or sizes is None or isinstance(sizes, int):
        return None
    several = (
        list(sizes)
        if isinstance(sizes, list | tuple)
        else [sizes[i if sizes.size > 1 else 0] for i in range(n)]
    )
    return several if len(several) == n and any(isinstance(s, Tensor) for s in several) else None


def conv2d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    output_size: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """The transpose of conv2d.

    x [N, C, H, W], weight [C, M / groups, kH, kW], bias [M] -> [N, M, H', W']
    """
    last = is_last(data_format)
    sizes = sizes_of_a_run(output_size, 2)
    if sizes is not None:  # the largest that there is, cut
        most = [s - 1 for s in pair(stride)]
        whole = conv2d_transpose(
            x, weight, bias, stride, padding, most, dilation, groups, None, data_format
        )
        return whole[:, : sizes[0], : sizes[1]] if last else whole[:, :, : sizes[0], : sizes[1]]
    depthwise = _filters(weight, 1) == 1 and _depthwise(x, groups, groups, last)
    out = OPS["depthwise_conv2d_transpose" if depthwise else "conv2d_transpose"](
        x,
        weight,
        strides=pair(stride),
        dilations=pair(dilation),
        groups=groups,
        data_format=data_format,
        **_sizes_out(output_padding, output_size, 2),
        **padding_attrs(padding, 2, last),
    )
    return with_bias(out, bias, last)


def conv3d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
    output_size: Any = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """The transpose of conv3d.

    x [N, C, D, H, W], weight [C, M / groups, kD, kH, kW], bias [M] -> [N, M, D', H', W']
    """
    last = is_last(data_format)
    out = OPS["conv3d_transpose"](
        x,
        weight,
        strides=pair(stride, 3),
        dilations=pair(dilation, 3),
        groups=groups,
        data_format="NHWC" if last else "NCHW",
        **_sizes_out(output_padding, output_size, 3),
        **padding_attrs(padding, 3, last),
    )
    return with_bias(out, bias, last)


def conv1d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
    output_size: Any = None,
    data_format: str = "NCL",
    name: str | None = None,
) -> Tensor:
    """The transpose of conv1d.

    x [N, C, L], weight [C, M / groups, k], bias [M] -> [N, M, L']
    """
    last = is_last(data_format)
    axes = [2 if last else -1]
    more = _sizes_out(output_padding, output_size, 1)
    more["output_padding"] = more["output_padding"] and [*more["output_padding"], 0]
    more["output_size"] = more["output_size"] and [*more["output_size"], 1]
    out = OPS["conv2d_transpose"](
        OPS["unsqueeze2"](x, axes=axes),
        OPS["unsqueeze2"](weight, axes=[-1]),
        strides=[*pair(stride, 1), 1],
        dilations=[*pair(dilation, 1), 1],
        groups=groups,
        data_format="NHWC" if last else "NCHW",
        **more,
        **_widened(padding, last),
    )
    return OPS["squeeze2"](with_bias(out, bias, last), axes=axes)
