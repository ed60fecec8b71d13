"""Transforms of a PIL image. Pillow is imported by functions of this module only, because it need
not be installed unless PIL images are used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from . import array_backend

# modes with one value per pixel that is not uint8
_BANDS = {"I": np.int32, "I;16": np.int32, "F": np.float32}


def height_and_width(img: Any) -> tuple[int, int]:
    """Return height and width."""
    return img.size[1], img.size[0]


def to_array(img: Any) -> Any:
    """Return the pixels as an array.

    -> [H, W] or [H, W, C]
    """
    return np.array(img)


def to_tensor(pic: Any, data_format: str = "CHW") -> Tensor:
    """Convert to a Tensor; uint8 becomes float32 from 0 to 1, other dtypes are unchanged.

    -> [C, H, W], or [H, W, C] for 'HWC'
    """
    if pic.mode in _BANDS:
        return array_backend.to_tensor(np.asarray(pic, _BANDS[pic.mode]), data_format)
    return array_backend.to_tensor(
        np.asarray(pic, np.uint8) * np.uint8(255 if pic.mode == "1" else 1), data_format
    )


def _pil_filter(interpolation: str) -> Any:
    """Return PIL's constant of an interpolation."""
    from PIL import Image  # noqa: PLC0415 - optional

    filter_ = Image.Resampling.__members__.get(interpolation.upper())
    if filter_ is None:
        raise OpError(
            append_user_line(
                f"interpolation={interpolation!r} is not one of "
                f"{[n.lower() for n in Image.Resampling.__members__]}"
            )
        )
    return filter_


def _fill_per_band(img: Any, fill: Any) -> Any:
    """Return the fill value for every band, as PIL requires."""
    if not isinstance(fill, int | float):
        return tuple(fill)
    return fill if len(img.getbands()) == 1 else (fill,) * len(img.getbands())


def resize(img: Any, size: tuple[int, int], interpolation: str) -> Any:
    """Resize to height and width `size`."""
    return img.resize((size[1], size[0]), _pil_filter(interpolation))


def pad(img: Any, padding: tuple[int, int, int, int], fill: Any, padding_mode: str) -> Any:
    """Pad left, top, right and bottom."""
    from PIL import Image, ImageOps  # noqa: PLC0415 - optional

    if padding_mode == "constant":
        return ImageOps.expand(
            img, padding, fill if isinstance(fill, str) else _fill_per_band(img, fill)
        )
    out = Image.fromarray(array_backend.pad(to_array(img), padding, fill, padding_mode))
    if img.mode == "P":
        out.putpalette(img.getpalette())
    return out


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Crop a rectangle; pixels outside of the image are black."""
    return img.crop((left, top, left + width, top + height))


def hflip(img: Any) -> Any:
    """Flip left and right."""
    return img.transpose(0)


def vflip(img: Any) -> Any:
    """Flip top and bottom."""
    return img.transpose(1)


def warp(img: Any, matrix: Any, height: int, width: int, interpolation: str, fill: Any) -> Any:
    """Sample the image at the positions of `geometry.source_coordinates`.

    matrix: six numbers, or eight for a perspective
    """
    from PIL import Image  # noqa: PLC0415 - optional

    method = Image.Transform.AFFINE if len(matrix) == 6 else Image.Transform.PERSPECTIVE
    return img.transform(
        (width, height),
        method,
        tuple(matrix),
        _pil_filter(interpolation),
        fillcolor=_fill_per_band(img, fill),
    )


def rotate(img: Any, angle: float, interpolation: str, expand: bool, center: Any, fill: Any) -> Any:
    """Rotate counterclockwise."""
    return img.rotate(
        angle, _pil_filter(interpolation), expand, center, fillcolor=_fill_per_band(img, fill)
    )


def to_grayscale(img: Any, num_output_channels: int) -> Any:
    """Convert to mode L, or to RGB with three equal channels."""
    gray = img.convert("L")
    return gray if num_output_channels == 1 else gray.convert("RGB")


def _apply_pil_enhancer(kind: str, img: Any, factor: float) -> Any:
    from PIL import ImageEnhance  # noqa: PLC0415 - optional

    return getattr(ImageEnhance, kind)(img).enhance(factor)


def adjust_brightness(img: Any, factor: float) -> Any:
    """Adjust the brightness: blend the image with black."""
    return _apply_pil_enhancer("Brightness", img, factor)


def adjust_contrast(img: Any, factor: float) -> Any:
    """Adjust the contrast: blend the image with its mean luminance."""
    return _apply_pil_enhancer("Contrast", img, factor)


def adjust_saturation(img: Any, factor: float) -> Any:
    """Adjust the saturation: blend the image with its grayscale image."""
    return _apply_pil_enhancer("Color", img, factor)


def adjust_hue(img: Any, factor: float) -> Any:
    """Shift the hue by the part `factor` of the color circle; gray images are unchanged."""
    from PIL import Image  # noqa: PLC0415 - optional

    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    shifted = (to_array(hue).astype(np.int64) + int(factor * 255)) % 256
    return Image.merge(
        "HSV", (Image.fromarray(shifted.astype(np.uint8)), saturation, value)
    ).convert(img.mode)


def normalize(img: Any, mean: Any, std: Any, data_format: str, to_rgb: bool) -> Any:
    """Compute (img - mean) / std of each channel, as a float32 ndarray."""
    return array_backend.normalize(to_array(img).astype(np.float32), mean, std, data_format, to_rgb)


def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool) -> Any:
    """Set rows i ... i + h and columns j ... j + w to `v`; returns a new image."""
    from PIL import Image  # noqa: PLC0415 - optional

    return Image.fromarray(array_backend.erase(to_array(img), i, j, h, w, v, inplace=True))
