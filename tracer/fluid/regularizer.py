"""Weight decay with the names of Paddle 1.x: `fluid.regularizer`."""

from __future__ import annotations

from typing import Any

from .. import regularizer as paddle2
from ..core.op import OPS
from .deprecated import warn_deprecated_on_first_use

__all__ = [
    "L1Decay",
    "L1DecayRegularizer",
    "L2Decay",
    "L2DecayRegularizer",
    "append_regularization_ops",
]


@warn_deprecated_on_first_use("fluid.regularizer.L2Decay", "paddle.regularizer.L2Decay")
class L2DecayRegularizer(paddle2.L2Decay):
    """Adds regularization_coeff / 2 * sum(parameter ** 2) to the loss."""

    def __init__(self, regularization_coeff: float = 0.0) -> None:
        super().__init__(regularization_coeff)
        self._regularization_coeff = self.coeff

    def __str__(self) -> str:
        return f"L2Decay, regularization_coeff={self.coeff:f}"


@warn_deprecated_on_first_use("fluid.regularizer.L1Decay", "paddle.regularizer.L1Decay")
class L1DecayRegularizer(paddle2.L1Decay):
    """Adds regularization_coeff * sum(|parameter|) to the loss."""

    def __init__(self, regularization_coeff: float = 0.0) -> None:
        super().__init__(regularization_coeff)
        self._regularization_coeff = self.coeff

    def __str__(self) -> str:
        return f"L1Decay, regularization_coeff={self.coeff:f}"


L1Decay, L2Decay = L1DecayRegularizer, L2DecayRegularizer


def append_regularization_ops(
    parameters_and_grads: Any, regularization: Any = None
) -> list[tuple[Any, Any]]:
    """Add the weight decay to the gradients; a parameter's own regularizer takes precedence."""
    return [
        (p, _add_decay_to_gradient(p, g, p.regularizer or regularization))
        for p, g in parameters_and_grads
    ]


def _add_decay_to_gradient(parameter: Any, gradient: Any, decay: Any) -> Any:
    return (
        gradient
        if gradient is None or decay is None
        else OPS["sum"]([gradient, decay.gradient_term(parameter)])
    )
