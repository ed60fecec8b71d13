"""Transforms of a Tensor [C, H, W] or [N, C, H, W], by ops: they can be recorded, and have
gradients.

Floats run from 0 to 1, integers from 0 to 255.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import is_float
from ...core.errors import OpError
from ...core.tensor import Tensor
from ...nn import functional as F
from ...tensor.creation import to_tensor as tensor_of
from ...tensor.manipulation import concat, flip, gather, stack
from ...tensor.math import clip, floor
from . import geometry, sampling

_PAD_MODES = {"constant": "constant", "edge": "replicate", "reflect": "reflect"}
_GRAY = (0.2989, 0.587, 0.114)  # Paddle's, where PIL has 0.299


def size_of(img: Tensor) -> tuple[int, int]:
    """Height and width."""
    return img.shape[-2], img.shape[-1]


def to_tensor(pic: Tensor, data_format: str = "CHW") -> Tensor:
    """As it is, or for 'HWC' with the channels last."""
    return pic if data_format == "CHW" else pic.transpose([1, 2, 0])


def _floating(img: Tensor) -> Tensor:
    return img if is_float(img.meta.dtype) else img.astype("float32")


def _like(values: Tensor, img: Tensor) -> Tensor:
    """Computed values in the dtype of the picture."""
    if is_float(img.meta.dtype):
        return values
    return clip(values.round(), 0.0, 255.0).astype(img.dtype)


def _constant(array: Any, like: Tensor) -> Tensor:
    return tensor_of(np.asarray(array).astype(like.meta.dtype))


def resize(img: Tensor, size: tuple[int, int], interpolation: str) -> Tensor:
    """[*, H, W] -> [*, *size]"""
    sampling.check_way("resize", interpolation)
    work = _floating(img)
    if interpolation == "area":
        batch = work if work.ndim == 4 else work.unsqueeze(0)
        return _like(
            F.adaptive_avg_pool2d(batch, list(size)).reshape([*img.shape[:-2], *size]), img
        )
    high, wide = size_of(img)
    down = _constant(
        sampling.as_matrix(sampling.resizing(high, size[0], interpolation), high), work
    )
    across = _constant(
        sampling.as_matrix(sampling.resizing(wide, size[1], interpolation), wide), work
    )
    return _like(down.matmul(work).matmul(across, transpose_y=True), img)


def pad(img: Tensor, padding: tuple[int, int, int, int], fill: Any, padding_mode: str) -> Tensor:
    """[*, H, W] -> [*, top + H + bottom, left + W + right]"""
    if padding_mode not in _PAD_MODES:
        raise OpError(f"pad: a Tensor is not padded in the way {padding_mode!r}")
    left, top, right, bottom = padding
    batch = img if img.ndim == 4 else img.unsqueeze(0)
    out = F.pad(batch, [left, right, top, bottom], _PAD_MODES[padding_mode], float(fill))
    return out if img.ndim == 4 else out.squeeze(0)


def crop(img: Tensor, top: int, left: int, height: int, width: int) -> Tensor:
    """[*, H, W] -> [*, height, width]"""
    return img[..., top : top + height, left : left + width]


def hflip(img: Tensor) -> Tensor:
    """Left and right changed.

    -> like img
    """
    return flip(img, [-1])


def vflip(img: Tensor) -> Tensor:
    """Top and bottom changed.

    -> like img
    """
    return flip(img, [-2])


def warp(
    img: Tensor, matrix: Any, height: int, width: int, interpolation: str, fill: Any
) -> Tensor:
    """The picture seen through a map of places; see geometry.

    [*, H, W] -> [*, height, width]
    """
    x, y = (places.reshape(-1) for places in geometry.places(matrix, height, width))
    work = _floating(img)
    flat = work.reshape([-1, img.shape[-2] * img.shape[-1]])
    value: Any = 0.0
    covered: Any = 0.0
    for index, weight in sampling.shares(x, y, *size_of(img), interpolation):
        value = value + gather(flat, tensor_of(index), axis=1) * _constant(weight, work)
        covered = covered + weight
    value = value.reshape([*img.shape[:-2], height, width])
    part = _constant(covered.reshape(height, width), work)
    # NOTE: pixels outside already count as 0 in `value`; Paddle weights them again, and so does
    # this.
    return _like(value * part + (1 - part) * _constant(np.reshape(fill, (-1, 1, 1)), work), img)


def to_grayscale(img: Tensor, num_output_channels: int) -> Tensor:
    """Brightness.

    [*, 3, H, W] -> [*, num_output_channels, H, W]
    """
    gray = _like(_gray(_floating(img)), img)
    return gray if num_output_channels == 1 else concat([gray] * num_output_channels, -3)


def _gray(img: Tensor) -> Tensor:
    """[*, 3, H, W] -> [*, 1, H, W]; a picture with one channel is gray already."""
    channels = img.shape[-3]
    if channels not in (1, 3):
        raise OpError(f"colours: a picture has 1 or 3 channels (img={img.meta})")
    return (
        img
        if channels == 1
        else (img * _constant(np.reshape(_GRAY, (3, 1, 1)), img)).sum(-3, keepdim=True)
    )


def _blend(img: Tensor, other: Any, factor: float) -> Tensor:
    work = _floating(img)
    mixed = clip(
        other + (work - other) * float(factor), 0.0, 1.0 if is_float(img.meta.dtype) else 255.0
    )
    return mixed if is_float(img.meta.dtype) else mixed.astype(img.dtype)


def adjust_brightness(img: Tensor, factor: float) -> Tensor:
    """Between black and the picture, or beyond.

    -> like img
    """
    return _blend(img, 0.0, factor)


def adjust_contrast(img: Tensor, factor: float) -> Tensor:
    """Between its mean brightness and the picture, or beyond.

    -> like img
    """
    return _blend(img, _gray(_floating(img)).mean([-3, -2, -1], keepdim=True), factor)


def adjust_saturation(img: Tensor, factor: float) -> Tensor:
    """Between gray and the picture, or beyond.

    -> like img
    """
    return _blend(img, _gray(_floating(img)), factor)


def adjust_hue(img: Tensor, factor: float) -> Tensor:
    """Colours moved around the circle by `factor` of it.

    -> like img
    """
    if img.shape[-3] == 1:
        return img
    whole = not is_float(img.meta.dtype)
    work = _floating(img) / 255.0 if whole else img
    hue, saturation, value = _to_hsv(work)
    hue = hue + factor
    out = _from_hsv(hue - floor(hue), saturation, value)
    return (out * 255.0).astype(img.dtype) if whole else out


def _to_hsv(img: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Hue, saturation and value, each from 0 to 1.

    [*, 3, H, W] -> three of [*, H, W]
    """
    red, green, blue = (img[..., i, :, :] for i in range(3))
    most, least = img.max(-3), img.min(-3)
    spread = most - least
    gray = (spread == 0).astype(img.dtype)
    some = spread + gray
    r, g, b = (most - red) / some, (most - green) / some, (most - blue) / some
    is_red = (most == red).astype(img.dtype)
    is_green = (most == green).astype(img.dtype) * (1 - is_red)
    turn = is_red * (b - g) + is_green * (2.0 + r - b) + (1 - is_red - is_green) * (4.0 + g - r)
    hue = turn / 6.0 + 1.0
    return (hue - floor(hue)) * (1 - gray), spread / (most + (most == 0).astype(img.dtype)), most


