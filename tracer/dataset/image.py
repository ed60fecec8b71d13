"""Pictures as programs of Paddle 1.x prepare them: arrays uint8 [H, W, 3] of blue, green and red,
or [H, W] of grey.
"""

from __future__ import annotations

import io
import os
from typing import Any, BinaryIO

import numpy as np

from ..vision.image import open_image

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


def _decoded(file: str | os.PathLike[str] | BinaryIO, is_color: bool) -> Any:
    image = open_image(file)
    return (
        np.ascontiguousarray(np.asarray(image.convert("RGB"))[..., ::-1])
        if is_color
        else np.asarray(image.convert("L"))
    )


def load_image_bytes(bytes: bytes, is_color: bool = True) -> Any:
    """The picture in the bytes of a file.

    -> uint8 [H, W, 3], or [H, W] where is_color is False
    """
    return _decoded(io.BytesIO(bytes), is_color)


def load_image(file: str | os.PathLike[str], is_color: bool = True) -> Any:
    """The picture in a file.

    -> uint8 [H, W, 3], or [H, W] where is_color is False
    """
    return _decoded(file, is_color)


def resize_short(im: Any, size: int) -> Any:
    """The picture with its shorter side `size` long, by cubic interpolation.

    im [H, W, *] -> [H', W', *]
    """
    height, width = im.shape[:2]
    new = (size * height // width, size) if height > width else (size, size * width // height)
    made = im.astype(np.float64)
    for axis in (0, 1):
        made = np.moveaxis(
            np.tensordot(_cubic(im.shape[axis], new[axis]), made, (1, axis)), 0, axis
        )
    if im.dtype == np.uint8:
        made = np.clip(np.rint(made), 0, 255)
    return made.astype(im.dtype)


def _cubic(old: int, new: int) -> Any:
    """How much each old pixel gives to each new one, with the kernel of a=-0.75 that OpenCV has.

    -> [new, old]
    """
    at = (np.arange(new) + 0.5) * old / new - 0.5
    first = np.floor(at).astype(np.int64)
    weights = np.zeros((new, old))
    for step in range(-1, 3):
        x = np.abs(at - first - step)
        near = (1.25 * x - 2.25) * x * x + 1
        far = ((-0.75 * x + 3.75) * x - 6) * x + 3
        np.add.at(
            weights,
            (np.arange(new), np.clip(first + step, 0, old - 1)),
            np.where(x <= 1, near, far),
        )
    return weights


def to_chw(im: Any, order: tuple[int, ...] = (2, 0, 1)) -> Any:
    """The picture with its axes in another order.

    im [H, W, C] -> [C, H, W]
    """
    assert len(im.shape) == len(order)
    return im.transpose(order)


def _crop(im: Any, top: int, left: int, size: int) -> Any:
    return im[top : top + size, left : left + size]


def center_crop(im: Any, size: int, is_color: bool = True) -> Any:
    """The square in the middle.

    im [H, W, *] -> [size, size, *]
    """
    return _crop(im, (im.shape[0] - size) // 2, (im.shape[1] - size) // 2, size)


def random_crop(im: Any, size: int, is_color: bool = True) -> Any:
    """A square anywhere, as NumPy's generator says.

    im [H, W, *] -> [size, size, *]
    """
    top = np.random.randint(0, im.shape[0] - size + 1)
    return _crop(im, top, np.random.randint(0, im.shape[1] - size + 1), size)


def left_right_flip(im: Any, is_color: bool = True) -> Any:
    """The picture in a mirror.

    im [H, W, *] -> the same shape
    """
    return im[:, ::-1]


def simple_transform(
    im: Any,
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: Any = None,
) -> Any:
    """Resize and crop, in training anywhere and mirrored by chance, then axes [C, H, W] and `mean`
    off.

    mean: numbers, one per channel, or an array.   im [H, W, 3] -> float32 [3, crop_size, crop_size]
    """
    made = resize_short(im, resize_size)
    if is_train:
        made = random_crop(made, crop_size, is_color)
        made = left_right_flip(made, is_color) if np.random.randint(2) == 0 else made
    else:
        made = center_crop(made, crop_size, is_color)
    made = (to_chw(made) if len(made.shape) == 3 else made).astype(np.float32)
    if mean is None:
        return made
    off = np.array(mean, np.float32)
    return made - (off[:, None, None] if off.ndim == 1 and is_color else off)


def load_and_transform(
    filename: str | os.PathLike[str],
    resize_size: int,
    crop_size: int,
    is_train: bool,
    is_color: bool = True,
    mean: Any = None,
) -> Any:
    """`simple_transform` of the picture in a file."""
    return simple_transform(
        load_image(filename, is_color), resize_size, crop_size, is_train, is_color, mean
    )
