"""Transforms of a PIL image, by PIL.

Nothing here is used unless somebody has made one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import OpError
from ...core.tensor import Tensor
from . import functional_array

# modes with one value per pixel that is not a byte
_BANDS = {"I": np.int32, "I;16": np.int32, "F": np.float32}


def size_of(img: Any) -> tuple[int, int]:
    """Height and width."""
    return img.size[1], img.size[0]


def array_of(img: Any) -> Any:
    """The pixels.

    -> [H, W] or [H, W, C]
    """
    return np.array(img)


def to_tensor(pic: Any, data_format: str = "CHW") -> Tensor:
    """Bytes become float32 from 0 to 1, the rest keeps its values.

    -> [C, H, W], or [H, W, C] for 'HWC'
    """
    if pic.mode in _BANDS:
        return functional_array.to_tensor(np.asarray(pic, _BANDS[pic.mode]), data_format)
    return functional_array.to_tensor(
        np.asarray(pic, np.uint8) * np.uint8(255 if pic.mode == "1" else 1), data_format
    )


def _way(interpolation: str) -> Any:
    from PIL import Image  # noqa: PLC0415 - optional

    found = Image.Resampling.__members__.get(interpolation.upper())
    if found is None:
        raise OpError(
            f"interpolation={interpolation!r} is not one of "
            f"{[n.lower() for n in Image.Resampling.__members__]}"
        )
    return found


def _filled(img: Any, fill: Any) -> Any:
    """A colour for every band, as PIL wants it."""
    if not isinstance(fill, int | float):
        return tuple(fill)
    return fill if len(img.getbands()) == 1 else (fill,) * len(img.getbands())


def resize(img: Any, size: tuple[int, int], interpolation: str) -> Any:
    """To height and width `size`."""
    return img.resize((size[1], size[0]), _way(interpolation))


def pad(img: Any, padding: tuple[int, int, int, int], fill: Any, padding_mode: str) -> Any:
    """Left, top, right, bottom more."""
    from PIL import Image, ImageOps  # noqa: PLC0415 - optional

    if padding_mode == "constant":
        return ImageOps.expand(img, padding, fill if isinstance(fill, str) else _filled(img, fill))
    out = Image.fromarray(functional_array.pad(array_of(img), padding, fill, padding_mode))
    if img.mode == "P":
        out.putpalette(img.getpalette())
    return out


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part; what lies outside of the picture is black."""
    return img.crop((left, top, left + width, top + height))


def hflip(img: Any) -> Any:
    """Left and right changed."""
    return img.transpose(0)


def vflip(img: Any) -> Any:
    """Top and bottom changed."""
    return img.transpose(1)


def warp(img: Any, matrix: Any, height: int, width: int, interpolation: str, fill: Any) -> Any:
    """The picture seen through a map of places; see geometry.

    matrix: six numbers, or eight for a perspective
    """
    from PIL import Image  # noqa: PLC0415 - optional

    kind = Image.Transform.AFFINE if len(matrix) == 6 else Image.Transform.PERSPECTIVE
    return img.transform(
        (width, height), kind, tuple(matrix), _way(interpolation), fillcolor=_filled(img, fill)
    )


def rotate(img: Any, angle: float, interpolation: str, expand: bool, center: Any, fill: Any) -> Any:
    """A turn against the clock."""
    return img.rotate(angle, _way(interpolation), expand, center, fillcolor=_filled(img, fill))


def to_grayscale(img: Any, num_output_channels: int) -> Any:
    """Mode L, or RGB with three channels alike."""
    gray = img.convert("L")
    return gray if num_output_channels == 1 else gray.convert("RGB")


def _enhanced(kind: str, img: Any, factor: float) -> Any:
    from PIL import ImageEnhance  # noqa: PLC0415 - optional

    return getattr(ImageEnhance, kind)(img).enhance(factor)


def adjust_brightness(img: Any, factor: float) -> Any:
    """Between black and the picture, or beyond."""
    return _enhanced("Brightness", img, factor)


def adjust_contrast(img: Any, factor: float) -> Any:
    """Between its mean brightness and the picture, or beyond."""
    return _enhanced("Contrast", img, factor)


def adjust_saturation(img: Any, factor: float) -> Any:
    """Between gray and the picture, or beyond."""
    return _enhanced("Color", img, factor)


def adjust_hue(img: Any, factor: float) -> Any:
    """Colours moved around the circle by `factor` of it; gray pictures are as they were."""
    from PIL import Image  # noqa: PLC0415 - optional

    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    moved = (array_of(hue).astype(np.int64) + int(factor * 255)) % 256
    return Image.merge("HSV", (Image.fromarray(moved.astype(np.uint8)), saturation, value)).convert(
        img.mode
    )


def normalize(img: Any, mean: Any, std: Any, data_format: str, to_rgb: bool) -> Any:
    """(img - mean) / std of each channel, as an ndarray of float32."""
    return functional_array.normalize(array_of(img).astype(np.float32), mean, std, data_format, to_rgb)


def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool) -> Any:
    """`v` at rows i ... i + h, columns j ... j + w; always a new picture."""
    from PIL import Image  # noqa: PLC0415 - optional

    return Image.fromarray(functional_array.erase(array_of(img), i, j, h, w, v, inplace=True))
