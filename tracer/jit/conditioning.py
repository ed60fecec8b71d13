"""Estimate the condition number of a program: how much rounding errors of inputs and weights change
the results. Two correct runs may differ by that much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.dtype import is_inexact

NUM_TRIALS = 3
MAX_ACCUMULATED_ROUNDINGS = 32.0  # number of operations whose rounding errors may add up

RunFunction = Callable[[Mapping[str, Any], Sequence[Any]], Sequence[Any]]


def is_explained_by_rounding(
    run: RunFunction,
    weights: Mapping[str, Any],
    inputs: Sequence[Any],
    result_index: int,
    deviation: float,
    difference: Callable[[Any, Any], float],
) -> bool:
    """Whether a difference `deviation` of a result can be caused by rounding: whether the result
    changes by a similar amount if the last bit of all inputs and weights changes.

    run: returns the results for weights and inputs.
    result_index: the index of the result.
    deviation: the difference, as computed by `difference`.
    """
    rng = np.random.default_rng(0)
    reference = run(weights, inputs)[result_index]
    sensitivity = 0.0
    for _ in range(NUM_TRIALS):
        perturbed_weights = {name: _perturb_last_bit(value, rng) for name, value in weights.items()}
        sensitivity = max(
            sensitivity,
            difference(
                run(perturbed_weights, [_perturb_last_bit(a, rng) for a in inputs])[result_index],
                reference,
            ),
        )
    return deviation <= MAX_ACCUMULATED_ROUNDINGS * sensitivity


def _perturb_last_bit(array: Any, rng: np.random.Generator) -> Any:
    """Change each number of an array by its last bit, up or down."""
    if not isinstance(array, np.ndarray) or not is_inexact(array.dtype):
        return array
    eps = 2.0**-8 if array.dtype.name == "bfloat16" else float(np.finfo(array.dtype).eps)
    signs = rng.integers(0, 2, array.shape) * 2 - 1
    return (array.astype(np.float64) * (1 + eps * signs)).astype(array.dtype)
