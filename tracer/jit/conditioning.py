"""Estimate the condition number of a program: how much rounding errors of inputs and weights change
the results. Two correct runs may differ by that much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.dtype import is_float

NUM_TRIALS = 3
ACCUMULATED_ROUNDINGS = 32.0  # number of operations whose rounding errors may add up

Run = Callable[[Mapping[str, Any], Sequence[Any]], Sequence[Any]]


def is_rounding_error(
    run: Run,
    weights: Mapping[str, Any],
    inputs: Sequence[Any],
    at: int,
    off: float,
    difference: Callable[[Any, Any], float],
) -> bool:
    """Whether a difference `off` of a result can be caused by rounding: whether the result changes
    by a similar amount if the last bit of all inputs and weights changes.

    run: returns the results for weights and inputs.
    at: the index of the result.
    off: the difference, as computed by `difference`.
    """
    rng = np.random.default_rng(0)
    wanted = run(weights, inputs)[at]
    moved = 0.0
    for _ in range(NUM_TRIALS):
        other = {name: _perturb(value, rng) for name, value in weights.items()}
        moved = max(moved, difference(run(other, [_perturb(a, rng) for a in inputs])[at], wanted))
    return off <= ACCUMULATED_ROUNDINGS * moved


def _perturb(array: Any, rng: np.random.Generator) -> Any:
    """Change each number of an array by its last bit, up or down."""
    if not isinstance(array, np.ndarray) or not is_float(array.dtype):
        return array
    eps = 2.0**-8 if array.dtype.name == "bfloat16" else float(np.finfo(array.dtype).eps)
    signs = rng.integers(0, 2, array.shape) * 2 - 1
    return (array.astype(np.float64) * (1 + eps * signs)).astype(array.dtype)
