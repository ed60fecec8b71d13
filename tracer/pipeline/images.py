"""Decode images as OpenCV does: 8 bits per channel, without alpha, upright."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.errors import FileError, OpError
from ..vision.image import converting_pillow_errors, import_pillow, open_image_with_pillow

Array = np.ndarray[Any, Any]


def load_as_rgb_array(image: Any) -> Array:
    """Return an image as uint8[height, width, 3] in RGB order.

    image: a path; a PIL image; or an array uint8[height, width, 3] in BGR order, as OpenCV and
    PaddleX use it, or uint8[height, width].

    Raises FileNotFoundError for a missing file, FileError for an unreadable one, OpError for
    another type or dtype, OarlockError if Pillow is not installed for a file.
    """
    if isinstance(image, (str, os.PathLike)):
        return _to_oriented_rgb_array(open_image_with_pillow(image), os.path.basename(image))
    if isinstance(image, np.ndarray):
        image = np.asarray(image)  # a subclass such as np.matrix has other rules
        is_color = image.ndim == 3 and image.shape[2] == 3
        if image.dtype != np.uint8 or not (is_color or image.ndim == 2) or image.size == 0:
            raise OpError(
                f"pipeline: an image is {image.dtype}{list(image.shape)}; expected "
                "uint8[height, width, 3] in BGR order or uint8[height, width]"
            )
        if image.ndim == 2:
            image = np.repeat(image[:, :, None], 3, axis=2)
        return np.ascontiguousarray(image[:, :, ::-1])
    if hasattr(image, "convert"):
        return _to_oriented_rgb_array(image, "the image")
    raise OpError(
        f"pipeline: an image is a path, an array or a PIL image, not {type(image).__name__}"
    )


def as_image_iterable(images: Any) -> Iterable[Any]:
    """Return a list with the image if `images` is one image; return another iterable unchanged.

    Raises OpError for another type.
    """
    if isinstance(images, (str, os.PathLike, np.ndarray)) or hasattr(images, "convert"):
        return [images]
    if isinstance(images, bytes | bytearray) or not isinstance(images, Iterable):
        raise OpError(
            "predict: expected a path, an array, a PIL image or an iterable of them, not "
            f"{type(images).__name__}"
        )
    return images


def _to_oriented_rgb_array(image: Any, name: str) -> Array:
    from PIL import ImageOps  # noqa: PLC0415 - optional; the caller has imported PIL

    # Pillow decodes the pixels of an image only when they are used
    with converting_pillow_errors(name):
        image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I"):  # 16 bits: OpenCV keeps the upper 8
        levels = np.asarray(image)
        if levels.size and not 0 <= levels.min() <= levels.max() <= np.iinfo(np.uint16).max:
            raise FileError(f"{name}: images of 32-bit integers are not supported")
        image = import_pillow().fromarray((levels >> 8).astype(np.uint8))
    elif image.mode == "F":
        raise FileError(f"{name}: images of floating-point numbers are not supported")
    if image.mode == "P" and "transparency" in image.info:
        image = image.convert("RGBA")  # Pillow warns about a direct conversion to RGB
    try:
        pixels = np.asarray(image.convert("RGB"))
    except (ValueError, OSError) as error:
        raise FileError(f"{name}: cannot be converted from {image.mode} to RGB ({error})") from None
    if pixels.size == 0:
        raise FileError(f"{name}: the image has no pixels")
    return np.ascontiguousarray(pixels)
