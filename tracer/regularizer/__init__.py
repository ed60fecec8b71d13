"""Decay of weights, as a term of the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["L1Decay", "L2Decay"]


class L2Decay:
    """coeff / 2 * the sum of squares of a parameter, added to the loss."""

    def __init__(self, coeff: float = 0.0) -> None:
        self.coeff = self._coeff = float(coeff)

    def gradient(self, parameter: Any) -> Any:
        """coeff * parameter.

        parameter, result: ndarrays [*]
        """
        return parameter * parameter.dtype.type(self.coeff)

    def term(self, parameter: Any) -> Any:
        """The same of Tensors: in a program, ops for it."""
        return parameter * self.coeff

    def __str__(self) -> str:
        return f"L2Decay, coeff={self.coeff:f}"


class L1Decay:
    """coeff * the sum of the sizes of a parameter's elements, added to the loss."""

    def __init__(self, coeff: float = 0.0) -> None:
        self.coeff = self._coeff = float(coeff)

    def gradient(self, parameter: Any) -> Any:
        """coeff * sign(parameter).

        parameter, result: ndarrays [*]
        """
        return np.sign(parameter) * parameter.dtype.type(self.coeff)

    def term(self, parameter: Any) -> Any:
        """The same of Tensors: in a program, ops for it."""
        return parameter.sign() * self.coeff

    def __str__(self) -> str:
        return f"L1Decay, coeff={self.coeff:f}"
