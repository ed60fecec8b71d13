"""Random geometric transforms. Parameters are drawn from Python's `random` or NumPy's global state,
each as in Paddle.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ..type_aliases import Fill
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
        raise OpError(append_user_line(f"{op}: {problem}"))


def _angle_range(
    op: str, value: float | Sequence[float], counts: tuple[int, ...] = (2,)
) -> list[float]:
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
    """Mirror an image with a given probability: left becomes right.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W].

    Parameters
    ----------
    prob : float, default 0.5
        In [0, 1]; drawn with Python's `random`.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If `prob` is not in [0, 1]; in a call, if the input is no image.

    Examples
    --------
    >>> paddle.vision.transforms.RandomHorizontalFlip(1.0)(np.array([[0, 1], [2, 3]])).tolist()
    [[1, 0], [3, 2]]
    """

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        _raise_unless("RandomHorizontalFlip", 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        self.prob = prob

    def _apply_image(self, img: Any) -> Any:
        return F.hflip(img) if random.random() < self.prob else img


class RandomVerticalFlip(BaseTransform):
    """Flip an image upside down with a given probability.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W].

    Parameters
    ----------
    prob : float, default 0.5
        In [0, 1]; drawn with Python's `random`.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If `prob` is not in [0, 1]; in a call, if the input is no image.

    Examples
    --------
    >>> paddle.vision.transforms.RandomVerticalFlip(1.0)(np.array([[0, 1], [2, 3]])).tolist()
    [[2, 3], [0, 1]]
    """

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None) -> None:
        super().__init__(keys)
        _raise_unless("RandomVerticalFlip", 0 <= prob <= 1, f"prob={prob} is not in [0, 1]")
        self.prob = prob

    def _apply_image(self, img: Any) -> Any:
        return F.vflip(img) if random.random() < self.prob else img


class RandomCrop(BaseTransform):
    """Crop a rectangle of a given size at a random position.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W]. The position
    is drawn with Python's `random`.

    Parameters
    ----------
    size : int or (int, int)
        Height and width.
    padding : int, (int, int) or (int, int, int, int), optional
        Pad the image first: pixels on all sides; left and right, top and bottom; or left, top,
        right, bottom.
    pad_if_needed : bool, default False
        Pad an image that is too small, on both sides.
    fill : float or sequence of float, default 0
        Value of padded pixels for "constant".
    padding_mode : "constant", "edge", "reflect" or "symmetric", default "constant"
        As in `pad`.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        In a call, if the input is no image or the size exceeds the image.

    Examples
    --------
    >>> crop = paddle.vision.transforms.RandomCrop(32, padding=4)
    >>> crop(np.zeros([32, 32, 3], "uint8")).shape
    (32, 32, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: Fill | str = 0,
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
    """Crop a random rectangle and resize it.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W]. Area and
    aspect ratio are drawn with NumPy's global generator, the position with Python's `random`. After
    ten rectangles that exceed the image, the largest centered rectangle with an allowed aspect
    ratio is used.

    Parameters
    ----------
    size : int or (int, int)
        Height and width of the result.
    scale : (float, float), default (0.08, 1.0)
        Bounds of the area of the rectangle relative to the image.
    ratio : (float, float), default (3 / 4, 4 / 3)
        Bounds of width / height of the rectangle; its logarithm is uniform.
    interpolation : str, default "bilinear"
        As in `resize`.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If the lower bound of `scale` or `ratio` exceeds the upper one; in a call, if the input is
        no image or `interpolation` has another value.

    Examples
    --------
    >>> crop = paddle.vision.transforms.RandomResizedCrop(24)
    >>> crop(np.zeros([32, 48, 3], "uint8")).shape
    (24, 24, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
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
        largest centered rectangle that has an allowed ratio is returned.
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
    """Rotate an image by a random angle.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W]. The angle is
    drawn with Python's `random`.

    Parameters
    ----------
    degrees : float or (float, float)
        Maximal angle in both directions, or the two bounds, counterclockwise.
    interpolation : "nearest", "bilinear" or "bicubic", default "nearest"
    expand : bool, default False
        Enlarge the result so that it contains the whole rotated image.
    center : (float, float), optional
        x and y in pixels from the upper left corner; by default the center of the image.
    fill : float or sequence of float, default 0
        Value outside of the image; a sequence has one value per channel.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If `degrees` is negative or neither a number nor two; in a call, if the input is no image or
        `interpolation` has another value.

    Examples
    --------
    >>> rotate = paddle.vision.transforms.RandomRotation(15)
    >>> rotate(np.zeros([32, 32, 3], "uint8")).shape
    (32, 32, 3)
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        interpolation: str = "nearest",
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill: Fill = 0,
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
    """Apply a random affine transform: shear, scale, rotation about `center`, then translation.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W]. Parameters
    are drawn with Python's `random`; the size of the image is unchanged.

    Parameters
    ----------
    degrees : float or (float, float)
        Maximal angle in both directions, or the two bounds, clockwise.
    translate : (float, float), optional
        Maximal parts of the width and of the height, in [0, 1]; by default no translation.
    scale : (float, float), optional
        Bounds of the scale, greater than 0; by default 1.
    shear : float, (float, float) or (float, float, float, float), optional
        Degrees: maximal angle along x, its two bounds, or two bounds along x and two along y.
    interpolation : "nearest", "bilinear" or "bicubic", default "nearest"
    fill : float or sequence of float, default 0
        Value outside of the image; a sequence has one value per channel.
    center : (float, float), optional
        x and y in pixels from the upper left corner; by default the center of the image.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If `degrees`, `translate`, `scale` or `shear` is out of range; in a call, if the input is no
        image or `interpolation` has another value.

    See Also
    --------
    paddle.vision.transforms.affine : The transform with given parameters.

    Examples
    --------
    >>> transform = paddle.vision.transforms.RandomAffine(15, (0.1, 0.1), scale=(0.9, 1.1))
    >>> transform(np.zeros([32, 32, 3], "uint8")).shape
    (32, 32, 3)
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        interpolation: str = "nearest",
        fill: Fill | None = 0,
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
    """Move the corners of an image inwards at random, with a given probability.

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W]. Parameters
    are drawn with Python's `random`; the size of the image is unchanged.

    Parameters
    ----------
    prob : float, default 0.5
        In [0, 1].
    distortion_scale : float, default 0.5
        Maximal displacement of a corner relative to half of the side, in [0, 1].
    interpolation : "nearest", "bilinear" or "bicubic", default "nearest"
    fill : float or sequence of float, default 0
        Value outside of the image; a sequence has one value per channel.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If `prob` or `distortion_scale` is not in [0, 1]; in a call, if the input is no image or
        `interpolation` has another value.

    Examples
    --------
    >>> transform = paddle.vision.transforms.RandomPerspective(prob=1.0)
    >>> transform(np.zeros([32, 32, 3], "uint8")).shape
    (32, 32, 3)
    """

    def __init__(
        self,
        prob: float = 0.5,
        distortion_scale: float = 0.5,
        interpolation: str = "nearest",
        fill: Fill = 0,
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

    def get_params(
        self, width: int, height: int, distortion_scale: float
    ) -> tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]]:
        """Draw a perspective transform.

        Parameters
        ----------
        width, height : int
            Size of the image.
        distortion_scale : float
            Maximal displacement of a corner relative to half of the side.

        Returns
        -------
        startpoints, endpoints : list of 4 [x, y]
            The corners of the image and the points to which they move, in the order upper left,
            upper right, lower right, lower left.

        Examples
        --------
        >>> transform = paddle.vision.transforms.RandomPerspective()
        >>> startpoints, endpoints = transform.get_params(width=32, height=24, distortion_scale=0.5)
        >>> startpoints
        [[0, 0], [31, 0], [31, 23], [0, 23]]
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
    """Set a random rectangle of an image to a value, with a given probability (Zhong et al. 2017).

    The input is a PIL image, an ndarray [H, W] or [H, W, C], or a Tensor [*, C, H, W]. The
    rectangle is drawn with NumPy's global generator. After ten rectangles that exceed the image,
    the image is returned unchanged.

    Parameters
    ----------
    prob : float, default 0.5
        In [0, 1].
    scale : (float, float), default (0.02, 0.33)
        Bounds of the area of the rectangle relative to the image.
    ratio : (float, float), default (0.3, 3.3)
        Bounds of height / width of the rectangle; its logarithm is uniform.
    value : float, sequence of 1 or 3 float, or "random", default 0
        One value, one per channel, or normally distributed noise (times 255 except for Tensors).
    inplace : bool, default False
        Change the image itself; without effect for PIL images.
    keys : sequence of str, optional
        As in `BaseTransform`.

    Raises
    ------
    OpError
        If an argument is out of range; in a call, if the input is no image.

    Examples
    --------
    >>> erase = paddle.vision.transforms.RandomErasing(prob=1.0)
    >>> int(erase(np.ones([32, 32, 3], "uint8")).min())
    0
    """

    def __init__(
        self,
        prob: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Fill | str = 0,
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
