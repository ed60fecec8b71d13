"""Decay of weights in the words of Paddle 1.x: fluid.regularizer."""

from __future__ import annotations

from typing import Any

from .. import regularizer as today
from ..core.op import OPS
from .deprecated import instead

__all__ = [
    "L1Decay",
    "L1DecayRegularizer",
    "L2Decay",
    "L2DecayRegularizer",
    "append_regularization_ops",
]


@instead("fluid.regularizer.L2Decay", "paddle.regularizer.L2Decay")
class L2DecayRegularizer(today.L2Decay):
    """regularization_coeff / 2 * the sum of squares of a parameter, added to the loss."""

    def __init__(self, regularization_coeff: float = 0.0) -> None:
        super().__init__(regularization_coeff)
        self._regularization_coeff = self.coeff

    def __str__(self) -> str:
        return f"L2Decay, regularization_coeff={self.coeff:f}"


@instead("fluid.regularizer.L1Decay", "paddle.regularizer.L1Decay")
class L1DecayRegularizer(today.L1Decay):
    """regularization_coeff * the sum of the sizes of a parameter's elements, added to the loss."""

    def __init__(self, regularization_coeff: float = 0.0) -> None:
        super().__init__(regularization_coeff)
        self._regularization_coeff = self.coeff

    def __str__(self) -> str:
        return f"L1Decay, regularization_coeff={self.coeff:f}"


L1Decay, L2Decay = L1DecayRegularizer, L2DecayRegularizer


def append_regularization_ops(
    parameters_and_grads: Any, regularization: Any = None
) -> list[tuple[Any, Any]]:
    """Pairs of a parameter and its gradient with the decay in it; a parameter's own regularizer
    goes first.
    """
    return [(p, _decayed(p, g, p.regularizer or regularization)) for p, g in parameters_and_grads]


def _decayed(parameter: Any, gradient: Any, decay: Any) -> Any:
    return (
        gradient
        if gradient is None or decay is None
        else OPS["sum"]([gradient, decay.term(parameter)])
    )
