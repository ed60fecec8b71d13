"""Gradient clipping in dygraph mode with the names of 1.5 to 1.7: `fluid.dygraph_grad_clip`."""

from __future__ import annotations

from .clip import GradientClipByGlobalNorm, GradientClipByNorm, GradientClipByValue

__all__ = ["GradClipByGlobalNorm", "GradClipByNorm", "GradClipByValue"]


class GradClipByValue(GradientClipByValue):
    """Clip every element of the gradients to [min_value, max_value]; if max_value is None, to
    [-|min_value|, |min_value|].
    """

    def __init__(self, min_value: float, max_value: float | None = None) -> None:
        limit = abs(min_value) if max_value is None else max_value
        super().__init__(limit, -limit if max_value is None else min_value)


class GradClipByNorm(GradientClipByNorm):
    """Scale every gradient so that its norm is at most clip_norm."""

    def __init__(self, clip_norm: float) -> None:
        super().__init__(clip_norm)


class GradClipByGlobalNorm(GradientClipByGlobalNorm):
    """Scale all gradients by one factor so that their global norm is at most max_global_norm."""

    def __init__(self, max_global_norm: float, dtype: str = "float32") -> None:
        super().__init__(max_global_norm)
