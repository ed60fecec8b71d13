"""Normalization functions."""

from __future__ import annotations

import math

from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import check_tensors, not_a_tensor_error
from ...core.tensor import Tensor
from ...tensor.math import divide, pow
from ..type_aliases import Ints
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
    """Batch normalization, per channel (Ioffe and Szegedy 2015).

    (x - mean) / sqrt(var + epsilon) * weight + bias

    In training, mean and var are those of the batch over all axes but the channels (var is divided
    by the number of elements), and the running statistics become momentum * running + (1 -
    momentum) * batch, in place. Otherwise they are the running statistics.

    Parameters
    ----------
    x : Tensor [N, C, *], float16 | bfloat16 | float32 | float64
    running_mean, running_var : Tensor [C]
    weight, bias : Tensor [C], optional
    training : bool, default False
    momentum : float, default 0.9
        Share of the old value in an update of the running statistics.
    epsilon : float, default 1e-05
    data_format : str, default "NCHW"
        "NC", "NCL", "NCHW" and "NCDHW": the channels are the second axis; otherwise the last.
    use_global_stats : bool, optional
        True: use the running statistics in training, too, and do not update them. None and False:
        as described above.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, shape and dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not fit. Weights and statistics have the dtype of x; for float16 and
        bfloat16 they may be float32.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 10.0], [3.0, 30.0]])
    >>> mean, var = paddle.zeros([2]), paddle.ones([2])
    >>> F.batch_norm(x, mean, var, training=True).numpy().round(3)
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    >>> mean.numpy().round(3)
    array([0.2, 2. ], dtype=float32)
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
    normalized_shape: Ints,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-05,
    name: str | None = None,
) -> Tensor:
    """Layer normalization: over the last axes of each sample (Ba et al. 2016).

    (x - mean) / sqrt(var + epsilon) * weight + bias

    Parameters
    ----------
    x : Tensor [*, *normalized_shape], float16 | bfloat16 | float32 | float64
    normalized_shape : int, list of int or tuple of int
        Sizes of the last axes, over which mean and variance are computed; an int is the last axis.
    weight, bias : Tensor, optional
        Of shape normalized_shape, or flat; dtype of x, or float32 for a half-precision x.
    epsilon : float, default 1e-05
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, shape and dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> F.layer_norm(paddle.to_tensor([[1.0, 3.0], [20.0, 10.0]]), 2).numpy().round(3)
    array([[-1.,  1.],
           [ 1., -1.]], dtype=float32)
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
    """Group normalization: over groups of channels of each sample (Wu and He 2018).

    (x - mean) / sqrt(var + epsilon) * weight + bias, with mean and variance per sample and group

    Parameters
    ----------
    x : Tensor [N, C, *], float16 | bfloat16 | float32 | float64
    num_groups : int
        Divides C.
    epsilon : float, default 1e-05
    weight, bias : Tensor [C], optional
        Dtype of x, or float32 for a half-precision x.
    data_format : str, default "NCHW"
        The channels are the second axis if it starts with "NC", such as "NCL", otherwise the last.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, shape and dtype of x

    Raises
    ------
    OpError
        If shapes, dtypes or `num_groups` do not fit.

    Examples
    --------
    >>> F.group_norm(paddle.to_tensor([[1.0, 3.0, 20.0, 10.0]]), num_groups=2).numpy().round(3)
    array([[-1.,  1.,  1., -1.]], dtype=float32)
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
    """Instance normalization: per channel of each sample (Ulyanov et al. 2016).

    (x - mean) / sqrt(var + eps) * weight + bias, with mean and variance over the spatial axes

    Parameters
    ----------
    x : Tensor [N, C, *], float16 | bfloat16 | float32 | float64
    running_mean, running_var : Tensor, optional
        Not used.
    weight, bias : Tensor [C], optional
        Dtype of x, or float32 for a half-precision x.
    use_input_stats : bool, default True
        Not used: the statistics are always those of `x`.
    momentum : float, default 0.9
        Not used.
    eps : float, default 1e-05
    data_format : str, default "NCHW"
        Not used: the channels are the second axis.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, shape and dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> F.instance_norm(paddle.to_tensor([[[1.0, 3.0], [20.0, 10.0]]])).numpy().round(3)
    array([[[-1.,  1.],
            [ 1., -1.]]], dtype=float32)
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
    """Divide by a power of the mean square of neighboring channels (Krizhevsky et al. 2012).

    x[c] / (k + alpha * sum(x[i]^2) / size)^beta, with i from c - size // 2 to c + (size - 1) // 2;
    channels outside of x count as 0

    Parameters
    ----------
    x : Tensor [N, C, *] of rank 3 or more, float16 | bfloat16 | float32 | float64
    size : int
        Number of channels.
    alpha : float, default 1e-4
    beta : float, default 0.75
    k : float, default 1.0
    data_format : "NCL", "NLC", "NCHW", "NHWC", "NCDHW" or "NDHWC", default "NCHW"
        A last letter C: the channels are the last axis; otherwise the second.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor, shape and dtype of x

    Raises
    ------
    OpError
        If x has fewer than three axes, `data_format` is unknown, or `size` is not positive.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0]).reshape([1, 3, 1])
    >>> F.local_response_norm(x, 2, alpha=2.0, beta=1.0, k=0.0).flatten().numpy().round(3)
    array([1.   , 0.4  , 0.231], dtype=float32)
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
