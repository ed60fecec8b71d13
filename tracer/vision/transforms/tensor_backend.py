"""Transforms of a Tensor [C, H, W] or [N, C, H, W], computed by ops: they can be captured and have
gradients.

Floats range from 0 to 1, integers from 0 to 255.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import is_inexact
from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...nn import functional as F
from ...tensor.creation import to_tensor as create_tensor
from ...tensor.manipulation import concat, flip, gather, stack
from ...tensor.math import clip, floor
from . import geometry, interpolation_weights

_PAD_MODES = {"constant": "constant", "edge": "replicate", "reflect": "reflect"}
_GRAY = (0.2989, 0.587, 0.114)  # as in Paddle; PIL has 0.299


def height_and_width(img: Tensor) -> tuple[int, int]:
    """Return height and width."""
    return img.shape[-2], img.shape[-1]


def to_tensor(pic: Tensor, data_format: str = "CHW") -> Tensor:
    """Return the tensor unchanged or, for data_format 'HWC', transposed to channels last."""
    return pic if data_format == "CHW" else pic.transpose([1, 2, 0])


def _cast_to_float_unscaled(img: Tensor) -> Tensor:
    return img if is_inexact(img.meta.dtype) else img.astype("float32")


def _to_image_dtype(values: Tensor, img: Tensor) -> Tensor:
    """Convert computed values to the dtype of the image."""
    if is_inexact(img.meta.dtype):
        return values
    return clip(values.round(), 0.0, 255.0).astype(img.dtype)


def _array_to_tensor_with_dtype_of(array: Any, like: Tensor) -> Tensor:
    return create_tensor(np.asarray(array).astype(like.meta.dtype))


def resize(img: Tensor, size: tuple[int, int], interpolation: str) -> Tensor:
    """[*, H, W] -> [*, *size]"""
    interpolation_weights.check_interpolation("resize", interpolation)
    values = _cast_to_float_unscaled(img)
    if interpolation == "area":
        batch = values if values.ndim == 4 else values.unsqueeze(0)
        return _to_image_dtype(
            F.adaptive_avg_pool2d(batch, list(size)).reshape([*img.shape[:-2], *size]), img
        )
    height, width = height_and_width(img)
    row_matrix = _array_to_tensor_with_dtype_of(
        interpolation_weights.to_weight_matrix(
            interpolation_weights.resize_weights(height, size[0], interpolation), height
        ),
        values,
    )
    column_matrix = _array_to_tensor_with_dtype_of(
        interpolation_weights.to_weight_matrix(
            interpolation_weights.resize_weights(width, size[1], interpolation), width
        ),
        values,
    )
    return _to_image_dtype(row_matrix.matmul(values).matmul(column_matrix, transpose_y=True), img)


def pad(img: Tensor, padding: tuple[int, int, int, int], fill: Any, padding_mode: str) -> Tensor:
    """[*, H, W] -> [*, top + H + bottom, left + W + right]"""
    if padding_mode not in _PAD_MODES:
        raise OpError(
            append_user_line(f"pad: padding_mode={padding_mode!r} is not supported for a Tensor")
        )
    left, top, right, bottom = padding
    batch = img if img.ndim == 4 else img.unsqueeze(0)
    out = F.pad(batch, [left, right, top, bottom], _PAD_MODES[padding_mode], float(fill))
    return out if img.ndim == 4 else out.squeeze(0)


def crop(img: Tensor, top: int, left: int, height: int, width: int) -> Tensor:
    """[*, H, W] -> [*, height, width]"""
    return img[..., top : top + height, left : left + width]


def hflip(img: Tensor) -> Tensor:
    """Flip left and right.

    -> like img
    """
    return flip(img, [-1])


def vflip(img: Tensor) -> Tensor:
    """Flip top and bottom.

    -> like img
    """
    return flip(img, [-2])


def warp(
    img: Tensor, matrix: Any, height: int, width: int, interpolation: str, fill: Any
) -> Tensor:
    """Sample the image at the positions of `geometry.source_coordinates`.

    [*, H, W] -> [*, height, width]
    """
    x, y = (
        positions.reshape(-1) for positions in geometry.source_coordinates(matrix, height, width)
    )
    values = _cast_to_float_unscaled(img)
    flat = values.reshape([-1, img.shape[-2] * img.shape[-1]])
    value: Any = 0.0
    coverage: Any = 0.0
    for index, weight in interpolation_weights.flat_indices_and_weights_at_points(
        x, y, *height_and_width(img), interpolation
    ):
        value = value + gather(flat, create_tensor(index), axis=1) * _array_to_tensor_with_dtype_of(
            weight, values
        )
        coverage = coverage + weight
    value = value.reshape([*img.shape[:-2], height, width])
    coverage_tensor = _array_to_tensor_with_dtype_of(coverage.reshape(height, width), values)
    # NOTE: pixels outside of the image already count as 0 in `value`. Multiplying `value` by the
    # coverage weights them a second time, as Paddle does.
    return _to_image_dtype(
        value * coverage_tensor
        + (1 - coverage_tensor)
        * _array_to_tensor_with_dtype_of(np.reshape(fill, (-1, 1, 1)), values),
        img,
    )


def to_grayscale(img: Tensor, num_output_channels: int) -> Tensor:
    """Convert to grayscale.

    [*, 3, H, W] -> [*, num_output_channels, H, W]
    """
    gray = _to_image_dtype(_luminance(_cast_to_float_unscaled(img)), img)
    return gray if num_output_channels == 1 else concat([gray] * num_output_channels, -3)


def _luminance(img: Tensor) -> Tensor:
    """Return the luminance [*, 1, H, W] of [*, 3, H, W]; an image with one channel is unchanged."""
    channels = img.shape[-3]
    if channels not in (1, 3):
        raise OpError(
            append_user_line(
                f"color transform: an image must have 1 or 3 channels (img={img.meta})"
            )
        )
    return (
        img
        if channels == 1
        else (img * _array_to_tensor_with_dtype_of(np.reshape(_GRAY, (3, 1, 1)), img)).sum(
            -3, keepdim=True
        )
    )


def _blend_images(img: Tensor, other: Any, factor: float) -> Tensor:
    values = _cast_to_float_unscaled(img)
    mixed = clip(
        other + (values - other) * float(factor), 0.0, 1.0 if is_inexact(img.meta.dtype) else 255.0
    )
    return mixed if is_inexact(img.meta.dtype) else mixed.astype(img.dtype)


def adjust_brightness(img: Tensor, factor: float) -> Tensor:
    """Adjust the brightness: blend the image with black.

    -> like img
    """
    return _blend_images(img, 0.0, factor)


def adjust_contrast(img: Tensor, factor: float) -> Tensor:
    """Adjust the contrast: blend the image with its mean luminance.

    -> like img
    """
    return _blend_images(
        img, _luminance(_cast_to_float_unscaled(img)).mean([-3, -2, -1], keepdim=True), factor
    )


def adjust_saturation(img: Tensor, factor: float) -> Tensor:
    """Adjust the saturation: blend the image with its grayscale image.

    -> like img
    """
    return _blend_images(img, _luminance(_cast_to_float_unscaled(img)), factor)


def adjust_hue(img: Tensor, factor: float) -> Tensor:
    """Shift the hue by the part `factor` of the color circle.

    -> like img
    """
    if img.shape[-3] == 1:
        return img
    is_integer = not is_inexact(img.meta.dtype)
    values = _cast_to_float_unscaled(img) / 255.0 if is_integer else img
    hue, saturation, value = _to_hsv(values)
    hue = hue + factor
    out = _from_hsv(hue - floor(hue), saturation, value)
    return (out * 255.0).astype(img.dtype) if is_integer else out


def _to_hsv(img: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return hue, saturation and value from 0 to 1.

    [*, 3, H, W] -> three of [*, H, W]
    """
    red, green, blue = (img[..., i, :, :] for i in range(3))
    maximum, minimum = img.max(-3), img.min(-3)
    chroma = maximum - minimum
    is_gray = (chroma == 0).astype(img.dtype)
    divisor = chroma + is_gray
    r, g, b = (maximum - red) / divisor, (maximum - green) / divisor, (maximum - blue) / divisor
    is_red = (maximum == red).astype(img.dtype)
    is_green = (maximum == green).astype(img.dtype) * (1 - is_red)
    sector = is_red * (b - g) + is_green * (2.0 + r - b) + (1 - is_red - is_green) * (4.0 + g - r)
    hue = sector / 6.0 + 1.0
    return (
        (hue - floor(hue)) * (1 - is_gray),
        chroma / (maximum + (maximum == 0).astype(img.dtype)),
        maximum,
    )


