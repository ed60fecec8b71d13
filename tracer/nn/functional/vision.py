"""Resizing, sampling and rearranging of images [N, C, H, W]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.operand_checks import check_tensors
from ...core.tensor import Tensor
from ...core.type_aliases import Shape, Size
from ...tensor.convert import tensor_of_symbolic_ints_or_none
from ..type_aliases import Ints
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
    size: Shape | None = None,
    scale_factor: float | Sequence[float] | Tensor | None = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Resize a batch of sequences, images or volumes by interpolation.

    Parameters
    ----------
    x : Tensor [N, C, *S], float16 | bfloat16 | float32 | float64
        "nearest" accepts integers too, "bilinear" uint8.
    size : int, sequence of int or Tensor, or Tensor of integers [rank - 2], optional
        Sizes of the result; one int is used for all axes.
    scale_factor : float, sequence of float or Tensor, optional
        Factor of the sizes, rounded down. Exactly one of `size` and `scale_factor` is given.
    mode : str, default "nearest"
        "nearest": images and volumes. "linear", "bilinear", "trilinear": linear interpolation of
        sequences, images and volumes. "bicubic": images. "area": adaptive average pooling to
        `size`.
    align_corners : bool, default False
        The centers of the corner pixels of input and result coincide; not with "nearest".
    align_mode : 0 or 1, default 0
        Position in the input of pixel i of the result without `align_corners`, linear modes: 0:
        ratio * (i + 0.5) - 0.5; 1: ratio * i.
    data_format : str, default "NCHW"
        "NCW" or "NWC" for sequences, "NCHW" or "NHWC", "NCDHW" or "NDHWC" for volumes. Sequences
        and volumes need it, except in mode "area".
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, *size], dtype of x

    Raises
    ------
    OpError
        If `mode`, the rank, `data_format` and the other arguments do not fit, or a size of the
        result is not positive.

    Examples
    --------
    >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> F.interpolate(x, [3, 3], mode="bilinear", align_corners=True).tolist()
    [[[[1.0, 1.5, 2.0], [2.0, 2.5, 3.0], [3.0, 3.5, 4.0]]]]
    >>> F.interpolate(x, scale_factor=2).shape
    [1, 1, 4, 4]
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
    size: Shape | None = None,
    scale_factor: float | Sequence[float] | Tensor | None = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Resize a batch of sequences, images or volumes; the same function as `interpolate`.

    Parameters
    ----------
    x : Tensor [N, C, *S], float16 | bfloat16 | float32 | float64
    size : int, sequence of int or Tensor, or Tensor of integers [rank - 2], optional
        Sizes of the result; one int is used for all axes.
    scale_factor : float, sequence of float or Tensor, optional
        Factor of the sizes, rounded down. Exactly one of `size` and `scale_factor` is given.
    mode : str, default "nearest"
        "nearest", "linear", "bilinear", "bicubic", "trilinear" or "area", as in `interpolate`.
    align_corners : bool, default False
        The centers of the corner pixels of input and result coincide; not with "nearest".
    align_mode : 0 or 1, default 0
        As in `interpolate`.
    data_format : str, default "NCHW"
        "NCW" or "NWC" for sequences, "NCHW" or "NHWC", "NCDHW" or "NDHWC" for volumes.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, *size], dtype of x

    Raises
    ------
    OpError
        As in `interpolate`.

    Examples
    --------
    >>> x = paddle.to_tensor([[[[1.0, 2.0]]]])
    >>> F.upsample(x, scale_factor=2).tolist()
    [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)


def affine_grid(
    theta: Tensor,
    out_shape: Sequence[Size] | Tensor,
    align_corners: bool = True,
    name: str | None = None,
) -> Tensor:
    """Sampling positions of an affine map of images or volumes, for `grid_sample`.

    grid[n, h, w] = theta[n] * (x, y, 1), where x and y run from -1 to 1 along the width and height

    Parameters
    ----------
    theta : Tensor [N, 2, 3], or [N, 3, 4] for volumes, float16 | bfloat16 | float32 | float64
        An affine map of each image, from positions in the result to positions in the input.
    out_shape : sequence of int or Tensor, or Tensor of integers
        N, C, H, W, or N, C, D, H, W for volumes: the shape of the result of `grid_sample`.
    align_corners : bool, default True
        True: -1 and 1 are the centers of the outermost pixels; False: their outer edges.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, H, W, 2] or [N, D, H, W, 3], dtype of theta
        Positions x, y(, z).

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> theta = paddle.to_tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])  # the identity
    >>> F.affine_grid(theta, [1, 3, 2, 2]).tolist()
    [[[[-1.0, -1.0], [1.0, -1.0]], [[-1.0, 1.0], [1.0, 1.0]]]]
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
    """Sample images or volumes at given positions (Jaderberg et al. 2015).

    out[n, c, h, w] = interpolated x[n, c] at the position grid[n, h, w]

    Parameters
    ----------
    x : Tensor [N, C, H, W] or [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    grid : Tensor [N, H', W', 2] or [N, D', H', W', 3], dtype of x
        Positions x, y(, z), where -1 and 1 are the ends of an axis.
    mode : "bilinear" or "nearest", default "bilinear"
    padding_mode : "zeros", "border" or "reflection", default "zeros"
        Outside of the image: 0, the nearest pixel, or the image reflected at its border.
    align_corners : bool, default True
        True: -1 and 1 are the centers of the outermost pixels; False: their outer edges.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, H', W'] or [N, C, D', H', W'], dtype of x

    Raises
    ------
    OpError
        If shapes, dtypes or modes do not fit.

    Notes
    -----
    There is no second gradient.

    Examples
    --------
    >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> grid = paddle.to_tensor([[[[0.0, 0.0], [1.0, -1.0]]]])
    >>> F.grid_sample(x, grid).tolist()
    [[[[2.5, 2.0]]]]
    """
    return OPS["grid_sampler"](
        x, grid, mode=mode, padding_mode=padding_mode, align_corners=align_corners
    )


