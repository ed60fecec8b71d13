"""Losses as layers: fluid.dygraph.L1Loss, MSELoss, NLLLoss, BCELoss."""

from __future__ import annotations

from typing import Any

from ...core.errors import with_user_line
from ...core.op import OPS
from ..layers.helper import one
from .layers import Layer

__all__ = ["BCELoss", "L1Loss", "MSELoss", "NLLLoss"]


class _Reduced(Layer):
    """A loss of elements, of which the mean or the sum is taken, [1], or all are given.

    reduction: 'mean', 'sum', 'none'
    """

    def __init__(self, reduction: str = "mean") -> None:
        if reduction not in ("mean", "sum", "none"):
            kind = type(self).__name__
            raise ValueError(
                with_user_line(
                    f"{kind}: reduction={reduction!r} is not one of 'mean', 'sum', 'none'"
                )
            )
        super().__init__()
        self.reduction = reduction

    def _reduced(self, x: Any) -> Any:
        if self.reduction == "none":
            return x
        return one(OPS[f"reduce_{self.reduction}"](x, dim=[0], keep_dim=False, reduce_all=True))


class L1Loss(_Reduced):
    """|input - label|.   input, label [*S] -> [1], or [*S]"""

    def forward(self, input: Any, label: Any) -> Any:
        """Compute the output; the class describes shapes."""
        return self._reduced(OPS["abs"](OPS["elementwise_sub"](input, label)))


class MSELoss(_Reduced):
    """(input - label) ** 2.   input, label [*S] -> [1], or [*S]"""

    def forward(self, input: Any, label: Any) -> Any:
        """Compute the output; the class describes shapes."""
        return self._reduced(OPS["square"](OPS["elementwise_sub"](input, label)))


class BCELoss(_Reduced):
    """-(label * log(input) + (1 - label) * log(1 - input)), times weight.

    input, label, weight [*S] -> [1], or [*S]
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def forward(self, input: Any, label: Any) -> Any:
        """Compute the output; the class describes shapes."""
        out = OPS["bce_loss"](input, label)
        return self._reduced(
            out if self.weight is None else OPS["elementwise_mul"](out, self.weight)
        )


class NLLLoss(_Reduced):
    """-input[label], times weight[label].

    input [N, C, *S] log-probabilities, label [N, *S], weight [C] -> [1], or [N, *S]

    reduction 'mean' is over the sum of the weights; where the label is ignore_index there is no
    loss.
    """

    def __init__(
        self, weight: Any = None, reduction: str = "mean", ignore_index: int = -100
    ) -> None:
        super().__init__(reduction)
        self._weight, self._ignore_index = weight, ignore_index

    def forward(self, input: Any, label: Any) -> Any:
        """Compute the output; the class describes shapes."""
        out, _ = OPS["nll_loss"](
            input, label, self._weight, ignore_index=self._ignore_index, reduction=self.reduction
        )
        return out if self.reduction == "none" else one(out)
