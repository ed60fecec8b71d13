"""Random colour transforms. Factors are drawn from Python's `random`, as in Paddle."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from ...core.errors import OpError
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
    op: str, value: Any, center: float, minimum: float, maximum: float
) -> tuple[float, float] | None:
    """Return the interval that a factor is drawn from; None if it is always `center`, the identity.

    value: maximal distance from `center`, or the two bounds
    """
    if isinstance(value, int | float):
        if value < 0:
            raise OpError(f"{op}: value={value} is negative")
        low, high = max(center - value, minimum), center + value
    elif isinstance(value, Sequence) and len(value) == 2:
        low, high = value
    else:
        raise OpError(f"{op}: value must be a number or two numbers, not {value!r}")
    if not minimum <= low <= high <= maximum:
        raise OpError(f"{op}: value={value!r} is not between {minimum} and {maximum}")
    return None if low == high == center else (low, high)


class _RandomFactor(BaseTransform):
    """Base of the transforms that draw one factor."""

    _adjust: Any = None
    _center, _minimum, _maximum = 1.0, 0.0, float("inf")

    def __init__(self, value: Any, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.value = _factor_range_or_none(
            type(self).__name__, value, self._center, self._minimum, self._maximum
        )

    def _apply_image(self, img: Any) -> Any:
        return img if self.value is None else type(self)._adjust(img, random.uniform(*self.value))


class BrightnessTransform(_RandomFactor):
    """Adjust the brightness by a factor from [1 - value, 1 + value]."""

    _adjust = F.adjust_brightness


class ContrastTransform(_RandomFactor):
    """Adjust the contrast by a factor from [1 - value, 1 + value]."""

    _adjust = F.adjust_contrast


class SaturationTransform(_RandomFactor):
    """Adjust the saturation by a factor from [1 - value, 1 + value]."""

    _adjust = F.adjust_saturation


class HueTransform(_RandomFactor):
    """Shift the hue by a factor from [-value, value], value at most 0.5."""

    _adjust = F.adjust_hue
    _center, _minimum, _maximum = 0.0, -0.5, 0.5


class ColorJitter(BaseTransform):
    """Adjust brightness, contrast, saturation and hue in random order. An argument of 0 disables
    the adjustment.
    """

    def __init__(
        self,
        brightness: Any = 0,
        contrast: Any = 0,
        saturation: Any = 0,
        hue: Any = 0,
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
