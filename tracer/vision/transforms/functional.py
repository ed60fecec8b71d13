"""Transforms as functions.

An image is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [C, H, W]; the result has the
same type.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OpError
from ...core.tensor import Tensor
from . import array_backend, geometry, interpolation_weights, pil_backend, tensor_backend

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

_WARP_INTERPOLATIONS = ("nearest", "bilinear", "bicubic")
_PAD_MODES = ("constant", "edge", "reflect", "symmetric")


def is_pil_image(img: Any) -> bool:
    """Return whether `img` is a PIL image; Pillow need not be installed."""
    image = sys.modules.get("PIL.Image")
    return image is not None and isinstance(img, image.Image)


def _backend_for(op: str, img: Any) -> Any:
    """Return the module with the transforms of this type of image."""
    if isinstance(img, Tensor):
        if img.ndim not in (3, 4):
            raise OpError(f"{op}: a Tensor must be [C, H, W] or [N, C, H, W] (img={img.meta})")
        return tensor_backend
    if isinstance(img, np.ndarray):
        if img.ndim not in (2, 3):
            raise OpError(
                f"{op}: an ndarray must be [H, W] or [H, W, C] (img={img.dtype}{list(img.shape)})"
            )
        return array_backend
    if is_pil_image(img):
        return pil_backend
    raise OpError(f"{op}: expected a PIL image, ndarray or Tensor, got {type(img).__name__}")


def image_height_and_width(img: Any) -> tuple[int, int]:
    """Return the height and width of an image of any type."""
    size: tuple[int, int] = _backend_for("transforms", img).height_and_width(img)
    return size


def to_tensor(pic: Any, data_format: str = "CHW") -> Tensor:
    """Convert an image to a Tensor; uint8 becomes float32 from 0 to 1.

    -> [C, H, W], or [H, W, C] for data_format 'HWC'
    """
    if data_format not in ("CHW", "HWC"):
        raise OpError(f"to_tensor: data_format={data_format!r} is not one of CHW, HWC")
    out: Tensor = _backend_for("to_tensor", pic).to_tensor(pic, data_format)
    return out


def hflip(img: Any) -> Any:
    """Flip left and right."""
    return _backend_for("hflip", img).hflip(img)


def vflip(img: Any) -> Any:
    """Flip top and bottom."""
    return _backend_for("vflip", img).vflip(img)


def resize(img: Any, size: Any, interpolation: str = "bilinear") -> Any:
    """Resize an image.

    size: (height, width), or the shorter side

    interpolation: nearest, bilinear, bicubic, lanczos; area except for PIL images; box and hamming
    only for PIL images
    """
    backend, old_size = _backend_for("resize", img), image_height_and_width(img)
    new_size = geometry.height_and_width_for_resize(size, *old_size)
    return (
        img
        if isinstance(size, int) and new_size == old_size
        else backend.resize(img, new_size, interpolation)
    )


def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """Pad an image.

    padding: one number; left and right, top and bottom; or left, top, right, bottom

    padding_mode: constant, with `fill`; edge, reflect, symmetric as in numpy.pad
    """
    if padding_mode not in _PAD_MODES:
        raise OpError(f"pad: padding_mode={padding_mode!r} is not one of {list(_PAD_MODES)}")
    return _backend_for("pad", img).pad(img, geometry.padding_per_side(padding), fill, padding_mode)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Crop a rectangle."""
    return _backend_for("crop", img).crop(img, top, left, height, width)


def center_crop(img: Any, output_size: Any) -> Any:
    """Crop the centre.

    output_size: (height, width), or one number for both
    """
    return crop(
        img, *geometry.center_crop_top_left_and_size(output_size, *image_height_and_width(img))
    )


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
    """Shear, scale and rotate clockwise about `center`, then translate.

    angle, shear: degrees.
    translate, center: x and y in pixels.
    interpolation: nearest, bilinear or bicubic.
    fill: value outside of the image, a number or one per channel.
    """
    interpolation_weights.check_interpolation("affine", interpolation, _WARP_INTERPOLATIONS)
    if len(translate) != 2 or scale <= 0:
        raise OpError(
            f"affine: translate must be two numbers and scale positive, not {translate!r} and "
            f"{scale!r}"
        )
    shear = [shear, 0.0] if isinstance(shear, int | float) else list(shear)
    if len(shear) not in (1, 2):
        raise OpError(f"affine: shear must be one or two angles, not {shear!r}")
    height, width = image_height_and_width(img)
    matrix = geometry.inverse_affine_matrix(
        center or (width / 2, height / 2), angle, translate, scale, (shear * 2)[:2]
    )
    return _backend_for("affine", img).warp(img, matrix, height, width, interpolation, fill)


