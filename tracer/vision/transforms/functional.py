"""Transforms as functions.

An image is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [C, H, W]; the result has the
same type.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...core.type_aliases import Array, Scalar
from ..type_aliases import Fill, Image, ImageT
from . import array_backend, geometry, interpolation_weights, pil_backend, tensor_backend

if TYPE_CHECKING:
    from PIL.Image import Image as PilImage


__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
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


def is_pil_image(img: object) -> bool:
    """Return whether `img` is a PIL image; Pillow need not be installed."""
    image = sys.modules.get("PIL.Image")
    return image is not None and isinstance(img, image.Image)


def _backend_for(op: str, img: object) -> Any:
    """Return the module with the transforms of this type of image."""
    if isinstance(img, Tensor):
        if img.ndim not in (3, 4):
            raise OpError(
                append_user_line(
                    f"{op}: a Tensor must be [C, H, W] or [N, C, H, W] (img={img.meta})"
                )
            )
        return tensor_backend
    if isinstance(img, np.ndarray):
        if img.ndim not in (2, 3):
            raise OpError(
                append_user_line(
                    f"{op}: an ndarray must be [H, W] or [H, W, C] "
                    f"(img={img.dtype}{list(img.shape)})"
                )
            )
        return array_backend
    if is_pil_image(img):
        return pil_backend
    raise OpError(
        append_user_line(f"{op}: expected a PIL image, ndarray or Tensor, got {type(img).__name__}")
    )


def image_height_and_width(img: Image) -> tuple[int, int]:
    """Return the height and width of an image of any type."""
    size: tuple[int, int] = _backend_for("transforms", img).height_and_width(img)
    return size


def to_tensor(pic: Image, data_format: str = "CHW") -> Tensor:
    """Convert an image to a Tensor; uint8 becomes float32 from 0 to 1, other dtypes are unchanged.

    Parameters
    ----------
    pic : PIL image, ndarray [H, W] or [H, W, C], or Tensor [C, H, W]
        A Tensor is not converted to float32.
    data_format : "CHW" or "HWC", default "CHW"
        Order of the axes of the result.

    Returns
    -------
    Tensor [C, H, W] or [H, W, C]

    Raises
    ------
    OpError
        If `pic` is no image or `data_format` has another value.

    Examples
    --------
    >>> image = np.array([[0, 255], [51, 102]], "uint8")
    >>> paddle.vision.transforms.to_tensor(image).numpy().round(2)
    array([[[0. , 1. ],
            [0.2, 0.4]]], dtype=float32)
    """
    if data_format not in ("CHW", "HWC"):
        raise OpError(
            append_user_line(f"to_tensor: data_format={data_format!r} is not one of CHW, HWC")
        )
    out: Tensor = _backend_for("to_tensor", pic).to_tensor(pic, data_format)
    return out


def hflip(img: ImageT) -> ImageT:
    """Mirror an image: left becomes right.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]

    Returns
    -------
    Image like img

    Raises
    ------
    OpError
        If `img` is no image.

    Examples
    --------
    >>> paddle.vision.transforms.hflip(np.array([[0, 1, 2], [3, 4, 5]])).tolist()
    [[2, 1, 0], [5, 4, 3]]
    """
    return _backend_for("hflip", img).hflip(img)


def vflip(img: ImageT) -> ImageT:
    """Flip an image upside down.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]

    Returns
    -------
    Image like img

    Raises
    ------
    OpError
        If `img` is no image.

    Examples
    --------
    >>> paddle.vision.transforms.vflip(np.array([[0, 1, 2], [3, 4, 5]])).tolist()
    [[3, 4, 5], [0, 1, 2]]
    """
    return _backend_for("vflip", img).vflip(img)


def resize(img: ImageT, size: int | Sequence[int], interpolation: str = "bilinear") -> ImageT:
    """Resize an image.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]
    size : int or (int, int)
        Height and width. One int is the shorter side; the other side keeps the aspect ratio.
    interpolation : str, default "bilinear"
        "nearest", "bilinear", "bicubic" or "lanczos"; "area" except for PIL images; "box" and
        "hamming" only for PIL images.

    Returns
    -------
    Image of the type and dtype of img

    Raises
    ------
    OpError
        If `img` is no image, or `size` or `interpolation` has another form.

    Notes
    -----
    PIL images are resized by Pillow, which averages over all pixels that a new pixel covers. For
    arrays and Tensors the interpolation reads only the nearest pixels, as in OpenCV: 1, 4, 16 and
    64 pixels for "nearest", "bilinear", "bicubic" and "lanczos"; "area" averages. Integers are
    rounded.

    Examples
    --------
    >>> image = np.zeros([4, 8, 3], "uint8")
    >>> paddle.vision.transforms.resize(image, 2).shape
    (2, 4, 3)
    >>> paddle.vision.transforms.resize(image, (3, 5), "area").shape
    (3, 5, 3)
    """
    backend, old_size = _backend_for("resize", img), image_height_and_width(img)
    new_size = geometry.height_and_width_for_resize(size, *old_size)
    return (
        img
        if isinstance(size, int) and new_size == old_size
        else backend.resize(img, new_size, interpolation)
    )


def pad(
    img: ImageT, padding: int | Sequence[int], fill: Fill | str = 0, padding_mode: str = "constant"
) -> ImageT:
    """Pad an image on its sides.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]
    padding : int, (int, int) or (int, int, int, int)
        Pixels on all sides; left and right, top and bottom; or left, top, right, bottom.
    fill : float or sequence of float, default 0
        Value of the new pixels for "constant"; a sequence has one value per channel and is not
        supported for Tensors.
    padding_mode : "constant", "edge", "reflect" or "symmetric", default "constant"
        "edge" repeats the outermost pixels, "reflect" and "symmetric" mirror the image without and
        with them. "symmetric" is not supported for Tensors.

    Returns
    -------
    Image of the type and dtype of img
        [top + H + bottom, left + W + right, C], or [*, C, top + H + bottom, left + W + right]

    Raises
    ------
    OpError
        If `img` is no image, or `padding` or `padding_mode` has another form.

    Examples
    --------
    >>> image = np.array([[1, 2, 3]])
    >>> paddle.vision.transforms.pad(image, (1, 0), fill=9).tolist()
    [[9, 1, 2, 3, 9]]
    >>> paddle.vision.transforms.pad(image, (2, 0, 1, 0), padding_mode="reflect").tolist()
    [[3, 2, 1, 2, 3, 2]]
    """
    if padding_mode not in _PAD_MODES:
        raise OpError(
            append_user_line(f"pad: padding_mode={padding_mode!r} is not one of {list(_PAD_MODES)}")
        )
    return _backend_for("pad", img).pad(img, geometry.padding_per_side(padding), fill, padding_mode)


def crop(img: ImageT, top: int, left: int, height: int, width: int) -> ImageT:
    """Crop a rectangle of an image.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]
    top, left : int
        Row and column of the upper left pixel, 0 or more.
    height, width : int

    Returns
    -------
    Image of the type and dtype of img

    Raises
    ------
    OpError
        If `img` is no image.

    Notes
    -----
    Where the rectangle exceeds the image, a PIL image is black; the result of an array or Tensor is
    smaller than height x width.

    Examples
    --------
    >>> image = np.arange(9).reshape(3, 3)
    >>> paddle.vision.transforms.crop(image, top=0, left=1, height=2, width=2).tolist()
    [[1, 2], [4, 5]]
    """
    return _backend_for("crop", img).crop(img, top, left, height, width)


def center_crop(img: ImageT, output_size: int | Sequence[int]) -> ImageT:
    """Crop the center of an image.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]
    output_size : int or (int, int)
        Height and width, at most those of the image; for PIL images, a larger result is black at
        the sides.

    Returns
    -------
    Image of the type and dtype of img

    Raises
    ------
    OpError
        If `img` is no image.

    Examples
    --------
    >>> image = np.arange(16).reshape(4, 4)
    >>> paddle.vision.transforms.center_crop(image, 2).tolist()
    [[5, 6], [9, 10]]
    """
    return crop(
        img, *geometry.center_crop_top_left_and_size(output_size, *image_height_and_width(img))
    )


def affine(
    img: ImageT,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: float | Sequence[float],
    interpolation: str = "nearest",
    fill: Fill = 0,
    center: Sequence[float] | None = None,
) -> ImageT:
    """Shear, scale and rotate an image clockwise about `center`, then translate it.

    The size of the image is unchanged.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]
    angle : float
        Degrees, clockwise.
    translate : (float, float)
        Pixels to the right and downwards.
    scale : float
        Greater than 0.
    shear : float, (float,) or (float, float)
        Degrees along x, or along x and y. In a sequence, one number applies to both axes.
    interpolation : "nearest", "bilinear" or "bicubic", default "nearest"
    fill : float or sequence of float, default 0
        Value outside of the image; a sequence has one value per channel.
    center : (float, float), optional
        x and y in pixels from the upper left corner; by default the center of the image.

    Returns
    -------
    Image like img

    Raises
    ------
    OpError
        If `img` is no image or another argument has another form.

    Examples
    --------
    >>> image = np.arange(9).reshape(3, 3)
    >>> paddle.vision.transforms.affine(image, 0, translate=(1, 0), scale=1.0, shear=0).tolist()
    [[0, 0, 1], [0, 3, 4], [0, 6, 7]]
    """
    interpolation_weights.check_interpolation("affine", interpolation, _WARP_INTERPOLATIONS)
    if len(translate) != 2 or scale <= 0:
        raise OpError(
            append_user_line(
                f"affine: translate must be two numbers and scale positive, not {translate!r} and "
                f"{scale!r}"
            )
        )
    shear = [shear, 0.0] if isinstance(shear, int | float) else list(shear)
    if len(shear) not in (1, 2):
        raise OpError(append_user_line(f"affine: shear must be one or two angles, not {shear!r}"))
    height, width = image_height_and_width(img)
    matrix = geometry.inverse_affine_matrix(
        center or (width / 2, height / 2), angle, translate, scale, (shear * 2)[:2]
    )
    return _backend_for("affine", img).warp(img, matrix, height, width, interpolation, fill)


def rotate(
    img: ImageT,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Fill = 0,
) -> ImageT:
    """Rotate an image counterclockwise about `center`.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]
    angle : float
        Degrees, counterclockwise.
    interpolation : "nearest", "bilinear" or "bicubic", default "nearest"
    expand : bool, default False
        Enlarge the result so that it contains the whole rotated image; use the default `center`.
    center : (float, float), optional
        x and y in pixels from the upper left corner; by default the center of the image.
    fill : float or sequence of float, default 0
        Value outside of the image; a sequence has one value per channel.

    Returns
    -------
    Image of the type and dtype of img

    Raises
    ------
    OpError
        If `img` is no image or `interpolation` has another value.

    Examples
    --------
    >>> image = np.arange(9).reshape(3, 3)
    >>> paddle.vision.transforms.rotate(image, 90).tolist()
    [[2, 5, 8], [1, 4, 7], [0, 3, 6]]
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
    img: ImageT,
    startpoints: Sequence[Sequence[float]],
    endpoints: Sequence[Sequence[float]],
    interpolation: str = "nearest",
    fill: Fill = 0,
) -> ImageT:
    """Apply the perspective transform that maps four points of an image to four others.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]
    startpoints, endpoints : sequence of 4 (float, float)
        Points x, y in pixels from the upper left corner, and where they move.
    interpolation : "nearest", "bilinear" or "bicubic", default "nearest"
    fill : float or sequence of float, default 0
        Value outside of the image; a sequence has one value per channel.

    Returns
    -------
    Image like img

    Raises
    ------
    OpError
        If `img` is no image, there are not four points each, or `interpolation` has another value.

    Examples
    --------
    >>> image = np.arange(9).reshape(3, 3)
    >>> start = [[0, 0], [2, 0], [2, 2], [0, 2]]
    >>> end = [[1, 0], [3, 0], [3, 2], [1, 2]]
    >>> paddle.vision.transforms.perspective(image, start, end).tolist()
    [[0, 0, 1], [0, 3, 4], [0, 6, 7]]
    """
    interpolation_weights.check_interpolation("perspective", interpolation, _WARP_INTERPOLATIONS)
    matrix = geometry.inverse_perspective_coefficients(startpoints, endpoints)
    return _backend_for("perspective", img).warp(
        img, matrix, *image_height_and_width(img), interpolation, fill
    )


