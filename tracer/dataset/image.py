"""Image functions of Paddle 1.x, for arrays uint8 [H, W, 3] in BGR order or grayscale [H, W]."""

from __future__ import annotations

import io
import os
from typing import Any, BinaryIO

import numpy as np

from ..vision.image import open_image_with_pillow

__all__ = [
    "center_crop",
    "left_right_flip",
    "load_and_transform",
    "load_image",
    "load_image_bytes",
    "random_crop",
    "resize_short",
    "simple_transform",
    "to_chw",
]


def _decode_file_to_bgr_or_grayscale(
    file: str | os.PathLike[str] | BinaryIO, is_color: bool
) -> Any:
    image = open_image_with_pillow(file)
    return (
        np.ascontiguousarray(np.asarray(image.convert("RGB"))[..., ::-1])
        if is_color
        else np.asarray(image.convert("L"))
    )


def load_image_bytes(bytes: bytes, is_color: bool = True) -> Any:
    """Decode an image from the bytes of a file.

    -> uint8 [H, W, 3], or [H, W] if not is_color
    """
    return _decode_file_to_bgr_or_grayscale(io.BytesIO(bytes), is_color)


def load_image(file: str | os.PathLike[str], is_color: bool = True) -> Any:
    """Load an image from a file.

    -> uint8 [H, W, 3], or [H, W] if not is_color
    """
    return _decode_file_to_bgr_or_grayscale(file, is_color)


def resize_short(im: Any, size: int) -> Any:
    """Resize by cubic interpolation so that the shorter side is `size`.

    im [H, W, *] -> [H', W', *]
    """
    height, width = im.shape[:2]
    new_size = (size * height // width, size) if height > width else (size, size * width // height)
    values = im.astype(np.float64)
    for axis in (0, 1):
        values = np.moveaxis(
            np.tensordot(_cubic_weights(im.shape[axis], new_size[axis]), values, (1, axis)), 0, axis
        )
    if im.dtype == np.uint8:
        values = np.clip(np.rint(values), 0, 255)
    return values.astype(im.dtype)


def _cubic_weights(old: int, new: int) -> Any:
    """Return the weights [new, old] of cubic interpolation with a = -0.75, as in OpenCV."""
    position = (np.arange(new) + 0.5) * old / new - 0.5
    first = np.floor(position).astype(np.int64)
    weights = np.zeros((new, old))
    for step in range(-1, 3):
        x = np.abs(position - first - step)
        inner = (1.25 * x - 2.25) * x * x + 1
        outer = ((-0.75 * x + 3.75) * x - 6) * x + 3
        np.add.at(
            weights,
            (np.arange(new), np.clip(first + step, 0, old - 1)),
            np.where(x <= 1, inner, outer),
        )
    return weights


def to_chw(im: Any, order: tuple[int, ...] = (2, 0, 1)) -> Any:
    """Permute the axes: im [H, W, C] -> [C, H, W]."""
    assert len(im.shape) == len(order)
    return im.transpose(order)


def _crop(im: Any, top: int, left: int, size: int) -> Any:
    return im[top : top + size, left : left + size]


def center_crop(im: Any, size: int, is_color: bool = True) -> Any:
    """Crop the central square: im [H, W, *] -> [size, size, *]."""
    return _crop(im, (im.shape[0] - size) // 2, (im.shape[1] - size) // 2, size)


def random_crop(im: Any, size: int, is_color: bool = True) -> Any:
    """Crop a square at a position drawn from NumPy's generator: im [H, W, *] -> [size, size, *]."""
    top = np.random.randint(0, im.shape[0] - size + 1)
    return _crop(im, top, np.random.randint(0, im.shape[1] - size + 1), size)


def left_right_flip(im: Any, is_color: bool = True) -> Any:
    """Flip left and right: im [H, W, *] -> the same shape."""
    return im[:, ::-1]


def simple_transform(
    im: Any,
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: Any = None,
) -> Any:
    """Resize and crop an image, transpose it to [C, H, W] and subtract `mean`. For training, crop
    at a random position and flip at random.

    im [H, W, 3] -> float32 [3, crop_size, crop_size]

    mean: one number per channel, or an array
    """
    out = resize_short(im, resize_size)
    if is_train:
        out = random_crop(out, crop_size, is_color)
        out = left_right_flip(out, is_color) if np.random.randint(2) == 0 else out
    else:
        out = center_crop(out, crop_size, is_color)
    out = (to_chw(out) if len(out.shape) == 3 else out).astype(np.float32)
    if mean is None:
        return out
    mean_array = np.array(mean, np.float32)
    return out - (mean_array[:, None, None] if mean_array.ndim == 1 and is_color else mean_array)


def load_and_transform(
    filename: str | os.PathLike[str],
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: Any = None,
) -> Any:
    """Load an image from a file and apply `simple_transform` to it."""
    return simple_transform(
        load_image(filename, is_color), resize_size, crop_size, is_train, is_color, mean
    )
