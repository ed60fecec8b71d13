"""Transforms of an ndarray [H, W] or [H, W, C].

Colours are uint8; the rest keeps any dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import OpError
from ...core.tensor import Tensor
from ...tensor.creation import to_tensor as tensor_of
from . import geometry, sampling

Array = np.ndarray[Any, Any]


def size_of(img: Array) -> tuple[int, int]:
    """Height and width."""
    return img.shape[0], img.shape[1]


def to_tensor(pic: Array, data_format: str = "CHW") -> Tensor:
    """uint8 becomes float32 from 0 to 1, the rest keeps its values.

    [H, W, C] -> [C, H, W], or [H, W, C] for 'HWC'
    """
    pic = pic[:, :, None] if pic.ndim == 2 else pic
    if pic.dtype == np.uint8:
        pic = pic.astype(np.float32) / np.float32(255)
    return tensor_of(np.ascontiguousarray(pic.transpose(2, 0, 1) if data_format == "CHW" else pic))


def _rounded(values: Array, like: Array) -> Array:
    """Computed values in the dtype of the picture."""
    if np.issubdtype(like.dtype, np.floating):
        return values.astype(like.dtype)
    info = np.iinfo(like.dtype)
    return np.rint(values).clip(info.min, info.max).astype(like.dtype)


def resize(img: Array, size: tuple[int, int], interpolation: str) -> Array:
    """[H, W, *] -> [*size, *]"""
    sampling.check_way("resize", interpolation)
    work = img.astype(np.float64 if img.dtype == np.float64 else np.float32)
    for axis, new in enumerate(size):
        pixel, weight = sampling.resizing(img.shape[axis], new, interpolation)
        shape = [1] * img.ndim
        shape[axis] = new
        weight = weight.astype(work.dtype)
        work = sum(
            work.take(pixel[:, k], axis) * weight[:, k].reshape(shape)
            for k in range(pixel.shape[1])
        )
    return _rounded(work, img)


def pad(img: Array, padding: tuple[int, int, int, int], fill: Any, padding_mode: str) -> Array:
    """[H, W, *] -> [top + H + bottom, left + W + right, *]"""
    left, top, right, bottom = padding
    if padding_mode != "constant":
        return np.pad(img, [(top, bottom), (left, right)] + [(0, 0)] * (img.ndim - 2), padding_mode)  # type: ignore[call-overload]
    high, wide = size_of(img)
    out = np.empty((top + high + bottom, left + wide + right, *img.shape[2:]), img.dtype)
    out[...] = np.asarray(fill, img.dtype)
    out[top : top + high, left : left + wide] = img
    return out


def crop(img: Array, top: int, left: int, height: int, width: int) -> Array:
    """[H, W, *] -> [height, width, *]"""
    return img[top : top + height, left : left + width]


def hflip(img: Array) -> Array:
    """Left and right changed.

    -> like img
    """
    return np.ascontiguousarray(img[:, ::-1])


def vflip(img: Array) -> Array:
    """Top and bottom changed.

    -> like img
    """
    return np.ascontiguousarray(img[::-1])


def warp(img: Array, matrix: Any, height: int, width: int, interpolation: str, fill: Any) -> Array:
    """The picture seen through a map of places; see geometry.

    [H, W, *] -> [height, width, *]
    """
    x, y = geometry.places(matrix, height, width)
    flat = img.reshape(-1, *img.shape[2:])
    more = (1,) * (img.ndim - 2)
    value: Any = 0.0
    covered: Any = 0.0
    for index, weight in sampling.shares(x, y, *size_of(img), interpolation):
        value = value + flat[index] * weight.reshape(*weight.shape, *more)
        covered = covered + weight
    missing = (1 - covered).reshape(height, width, *more)
    return _rounded(value + missing * np.asarray(fill, np.float64), img)


def to_grayscale(img: Array, num_output_channels: int) -> Array:
    """Brightness, as PIL has it (ITU-R 601-2).

    [H, W, 3] -> [H, W, num_output_channels]
    """
    gray = _gray(_coloured("to_grayscale", img))[:, :, None]
    return np.repeat(gray, num_output_channels, 2)


def _gray(img: Array) -> Array:
    """[H, W, 3] -> [H, W]; a picture with one channel is gray already."""
    if img.ndim == 2 or img.shape[2] == 1:
        return img.reshape(img.shape[:2])
    red, green, blue = (img[:, :, i].astype(np.int64) for i in range(3))
    return ((19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16).astype(np.uint8)


def _coloured(op: str, img: Array) -> Array:
    if img.dtype != np.uint8 or (img.ndim == 3 and img.shape[2] not in (1, 3)):
        raise OpError(
            f"{op}: colours of an ndarray are uint8 [H, W], [H, W, 1] or [H, W, 3] "
            f"(img={img.dtype}{list(img.shape)})"
        )
    return img


def _blend(img: Array, other: Array, factor: float) -> Array:
    """other + factor * (img - other), cut off as in PIL."""
    mixed = other.astype(np.float32) + np.float32(factor) * (
        img.astype(np.float32) - other.astype(np.float32)
    )
    return mixed.clip(0, 255).astype(np.uint8)


def adjust_brightness(img: Array, factor: float) -> Array:
    """Between black and the picture, or beyond.

    -> like img
    """
    return _blend(_coloured("adjust_brightness", img), np.zeros(1, np.uint8), factor)


def adjust_contrast(img: Array, factor: float) -> Array:
    """Between its mean brightness and the picture, or beyond.

    -> like img
    """
    mean = int(_gray(_coloured("adjust_contrast", img)).mean() + 0.5)
    return _blend(img, np.array([mean], np.uint8), factor)


def adjust_saturation(img: Array, factor: float) -> Array:
    """Between gray and the picture, or beyond.

    -> like img
    """
    return _blend(
        img,
        _gray(_coloured("adjust_saturation", img)).reshape(*img.shape[:2], *(1,) * (img.ndim - 2)),
        factor,
    )


def adjust_hue(img: Array, factor: float) -> Array:
    """Colours moved around the circle by `factor` of it.

    -> like img
    """
    if _coloured("adjust_hue", img).ndim == 2 or img.shape[2] == 1:
        return img
    hue, saturation, value = _to_hsv(img)
    return _from_hsv((hue + int(factor * 255)) % 256, saturation, value)


def _to_hsv(img: Array) -> tuple[Array, Array, Array]:
    """Hue, saturation and value, each of 0 ... 255, rounded as in PIL.

    [H, W, 3] -> three of [H, W]
    """
    red, green, blue = (img[:, :, i].astype(np.float32) for i in range(3))
    most, least = img.max(2).astype(np.float32), img.min(2).astype(np.float32)
    spread = most - least
    some = np.where(spread > 0, spread, np.float32(1))
    # NOTE: PIL stores floats but computes in doubles in between; hues at the border of two sectors
    # depend on it.
    r, g, b = (((most - part) / some).astype(np.float64) for part in (red, green, blue))
    turn = np.where(most == red, b - g, np.where(most == green, 2 + r - b, 4 + g - r))
    hue = np.fmod(_through_float(turn) / 6 + 1, 1.0)
    saturation = spread * 255 / np.where(most > 0, most, np.float32(1))
    return (
        np.where(spread > 0, _through_float(hue) * 255, 0).astype(np.int64),
        saturation.astype(np.int64),
        most.astype(np.int64),
    )


def _through_float(values: Array) -> Array:
    return values.astype(np.float32).astype(np.float64)


def _from_hsv(hue: Array, saturation: Array, value: Array) -> Array:
    """The way back.

    three of [H, W] -> uint8 [H, W, 3]
    """
    sixth = hue.astype(np.float32) * np.float32(6) / np.float32(255)
    which = np.floor(sixth)
    f, s, v = (
        sixth - which,
        saturation.astype(np.float32) / np.float32(255),
        value.astype(np.float32),
    )
    p, q, t = (np.floor(v * (1 - s * part) + 0.5) for part in (np.float32(1), f, 1 - f))
    orders = [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)]
    chosen = which.astype(np.int64) % 6
    channels = [np.choose(chosen, [order[i] for order in orders]) for i in range(3)]
    return np.stack(channels, 2).clip(0, 255).astype(np.uint8)


def normalize(img: Array, mean: Any, std: Any, data_format: str, to_rgb: bool) -> Array:
    """(img - mean) / std of each channel.

    [C, H, W], or [H, W, C] for 'HWC' -> float, like img
    """
    shape = (-1, 1, 1) if data_format == "CHW" else (1, 1, -1)
    img = np.flip(img, 0 if data_format == "CHW" else 2) if to_rgb else img
    return (img - np.asarray(mean, np.float32).reshape(shape)) / np.asarray(
        std, np.float32
    ).reshape(shape)


def erase(img: Array, i: int, j: int, h: int, w: int, v: Any, inplace: bool) -> Array:
    """[H, W, C] with `v` at rows i ... i + h, columns j ... j + w.

    -> like img
    """
    img = img if inplace else img.copy()
    img[i : i + h, j : j + w] = v.numpy() if isinstance(v, Tensor) else v
    return img
