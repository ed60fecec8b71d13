"""Types of arguments that optimizers accept in several forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ..core.tensor import Tensor
    from ..nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
    from ..regularizer import L1Decay, L2Decay

GradientClip: TypeAlias = "ClipGradByValue | ClipGradByNorm | ClipGradByGlobalNorm"
WeightDecay: TypeAlias = "float | Tensor | L1Decay | L2Decay"