def to_grayscale(img: ImageT, num_output_channels: int = 1) -> ImageT:
    """Convert an RGB image to grayscale.

    gray = 0.299 * red + 0.587 * green + 0.114 * blue

    Parameters
    ----------
    img : PIL image, ndarray uint8 [H, W, 3], or Tensor [*, 3, H, W]
        Images with one channel are accepted too.
    num_output_channels : 1 or 3, default 1
        3: three equal channels.

    Returns
    -------
    Image of the type and dtype of img, with `num_output_channels` channels

    Raises
    ------
    OpError
        If `img` is no such image or `num_output_channels` has another value.

    Notes
    -----
    The weight of red is 0.2989 for Tensors, as in Paddle.

    Examples
    --------
    >>> image = np.array([[[255, 0, 0], [0, 255, 0]]], "uint8")
    >>> paddle.vision.transforms.to_grayscale(image).tolist()
    [[[76], [150]]]
    """
    if num_output_channels not in (1, 3):
        raise OpError(
            append_user_line(
                f"to_grayscale: num_output_channels={num_output_channels} is neither 1 nor 3"
            )
        )
    return _backend_for("to_grayscale", img).to_grayscale(img, num_output_channels)


def _require_nonnegative_factor(op: str, factor: float) -> float:
    if factor < 0:
        raise OpError(append_user_line(f"{op}: the factor {factor} is negative"))
    return factor


