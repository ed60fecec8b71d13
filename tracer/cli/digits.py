"""The data set of `oarlock demo`: the 1797 handwritten digits of scikit-learn, resized to
28 x 28.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.errors import OarlockError

Array = np.ndarray[Any, Any]
NUM_TEST = 360


class TrainAndTestDigits(NamedTuple):
    """Images as float32 [N, 1, 28, 28] with values in [-1, 1], and labels as int64 [N, 1], for
    training and for testing.
    """

    images: Array
    labels: Array
    test_images: Array
    test_labels: Array


def resize_images(images: Array, size: int = 28) -> Array:
    """Resize images [N, H, W] to [N, size, size] by bilinear interpolation."""
    matrix = _interpolation_matrix(images.shape[1], size)
    return np.einsum(
        "ah,nhw,bw->nab",
        matrix,
        images,
        _interpolation_matrix(images.shape[2], size),
        optimize=True,
    )


def _interpolation_matrix(old: int, new: int) -> Array:
    """Return the matrix [new, old] that resamples `old` points to `new` points by linear
    interpolation with aligned corners.
    """
    position = np.linspace(0, old - 1, new)
    left = np.minimum(position.astype(int), old - 2)
    matrix = np.zeros((new, old))
    matrix[np.arange(new), left] = 1 - (position - left)
    matrix[np.arange(new), left + 1] = position - left
    return matrix


def load_train_and_test_digits(seed: int) -> TrainAndTestDigits:
    """Load the digits and split them at random into training and test data. Raises OarlockError if
    scikit-learn is missing.
    """
    try:
        from sklearn.datasets import load_digits  # noqa: PLC0415
    except ImportError:
        raise OarlockError("demo: scikit-learn is missing: pip install 'oarlock[demo]'") from None
    data = load_digits()
    images = (resize_images(data.images / 16.0) * 2 - 1).astype(np.float32)[:, None]
    labels = data.target.astype(np.int64)[:, None]
    order = np.random.default_rng(seed).permutation(len(images))
    test, train = order[:NUM_TEST], order[NUM_TEST:]
    return TrainAndTestDigits(images[train], labels[train], images[test], labels[test])
