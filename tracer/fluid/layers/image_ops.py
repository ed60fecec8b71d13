"""Image ops: interpolation, sampling grids, rearrangement of pixels and channels, and FSP matrices;
position encodings of sequences.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...nn.functional import vision
from .layer_utils import deprecated_layer

__all__ = [
    "add_position_encoding",
    "affine_grid",
    "fsp_matrix",
    "grid_sampler",
    "image_resize",
    "image_resize_short",
    "interpolate",
    "pixel_shuffle",
    "resize_bilinear",
    "resize_nearest",
    "resize_trilinear",
    "shuffle_channel",
    "space_to_depth",
    "temporal_shift",
]


@deprecated_layer("paddle.nn.functional.interpolate")
def image_resize(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: str | None = None,
    resample: str = "BILINEAR",
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCHW",
) -> Any:
    """Resize images or volumes to out_shape, or by a factor.

    input: [N, C, *S].
    out_shape, scale: numbers or variables
    resample: "BILINEAR", "TRILINEAR", "NEAREST" or "BICUBIC"
    Returns [N, C, *out_shape].

    The newer name is `paddle.nn.functional.interpolate`.
    """
    if out_shape is None and scale is None and actual_shape is None:
        raise OpError(
            append_user_line(f"image_resize: requires out_shape or scale (X={input.meta})")
        )
    size = out_shape if actual_shape is None else actual_shape
    mode = resample.lower()
    if f"{mode}_interp" not in OPS or input.ndim - 2 not in vision._RANKS[mode]:
        raise OpError(
            append_user_line(f"image_resize: resample={resample!r} does not fit (X={input.meta})")
        )
    operands, attrs = (
        vision._operands_and_attrs_for_size(input, size)
        if size is not None
        else _operands_and_attrs_for_scale(scale)
    )
    attrs |= {"align_corners": bool(align_corners), "align_mode": int(align_mode)}
    layout = "NHWC" if data_format[-1] == "C" else "NCHW"
    return OPS[f"{mode}_interp"](input, *operands, data_layout=layout, interp_method=mode, **attrs)


def _operands_and_attrs_for_scale(scale: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the operands and the attributes of an interpolation op that resizes by a factor."""
    if isinstance(scale, Tensor):
        return [None, None, OPS["reshape2"](scale, shape=[-1])], {}
    return [], {"scale": float(scale)}


interpolate = deprecated_layer("paddle.nn.functional.interpolate")(image_resize)


@deprecated_layer("paddle.nn.functional.interpolate")
def resize_bilinear(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: str | None = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCHW",
) -> Any:
    """Resize images by bilinear interpolation: [N, C, H, W] -> [N, C, *out_shape]."""
    return image_resize(
        input,
        out_shape,
        scale,
        name,
        "BILINEAR",
        actual_shape,
        align_corners,
        align_mode,
        data_format,
    )


@deprecated_layer("paddle.nn.functional.interpolate")
def resize_trilinear(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: str | None = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCDHW",
) -> Any:
    """Resize volumes by trilinear interpolation: [N, C, D, H, W] -> [N, C, *out_shape]."""
    return image_resize(
        input,
        out_shape,
        scale,
        name,
        "TRILINEAR",
        actual_shape,
        align_corners,
        align_mode,
        data_format,
    )


@deprecated_layer("paddle.nn.functional.interpolate")
def resize_nearest(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: str | None = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    data_format: str = "NCHW",
) -> Any:
    """Resize images by nearest-neighbor interpolation: [N, C, H, W] -> [N, C, *out_shape]."""
    return image_resize(
        input, out_shape, scale, name, "NEAREST", actual_shape, align_corners, 1, data_format
    )


@deprecated_layer("paddle.nn.functional.interpolate")
def image_resize_short(input: Any, out_short_len: int, resample: str = "BILINEAR") -> Any:
    """Resize images so that the shorter side is out_short_len: [N, C, H, W] -> [N, C, H', W']."""
    sides = input.meta.shape[2:4]
    short = min(sides)
    size = [out_short_len if d == short else int(d * (out_short_len / short) + 0.5) for d in sides]
    return image_resize(input, size, resample=resample)


@deprecated_layer("paddle.nn.functional.affine_grid")
def affine_grid(theta: Any, out_shape: Any, name: str | None = None) -> Any:
    """Return the sampling grid of an affine transform, [N, H, W, 2].

    theta: [N, 2, 3].
    out_shape: [N, C, H, W], or a variable.
    """
    return vision.affine_grid(theta, out_shape, align_corners=True)


@deprecated_layer("paddle.nn.functional.grid_sample")
def grid_sampler(x: Any, grid: Any, name: str | None = None) -> Any:
    """Sample images at the positions of a grid by bilinear interpolation.

    x: [N, C, H, W].
    grid: [N, H', W', 2].
    Returns [N, C, H', W'].
    """
    return OPS["grid_sampler"](x, grid)


@deprecated_layer("paddle.nn.functional.pixel_shuffle")
def pixel_shuffle(x: Any, upscale_factor: int) -> Any:
    """Rearrange channels to pixels (Shi et al. 2016).

    x: [N, C * r * r, H, W].
    Returns [N, C, H * r, W * r].
    """
    return OPS["pixel_shuffle"](x, upscale_factor=upscale_factor)


@deprecated_layer("paddle.nn.functional.temporal_shift")
def temporal_shift(x: Any, seg_num: int, shift_ratio: float = 0.25, name: str | None = None) -> Any:
    """Shift some channels to the previous frame, some to the next (Lin et al. 2019).

    x: [N * T, C, H, W].
    Returns the same shape.
    """
    return OPS["temporal_shift"](x, seg_num=seg_num, shift_ratio=float(shift_ratio))


@deprecated_layer("paddle.nn.functional.channel_shuffle")
def shuffle_channel(x: Any, group: int, name: str | None = None) -> Any:
    """Interleave the channels of groups (Zhang et al. 2018): [N, C, H, W] -> [N, C, H, W]."""
    return OPS["shuffle_channel"](x, group=group)


def space_to_depth(x: Any, blocksize: int, name: str | None = None) -> Any:
    """Rearrange blocks of pixels to channels, in the order of Darknet's `reorg`.

    x: [N, C, H, W].
    Returns [N, C * b * b, H / b, W / b].

    The newer name is `paddle.nn.functional.pixel_unshuffle`.
    """
    b, (_, channels, height, width) = blocksize, x.meta.shape
    inner = channels // (b * b)
    blocks = OPS["reshape2"](x, shape=[-1, b, b, inner, height, width])
    ordered = OPS["transpose2"](blocks, axis=[0, 3, 4, 1, 5, 2])
    return OPS["reshape2"](ordered, shape=[-1, channels * b * b, height // b, width // b])


def fsp_matrix(x: Any, y: Any) -> Any:
    """Products of the channels of two feature maps, averaged over the pixels (Yim et al. 2017).

    x: [N, C, H, W].
    y: [N, D, H, W].
    Returns [N, C, D].
    """
    flat = [OPS["reshape2"](t, shape=[0, 0, -1]) for t in (x, y)]
    num_pixels = x.meta.shape[2] * x.meta.shape[3]
    return OPS["matmul"](*flat, transpose_Y=True, alpha=1.0 / num_pixels)


def add_position_encoding(input: Any, alpha: float, beta: float, name: str | None = None) -> Any:
    """alpha * input + beta * sinusoidal position encoding (Vaswani et al. 2017).

    input: [N, T, D], or [R, D] with LoD.
    Returns the same shape.
    """
    return OPS["add_position_encoding"](input, alpha=float(alpha), beta=float(beta))