def pixel_shuffle(
    x: Tensor, upscale_factor: int, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Rearrange groups of r * r channels into blocks of r x r pixels (Shi et al. 2016).

    out[n, c, h * r + i, w * r + j] = x[n, (c * r + i) * r + j, h, w], where r is the factor

    Parameters
    ----------
    x : Tensor [N, C * r * r, H, W], any dtype
    upscale_factor : int
    data_format : "NCHW" or "NHWC", default "NCHW"
        Order of the axes of x and of the result.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, H * r, W * r], dtype of x

    Raises
    ------
    OpError
        If the channels are not a multiple of r * r, x has another rank or `data_format` is unknown.

    Examples
    --------
    >>> x = paddle.arange(4).reshape([1, 4, 1, 1])
    >>> F.pixel_shuffle(x, 2).tolist()
    [[[[0, 1], [2, 3]]]]
    """
    return OPS["pixel_shuffle"](x, upscale_factor=upscale_factor, data_format=data_format)


def pixel_unshuffle(
    x: Tensor, downscale_factor: int, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Rearrange blocks of r x r pixels into r * r channels: the inverse of `pixel_shuffle`.

    out[n, (c * r + i) * r + j, h, w] = x[n, c, h * r + i, w * r + j], where r is the factor

    Parameters
    ----------
    x : Tensor [N, C, H * r, W * r], any dtype
    downscale_factor : int
    data_format : "NCHW" or "NHWC", default "NCHW"
        Order of the axes of x and of the result.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C * r * r, H, W], dtype of x

    Raises
    ------
    OpError
        If the height or width is not a multiple of r, x has another rank or `data_format` is
        unknown.

    Examples
    --------
    >>> x = paddle.arange(4).reshape([1, 1, 2, 2])
    >>> F.pixel_unshuffle(x, 2).flatten().tolist()
    [0, 1, 2, 3]
    """
    return OPS["pixel_unshuffle"](x, downscale_factor=downscale_factor, data_format=data_format)


