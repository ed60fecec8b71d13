"""Values between pixels: which pixels have a share in each new one, and how much.

Along one axis this is a table: `pixel` [new, k] and `weight` [new, k], rows of weights adding up to
one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.errors import OpError

Array = np.ndarray[Any, Any]
WAYS = ("nearest", "bilinear", "area", "bicubic", "lanczos")


def _cubic(t: Array) -> Array:
    """Keys' kernel with a = -0.75, which OpenCV and Paddle take.

    |t| < 2
    """
    t = np.abs(t)
    return np.where(t <= 1, (1.25 * t - 2.25) * t * t + 1, ((-0.75 * t + 3.75) * t - 6.0) * t + 3.0)


def _lanczos(t: Array) -> Array:
    """sinc(t) sinc(t / 4).

    |t| < 4
    """
    return np.sinc(t) * np.sinc(t / 4)


# Half of how many pixels have a share, and the share of one at a distance.
KERNELS: dict[str, tuple[int, Any]] = {
    "bilinear": (1, lambda t: 1 - np.abs(t)),
    "bicubic": (2, _cubic),
    "lanczos": (4, _lanczos),
}


class Taps(NamedTuple):
    """The pixels that have a share, along one axis.

    [new, k] both
    """

    pixel: Array
    weight: Array


def check_way(op: str, interpolation: str, ways: tuple[str, ...] = WAYS) -> None:
    """OpError unless this way of interpolating is there."""
    if interpolation not in ways:
        raise OpError(f"{op}: interpolation={interpolation!r} is not one of {list(ways)}")


def around(place: Array, way: str) -> Taps:
    """The pixels around places, not yet kept inside of the picture.

    place: 0.5 is the middle of the first pixel
    """
    if way == "nearest":
        return Taps(np.floor(place).astype(np.int64)[..., None], np.ones((*place.shape, 1)))
    half, kernel = KERNELS[way]
    first = np.floor(place - 0.5).astype(np.int64)
    index = first[..., None] + np.arange(1 - half, 1 + half)
    weight = kernel(place[..., None] - 0.5 - index)
    return Taps(index, weight / weight.sum(-1, keepdims=True))


def resizing(old: int, new: int, way: str) -> Taps:
    """How `old` pixels become `new` ones; what is beyond the edge is like the edge.

    -> [new, k]
    """
    ratio = old / new
    at = np.arange(new)
    if way == "nearest":
        taps = Taps(np.floor(at * ratio).astype(np.int64)[:, None], np.ones((new, 1)))
    elif way == "area" and new < old:
        taps = _areas(at * ratio, (at + 1) * ratio)
    elif way == "area":  # OpenCV's: like bilinear, but flat over what one pixel covers
        first = np.floor(at * ratio)
        share = np.maximum((at + 1) - (first + 1) / ratio, 0.0)
        share = np.where(share > 0, share - np.floor(share), 0.0)
        taps = Taps(first.astype(np.int64)[:, None] + [0, 1], np.stack([1 - share, share], 1))
    else:
        taps = around((at + 0.5) * ratio, way)
    return Taps(taps.pixel.clip(0, old - 1), taps.weight)


def _areas(start: Array, stop: Array) -> Taps:
    """The part of each pixel that lies between two places, over the length between them."""
    first = np.floor(start).astype(np.int64)
    index = first[:, None] + np.arange(int(np.ceil((stop - start).max())) + 1)
    part = np.minimum(stop[:, None], index + 1) - np.maximum(start[:, None], index)
    weight = part.clip(0.0, None)
    return Taps(index, weight / weight.sum(-1, keepdims=True))


def as_matrix(taps: Taps, old: int) -> Array:
    """The same as a matrix.

    -> [new, old]
    """
    matrix = np.zeros((len(taps.pixel), old))
    np.add.at(matrix, (np.arange(len(matrix))[:, None], taps.pixel), taps.weight)
    return matrix


def shares(x: Array, y: Array, height: int, width: int, way: str) -> list[tuple[Array, Array]]:
    """Which pixels have a share at places of a picture: (flat index, weight) one after the other, 0
    for what is outside.

    x, y [*] -> pairs of [*]; the weights add up to less than one beside the edge.
    """
    found = []
    across, down = around(x, way), around(y, way)
    for j in range(down.pixel.shape[-1]):
        for i in range(across.pixel.shape[-1]):
            column, row = across.pixel[..., i], down.pixel[..., j]
            inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
            weight = across.weight[..., i] * down.weight[..., j] * inside
            found.append((row.clip(0, height - 1) * width + column.clip(0, width - 1), weight))
    return found
