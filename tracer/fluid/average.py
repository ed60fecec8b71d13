"""Weighted averages: `fluid.average`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .deprecated import warn_deprecated_on_first_use

__all__ = ["WeightedAverage"]


def is_number_or_one_element_array(value: Any) -> bool:
    """Whether a value is a scalar: an int, a float, or an ndarray [1]."""
    return isinstance(value, int | float | np.integer) or (
        isinstance(value, np.ndarray) and value.shape == (1,)
    )


@warn_deprecated_on_first_use("fluid.average.WeightedAverage", "paddle.metric.Metric")
class WeightedAverage:
    """The weighted mean of values."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Discard all values."""
        self.numerator: Any = None
        self.denominator: Any = None

    def add(self, value: Any, weight: Any) -> None:
        """Add a scalar or an ndarray with its weight."""
        if not is_number_or_one_element_array(value) and not isinstance(value, np.ndarray):
            raise ValueError("The 'value' must be a number(int, float) or a numpy ndarray.")
        if not is_number_or_one_element_array(weight):
            raise ValueError("The 'weight' must be a number(int, float).")
        is_first = self.numerator is None
        self.numerator = value * weight if is_first else self.numerator + value * weight
        self.denominator = weight if is_first else self.denominator + weight

    def eval(self) -> Any:
        """Return the weighted mean. Raises ValueError if no value was added before."""
        if self.numerator is None:
            raise ValueError("There is no data to be averaged in WeightedAverage.")
        return self.numerator / self.denominator
