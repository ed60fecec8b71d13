"""Random geometric transforms. Parameters are drawn from Python's `random` or NumPy's global state,
each as in Paddle.
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
from .base import BaseTransform, parse_height_width

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


def _raise_unless(op: str, condition: bool, problem: str) -> None:
    if not condition:
        raise OpError(f"{op}: {problem}")


def _angle_range(op: str, value: Any, counts: tuple[int, ...] = (2,)) -> list[float]:
    """Return the interval of angles: [-value, value], or the given bounds."""
    if isinstance(value, int | float):
        _raise_unless(op, value >= 0, f"a single angle must not be negative, got {value}")
        return [-float(value), float(value)]
    _raise_unless(
        op,
        isinstance(value, Sequence) and len(value) in counts,
        f"angles must be {counts} numbers, not {value!r}",
    )
    return [float(v) for v in value]


class RandomHorizontalFlip(BaseTransform):
    """Flip left and right with probability `prob`."""

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        _raise_unless("RandomHorizontalFlip", 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        self.prob = prob

    def _apply_image(self, img: Any) -> Any:
        return F.hflip(img) if random.random() < self.prob else img


class RandomVerticalFlip(BaseTransform):
    """Flip top and bottom with probability `prob`."""

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        _raise_unless("RandomVerticalFlip", 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        self.prob = prob

    def _apply_image(self, img: Any) -> Any:
        return F.vflip(img) if random.random() < self.prob else img


class RandomCrop(BaseTransform):
    """Crop a rectangle of the given size at a random position.

    padding: pad the image first.
    pad_if_needed: pad an image that is too small.
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
        self.size = parse_height_width(size)
        self.padding, self.pad_if_needed = padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    def _apply_image(self, img: Any) -> Any:
        crop_height, crop_width = self.size
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed and F.image_height_and_width(img)[1] < crop_width:
            img = F.pad(
                img,
                (crop_width - F.image_height_and_width(img)[1], 0),
                self.fill,
                self.padding_mode,
            )
        if self.pad_if_needed and F.image_height_and_width(img)[0] < crop_height:
            img = F.pad(
                img,
                (0, crop_height - F.image_height_and_width(img)[0]),
                self.fill,
                self.padding_mode,
            )
        height, width = F.image_height_and_width(img)
        _raise_unless(
            "RandomCrop",
            height >= crop_height and width >= crop_width,
            f"the crop {crop_height}x{crop_width} exceeds the image {height}x{width}",
        )
        if (height, width) == (crop_height, crop_width):
            return img
        return F.crop(
            img,
            random.randint(0, height - crop_height),
            random.randint(0, width - crop_width),
            crop_height,
            crop_width,
        )


class RandomResizedCrop(BaseTransform):
    """Crop a random rectangle and resize it to `size`.

    scale: interval of its area relative to the image.
    ratio: interval of width / height.
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
        _raise_unless(
            "RandomResizedCrop",
            scale[0] <= scale[1] and ratio[0] <= ratio[1],
            "scale and ratio must be (min, max)",
        )
        self.size = parse_height_width(size)
        self.scale, self.ratio, self.interpolation = scale, ratio, interpolation

    def _draw_rectangle(self, height: int, width: int) -> tuple[int, int, int, int]:
        """Draw a rectangle: return top, left, height and width. After ten rejected draws, the
        largest centred rectangle that has an allowed ratio is returned.
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
        return F.resize(
            F.crop(img, *self._draw_rectangle(*F.image_height_and_width(img))),
            self.size,
            self.interpolation,
        )


