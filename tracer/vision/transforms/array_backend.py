"""Transforms of an ndarray [H, W] or [H, W, C].

Color transforms require uint8; the others support any dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...tensor.creation import to_tensor as create_tensor
from . import geometry, interpolation_weights

Array = np.ndarray[Any, Any]


def height_and_width(img: Array) -> tuple[int, int]:
    """Return height and width."""
    return img.shape[0], img.shape[1]


def to_tensor(pic: Array, data_format: str = "CHW") -> Tensor:
    """Convert to a Tensor; uint8 becomes float32 from 0 to 1, other dtypes are unchanged.

    [H, W, C] -> [C, H, W], or [H, W, C] for 'HWC'
    """
    pic = pic[:, :, None] if pic.ndim == 2 else pic
    if pic.dtype == np.uint8:
        pic = pic.astype(np.float32) / np.float32(255)
    return create_tensor(
        np.ascontiguousarray(pic.transpose(2, 0, 1) if data_format == "CHW" else pic)
    )


def _to_image_dtype(values: Array, like: Array) -> Array:
    """Convert computed float values to the dtype of the image `like`; integers are rounded and
    clipped.
    """
    if np.issubdtype(like.dtype, np.floating):
        return values.astype(like.dtype)
    info = np.iinfo(like.dtype)
    return np.rint(values).clip(info.min, info.max).astype(like.dtype)


def resize(img: Array, size: tuple[int, int], interpolation: str) -> Array:
    """[H, W, *] -> [*size, *]"""
    interpolation_weights.check_interpolation("resize", interpolation)
    values = img.astype(np.float64 if img.dtype == np.float64 else np.float32)
    for axis, new_size in enumerate(size):
        index, weight = interpolation_weights.resize_weights(
            img.shape[axis], new_size, interpolation
        )
        shape = [1] * img.ndim
        shape[axis] = new_size
        weight = weight.astype(values.dtype)
        values = sum(
            values.take(index[:, k], axis) * weight[:, k].reshape(shape)
            for k in range(index.shape[1])
        )
    return _to_image_dtype(values, img)


def pad(img: Array, padding: tuple[int, int, int, int], fill: Any, padding_mode: str) -> Array:
    """[H, W, *] -> [top + H + bottom, left + W + right, *]"""
    left, top, right, bottom = padding
    if padding_mode != "constant":
        return np.pad(img, [(top, bottom), (left, right)] + [(0, 0)] * (img.ndim - 2), padding_mode)  # type: ignore[call-overload]
    height, width = height_and_width(img)
    out = np.empty((top + height + bottom, left + width + right, *img.shape[2:]), img.dtype)
    out[...] = np.asarray(fill, img.dtype)
    out[top : top + height, left : left + width] = img
    return out


def crop(img: Array, top: int, left: int, height: int, width: int) -> Array:
    """[H, W, *] -> [height, width, *]"""
    return img[top : top + height, left : left + width]


def hflip(img: Array) -> Array:
    """Flip left and right.

    -> like img
    """
    return np.ascontiguousarray(img[:, ::-1])


def vflip(img: Array) -> Array:
    """Flip top and bottom.

    -> like img
    """
    return np.ascontiguousarray(img[::-1])


def warp(img: Array, matrix: Any, height: int, width: int, interpolation: str, fill: Any) -> Array:
    """Sample the image at the positions of `geometry.source_coordinates`.

    [H, W, *] -> [height, width, *]
    """
    x, y = geometry.source_coordinates(matrix, height, width)
    flat = img.reshape(-1, *img.shape[2:])
    channel_axes = (1,) * (img.ndim - 2)
    value: Any = 0.0
    coverage: Any = 0.0
    for index, weight in interpolation_weights.flat_indices_and_weights_at_points(
        x, y, *height_and_width(img), interpolation
    ):
        value = value + flat[index] * weight.reshape(*weight.shape, *channel_axes)
        coverage = coverage + weight
    missing = (1 - coverage).reshape(height, width, *channel_axes)
    return _to_image_dtype(value + missing * np.asarray(fill, np.float64), img)


def to_grayscale(img: Array, num_output_channels: int) -> Array:
    """Convert to grayscale with the weights of ITU-R 601-2, as PIL does.

    [H, W, 3] -> [H, W, num_output_channels]
    """
    gray = _luminance(_require_uint8_image("to_grayscale", img))[:, :, None]
    return np.repeat(gray, num_output_channels, 2)


def _luminance(img: Array) -> Array:
    """Return the luminance [H, W] of [H, W, 3]; an image with one channel is unchanged."""
    if img.ndim == 2 or img.shape[2] == 1:
        return img.reshape(img.shape[:2])
    red, green, blue = (img[:, :, i].astype(np.int64) for i in range(3))
    return ((19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16).astype(np.uint8)


def _require_uint8_image(op: str, img: Array) -> Array:
    """Check that an image is uint8 with 1 or 3 channels."""
    if img.dtype != np.uint8 or (img.ndim == 3 and img.shape[2] not in (1, 3)):
        raise OpError(
            append_user_line(
                f"{op}: an ndarray must be uint8 [H, W], [H, W, 1] or [H, W, 3] "
                f"(img={img.dtype}{list(img.shape)})"
            )
        )
    return img


def _blend_images(img: Array, other: Array, factor: float) -> Array:
    """Return other + factor * (img - other), truncated as in PIL."""
    mixed = other.astype(np.float32) + np.float32(factor) * (
        img.astype(np.float32) - other.astype(np.float32)
    )
    return mixed.clip(0, 255).astype(np.uint8)


def adjust_brightness(img: Array, factor: float) -> Array:
    """Adjust the brightness: blend the image with black.

    -> like img
    """
    return _blend_images(
        _require_uint8_image("adjust_brightness", img), np.zeros(1, np.uint8), factor
    )


def adjust_contrast(img: Array, factor: float) -> Array:
    """Adjust the contrast: blend the image with its mean luminance.

    -> like img
    """
    mean = int(_luminance(_require_uint8_image("adjust_contrast", img)).mean() + 0.5)
    return _blend_images(img, np.array([mean], np.uint8), factor)


def adjust_saturation(img: Array, factor: float) -> Array:
    """Adjust the saturation: blend the image with its grayscale image.

    -> like img
    """
    return _blend_images(
        img,
        _luminance(_require_uint8_image("adjust_saturation", img)).reshape(
            *img.shape[:2], *(1,) * (img.ndim - 2)
        ),
        factor,
    )


def adjust_hue(img: Array, factor: float) -> Array:
    """Shift the hue by the part `factor` of the color circle.

    -> like img
    """
    if _require_uint8_image("adjust_hue", img).ndim == 2 or img.shape[2] == 1:
        return img
    hue, saturation, value = _to_hsv(img)
    return _from_hsv((hue + int(factor * 255)) % 256, saturation, value)


def _to_hsv(img: Array) -> tuple[Array, Array, Array]:
    """Return hue, saturation and value from 0 to 255, rounded as in PIL.

    [H, W, 3] -> three of [H, W]
    """
    red, green, blue = (img[:, :, i].astype(np.float32) for i in range(3))
    maximum, minimum = img.max(2).astype(np.float32), img.min(2).astype(np.float32)
    chroma = maximum - minimum
    divisor = np.where(chroma > 0, chroma, np.float32(1))
    # NOTE: PIL stores float32 but computes in float64; hues at the border of two sectors depend on
    # this rounding.
    r, g, b = (((maximum - channel) / divisor).astype(np.float64) for channel in (red, green, blue))
    sector = np.where(maximum == red, b - g, np.where(maximum == green, 2 + r - b, 4 + g - r))
    hue = np.fmod(_round_to_float32_precision(sector) / 6 + 1, 1.0)
    saturation = chroma * 255 / np.where(maximum > 0, maximum, np.float32(1))
    return (
        np.where(chroma > 0, _round_to_float32_precision(hue) * 255, 0).astype(np.int64),
        saturation.astype(np.int64),
        maximum.astype(np.int64),
    )


def _round_to_float32_precision(values: Array) -> Array:
    """Round float64 values to float32."""
    return values.astype(np.float32).astype(np.float64)


def _from_hsv(hue: Array, saturation: Array, value: Array) -> Array:
    """Convert HSV to RGB: three of [H, W] -> uint8 [H, W, 3]."""
    scaled_hue = hue.astype(np.float32) * np.float32(6) / np.float32(255)
    sector = np.floor(scaled_hue)
    f, s, v = (
        scaled_hue - sector,
        saturation.astype(np.float32) / np.float32(255),
        value.astype(np.float32),
    )
    p, q, t = (np.floor(v * (1 - s * fraction) + 0.5) for fraction in (np.float32(1), f, 1 - f))
    orders = [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)]
    sector_index = sector.astype(np.int64) % 6
    channels = [np.choose(sector_index, [order[i] for order in orders]) for i in range(3)]
    return np.stack(channels, 2).clip(0, 255).astype(np.uint8)


def normalize(img: Array, mean: Any, std: Any, data_format: str, to_rgb: bool) -> Array:
    """Compute (img - mean) / std of each channel.

    [C, H, W], or [H, W, C] for 'HWC' -> float, like img
    """
    shape = (-1, 1, 1) if data_format == "CHW" else (1, 1, -1)
    img = np.flip(img, 0 if data_format == "CHW" else 2) if to_rgb else img
    return (img - np.asarray(mean, np.float32).reshape(shape)) / np.asarray(
        std, np.float32
    ).reshape(shape)


def erase(img: Array, i: int, j: int, h: int, w: int, v: Any, inplace: bool) -> Array:
    """Set rows i ... i + h and columns j ... j + w of [H, W, C] to `v`.

    -> like img
    """
    img = img if inplace else img.copy()
    img[i : i + h, j : j + w] = v.numpy() if isinstance(v, Tensor) else v
    return img