def rotate(
    img: Any,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Any = 0,
) -> Any:
    """Rotate counterclockwise about `center`.

    angle: degrees.
    expand: enlarge the result to the whole rotated image.
    interpolation: nearest, bilinear or bicubic.
    fill: value outside of the image, a number or one per channel.
    """
    interpolation_weights.check_interpolation("rotate", interpolation, _WARP_INTERPOLATIONS)
    backend = _backend_for("rotate", img)
    if backend is pil_backend:
        return pil_backend.rotate(img, angle, interpolation, expand, center, fill)
    warp_args = geometry.inverse_rotation_matrix_and_size(
        angle,
        center,
        expand,
        *image_height_and_width(img),
        round_from_center=backend is tensor_backend,
    )
    return backend.warp(img, *warp_args, interpolation, fill)


def perspective(
    img: Any, startpoints: Any, endpoints: Any, interpolation: str = "nearest", fill: Any = 0
) -> Any:
    """Apply the perspective transform that maps four points (x, y) to four others.

    interpolation: nearest, bilinear or bicubic.
    fill: value outside of the image, a number or one per channel.
    """
    interpolation_weights.check_interpolation("perspective", interpolation, _WARP_INTERPOLATIONS)
    matrix = geometry.inverse_perspective_coefficients(startpoints, endpoints)
    return _backend_for("perspective", img).warp(
        img, matrix, *image_height_and_width(img), interpolation, fill
    )


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Convert to grayscale.

    num_output_channels: 1, or 3 equal channels
    """
    if num_output_channels not in (1, 3):
        raise OpError(f"to_grayscale: num_output_channels={num_output_channels} is neither 1 nor 3")
    return _backend_for("to_grayscale", img).to_grayscale(img, num_output_channels)


def _require_nonnegative_factor(op: str, factor: float) -> float:
    if factor < 0:
        raise OpError(f"{op}: the factor {factor} is negative")
    return factor


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Adjust the brightness.

    brightness_factor: 0 returns black, 1 the image, 2 twice the brightness
    """
    factor = _require_nonnegative_factor("adjust_brightness", brightness_factor)
    return _backend_for("adjust_brightness", img).adjust_brightness(img, factor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Adjust the contrast.

    contrast_factor: 0 returns gray, 1 the image, 2 twice the contrast
    """
    factor = _require_nonnegative_factor("adjust_contrast", contrast_factor)
    return _backend_for("adjust_contrast", img).adjust_contrast(img, factor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Adjust the saturation.

    saturation_factor: 0 returns gray, 1 the image, 2 twice the saturation
    """
    factor = _require_nonnegative_factor("adjust_saturation", saturation_factor)
    return _backend_for("adjust_saturation", img).adjust_saturation(img, factor)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """Shift the hue.

    hue_factor: part of the colour circle, from -0.5 to 0.5
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise OpError(f"adjust_hue: hue_factor={hue_factor} is not in [-0.5, 0.5]")
    return _backend_for("adjust_hue", img).adjust_hue(img, hue_factor)


def normalize(img: Any, mean: Any, std: Any, data_format: str = "CHW", to_rgb: bool = False) -> Any:
    """Compute (img - mean) / std of each channel.

    data_format: position of the channels.
    to_rgb: reverse the channels first.
    """
    return _backend_for("normalize", img).normalize(img, mean, std, data_format, to_rgb)


def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """Set rows i ... i + h and columns j ... j + w to `v`.

    inplace: change the image itself; not for PIL images
    """
    return _backend_for("erase", img).erase(img, i, j, h, w, v, inplace)