def adjust_brightness(img: ImageT, brightness_factor: float) -> ImageT:
    """Multiply the brightness of an image by a factor.

    out = clip(factor * img)

    Parameters
    ----------
    img : PIL image, ndarray uint8 [H, W], [H, W, 1] or [H, W, 3], or Tensor [*, C, H, W]
        Values are clipped to [0, 255], those of a Tensor of floats to [0, 1].
    brightness_factor : float
        0 or more; 0 returns black, 1 the image.

    Returns
    -------
    Image like img

    Raises
    ------
    OpError
        If `img` is no such image or the factor is negative.

    Examples
    --------
    >>> image = np.array([[0, 100, 200]], "uint8")
    >>> paddle.vision.transforms.adjust_brightness(image, 2.0).tolist()
    [[0, 200, 255]]
    """
    factor = _require_nonnegative_factor("adjust_brightness", brightness_factor)
    return _backend_for("adjust_brightness", img).adjust_brightness(img, factor)


def adjust_contrast(img: ImageT, contrast_factor: float) -> ImageT:
    """Multiply the contrast of an image by a factor.

    out = clip(mean + factor * (img - mean)), where mean is the mean gray value of the image

    Parameters
    ----------
    img : PIL image, ndarray uint8 [H, W], [H, W, 1] or [H, W, 3], or Tensor [*, 1 or 3, H, W]
        Values are clipped to [0, 255], those of a Tensor of floats to [0, 1].
    contrast_factor : float
        0 or more; 0 returns uniform gray, 1 the image.

    Returns
    -------
    Image like img

    Raises
    ------
    OpError
        If `img` is no such image or the factor is negative.

    Examples
    --------
    >>> image = np.array([[50, 100, 150]], "uint8")
    >>> paddle.vision.transforms.adjust_contrast(image, 0.5).tolist()
    [[75, 100, 125]]
    """
    factor = _require_nonnegative_factor("adjust_contrast", contrast_factor)
    return _backend_for("adjust_contrast", img).adjust_contrast(img, factor)


