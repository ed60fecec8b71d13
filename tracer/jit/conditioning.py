"""How far the rounding of its numbers carries through a program: what two runs that are both right
may differ by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.dtype import is_float

TRIES = 3
FEW = 32.0  # operations in a row that round the same way

Run = Callable[[Mapping[str, Any], Sequence[Any]], Sequence[Any]]


def is_rounding(
    run: Run,
    weights: Mapping[str, Any],
    inputs: Sequence[Any],
    at: int,
    off: float,
    difference: Callable[[Any, Any], float],
) -> bool:
    """Whether a result may be `off` because its program makes much of little: because it moves as
    far when all numbers move by their last bit.

    run: gives the results for weights and inputs; at: which of them; off: by how much it was found
    to differ, as `difference` tells.
    """
    rng = np.random.default_rng(0)
    wanted = run(weights, inputs)[at]
    moved = 0.0
    for _ in range(TRIES):
        other = {name: _shaken(value, rng) for name, value in weights.items()}
        moved = max(moved, difference(run(other, [_shaken(a, rng) for a in inputs])[at], wanted))
    return off <= FEW * moved


def _shaken(array: Any, rng: np.random.Generator) -> Any:
    """Each number of an array a last bit up or down."""
    if not isinstance(array, np.ndarray) or not is_float(array.dtype):
        return array
    eps = 2.0**-8 if array.dtype.name == "bfloat16" else float(np.finfo(array.dtype).eps)
    signs = rng.integers(0, 2, array.shape) * 2 - 1
    return (array.astype(np.float64) * (1 + eps * signs)).astype(array.dtype)
