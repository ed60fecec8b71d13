"""Loss layers: `fluid.dygraph.L1Loss`, MSELoss, NLLLoss, BCELoss."""

from __future__ import annotations

from typing import Any

from ...core.errors import append_user_line
from ...core.op import OPS
from ..layers.layer_utils import ensure_at_least_1d
from .layers import Layer

__all__ = ["BCELoss", "L1Loss", "MSELoss", "NLLLoss"]


class _ReducedLoss(Layer):
    """Base class of losses with a reduction.

    reduction: "mean" or "sum" over all elements, [1], or "none"
    """

    def __init__(self, reduction: str = "mean") -> None:
        if reduction not in ("mean", "sum", "none"):
            kind = type(self).__name__
            raise ValueError(
                append_user_line(
                    f"{kind}: reduction={reduction!r} is not one of 'mean', 'sum', 'none'"
                )
            )
        super().__init__()
        self.reduction = reduction

    def _reduce(self, x: Any) -> Any:
        if self.reduction == "none":
            return x
        return ensure_at_least_1d(
            OPS[f"reduce_{self.reduction}"](x, dim=[0], keep_dim=False, reduce_all=True)
        )


class L1Loss(_ReducedLoss):
    """|input - label|: [*S] -> [1], or [*S] without reduction."""

    def forward(self, input: Any, label: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return self._reduce(OPS["abs"](OPS["elementwise_sub"](input, label)))


class MSELoss(_ReducedLoss):
    """(input - label) ** 2: [*S] -> [1], or [*S] without reduction."""

    def forward(self, input: Any, label: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return self._reduce(OPS["square"](OPS["elementwise_sub"](input, label)))


class BCELoss(_ReducedLoss):
    """-(label * log(input) + (1 - label) * log(1 - input)) * weight.

    input, label, weight: [*S].
    Returns [1], or [*S] without reduction.
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def forward(self, input: Any, label: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        out = OPS["bce_loss"](input, label)
        return self._reduce(
            out if self.weight is None else OPS["elementwise_mul"](out, self.weight)
        )


class NLLLoss(_ReducedLoss):
    """-input[label] * weight[label].

    input: log-probabilities [N, C, *S].
    label: [N, *S].
    weight: [C].
    Returns [1], or [N, *S] without reduction. reduction="mean" divides by the sum of the weights.
    Labels equal to ignore_index have no loss.
    """

    def __init__(
        self, weight: Any = None, reduction: str = "mean", ignore_index: int = -100
    ) -> None:
        super().__init__(reduction)
        self._weight, self._ignore_index = weight, ignore_index

    def forward(self, input: Any, label: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        out, _ = OPS["nll_loss"](
            input, label, self._weight, ignore_index=self._ignore_index, reduction=self.reduction
        )
        return out if self.reduction == "none" else ensure_at_least_1d(out)
