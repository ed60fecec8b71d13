"""Random color transforms. Factors are drawn from Python's `random`, as in Paddle."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from ...core.errors import OpError, append_user_line
from . import functional as F
from .base import BaseTransform, Compose

__all__ = [
    "BrightnessTransform",
    "ColorJitter",
    "ContrastTransform",
    "HueTransform",
    "SaturationTransform",
]


def _factor_range_or_none(
    op: str, value: float | Sequence[float], center: float, minimum: float, maximum: float
) -> tuple[float, float] | None:
    """Return the interval that a factor is drawn from; None if it is always `center`, the identity.

    value: maximal distance from `center`, or the two bounds
    """
    if isinstance(value, int | float):
        if value < 0:
            raise OpError(append_user_line(f"{op}: value={value} is negative"))
        low, high = max(center - value, minimum), center + value
    elif isinstance(value, Sequence) and len(value) == 2:
        low, high = value
    else:
        raise OpError(
            append_user_line(f"{op}: value must be a number or two numbers, not {value!r}")
        )
    if not minimum <= low <= high <= maximum:
        raise OpError(
            append_user_line(f"{op}: value={value!r} is not between {minimum} and {maximum}")
        )
    return None if low == high == center else (low, high)


class _RandomFactor(BaseTransform):
    """Base of the transforms that draw one factor."""

    _adjust: Any = None
    _center, _minimum, _maximum = 1.0, 0.0, float("inf")

    def __init__(self, value: float | Sequence[float], keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.value = _factor_range_or_none(
            type(self).__name__, value, self._center, self._minimum, self._maximum
        )

    def _apply_image(self, img: Any) -> Any:
        return img if self.value is None else type(self)._adjust(img, random.uniform(*self.value))


class BrightnessTransform(_RandomFactor):
    """Multiply the brightness of an image by a random factor: 0 is black, 1 is the image.

    The factor is drawn uniformly from [max(0, 1 - value), 1 + value] with Python's `random`. The
    input is a PIL image, an ndarray uint8 [H, W], [H, W, 1] or [H, W, 3], or a Tensor [*, C, H, W].

    Parameters
    ----------
    value : float or (float, float)
        Maximal distance of the factor from 1, or its bounds; 0 disables the transform.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If `value` is negative or neither a number nor two; in a call, if the input is no such
        image.

    See Also
    --------
    paddle.vision.transforms.adjust_brightness : The transform with a given factor.

    Examples
    --------
    >>> transform = paddle.vision.transforms.BrightnessTransform(0.5)
    >>> transform.value
    (0.5, 1.5)
    >>> transform(np.full([4, 4, 3], 100, "uint8")).shape
    (4, 4, 3)
    """

    _adjust = F.adjust_brightness


class ContrastTransform(_RandomFactor):
    """Multiply the contrast of an image by a random factor: 0 is uniform gray, 1 is the image.

    The factor is drawn uniformly from [max(0, 1 - value), 1 + value] with Python's `random`. The
    input is a PIL image, an ndarray uint8 [H, W], [H, W, 1] or [H, W, 3], or a Tensor [*, C, H, W].

    Parameters
    ----------
    value : float or (float, float)
        Maximal distance of the factor from 1, or its bounds; 0 disables the transform.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If `value` is negative or neither a number nor two; in a call, if the input is no such
        image.

    See Also
    --------
    paddle.vision.transforms.adjust_contrast : The transform with a given factor.

    Examples
    --------
    >>> transform = paddle.vision.transforms.ContrastTransform(0.5)
    >>> transform.value
    (0.5, 1.5)
    >>> transform(np.full([4, 4, 3], 100, "uint8")).shape
    (4, 4, 3)
    """

    _adjust = F.adjust_contrast


class SaturationTransform(_RandomFactor):
    """Multiply the saturation of an image by a random factor: 0 is grayscale, 1 is the image.

    The factor is drawn uniformly from [max(0, 1 - value), 1 + value] with Python's `random`. The
    input is a PIL image, an ndarray uint8 [H, W], [H, W, 1] or [H, W, 3], or a Tensor [*, C, H, W].

    Parameters
    ----------
    value : float or (float, float)
        Maximal distance of the factor from 1, or its bounds; 0 disables the transform.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If `value` is negative or neither a number nor two; in a call, if the input is no such
        image.

    See Also
    --------
    paddle.vision.transforms.functional.adjust_saturation : The transform with a given factor.

    Examples
    --------
    >>> transform = paddle.vision.transforms.SaturationTransform(0.5)
    >>> transform.value
    (0.5, 1.5)
    >>> transform(np.full([4, 4, 3], 100, "uint8")).shape
    (4, 4, 3)
    """

    _adjust = F.adjust_saturation


class HueTransform(_RandomFactor):
    """Shift the hue of an image by a random part of the color circle.

    The part is drawn uniformly from [-value, value] with Python's `random`. The input is a PIL
    image, an ndarray uint8 [H, W], [H, W, 1] or [H, W, 3], or a Tensor [*, C, H, W].

    Parameters
    ----------
    value : float or (float, float)
        Maximal part, at most 0.5, or the two bounds in [-0.5, 0.5]; 0 disables the transform.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If `value` is out of range or neither a number nor two; in a call, if the input is no such
        image.

    See Also
    --------
    paddle.vision.transforms.adjust_hue : The transform with a given part.

    Examples
    --------
    >>> transform = paddle.vision.transforms.HueTransform(0.25)
    >>> transform.value
    (-0.25, 0.25)
    >>> transform(np.full([4, 4, 3], 100, "uint8")).shape
    (4, 4, 3)
    """

    _adjust = F.adjust_hue
    _center, _minimum, _maximum = 0.0, -0.5, 0.5


class ColorJitter(BaseTransform):
    """Adjust brightness, contrast, saturation and hue by random factors, in random order.

    The input is a PIL image, an ndarray uint8 [H, W], [H, W, 1] or [H, W, 3], or a Tensor
    [*, C, H, W].

    Parameters
    ----------
    brightness, contrast, saturation : float or (float, float), default 0
        Maximal distance of the factor from 1, or its bounds; 0 disables the adjustment.
    hue : float or (float, float), default 0
        Maximal part of the color circle, at most 0.5, or the two bounds; 0 disables the
        adjustment.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If an argument is out of range; in a call, if the input is no such image.

    Examples
    --------
    >>> transform = paddle.vision.transforms.ColorJitter(0.4, 0.4, 0.4, hue=0.1)
    >>> transform(np.full([4, 4, 3], 100, "uint8")).shape
    (4, 4, 3)
    """

    def __init__(
        self,
        brightness: float | Sequence[float] = 0,
        contrast: float | Sequence[float] = 0,
        saturation: float | Sequence[float] = 0,
        hue: float | Sequence[float] = 0,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.brightness, self.contrast, self.saturation, self.hue = (
            brightness,
            contrast,
            saturation,
            hue,
        )
        self._transforms = [
            transform(value)
            for transform, value in (
                (BrightnessTransform, brightness),
                (ContrastTransform, contrast),
                (SaturationTransform, saturation),
                (HueTransform, hue),
            )
            if value is not None
        ]

    def _apply_image(self, img: Any) -> Any:
        transforms = list(self._transforms)
        random.shuffle(transforms)
        return Compose(transforms)(img)