class RandomRotation(BaseTransform):
    """Rotate by an angle from [-degrees, degrees], or between two angles."""

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
        self.degrees = _angle_range("RandomRotation", degrees)
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
    """Apply a random affine transform.

    degrees, scale: intervals.
    translate: maximal parts of width and height.
    shear: along x from [-shear, shear] or between two angles; four angles: along y, too.
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
        self.degrees = _angle_range(op, degrees)
        self.shear = None if shear is None else _angle_range(op, shear, (2, 4))
        _raise_unless(
            op,
            translate is None or all(0 <= t <= 1 for t in translate),
            f"translate={translate} is not in [0, 1]",
        )
        _raise_unless(
            op, scale is None or all(s > 0 for s in scale), f"scale={scale} is not positive"
        )
        self.translate, self.scale, self.interpolation = translate, scale, interpolation
        self.fill, self.center = 0 if fill is None else fill, center

    def _draw_parameters(self, height: int, width: int) -> tuple[float, Any, float, Any]:
        """Draw angle, translation, scale and shear."""
        angle, translation, scale, shear = random.uniform(*self.degrees), (0, 0), 1.0, [0.0, 0.0]
        if self.translate is not None:
            x, y = float(self.translate[0] * width), float(self.translate[1] * height)
            translation = int(random.uniform(-x, x)), int(random.uniform(-y, y))
        if self.scale is not None:
            scale = random.uniform(*self.scale)
        if self.shear is not None:
            shear = [
                random.uniform(*self.shear[:2]),
                random.uniform(*self.shear[2:]) if self.shear[2:] else 0.0,
            ]
        return angle, translation, scale, shear

    def _apply_image(self, img: Any) -> Any:
        angle, translation, scale, shear = self._draw_parameters(*F.image_height_and_width(img))
        return F.affine(
            img, angle, translation, scale, shear, self.interpolation, self.fill, self.center
        )


class RandomPerspective(BaseTransform):
    """Move the corners inwards by a perspective transform, with probability `prob`.

    distortion_scale: maximal displacement relative to half of a side
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
        _raise_unless("RandomPerspective", 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        _raise_unless(
            "RandomPerspective",
            0 <= distortion_scale <= 1,
            f"distortion_scale={distortion_scale} is not in [0, 1]",
        )
        self.prob, self.distortion_scale = prob, distortion_scale
        self.interpolation, self.fill = interpolation, fill

    def get_params(self, width: int, height: int, distortion_scale: float) -> tuple[Any, Any]:
        """Draw a perspective transform: return the four corners of the image and the points to
        which they move, in the order upper left, upper right, lower right, lower left, each [x, y].
        """
        max_dx, max_dy = int(distortion_scale * (width // 2)), int(distortion_scale * (height // 2))
        ends = []
        for is_right, is_bottom in ((0, 0), (1, 0), (1, 1), (0, 1)):
            x = (
                random.uniform(width - max_dx - 1, width)
                if is_right
                else random.uniform(0, max_dx + 1)
            )
            y = (
                random.uniform(height - max_dy - 1, height)
                if is_bottom
                else random.uniform(0, max_dy + 1)
            )
            ends.append([int(x), int(y)])
        return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], ends

    def _apply_image(self, img: Any) -> Any:
        if random.random() >= self.prob:
            return img
        height, width = F.image_height_and_width(img)
        return F.perspective(
            img,
            *self.get_params(width, height, self.distortion_scale),
            self.interpolation,
            self.fill,
        )


class RandomErasing(BaseTransform):
    """Set a random rectangle to `value` with probability `prob` (Zhong et al. 2017).

    scale: interval of its area relative to the image.
    ratio: interval of height / width.
    value: a number, one for each channel, or 'random'.
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
        _raise_unless(op, 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        _raise_unless(
            op, 0 <= scale[0] <= scale[1] <= 1, f"scale={scale} is not (min, max) in [0, 1]"
        )
        _raise_unless(op, 0 < ratio[0] <= ratio[1], f"ratio={ratio} is not (min, max) > 0")
        _raise_unless(
            op,
            value == "random" or not isinstance(value, str),
            f"value={value!r} is a str other than 'random'",
        )
        _raise_unless(
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

    def _try_draw_rectangle_size(self, height: int, width: int) -> tuple[int, int] | None:
        """Draw the height and width of the rectangle to erase; returns None after ten rejected
        draws.
        """
        for _ in range(10):
            area = np.random.uniform(self.scale[0], self.scale[1]) * height * width
            ratio = math.exp(np.random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            h, w = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if h < height and w < width:
                return h, w
        return None

    def _fill_values(self, img: Any, h: int, w: int) -> Any:
        """Return the values with which the rectangle is filled.

        [1 or C, 1 or h, 1 or w] for a Tensor, channels last otherwise
        """
        channels = (
            img.shape[-3]
            if isinstance(img, Tensor)
            else np.asarray(img).reshape(*F.image_height_and_width(img), -1).shape[2]
        )
        if self.value == "random":
            noise = np.random.normal(size=[h, w, channels])
            return noise.transpose(2, 0, 1) if isinstance(img, Tensor) else noise * 255
        value = np.asarray([self.value] if isinstance(self.value, int | float) else self.value)
        return value[:, None, None] if isinstance(img, Tensor) else value[None, None, :]

    def _apply_image(self, img: Any) -> Any:
        if random.random() >= self.prob:
            return img
        height, width = F.image_height_and_width(img)
        size = self._try_draw_rectangle_size(height, width)
        if size is None:
            return img
        fill = self._fill_values(img, *size)
        top, left = (
            np.random.randint(0, height - size[0] + 1),
            np.random.randint(0, width - size[1] + 1),
        )
        return F.erase(img, top, left, *size, fill, self.inplace)