def _from_hsv(hue: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
    """Convert HSV to RGB: three of [*, H, W] -> [*, 3, H, W]."""
    channels = []
    for start in (5.0, 3.0, 1.0):
        k = hue * 6.0 + start
        k = k - floor(k / 6.0) * 6.0
        channels.append(
            value - value * saturation * clip(_elementwise_minimum(k, 4.0 - k), 0.0, 1.0)
        )
    return stack(channels, -3)


def _elementwise_minimum(x: Tensor, y: Tensor) -> Tensor:
    return (x + y - (x - y).abs()) * 0.5


def normalize(img: Tensor, mean: Any, std: Any, data_format: str, to_rgb: bool) -> Tensor:
    """Compute (img - mean) / std of each channel.

    [*, C, H, W], or [*, H, W, C] for 'HWC' -> like img
    """
    img = flip(img, [-3 if data_format == "CHW" else -1]) if to_rgb else img
    values, shape = _cast_to_float_unscaled(img), (-1, 1, 1) if data_format == "CHW" else (-1,)
    return (
        values - _array_to_tensor_with_dtype_of(np.reshape(mean, shape), values)
    ) / _array_to_tensor_with_dtype_of(np.reshape(std, shape), values)


def erase(img: Tensor, i: int, j: int, h: int, w: int, v: Any, inplace: bool) -> Tensor:
    """Set rows i ... i + h and columns j ... j + w of [*, H, W] to `v`.

    -> like img
    """
    img = img if inplace else img.clone()
    img[..., i : i + h, j : j + w] = v
    return img
