"""Norms by which Paddle's programs clip gradients, as its own ops; ours write them as several."""

from __future__ import annotations

from typing import Any

import numpy as np


def squared_norm(x: Any) -> Any:
    """The sum of the squares.   [*] -> [1]"""
    return np.sum(np.square(x)).reshape(1)


def clipped(x: Any, most: float) -> Any:
    """x, or x made shorter so that its Euclidean norm is `most`.   [*] -> [*]"""
    norm = np.sqrt(np.sum(np.square(x)))
    return x if norm <= most else x * (most / norm).astype(x.dtype)
