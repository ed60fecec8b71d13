"""Regularizers, which add weight decay to the gradients of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["L1Decay", "L2Decay"]


class L2Decay:
    """L2 regularization: adds coeff / 2 * sum of squares of a parameter to the loss."""

    def __init__(self, coeff: float = 0.0) -> None:
        self.coeff = self._coeff = float(coeff)

    def gradient(self, parameter: Any) -> Any:
        """Return coeff * parameter.

        parameter, result: ndarrays [*]
        """
        return parameter * parameter.dtype.type(self.coeff)

    def gradient_term(self, parameter: Any) -> Any:
        """Return the gradient of the regularization, coeff * parameter. While a program is
        recorded, append the op that computes this gradient.
        """
        return parameter * self.coeff

    def __str__(self) -> str:
        return f"L2Decay, coeff={self.coeff:f}"


class L1Decay:
    """L1 regularization: adds coeff * sum of absolute values of a parameter to the loss."""

    def __init__(self, coeff: float = 0.0) -> None:
        self.coeff = self._coeff = float(coeff)

    def gradient(self, parameter: Any) -> Any:
        """Return coeff * sign(parameter).

        parameter, result: ndarrays [*]
        """
        return np.sign(parameter) * parameter.dtype.type(self.coeff)

    def gradient_term(self, parameter: Any) -> Any:
        """Return the gradient of the regularization, coeff * sign(parameter). While a program is
        recorded, append the ops that compute this gradient.
        """
        return parameter.sign() * self.coeff

    def __str__(self) -> str:
        return f"L1Decay, coeff={self.coeff:f}"
