"""Clipping in dygraph mode as 1.5 to 1.7 called it: fluid.dygraph_grad_clip."""

from __future__ import annotations

from .clip import GradientClipByGlobalNorm, GradientClipByNorm, GradientClipByValue

__all__ = ["GradClipByGlobalNorm", "GradClipByNorm", "GradClipByValue"]


class GradClipByValue(GradientClipByValue):
    """Every element limited to [min_value, max_value]; with one number, to its size."""

    def __init__(self, min_value: float, max_value: float | None = None) -> None:
        high = abs(min_value) if max_value is None else max_value
        super().__init__(high, -high if max_value is None else min_value)


class GradClipByNorm(GradientClipByNorm):
    """Every gradient scaled so that its norm is at most clip_norm."""

    def __init__(self, clip_norm: float) -> None:
        super().__init__(clip_norm)


class GradClipByGlobalNorm(GradientClipByGlobalNorm):
    """All gradients scaled by one factor so that the norm of all together is at most
    max_global_norm.
    """

    def __init__(self, max_global_norm: float, dtype: str = "float32") -> None:
        super().__init__(max_global_norm)
