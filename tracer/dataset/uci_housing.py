"""Boston housing prices (Harrison and Rubinfeld 1978): samples of float64 [13], each column
centered and divided by its range, and the price [1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.errors import FileError
from . import common

__all__ = ["test", "train"]

URL = "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data"
MD5 = "d4accdce7a25600298819f8e28e8d593"
feature_names = [
    "CRIM",
    "ZN",
    "INDUS",
    "CHAS",
    "NOX",
    "RM",
    "AGE",
    "DIS",
    "RAD",
    "TAX",
    "PTRATIO",
    "B",
    "LSTAT",
]

# by file name, number of columns and share of the training rows
_loaded: dict[tuple[str, int, float], tuple[Any, Any]] = {}


def load_data(filename: str, feature_num: int = 14, ratio: float = 0.8) -> tuple[Any, Any]:
    """Read a file of numbers, and return the rows for training and those for testing.

    Raises FileError if the numbers do not fill rows.
    """
    key = filename, feature_num, ratio
    if key not in _loaded:
        with open(filename) as file:
            numbers = np.array(file.read().split(), np.float64)
        if not len(numbers) or len(numbers) % feature_num:
            raise FileError(f"{filename}: {len(numbers)} numbers do not fill rows of {feature_num}")
        data = numbers.reshape(-1, feature_num)
        inputs = data[:, :-1]
        with np.errstate(invalid="ignore"):  # a constant column has the range 0
            data[:, :-1] = (inputs - inputs.sum(axis=0) / len(data)) / (
                inputs.max(axis=0) - inputs.min(axis=0)
            )
        _loaded[key] = data[: int(len(data) * ratio)], data[int(len(data) * ratio) :]
    return _loaded[key]


def _reader(part: int) -> Callable[[], Iterator[Any]]:
    rows = load_data(common.download(URL, "uci_housing", MD5))[part]
    return lambda: ((row[:-1], row[-1:]) for row in rows)


def train() -> Callable[[], Iterator[Any]]:
    """Return a reader of the training set, the first 80 % of the rows."""
    return _reader(0)


def test() -> Callable[[], Iterator[Any]]:
    """Return a reader of the test set, the last 20 % of the rows."""
    return _reader(1)


def predict_reader() -> tuple[Any]:
    """Return the features of the first row of the test set, without the price."""
    return (load_data(common.download(URL, "uci_housing", MD5))[1][0][:-1],)


def fetch() -> None:
    """Download the file."""
    common.download(URL, "uci_housing", MD5)
