"""Transforms of places, drawn at random: from Python's `random` and NumPy's global state, each
where Paddle does.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OpError
from ...core.tensor import Tensor
from . import functional as F
from .base import BaseTransform, pair

__all__ = [
    "RandomAffine",
    "RandomCrop",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomPerspective",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
]


def _require(op: str, holds: bool, what: str) -> None:
    if not holds:
        raise OpError(f"{op}: {what}")


def _angles(op: str, value: Any, counts: tuple[int, ...] = (2,)) -> list[float]:
    """From where to where an angle is drawn: -value to value, or what is given."""
    if isinstance(value, int | float):
        _require(op, value >= 0, f"an angle alone is not below 0, as {value} is")
        return [-float(value), float(value)]
    _require(
        op,
        isinstance(value, Sequence) and len(value) in counts,
        f"angles are {counts} numbers, not {value!r}",
    )
    return [float(v) for v in value]


class RandomHorizontalFlip(BaseTransform):
    """Left and right changed, with probability `prob`."""

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        _require("RandomHorizontalFlip", 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        self.prob = prob

    def _apply_image(self, img: Any) -> Any:
        return F.hflip(img) if random.random() < self.prob else img


class RandomVerticalFlip(BaseTransform):
    """Top and bottom changed, with probability `prob`."""

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        _require("RandomVerticalFlip", 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        self.prob = prob

    def _apply_image(self, img: Any) -> Any:
        return F.vflip(img) if random.random() < self.prob else img


class RandomCrop(BaseTransform):
    """A part of the given size, somewhere.

    padding: more around it first; pad_if_needed: where it is too small
    """

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.size = pair(size)
        self.padding, self.pad_if_needed = padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    def _apply_image(self, img: Any) -> Any:
        high, wide = self.size
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed and F.size_of(img)[1] < wide:
            img = F.pad(img, (wide - F.size_of(img)[1], 0), self.fill, self.padding_mode)
        if self.pad_if_needed and F.size_of(img)[0] < high:
            img = F.pad(img, (0, high - F.size_of(img)[0]), self.fill, self.padding_mode)
        height, width = F.size_of(img)
        _require(
            "RandomCrop",
            height >= high and width >= wide,
            f"{high}x{wide} does not fit into {height}x{width}",
        )
        if (height, width) == (high, wide):
            return img
        return F.crop(
            img, random.randint(0, height - high), random.randint(0, width - wide), high, wide
        )


class RandomResizedCrop(BaseTransform):
    """A part somewhere, brought to `size`.

    scale: its share of the area; ratio: of its width to its height
    """

    def __init__(
        self,
        size: Any,
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4, 4.0 / 3),
        interpolation: str = "bilinear",
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        _require(
            "RandomResizedCrop",
            scale[0] <= scale[1] and ratio[0] <= ratio[1],
            "scale and ratio are (least, most)",
        )
        self.size = pair(size)
        self.scale, self.ratio, self.interpolation = scale, ratio, interpolation

    def _place(self, height: int, width: int) -> tuple[int, int, int, int]:
        """Top, left, height and width; after ten draws that do not fit, the largest in the middle
        that does.
        """
        for _ in range(10):
            area = np.random.uniform(self.scale[0], self.scale[1]) * height * width
            ratio = math.exp(np.random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < w <= width and 0 < h <= height:
                return random.randint(0, height - h), random.randint(0, width - w), h, w
        w = min(width, round(height * max(self.ratio)))
        h = min(height, round(width / min(self.ratio)))
        return (height - h) // 2, (width - w) // 2, h, w

    def _apply_image(self, img: Any) -> Any:
        return F.resize(F.crop(img, *self._place(*F.size_of(img))), self.size, self.interpolation)


class RandomRotation(BaseTransform):
    """functional.rotate by an angle from -degrees to degrees, or between two."""

    def __init__(
        self,
        degrees: Any,
        interpolation: str = "nearest",
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill: Any = 0,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        self.degrees = _angles("RandomRotation", degrees)
        self.interpolation, self.expand, self.center, self.fill = (
            interpolation,
            expand,
            center,
            fill,
        )

    def _apply_image(self, img: Any) -> Any:
        angle = random.uniform(*self.degrees)
        return F.rotate(img, angle, self.interpolation, self.expand, self.center, self.fill)


class RandomAffine(BaseTransform):
    """functional.affine.

    degrees, scale: from where to where; translate: at most these shares of width and height

    shear: along x, from -shear to shear or between two angles; with four, along y too.
    """

    def __init__(
        self,
        degrees: Any,
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: Any = None,
        interpolation: str = "nearest",
        fill: Any = 0,
        center: Sequence[float] | None = None,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        op = "RandomAffine"
        self.degrees = _angles(op, degrees)
        self.shear = None if shear is None else _angles(op, shear, (2, 4))
        _require(
            op,
            translate is None or all(0 <= t <= 1 for t in translate),
            f"translate={translate} is not in [0, 1]",
        )
        _require(op, scale is None or all(s > 0 for s in scale), f"scale={scale} is not above 0")
        self.translate, self.scale, self.interpolation = translate, scale, interpolation
        self.fill, self.center = 0 if fill is None else fill, center

    def _draw(self, height: int, width: int) -> tuple[float, Any, float, Any]:
        """Angle, translation, scale and shear."""
        angle, move, scale, shear = random.uniform(*self.degrees), (0, 0), 1.0, [0.0, 0.0]
        if self.translate is not None:
            x, y = float(self.translate[0] * width), float(self.translate[1] * height)
            move = int(random.uniform(-x, x)), int(random.uniform(-y, y))
        if self.scale is not None:
            scale = random.uniform(*self.scale)
        if self.shear is not None:
            shear = [
                random.uniform(*self.shear[:2]),
                random.uniform(*self.shear[2:]) if self.shear[2:] else 0.0,
            ]
        return angle, move, scale, shear

    def _apply_image(self, img: Any) -> Any:
        angle, move, scale, shear = self._draw(*F.size_of(img))
        return F.affine(img, angle, move, scale, shear, self.interpolation, self.fill, self.center)


class RandomPerspective(BaseTransform):
    """functional.perspective of the corners moved inwards, with probability `prob`.

    distortion_scale: by at most this half of a side
    """

    def __init__(
        self,
        prob: float = 0.5,
        distortion_scale: float = 0.5,
        interpolation: str = "nearest",
        fill: Any = 0,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        _require("RandomPerspective", 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        _require(
            "RandomPerspective",
            0 <= distortion_scale <= 1,
            f"distortion_scale={distortion_scale} is not in [0, 1]",
        )
        self.prob, self.distortion_scale = prob, distortion_scale
        self.interpolation, self.fill = interpolation, fill

    def get_params(self, width: int, height: int, distortion_scale: float) -> tuple[Any, Any]:
        """The corners, and where they go: upper left, upper right, lower right, lower left, each
        [x, y].
        """
        across, down = int(distortion_scale * (width // 2)), int(distortion_scale * (height // 2))
        ends = []
        for right, below in ((0, 0), (1, 0), (1, 1), (0, 1)):
            x = (
                random.uniform(width - across - 1, width)
                if right
                else random.uniform(0, across + 1)
            )
            y = random.uniform(height - down - 1, height) if below else random.uniform(0, down + 1)
            ends.append([int(x), int(y)])
        return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], ends

    def _apply_image(self, img: Any) -> Any:
        if random.random() >= self.prob:
            return img
        height, width = F.size_of(img)
        return F.perspective(
            img,
            *self.get_params(width, height, self.distortion_scale),
            self.interpolation,
            self.fill,
        )


class RandomErasing(BaseTransform):
    """A rectangle set to `value`, with probability `prob` (Zhong et al. 2017).

    scale: its share of the area; ratio: of its height to its width; value: a number, one for each
    channel, or 'random'.
    """

    def __init__(
        self,
        prob: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
        keys: Sequence[str] | None = None,
    ) -> None:
        super().__init__(keys)
        op = "RandomErasing"
        _require(op, 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        _require(
            op, 0 <= scale[0] <= scale[1] <= 1, f"scale={scale} is not (least, most) in [0, 1]"
        )
        _require(op, 0 < ratio[0] <= ratio[1], f"ratio={ratio} is not (least, most) above 0")
        _require(
            op,
            value == "random" or not isinstance(value, str),
            f"value={value!r} is a text, but not 'random'",
        )
        _require(
            op,
            isinstance(value, str | int | float) or len(value) in (1, 3),
            f"value={value!r} is not 1 or 3 numbers",
        )
        self.prob, self.scale, self.ratio, self.value, self.inplace = (
            prob,
            scale,
            ratio,
            value,
            inplace,
        )

    def _size(self, height: int, width: int) -> tuple[int, int] | None:
        """Height and width of the rectangle, or None after ten draws that do not fit."""
        for _ in range(10):
            area = np.random.uniform(self.scale[0], self.scale[1]) * height * width
            ratio = math.exp(np.random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            h, w = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if h < height and w < width:
                return h, w
        return None

    def _filling(self, img: Any, h: int, w: int) -> Any:
        """What to put there.

        [1 or C, 1 or h, 1 or w] for a Tensor, channels last for the others
        """
        channels = (
            img.shape[-3]
            if isinstance(img, Tensor)
            else np.asarray(img).reshape(*F.size_of(img), -1).shape[2]
        )
        if self.value == "random":
            noise = np.random.normal(size=[h, w, channels])
            return noise.transpose(2, 0, 1) if isinstance(img, Tensor) else noise * 255
        value = np.asarray([self.value] if isinstance(self.value, int | float) else self.value)
        return value[:, None, None] if isinstance(img, Tensor) else value[None, None, :]

    def _apply_image(self, img: Any) -> Any:
        if random.random() >= self.prob:
            return img
        height, width = F.size_of(img)
        size = self._size(height, width)
        if size is None:
            return img
        filling = self._filling(img, *size)
        top, left = (
            np.random.randint(0, height - size[0] + 1),
            np.random.randint(0, width - size[1] + 1),
        )
        return F.erase(img, top, left, *size, filling, self.inplace)
