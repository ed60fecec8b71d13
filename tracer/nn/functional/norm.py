"""Normalization functions."""

from __future__ import annotations

import math
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import check_tensors, not_a_tensor_error
from ...core.tensor import Tensor
from ...tensor.math import divide, pow
from .common import pad
from .pooling import avg_pool2d

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm"]


def batch_norm(
    x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-05,
    data_format: str = "NCHW",
    use_global_stats: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(var + epsilon) * weight + bias per channel (Ioffe and Szegedy 2015).

    x [N, C, *], running_*, weight, bias [C] -> [N, C, *]

    In training, mean and var are those of the batch, and running = momentum * running + (1 -
    momentum) * batch. Otherwise, or with use_global_stats, they are the running statistics.
    """
    use_running = (not training) if use_global_stats is None else use_global_stats
    return batch_norm_with_chosen_statistics(
        x,
        running_mean,
        running_var,
        weight,
        bias,
        training,
        momentum,
        epsilon,
        data_format,
        use_global_stats=use_running,
    )


def batch_norm_with_chosen_statistics(
    x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool,
    momentum: float,
    epsilon: float,
    data_format: str,
    *,
    use_global_stats: bool,
    trainable_statistics: bool = False,
) -> Tensor:
    """Batch normalization with an explicit choice of the statistics.

    trainable_statistics: normalize by the statistics of the batch and update the running statistics
    outside of training, too
    """
    layout = "NCHW" if data_format in ("NC", "NCL", "NCHW", "NCDHW") else "NHWC"
    out = OPS["batch_norm"](
        x,
        weight,
        bias,
        running_mean,
        running_var,
        is_test=not training,
        momentum=float(momentum),
        epsilon=float(epsilon),
        data_layout=layout,
        use_global_stats=use_global_stats,
        trainable_statistics=trainable_statistics,
    )
    y, mean, variance = out[0], out[1], out[2]
    if (training or trainable_statistics) and not state.mode.static:
        running_mean.array, running_var.array = mean.array, variance.array
    result: Tensor = y
    return result


def layer_norm(
    x: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-05,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(var + epsilon) * weight + bias over the last axes (Ba et al. 2016).

    x [*, *S] -> [*, *S]

    weight, bias: of normalized_shape S, flat or in that shape
    """
    shape = (
        [normalized_shape]
        if isinstance(normalized_shape, int)
        else [int(d) for d in normalized_shape]
    )
    try:
        sizes = x.meta.shape
    except AttributeError:
        raise not_a_tensor_error(x) from None
    begin = len(sizes) - len(shape)
    trailing = list(sizes[max(begin, 0) :])
    if trailing != shape and (
        begin < 0 or any(d not in (-1, s) for d, s in zip(trailing, shape, strict=True))
    ):
        raise OpError(
            append_user_line(
                f"layer_norm: normalized_shape={shape} does not match the last axes (X={x.meta})"
            )
        )
    flat = [
        t if t is None or t.ndim == 1 else OPS["reshape2"](t, shape=[math.prod(shape)])
        for t in (weight, bias)
    ]
    out: Tensor = OPS["layer_norm"](x, *flat, begin_norm_axis=begin, epsilon=float(epsilon))[0]
    return out


def group_norm(
    x: Tensor,
    num_groups: int,
    epsilon: float = 1e-05,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Normalize over groups of channels (Wu and He 2018).

    x [N, C, *], weight, bias [C] -> [N, C, *]
    """
    layout = "NCHW" if data_format.startswith("NC") else "NHWC"
    return OPS["group_norm"](
        x, weight, bias, groups=num_groups, epsilon=float(epsilon), data_layout=layout
    )[0]


def instance_norm(
    x: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.9,
    eps: float = 1e-05,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Normalize over each channel of each sample (Ulyanov et al. 2016).

    x [N, C, *], weight, bias [C] -> [N, C, *]
    """
    out = OPS["instance_norm"](x, weight, bias, epsilon=float(eps))
    return out[0] if isinstance(out, tuple) else out


def local_response_norm(
    x: Tensor,
    size: int,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta (Krizhevsky et al.
    2012).

    x [N, C, *] -> like x
    """
    check_tensors(x)
    if data_format not in ("NCL", "NLC", "NCHW", "NHWC", "NCDHW", "NDHWC") or x.ndim < 3:
        raise OpError(
            append_user_line(
                f"local_response_norm: data_format={data_format!r} does not fit (X={x.meta})"
            )
        )
    is_channels_last, shape = data_format[-1] == "C", x.meta.shape
    channel_pad, no_pad, flat_shape = (
        [size // 2, (size - 1) // 2],
        [0, 0],
        [0, 1, shape[-1] if is_channels_last else shape[1], -1],
    )
    squares = OPS["reshape2"](
        OPS["square"](x), shape=[0, 1, -1, shape[-1]] if is_channels_last else flat_shape
    )
    padded = pad(squares, [*channel_pad, *no_pad] if is_channels_last else [*no_pad, *channel_pad])
    mean = avg_pool2d(padded, (1, size) if is_channels_last else (size, 1), stride=1)
    mean = OPS["reshape2"](mean, shape=[0, *shape[1:]])
    return divide(x, pow(OPS["scale"](mean, scale=float(alpha), bias=float(k)), float(beta)))
