"""Resizing, sampling and rearranging of images [N, C, H, W]."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.operand_checks import check_tensors
from ...core.tensor import Tensor
from ...tensor.convert import tensor_of_symbolic_ints_or_none
from .conv import to_int_list_of_length
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

__all__ = [
    "affine_grid",
    "channel_shuffle",
    "fold",
    "grid_sample",
    "interpolate",
    "pixel_shuffle",
    "pixel_unshuffle",
    "temporal_shift",
    "unfold",
    "upsample",
]

_RANKS = {
    "linear": (1,),
    "nearest": (2, 3),
    "bilinear": (2,),
    "bicubic": (2,),
    "trilinear": (3,),
    "area": (1, 2, 3),
}
_FORMATS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _raise_interpolate_error(problem: str, x: Tensor) -> None:
    raise OpError(append_user_line(f"interpolate: {problem} (X={x.meta})"))


def _check_interpolate_arguments(
    x: Tensor,
    size: Any,
    scale: Any,
    mode: str,
    align_corners: bool,
    align_mode: int,
    data_format: str,
) -> None:
    rank = x.ndim - 2
    if mode not in _RANKS:
        _raise_interpolate_error(f"mode={mode!r} is not one of {', '.join(map(repr, _RANKS))}", x)
    if rank not in _RANKS[mode]:
        _raise_interpolate_error(f"mode={mode!r} does not support this rank", x)
    if data_format not in _FORMATS[rank]:
        _raise_interpolate_error(
            f"data_format={data_format!r} is neither {' nor '.join(map(repr, _FORMATS[rank]))}", x
        )
    if (size is None) == (scale is None):
        _raise_interpolate_error("specify exactly one of size and scale_factor", x)
    if align_mode not in (0, 1):
        _raise_interpolate_error(f"align_mode={align_mode} is neither 0 nor 1", x)
    if align_corners and mode == "nearest":
        _raise_interpolate_error(
            "align_corners requires mode linear, bilinear, bicubic or trilinear", x
        )


def interpolate(
    x: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Resize x to `size` or by `scale_factor`; both may be tensors.

    x [N, C, *S] -> [N, C, *size]

    mode: 'nearest', 'linear' (rank 3), 'bilinear', 'bicubic' (4), 'trilinear' (5), 'area' (adaptive
    average pooling).
    align_corners: the centres of the corner pixels stay aligned. align_mode 1: no half-pixel
    offset.
    """
    check_tensors(x)
    mode, data_format = mode.lower(), data_format.upper()
    rank = x.ndim - 2
    if mode == "area" and data_format == "NCHW":
        data_format = {1: "NCW", 3: "NCDHW"}.get(rank, data_format)
    _check_interpolate_arguments(
        x, size, scale_factor, mode, align_corners, align_mode, data_format
    )
    if mode == "area":
        pool: Any = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[rank - 1]
        if size is None:
            _raise_interpolate_error("mode='area' requires size", x)
        if isinstance(size, Tensor):
            size = [size[i] for i in range(size.shape[0])] if size.ndim else size
        return pool(x, size[0] if rank == 1 and isinstance(size, list | tuple) else size)
    operands, attrs = (
        _operands_and_attrs_for_size(x, size)
        if scale_factor is None
        else _operands_and_attrs_for_scale(rank, scale_factor)
    )
    return OPS[f"{mode}_interp_v2"](
        x,
        *operands,
        data_layout="NHWC" if data_format[-1] == "C" else "NCHW",
        interp_method=mode,
        align_corners=align_corners,
        align_mode=align_mode,
        **attrs,
    )


def _operands_and_attrs_for_size(x: Tensor, size: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the operands (OutSize, SizeTensor, Scale) and the attributes of an interpolation op
    that resizes to `size`.
    """
    if isinstance(size, Tensor):
        return [OPS["cast"](size, out_dtype=2, in_dtype=size.dtype.proto)], {}
    rank = x.ndim - 2
    sizes = [size] * rank if not isinstance(size, list | tuple) else list(size)
    if len(sizes) != rank:
        _raise_interpolate_error(f"size={size} does not fit", x)
    names = ["out_d", "out_h", "out_w"][3 - rank :]
    if any(isinstance(s, Tensor) for s in sizes):
        return [None, [_to_int32_size_tensor(s) for s in sizes]], dict.fromkeys(names, -1)
    return [], {n: int(s) for n, s in zip(names, sizes, strict=True)}


def _to_int32_size_tensor(size: Any) -> Tensor:
    if not isinstance(size, Tensor):
        return OPS["fill_constant"](
            None, None, None, shape=[1], dtype=2, value=float(size), str_value=str(size)
        )
    return OPS["reshape2"](OPS["cast"](size, out_dtype=2, in_dtype=size.dtype.proto), shape=[1])


def _operands_and_attrs_for_scale(rank: int, scale: Any) -> tuple[list[Any], dict[str, Any]]:
    if isinstance(scale, Tensor):
        return [None, None, OPS["reshape2"](scale, shape=[-1])], {}
    return [], {
        "scale": [float(s) for s in scale]
        if isinstance(scale, list | tuple)
        else [float(scale)] * rank
    }


def upsample(
    x: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Resize images; the same function as `interpolate`.

    x [N, C, *S] -> [N, C, *size]
    """
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)


