"""Convolutions and pooling."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...nn.functional.conv import int_list, is_channels_last, padding_attrs
from ...static import nn
from .helper import today

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

conv2d = today("paddle.static.nn.conv2d")(nn.conv2d)
conv3d = today("paddle.static.nn.conv3d")(nn.conv3d)
conv2d_transpose = today("paddle.static.nn.conv2d_transpose")(nn.conv2d_transpose)
conv3d_transpose = today("paddle.static.nn.conv3d_transpose")(nn.conv3d_transpose)


@today("paddle.static.nn.deform_conv2d")
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
    """2-D convolution at places moved by `offset`, weighed by `mask` if modulated

    (Dai et al. 2017).
    input [N, C, H, W] -> [N, num_filters, H', W']
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


def _pool(rank: int, x: Any, given: dict[str, Any], layout: str) -> Any:
    """pool2d and pool3d.   given: size, kind, stride, padding and so on as users pass them"""
    kind = f"pool{rank}d"
    if given["pool_type"] not in ("max", "avg"):
        raise OpError(
            with_user_line(f"{kind}: pool_type={given['pool_type']!r} is neither 'max' nor 'avg'")
        )
    if not given["global_pooling"] and given["pool_size"] == -1:
        raise OpError(with_user_line(f"{kind}: pool_size is needed where global_pooling is not"))
    return OPS[kind](
        x,
        pooling_type=given["pool_type"],
        ksize=int_list(given["pool_size"], rank),
        strides=int_list(given["pool_stride"], rank),
        global_pooling=given["global_pooling"],
        ceil_mode=given["ceil_mode"],
        exclusive=given["exclusive"],
        data_format=layout,
        use_cudnn=given["use_cudnn"],
        **padding_attrs(given["pool_padding"], rank, is_channels_last(layout)),
    )


@today("paddle.nn.functional.max_pool2d")
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
    """The largest or the mean of each window, or of everything.

    input [N, C, H, W] -> [N, C, H', W']
    """
    given = dict(locals())
    return _pool(2, input, given, data_format)


@today("paddle.nn.functional.max_pool3d")
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
    """The largest or the mean of each window, or of everything.

    input [N, C, D, H, W] -> [N, C, D', H', W']
    """
    given = dict(locals())
    return _pool(3, input, given, data_format)


def _adaptive(rank: int, x: Any, size: Any, kind: str, require_index: bool) -> Any:
    sizes = int_list(size, rank)
    if kind not in ("max", "avg") or (kind == "avg" and require_index):
        raise OpError(
            with_user_line(
                f"adaptive_pool{rank}d: pool_type={kind!r} with require_index={require_index}"
            )
        )
    if kind == "max":
        made, places = OPS[f"max_pool{rank}d_with_index"](x, ksize=sizes, adaptive=True)
        return (made, places) if require_index else made
    return OPS[f"pool{rank}d"](x, pooling_type="avg", ksize=sizes, adaptive=True)


@today("paddle.nn.functional.adaptive_avg_pool2d")
def adaptive_pool2d(
    input: Any,
    pool_size: Any,
    pool_type: str = "max",
    require_index: bool = False,
    name: str | None = None,
) -> Any:
    """So many windows along each axis, the largest or the mean of each.

    input [N, C, H, W] -> [N, C, *pool_size], and places of the largest
    """
    return _adaptive(2, input, pool_size, pool_type, require_index)


@today("paddle.nn.functional.adaptive_avg_pool3d")
def adaptive_pool3d(
    input: Any,
    pool_size: Any,
    pool_type: str = "max",
    require_index: bool = False,
    name: str | None = None,
) -> Any:
    """So many windows along each axis, the largest or the mean of each.

    input [N, C, D, H, W] -> [N, C, *pool_size], and places of the largest
    """
    return _adaptive(3, input, pool_size, pool_type, require_index)
