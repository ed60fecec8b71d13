"""Real handwritten digits for the demonstration: the 1797 that come with scikit-learn, resized to
28 x 28.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import OarlockError

Array = np.ndarray[Any, Any]
HELD_OUT = 360


class Digits(NamedTuple):
    """images float32 [N, 1, 28, 28] in [-1, 1], labels int64 [N, 1]; for training and held out."""

    images: Array
    labels: Array
    test_images: Array
    test_labels: Array


def resized(images: Array, size: int = 28) -> Array:
    """Images [N, H, W] by bilinear interpolation -> [N, size, size]."""
    matrix = _weights(images.shape[1], size)
    return np.einsum(
        "ah,nhw,bw->nab", matrix, images, _weights(images.shape[2], size), optimize=True
    )


def _weights(old: int, new: int) -> Array:
    """The matrix [new, old] of a linear interpolation with aligned corners."""
    at = np.linspace(0, old - 1, new)
    left = np.minimum(at.astype(int), old - 2)
    matrix = np.zeros((new, old))
    matrix[np.arange(new), left] = 1 - (at - left)
    matrix[np.arange(new), left + 1] = at - left
    return matrix


def load_digits(seed: int) -> Digits:
    """The digits, split at random.   Raises OarlockError where scikit-learn is missing."""
    try:
        from sklearn.datasets import load_digits as bundled  # noqa: PLC0415
    except ImportError:
        raise OarlockError('demo: scikit-learn is missing; install "oarlock[demo]"') from None
    data = bundled()
    images = (resized(data.images / 16.0) * 2 - 1).astype(np.float32)[:, None]
    labels = data.target.astype(np.int64)[:, None]
    order = np.random.default_rng(seed).permutation(len(images))
    test, train = order[:HELD_OUT], order[HELD_OUT:]
    return Digits(images[train], labels[train], images[test], labels[test])