def affine_grid(
    theta: Tensor, out_shape: Any, align_corners: bool = True, name: str | None = None
) -> Tensor:
    """Return the sampling positions of an affine map of an image, for grid_sample.

    theta [N, 2, 3], out_shape N, C, H, W -> [N, H, W, 2]

    Volumes: theta [N, 3, 4], out_shape N, C, D, H, W -> [N, D, H, W, 3]
    """
    if isinstance(out_shape, Tensor):
        return OPS["affine_grid"](theta, out_shape, align_corners=align_corners)
    shape_tensor = tensor_of_symbolic_ints_or_none(out_shape)
    if shape_tensor is not None:
        return OPS["affine_grid"](theta, shape_tensor, align_corners=align_corners)
    return OPS["affine_grid"](
        theta, output_shape=[int(s) for s in out_shape], align_corners=align_corners
    )


def grid_sample(
    x: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = True,
    name: str | None = None,
) -> Tensor:
    """Sample x at positions in [-1, 1] (Jaderberg et al. 2015).

    grid [N, H', W', 2] -> [N, C, H', W']

    mode: 'bilinear', 'nearest'.
    padding_mode: 'zeros', 'border', 'reflection'; x [N, C, D, H, W] requires a grid of three
    coordinates.
    """
    return OPS["grid_sampler"](
        x, grid, mode=mode, padding_mode=padding_mode, align_corners=align_corners
    )


def pixel_shuffle(
    x: Tensor, upscale_factor: int, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Rearrange channels into blocks of r x r pixels (Shi et al. 2016).

    x [N, C * r * r, H, W] -> [N, C, H * r, W * r]
    """
    return OPS["pixel_shuffle"](x, upscale_factor=upscale_factor, data_format=data_format)


def pixel_unshuffle(
    x: Tensor, downscale_factor: int, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Inverse of pixel_shuffle.

    x [N, C, H * r, W * r] -> [N, C * r * r, H, W]
    """
    return OPS["pixel_unshuffle"](x, downscale_factor=downscale_factor, data_format=data_format)


def channel_shuffle(
    x: Tensor, groups: int, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Interleave the channels of all groups (Zhang et al. 2017).

    -> like x
    """
    return OPS["channel_shuffle"](x, groups=groups, data_format=data_format)


def temporal_shift(
    x: Tensor,
    seg_num: int,
    shift_ratio: float = 0.25,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Tensor:
    """Shift some channels one frame forward and some one frame back (Lin et al. 2019).

    x [N * seg_num, C, H, W] -> like x
    """
    return OPS["temporal_shift"](
        x, seg_num=seg_num, shift_ratio=float(shift_ratio), data_format=data_format
    )


def _expand_paddings_to_four_sides(paddings: Any) -> list[int]:
    """Return the paddings top, left, bottom, right."""
    if isinstance(paddings, int):
        return [paddings] * 4
    return [*paddings, *paddings] if len(paddings) == 2 else to_int_list_of_length(paddings, 4)


def unfold(
    x: Tensor,
    kernel_sizes: Any,
    strides: Any = 1,
    paddings: Any = 0,
    dilations: Any = 1,
    name: str | None = None,
) -> Tensor:
    """Extract the L sliding windows as columns (im2col).

    x [N, C, H, W] -> [N, C * kH * kW, L]
    """
    return OPS["unfold"](
        x,
        kernel_sizes=to_int_list_of_length(kernel_sizes),
        strides=to_int_list_of_length(strides),
        paddings=_expand_paddings_to_four_sides(paddings),
        dilations=to_int_list_of_length(dilations),
    )


def fold(
    x: Tensor,
    output_sizes: Any,
    kernel_sizes: Any,
    strides: Any = 1,
    paddings: Any = 0,
    dilations: Any = 1,
    name: str | None = None,
) -> Tensor:
    """Sum columns into sliding windows (col2im): the adjoint of unfold.

    x [N, C * kH * kW, L] -> [N, C, *output_sizes]
    """
    return OPS["fold"](
        x,
        output_sizes=to_int_list_of_length(output_sizes),
        kernel_sizes=to_int_list_of_length(kernel_sizes),
        strides=to_int_list_of_length(strides),
        paddings=_expand_paddings_to_four_sides(paddings),
        dilations=to_int_list_of_length(dilations),
    )
