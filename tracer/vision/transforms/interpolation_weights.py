"""Interpolation weights: which source pixels contribute to a new pixel, and by which weight.

Along one axis this is a table: `source` [new, k] and `weight` [new, k]; each row of weights sums to
1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.errors import OpError, append_user_line

Array = np.ndarray[Any, Any]
INTERPOLATIONS = ("nearest", "bilinear", "area", "bicubic", "lanczos")


def _cubic(t: Array) -> Array:
    """Keys' cubic kernel with a = -0.75, as in OpenCV and Paddle, for |t| < 2."""
    t = np.abs(t)
    return np.where(t <= 1, (1.25 * t - 2.25) * t * t + 1, ((-0.75 * t + 3.75) * t - 6.0) * t + 3.0)


def _lanczos4(t: Array) -> Array:
    """Lanczos kernel sinc(t) sinc(t / 4) for |t| < 4."""
    return np.sinc(t) * np.sinc(t / 4)


# Interpolation kernels by name: the radius in pixels, and the function of the distance t.
KERNELS: dict[str, tuple[int, Any]] = {
    "bilinear": (1, lambda t: 1 - np.abs(t)),
    "bicubic": (2, _cubic),
    "lanczos": (4, _lanczos4),
}


class PixelWeights(NamedTuple):
    """Source pixels and weights along one axis, both [new, k]."""

    source: Array
    weight: Array


def check_interpolation(
    op: str, interpolation: str, supported: tuple[str, ...] = INTERPOLATIONS
) -> None:
    """Raise OpError if the interpolation is not supported."""
    if interpolation not in supported:
        raise OpError(
            append_user_line(
                f"{op}: interpolation={interpolation!r} is not one of {list(supported)}"
            )
        )


def weights_around_positions(position: Array, interpolation: str) -> PixelWeights:
    """Return the pixels around positions and their weights; indices may be outside of the image.

    position: 0.5 is the center of the first pixel
    """
    if interpolation == "nearest":
        return PixelWeights(
            np.floor(position).astype(np.int64)[..., None], np.ones((*position.shape, 1))
        )
    radius, kernel = KERNELS[interpolation]
    first = np.floor(position - 0.5).astype(np.int64)
    index = first[..., None] + np.arange(1 - radius, 1 + radius)
    weight = kernel(position[..., None] - 0.5 - index)
    return PixelWeights(index, weight / weight.sum(-1, keepdims=True))


def resize_weights(old: int, new: int, interpolation: str) -> PixelWeights:
    """Return the weights that resize `old` pixels to `new`; the edge pixels are repeated.

    -> [new, k]
    """
    ratio = old / new
    position = np.arange(new)
    if interpolation == "nearest":
        taps = PixelWeights(np.floor(position * ratio).astype(np.int64)[:, None], np.ones((new, 1)))
    elif interpolation == "area" and new < old:
        taps = _area_weights(position * ratio, (position + 1) * ratio)
    elif interpolation == "area":
        # Area interpolation that enlarges is computed as in OpenCV: constant within a source pixel,
        # linear across its edge.
        first = np.floor(position * ratio)
        next_weight = np.maximum((position + 1) - (first + 1) / ratio, 0.0)
        next_weight = np.where(next_weight > 0, next_weight - np.floor(next_weight), 0.0)
        taps = PixelWeights(
            first.astype(np.int64)[:, None] + [0, 1], np.stack([1 - next_weight, next_weight], 1)
        )
    else:
        taps = weights_around_positions((position + 0.5) * ratio, interpolation)
    return PixelWeights(taps.source.clip(0, old - 1), taps.weight)


def _area_weights(start: Array, stop: Array) -> PixelWeights:
    """Return the overlap of each pixel with an interval, divided by the length of the interval."""
    first = np.floor(start).astype(np.int64)
    index = first[:, None] + np.arange(int(np.ceil((stop - start).max())) + 1)
    overlap = np.minimum(stop[:, None], index + 1) - np.maximum(start[:, None], index)
    weight = overlap.clip(0.0, None)
    return PixelWeights(index, weight / weight.sum(-1, keepdims=True))


def to_weight_matrix(taps: PixelWeights, old: int) -> Array:
    """Convert interpolation weights to a matrix that maps old to new pixels.

    -> [new, old]
    """
    matrix = np.zeros((len(taps.source), old))
    np.add.at(matrix, (np.arange(len(matrix))[:, None], taps.source), taps.weight)
    return matrix


def flat_indices_and_weights_at_points(
    x: Array, y: Array, height: int, width: int, interpolation: str
) -> list[tuple[Array, Array]]:
    """Return (flat index, weight) pairs for the pixels that contribute at positions; weights are 0
    outside of the image.

    x, y [*] -> pairs of [*]. At the edge the weights sum to less than 1.
    """
    pairs = []
    x_taps, y_taps = (
        weights_around_positions(x, interpolation),
        weights_around_positions(y, interpolation),
    )
    for j in range(y_taps.source.shape[-1]):
        for i in range(x_taps.source.shape[-1]):
            column, row = x_taps.source[..., i], y_taps.source[..., j]
            is_inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
            weight = x_taps.weight[..., i] * y_taps.weight[..., j] * is_inside
            pairs.append((row.clip(0, height - 1) * width + column.clip(0, width - 1), weight))
    return pairs
