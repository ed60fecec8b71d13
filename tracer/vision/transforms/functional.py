"""Transforms as functions.

An image is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [C, H, W]; so is what comes
out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OpError
from ...core.tensor import Tensor
from . import geometry, functional_array, functional_pil, functional_tensor, sampling

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "affine",
    "center_crop",
    "crop",
    "erase",
    "hflip",
    "normalize",
    "pad",
    "perspective",
    "resize",
    "rotate",
    "to_grayscale",
    "to_tensor",
    "vflip",
]

_WARPS = ("nearest", "bilinear", "bicubic")
_PAD_MODES = ("constant", "edge", "reflect", "symmetric")


def is_picture(img: Any) -> bool:
    """Whether this is a PIL image; PIL need not be there."""
    image = sys.modules.get("PIL.Image")
    return image is not None and isinstance(img, image.Image)


def _for(op: str, img: Any) -> Any:
    """The module that has the transforms of this kind of image."""
    if isinstance(img, Tensor):
        if img.ndim not in (3, 4):
            raise OpError(f"{op}: a Tensor is [C, H, W] (img={img.meta})")
        return functional_tensor
    if isinstance(img, np.ndarray):
        if img.ndim not in (2, 3):
            raise OpError(
                f"{op}: an ndarray is [H, W] or [H, W, C] (img={img.dtype}{list(img.shape)})"
            )
        return functional_array
    if is_picture(img):
        return functional_pil
    raise OpError(
        f"{op}: {type(img).__name__} is not an image; a PIL image, an ndarray or a Tensor is"
    )


def size_of(img: Any) -> tuple[int, int]:
    """Height and width."""
    found: tuple[int, int] = _for("transforms", img).size_of(img)
    return found


def to_tensor(pic: Any, data_format: str = "CHW") -> Tensor:
    """An image as a Tensor; bytes become float32 from 0 to 1.

    -> [C, H, W], or [H, W, C] for data_format 'HWC'
    """
    if data_format not in ("CHW", "HWC"):
        raise OpError(f"to_tensor: data_format={data_format!r} is not one of CHW, HWC")
    found: Tensor = _for("to_tensor", pic).to_tensor(pic, data_format)
    return found


def hflip(img: Any) -> Any:
    """Left and right changed."""
    return _for("hflip", img).hflip(img)


def vflip(img: Any) -> Any:
    """Top and bottom changed."""
    return _for("vflip", img).vflip(img)


def resize(img: Any, size: Any, interpolation: str = "bilinear") -> Any:
    """Another size.

    size: (height, width), or the shorter side

    interpolation: nearest, bilinear, bicubic, lanczos; area but for PIL images; box and hamming for
    those only.
    """
    image, old = _for("resize", img), size_of(img)
    new = geometry.resized(size, *old)
    return img if isinstance(size, int) and new == old else image.resize(img, new, interpolation)


def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """More around it.

    padding: one number; left and right, top and bottom; or left, top, right, bottom

    padding_mode: constant, with `fill`; edge, reflect, symmetric as in numpy.pad.
    """
    if padding_mode not in _PAD_MODES:
        raise OpError(f"pad: padding_mode={padding_mode!r} is not one of {list(_PAD_MODES)}")
    return _for("pad", img).pad(img, geometry.sides(padding), fill, padding_mode)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part of it."""
    return _for("crop", img).crop(img, top, left, height, width)


def center_crop(img: Any, output_size: Any) -> Any:
    """The part in the middle.

    output_size: (height, width), or one number for both
    """
    return crop(img, *geometry.middle(output_size, *size_of(img)))