def channel_shuffle(
    x: Tensor, groups: int, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Interleave groups of channels: first channel 0 of each group, then 1 (Zhang et al. 2017).

    out[:, c * groups + g] = x[:, g * (C / groups) + c]

    Parameters
    ----------
    x : Tensor [N, C, H, W], any dtype
    groups : int
        Divides C.
    data_format : "NCHW" or "NHWC", default "NCHW"
        Order of the axes of x and of the result.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, H, W], dtype of x

    Raises
    ------
    OpError
        If `groups` does not divide the channels, x has another rank or `data_format` is unknown.

    Examples
    --------
    >>> x = paddle.arange(6).reshape([1, 6, 1, 1])
    >>> F.channel_shuffle(x, 2).flatten().tolist()
    [0, 3, 1, 4, 2, 5]
    """
    return OPS["channel_shuffle"](x, groups=groups, data_format=data_format)


def temporal_shift(
    x: Tensor,
    seg_num: int,
    shift_ratio: float = 0.25,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Tensor:
    """Shift some channels of videos by one frame (Lin et al. 2019).

    The first C * shift_ratio channels move to the next frame, as many further channels to the
    previous frame, and the others stay; frames outside of a video are 0.

    Parameters
    ----------
    x : Tensor [N * seg_num, C, H, W], any dtype
        Frames; those of a video follow each other.
    seg_num : int
        Frames of a video.
    shift_ratio : float, default 0.25
        At most 0.5.
    name : str, optional
        Not used.
    data_format : "NCHW" or "NHWC", default "NCHW"
        Order of the axes of x and of the result.

    Returns
    -------
    Tensor [N * seg_num, C, H, W], dtype of x

    Raises
    ------
    OpError
        If `seg_num` does not divide the batch, x has another rank or `data_format` is unknown.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]).reshape([2, 4, 1, 1])
    >>> F.temporal_shift(x, seg_num=2).reshape([2, 4]).tolist()
    [[0.0, 6.0, 3.0, 4.0], [1.0, 0.0, 7.0, 8.0]]
    """
    return OPS["temporal_shift"](
        x, seg_num=seg_num, shift_ratio=float(shift_ratio), data_format=data_format
    )


def _expand_paddings_to_four_sides(paddings: Ints) -> list[int]:
    """Return the paddings top, left, bottom, right."""
    if isinstance(paddings, int):
        return [paddings] * 4
    return [*paddings, *paddings] if len(paddings) == 2 else to_int_list_of_length(paddings, 4)


def unfold(
    x: Tensor,
    kernel_sizes: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    dilations: Ints = 1,
    name: str | None = None,
) -> Tensor:
    """Extract sliding windows of images as columns (im2col).

    Parameters
    ----------
    x : Tensor [N, C, H, W], any dtype
    kernel_sizes : int or (int, int)
        Height and width of a window.
    strides, paddings, dilations : int or (int, int), default 1, 0 and 1
        `paddings` may also be [top, left, bottom, right]; padded pixels are 0.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C * kH * kW, L], dtype of x
        L = H' * W' windows, with H' = (H + padding - dilation * (kH - 1) - 1) // stride + 1 (W'
        likewise); the channel c * kH * kW + i * kW + j is pixel (i, j) of the windows of channel c.

    Raises
    ------
    OpError
        If a window does not fit into the padded image or an argument has a wrong length.

    See Also
    --------
    paddle.nn.functional.fold : The adjoint function.

    Examples
    --------
    >>> x = paddle.arange(9, dtype="float32").reshape([1, 1, 3, 3])
    >>> F.unfold(x, 2).tolist()
    [[[0.0, 1.0, 3.0, 4.0], [1.0, 2.0, 4.0, 5.0], [3.0, 4.0, 6.0, 7.0], [4.0, 5.0, 7.0, 8.0]]]
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
    output_sizes: Ints,
    kernel_sizes: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    dilations: Ints = 1,
    name: str | None = None,
) -> Tensor:
    """Sum columns into sliding windows of images (col2im): the adjoint of `unfold`.

    Pixels that several windows cover are the sum of their values.

    Parameters
    ----------
    x : Tensor [N, C * kH * kW, L], any dtype
        Columns as `unfold` returns them.
    output_sizes : int or (int, int)
        Height and width of the images.
    kernel_sizes : int or (int, int)
        Height and width of a window.
    strides, paddings, dilations : int or (int, int), default 1, 0 and 1
        `paddings` may also be [top, left, bottom, right].
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, *output_sizes], dtype of x

    Raises
    ------
    OpError
        If L is not the number of windows or an argument has a wrong length.

    Examples
    --------
    >>> columns = paddle.ones([1, 4, 4])
    >>> F.fold(columns, output_sizes=3, kernel_sizes=2).tolist()
    [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    return OPS["fold"](
        x,
        output_sizes=to_int_list_of_length(output_sizes),
        kernel_sizes=to_int_list_of_length(kernel_sizes),
        strides=to_int_list_of_length(strides),
        paddings=_expand_paddings_to_four_sides(paddings),
        dilations=to_int_list_of_length(dilations),
    )
