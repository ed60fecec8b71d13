"""Convolutions and pooling."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...nn.functional.conv import is_channels_last, padding_attrs, to_int_list_of_length
from ...static import nn
from .layer_utils import deprecated_layer

__all__ = [
    "adaptive_pool2d",
    "adaptive_pool3d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "deformable_conv",
    "pool2d",
    "pool3d",
]

conv2d = deprecated_layer("paddle.static.nn.conv2d")(nn.conv2d)
conv3d = deprecated_layer("paddle.static.nn.conv3d")(nn.conv3d)
conv2d_transpose = deprecated_layer("paddle.static.nn.conv2d_transpose")(nn.conv2d_transpose)
conv3d_transpose = deprecated_layer("paddle.static.nn.conv3d_transpose")(nn.conv3d_transpose)


@deprecated_layer("paddle.static.nn.deform_conv2d")
def deformable_conv(
    input: Any,
    offset: Any,
    mask: Any,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    deformable_groups: int | None = None,
    im2col_step: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    modulated: bool = True,
    name: str | None = None,
) -> Any:
    """Deformable 2-D convolution: samples at positions shifted by `offset`, scaled by `mask` if
    modulated (Dai et al. 2017).

    input: [N, C, H, W].
    Returns [N, num_filters, H', W'].
    """
    return nn.deform_conv2d(
        input,
        offset,
        mask if modulated else None,
        num_filters,
        filter_size,
        stride,
        padding,
        dilation,
        groups or 1,
        deformable_groups or 1,
        im2col_step or 1,
        param_attr,
        bias_attr,
        name,
    )


def _run_pool_op(rank: int, x: Any, args: dict[str, Any], data_format: str) -> Any:
    """Run pool2d or pool3d. args: the arguments of the public function by name"""
    op_type = f"pool{rank}d"
    if args["pool_type"] not in ("max", "avg"):
        raise OpError(
            append_user_line(
                f"{op_type}: pool_type={args['pool_type']!r} is neither 'max' nor 'avg'"
            )
        )
    if not args["global_pooling"] and args["pool_size"] == -1:
        raise OpError(append_user_line(f"{op_type}: pool_size is required unless global_pooling"))
    return OPS[op_type](
        x,
        pooling_type=args["pool_type"],
        ksize=to_int_list_of_length(args["pool_size"], rank),
        strides=to_int_list_of_length(args["pool_stride"], rank),
        global_pooling=args["global_pooling"],
        ceil_mode=args["ceil_mode"],
        exclusive=args["exclusive"],
        data_format=data_format,
        use_cudnn=args["use_cudnn"],
        **padding_attrs(args["pool_padding"], rank, is_channels_last(data_format)),
    )


@deprecated_layer("paddle.nn.functional.max_pool2d")
def pool2d(
    input: Any,
    pool_size: Any = -1,
    pool_type: str = "max",
    pool_stride: Any = 1,
    pool_padding: Any = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
    exclusive: bool = True,
    data_format: str = "NCHW",
) -> Any:
    """Maximum or average of each window, or with global_pooling of each image.

    input: [N, C, H, W].
    Returns [N, C, H', W'].
    """
    args = dict(locals())
    return _run_pool_op(2, input, args, data_format)


@deprecated_layer("paddle.nn.functional.max_pool3d")
def pool3d(
    input: Any,
    pool_size: Any = -1,
    pool_type: str = "max",
    pool_stride: Any = 1,
    pool_padding: Any = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
    exclusive: bool = True,
    data_format: str = "NCDHW",
) -> Any:
    """Maximum or average of each window, or with global_pooling of each volume.

    input: [N, C, D, H, W].
    Returns [N, C, D', H', W'].
    """
    args = dict(locals())
    return _run_pool_op(3, input, args, data_format)


def _run_adaptive_pool_op(rank: int, x: Any, size: Any, pool_type: str, require_index: bool) -> Any:
    sizes = to_int_list_of_length(size, rank)
    if pool_type not in ("max", "avg") or (pool_type == "avg" and require_index):
        raise OpError(
            append_user_line(
                f"adaptive_pool{rank}d: pool_type={pool_type!r} with "
                f"require_index={require_index} is not supported"
            )
        )
    if pool_type == "max":
        out, indices = OPS[f"max_pool{rank}d_with_index"](x, ksize=sizes, adaptive=True)
        return (out, indices) if require_index else out
    return OPS[f"pool{rank}d"](x, pooling_type="avg", ksize=sizes, adaptive=True)


@deprecated_layer("paddle.nn.functional.adaptive_avg_pool2d")
def adaptive_pool2d(
    input: Any,
    pool_size: Any,
    pool_type: str = "max",
    require_index: bool = False,
    name: str | None = None,
) -> Any:
    """Maximum or average of a fixed number of windows along each axis.

    input: [N, C, H, W].
    Returns [N, C, *pool_size], and with require_index the indices of the maxima.
    """
    return _run_adaptive_pool_op(2, input, pool_size, pool_type, require_index)


@deprecated_layer("paddle.nn.functional.adaptive_avg_pool3d")
def adaptive_pool3d(
    input: Any,
    pool_size: Any,
    pool_type: str = "max",
    require_index: bool = False,
    name: str | None = None,
) -> Any:
    """Maximum or average of a fixed number of windows along each axis.

    input: [N, C, D, H, W].
    Returns [N, C, *pool_size], and with require_index the indices of the maxima.
    """
    return _run_adaptive_pool_op(3, input, pool_size, pool_type, require_index)