def affine(
    img: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Any,
    interpolation: str = "nearest",
    fill: Any = 0,
    center: Sequence[float] | None = None,
) -> Any:
    """Sheared, scaled and turned clockwise about `center`, then moved.

    angle, shear: degrees; translate, center: x and y in pixels

    interpolation: nearest, bilinear or bicubic.
    fill: for what lies outside, a number or one per channel
    """
    sampling.check_way("affine", interpolation, _WARPS)
    if len(translate) != 2 or scale <= 0:
        raise OpError(
            f"affine: translate is two numbers, scale is above 0, not {translate!r} and {scale!r}"
        )
    shear = [shear, 0.0] if isinstance(shear, int | float) else list(shear)
    if len(shear) not in (1, 2):
        raise OpError(f"affine: shear is one or two angles, not {shear!r}")
    high, wide = size_of(img)
    matrix = geometry.affine_matrix(
        center or (wide / 2, high / 2), angle, translate, scale, (shear * 2)[:2]
    )
    return _for("affine", img).warp(img, matrix, high, wide, interpolation, fill)


def rotate(
    img: Any,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Any = 0,
) -> Any:
    """Turned against the clock about `center`.

    angle: degrees; expand: large enough for all of it

    interpolation: nearest, bilinear or bicubic.
    fill: for what lies outside, a number or one per channel
    """
    sampling.check_way("rotate", interpolation, _WARPS)
    image = _for("rotate", img)
    if image is functional_pil:
        return functional_pil.rotate(img, angle, interpolation, expand, center, fill)
    turn = geometry.rotation(angle, center, expand, *size_of(img), from_middle=image is functional_tensor)
    return image.warp(img, *turn, interpolation, fill)


def perspective(
    img: Any, startpoints: Any, endpoints: Any, interpolation: str = "nearest", fill: Any = 0
) -> Any:
    """Four points (x, y) moved to four others, and the rest along with them.

    interpolation: nearest, bilinear or bicubic.
    fill: for what lies outside, a number or one per channel
    """
    sampling.check_way("perspective", interpolation, _WARPS)
    matrix = geometry.perspective_coefficients(startpoints, endpoints)
    return _for("perspective", img).warp(img, matrix, *size_of(img), interpolation, fill)


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Without colours.

    num_output_channels: 1, or 3 that are alike
    """
    if num_output_channels not in (1, 3):
        raise OpError(f"to_grayscale: num_output_channels={num_output_channels} is neither 1 nor 3")
    return _for("to_grayscale", img).to_grayscale(img, num_output_channels)


def _factor(op: str, factor: float) -> float:
    if factor < 0:
        raise OpError(f"{op}: the factor {factor} is below 0")
    return factor


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Darker or brighter.

    brightness_factor: 0 gives black, 1 what it was, 2 twice as bright
    """
    factor = _factor("adjust_brightness", brightness_factor)
    return _for("adjust_brightness", img).adjust_brightness(img, factor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Less or more contrast.

    contrast_factor: 0 gives gray, 1 what it was, 2 twice as much
    """
    factor = _factor("adjust_contrast", contrast_factor)
    return _for("adjust_contrast", img).adjust_contrast(img, factor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Less or more colour.

    saturation_factor: 0 gives gray, 1 what it was, 2 twice as much
    """
    factor = _factor("adjust_saturation", saturation_factor)
    return _for("adjust_saturation", img).adjust_saturation(img, factor)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """Colours moved around the circle.

    hue_factor: how much of it, -0.5 ... 0.5
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise OpError(f"adjust_hue: hue_factor={hue_factor} is not in [-0.5, 0.5]")
    return _for("adjust_hue", img).adjust_hue(img, hue_factor)


def normalize(img: Any, mean: Any, std: Any, data_format: str = "CHW", to_rgb: bool = False) -> Any:
    """(img - mean) / std of each channel.

    data_format: where the channels are; to_rgb: turn their order round first
    """
    return _for("normalize", img).normalize(img, mean, std, data_format, to_rgb)


def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """`v` at rows i ... i + h and columns j ... j + w.

    inplace: change the image itself, unless it is PIL's
    """
    return _for("erase", img).erase(img, i, j, h, w, v, inplace)