def adjust_saturation(img: ImageT, saturation_factor: float) -> ImageT:
    """Multiply the saturation of an image by a factor.

    out = clip(gray + factor * (img - gray)), where gray is the grayscale image

    Parameters
    ----------
    img : PIL image, ndarray uint8 [H, W], [H, W, 1] or [H, W, 3], or Tensor [*, 1 or 3, H, W]
        Values are clipped to [0, 255], those of a Tensor of floats to [0, 1].
    saturation_factor : float
        0 or more; 0 returns the grayscale image, 1 the image.

    Returns
    -------
    Image like img

    Raises
    ------
    OpError
        If `img` is no such image or the factor is negative.

    Examples
    --------
    >>> image = np.array([[[255, 0, 0]]], "uint8")
    >>> paddle.vision.transforms.functional.adjust_saturation(image, 0.5).tolist()
    [[[165, 38, 38]]]
    """
    factor = _require_nonnegative_factor("adjust_saturation", saturation_factor)
    return _backend_for("adjust_saturation", img).adjust_saturation(img, factor)


def adjust_hue(img: ImageT, hue_factor: float) -> ImageT:
    """Shift the hue of an image along the color circle.

    Parameters
    ----------
    img : PIL image, ndarray uint8 [H, W], [H, W, 1] or [H, W, 3], or Tensor [*, 1 or 3, H, W]
        Images with one channel are returned unchanged.
    hue_factor : float
        Part of the circle, from -0.5 to 0.5; 1 / 3 turns red into green.

    Returns
    -------
    Image like img

    Raises
    ------
    OpError
        If `img` is no such image or the factor is not in [-0.5, 0.5].

    Examples
    --------
    >>> image = np.array([[[255, 0, 0]]], "uint8")
    >>> paddle.vision.transforms.adjust_hue(image, 1 / 3).tolist()
    [[[0, 255, 0]]]
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise OpError(
            append_user_line(f"adjust_hue: hue_factor={hue_factor} is not in [-0.5, 0.5]")
        )
    return _backend_for("adjust_hue", img).adjust_hue(img, hue_factor)


@overload
def normalize(
    img: PilImage | Array,
    mean: Fill | Array,
    std: Fill | Array,
    data_format: str = "CHW",
    to_rgb: bool = False,
) -> Array: ...
@overload
def normalize(
    img: Tensor,
    mean: Fill | Array,
    std: Fill | Array,
    data_format: str = "CHW",
    to_rgb: bool = False,
) -> Tensor: ...
def normalize(
    img: Image,
    mean: Fill | Array,
    std: Fill | Array,
    data_format: str = "CHW",
    to_rgb: bool = False,
) -> Any:
    """Normalize each channel of an image.

    out[c] = (img[c] - mean[c]) / std[c]

    Parameters
    ----------
    img : PIL image, ndarray, or Tensor [*, C, H, W] or [*, H, W, C]
        The axes have the order `data_format`.
    mean, std : sequence of float or float
        One value per channel, or one for all, in the units of the pixels.
    data_format : "CHW" or "HWC", default "CHW"
        Use "HWC" for PIL images and arrays [H, W, C].
    to_rgb : bool, default False
        Reverse the order of the channels first.

    Returns
    -------
    ndarray of floats, or Tensor
        A PIL image becomes an ndarray.

    Raises
    ------
    OpError
        If `img` is no image.

    Examples
    --------
    >>> image = np.full([2, 2, 3], 255, "uint8")
    >>> out = paddle.vision.transforms.normalize(image, [127.5] * 3, [127.5] * 3, "HWC")
    >>> out.shape, out[0, 0].tolist()
    ((2, 2, 3), [1.0, 1.0, 1.0])
    """
    return _backend_for("normalize", img).normalize(img, mean, std, data_format, to_rgb)


def erase(
    img: ImageT, i: int, j: int, h: int, w: int, v: Scalar | Array, inplace: bool = False
) -> ImageT:
    """Set a rectangle of an image to a value.

    Parameters
    ----------
    img : PIL image, ndarray [H, W] or [H, W, C], or Tensor [*, C, H, W]
    i, j : int
        Row and column of the upper left pixel.
    h, w : int
        Height and width.
    v : float, ndarray or Tensor
        The value, which broadcasts to the rectangle.
    inplace : bool, default False
        Change `img` itself; without effect for PIL images.

    Returns
    -------
    Image like img

    Raises
    ------
    OpError
        If `img` is no image.

    Examples
    --------
    >>> image = np.arange(9).reshape(3, 3)
    >>> paddle.vision.transforms.erase(image, 0, 0, 2, 2, -1).tolist()
    [[-1, -1, 2], [-1, -1, 5], [6, 7, 8]]
    """
    return _backend_for("erase", img).erase(img, i, j, h, w, v, inplace)
