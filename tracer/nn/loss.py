"""Losses as layers; each is the function of nn.functional with its settings kept."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from . import functional as F
from .layer import Layer

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "KLDivLoss", "L1Loss", "MSELoss", "NLLLoss", "SmoothL1Loss",
]  # fmt: skip


class CrossEntropyLoss(Layer):
    """functional.cross_entropy.   input [*, C, *], label [*, *] or [*, 1, *] -> [] or like label"""

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean", soft_label: bool = False, axis: int = -1,
        use_softmax: bool = True, label_smoothing: float = 0.0, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.weight = weight
        self._settings = (ignore_index, reduction, soft_label, axis, use_softmax, label_smoothing)

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """See the class."""
        return F.cross_entropy(input, label, self.weight, *self._settings)


class MSELoss(Layer):
    """functional.mse_loss.   [*], [*] -> [] or [*]"""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """See the class."""
        return F.mse_loss(input, label, self.reduction)


class L1Loss(Layer):
    """functional.l1_loss.   [*], [*] -> [] or [*]"""

    def __init__(self, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """See the class."""
        return F.l1_loss(input, label, self.reduction)


class SmoothL1Loss(Layer):
    """functional.smooth_l1_loss.   [*], [*] -> [] or [*]"""

    def __init__(self, reduction: str = "mean", delta: float = 1.0, name: str | None = None) -> None:
        super().__init__()
        self.reduction = reduction
        self.delta = delta

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """See the class."""
        return F.smooth_l1_loss(input, label, self.reduction, self.delta)


class NLLLoss(Layer):
    """functional.nll_loss.   input [N, C], label int [N] -> [] or [N]"""

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__()
        self._weight = weight
        self._settings = (ignore_index, reduction)

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """See the class."""
        return F.nll_loss(input, label, self._weight, *self._settings)


class BCELoss(Layer):
    """functional.binary_cross_entropy.   [*], [*] -> [] or [*]"""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__()
        self.weight = weight
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """See the class."""
        return F.binary_cross_entropy(input, label, self.weight, self.reduction)


class BCEWithLogitsLoss(Layer):
    """functional.binary_cross_entropy_with_logits.   [*], [*] -> [] or [*]"""

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight = weight
        self._settings: tuple[Any, ...] = (reduction, pos_weight)

    def forward(self, logit: Tensor, label: Tensor) -> Tensor:
        """See the class."""
        return F.binary_cross_entropy_with_logits(logit, label, self.weight, *self._settings)


class KLDivLoss(Layer):
    """functional.kl_div.   [*], [*] -> [] or [*]"""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """See the class."""
        return F.kl_div(input, label, self.reduction)