def _from_hsv(hue: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
    """The way back: each channel is value minus a part of its colour.

    three of [*, H, W] -> [*, 3, H, W]
    """
    channels = []
    for start in (5.0, 3.0, 1.0):
        k = hue * 6.0 + start
        k = k - floor(k / 6.0) * 6.0
        channels.append(value - value * saturation * clip(_smaller(k, 4.0 - k), 0.0, 1.0))
    return stack(channels, -3)


def _smaller(x: Tensor, y: Tensor) -> Tensor:
    return (x + y - (x - y).abs()) * 0.5


def normalize(img: Tensor, mean: Any, std: Any, data_format: str, to_rgb: bool) -> Tensor:
    """(img - mean) / std of each channel.

    [*, C, H, W], or [*, H, W, C] for 'HWC' -> like img
    """
    img = flip(img, [-3 if data_format == "CHW" else -1]) if to_rgb else img
    work, shape = _floating(img), (-1, 1, 1) if data_format == "CHW" else (-1,)
    return (work - _constant(np.reshape(mean, shape), work)) / _constant(
        np.reshape(std, shape), work
    )


def erase(img: Tensor, i: int, j: int, h: int, w: int, v: Any, inplace: bool) -> Tensor:
    """[*, H, W] with `v` at rows i ... i + h, columns j ... j + w.

    -> like img
    """
    img = img if inplace else img.clone()
    img[..., i : i + h, j : j + w] = v
    return img
