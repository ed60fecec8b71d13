"""Transforms of colours by a factor drawn at random, from Python's `random` as in Paddle."""

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


def _range(
    op: str, value: Any, center: float, least: float, most: float
) -> tuple[float, float] | None:
    """From where to where a factor is drawn; None where it is always `center`, which changes
    nothing.

    value: how far it may be from `center`, or both ends.
    """
    if isinstance(value, int | float):
        if value < 0:
            raise OpError(f"{op}: value={value} is below 0")
        low, high = max(center - value, least), center + value
    elif isinstance(value, Sequence) and len(value) == 2:
        low, high = value
    else:
        raise OpError(f"{op}: value is a number or two of them, not {value!r}")
    if not least <= low <= high <= most:
        raise OpError(f"{op}: value={value!r} is not between {least} and {most}")
    return None if low == high == center else (low, high)


class _ByFactor(BaseTransform):
    """A function of functional, with a factor drawn between two values."""

    _adjust: Any = None
    _center, _least, _most = 1.0, 0.0, float("inf")

    def __init__(self, value: Any, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        self.value = _range(type(self).__name__, value, self._center, self._least, self._most)

    def _apply_image(self, img: Any) -> Any:
        return img if self.value is None else type(self)._adjust(img, random.uniform(*self.value))


class BrightnessTransform(_ByFactor):
    """functional.adjust_brightness with a factor from 1 - value to 1 + value."""

    _adjust = F.adjust_brightness


class ContrastTransform(_ByFactor):
    """functional.adjust_contrast with a factor from 1 - value to 1 + value."""

    _adjust = F.adjust_contrast


class SaturationTransform(_ByFactor):
    """functional.adjust_saturation with a factor from 1 - value to 1 + value."""

    _adjust = F.adjust_saturation


class HueTransform(_ByFactor):
    """functional.adjust_hue with a factor from -value to value, at most 0.5."""

    _adjust = F.adjust_hue
    _center, _least, _most = 0.0, -0.5, 0.5


class ColorJitter(BaseTransform):
    """All four in an order drawn at random.

    Each as in its own class; 0 leaves it out
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
            kind(value)
            for kind, value in (
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
