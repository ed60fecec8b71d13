"""Regularizers, which add weight decay to the gradients of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.tensor import Tensor
from ..core.type_aliases import Array

__all__ = ["L1Decay", "L2Decay"]


class L2Decay:
    """L2 regularization: adds coeff / 2 * the sum of squares of a parameter to the loss.

    Optimizers add its gradient, coeff * parameter, to the gradient of the parameter; the value of
    the loss does not change.

    Parameters
    ----------
    coeff : float, default 0.0

    Examples
    --------
    >>> attr = paddle.ParamAttr(regularizer=paddle.regularizer.L2Decay(0.1))
    >>> net = nn.Linear(2, 1, weight_attr=attr)
    >>> sgd = paddle.optimizer.SGD(
    ...     0.1, parameters=net.parameters(), weight_decay=paddle.regularizer.L2Decay(0.001)
    ... )

    The regularizer of the weight replaces that of the optimizer, which applies to the bias.
    """

    def __init__(self, coeff: float = 0.0) -> None:
        self.coeff = self._coeff = float(coeff)

    def gradient(self, parameter: Array) -> Array:
        """Return coeff * parameter.

        Parameters
        ----------
        parameter : ndarray [*], float

        Returns
        -------
        ndarray [*], dtype of parameter

        Examples
        --------
        >>> paddle.regularizer.L2Decay(0.5).gradient(np.array([2.0, -4.0]))
        array([ 1., -2.])
        """
        return parameter * parameter.dtype.type(self.coeff)

    def gradient_term(self, parameter: Tensor) -> Tensor:
        """Return coeff * parameter as a tensor. While a program is recorded, append the op.

        Parameters
        ----------
        parameter : Tensor [*], float

        Returns
        -------
        Tensor [*], dtype of parameter

        Examples
        --------
        >>> paddle.regularizer.L2Decay(0.5).gradient_term(paddle.to_tensor([2.0, -4.0])).tolist()
        [1.0, -2.0]
        """
        return parameter * self.coeff

    def __str__(self) -> str:
        return f"L2Decay, coeff={self.coeff:f}"


class L1Decay:
    """L1 regularization: adds coeff * the sum of absolute values of a parameter to the loss.

    Optimizers add its gradient, coeff * sign(parameter), to the gradient of the parameter; the
    value of the loss does not change.

    Parameters
    ----------
    coeff : float, default 0.0

    Examples
    --------
    >>> net = nn.Linear(2, 1)
    >>> sgd = paddle.optimizer.SGD(
    ...     0.1, parameters=net.parameters(), weight_decay=paddle.regularizer.L1Decay(0.001)
    ... )
    """

    def __init__(self, coeff: float = 0.0) -> None:
        self.coeff = self._coeff = float(coeff)

    def gradient(self, parameter: Array) -> Array:
        """Return coeff * sign(parameter).

        Parameters
        ----------
        parameter : ndarray [*], float

        Returns
        -------
        ndarray [*], dtype of parameter

        Examples
        --------
        >>> paddle.regularizer.L1Decay(0.5).gradient(np.array([2.0, -4.0]))
        array([ 0.5, -0.5])
        """
        return np.sign(parameter) * parameter.dtype.type(self.coeff)

    def gradient_term(self, parameter: Tensor) -> Tensor:
        """Return coeff * sign(parameter) as a tensor. While a program is recorded, append the ops.

        Parameters
        ----------
        parameter : Tensor [*], float

        Returns
        -------
        Tensor [*], dtype of parameter

        Examples
        --------
        >>> paddle.regularizer.L1Decay(0.5).gradient_term(paddle.to_tensor([2.0, -4.0])).tolist()
        [0.5, -0.5]
        """
        return parameter.sign() * self.coeff

    def __str__(self) -> str:
        return f"L1Decay, coeff={self.coeff:f}"
