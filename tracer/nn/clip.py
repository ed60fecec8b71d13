"""Clipping of gradients.

Called with (parameter, gradient) pairs of arrays by the optimizer.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor

__all__ = ["ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue"]

Pairs = list[tuple[Any, Any]]  # Parameter, gradient as an ndarray


def _are_tensors(pairs: Pairs) -> bool:
    """Whether it was the user who called, with tensors or variables of a program."""
    return bool(pairs) and isinstance(pairs[0][1], Tensor)


def _squares(g: Any) -> float:
    """The sum of squares, which half precision could not hold."""
    wide = g.astype(np.float32) if g.dtype.itemsize == 2 else g
    return float(np.vdot(wide, wide))


class ClipGradByValue:
    """Every element limited to [min, max]; min is -max unless given."""

    def __init__(self, max: float, min: float | None = None) -> None:
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def __call__(self, pairs: Pairs) -> Pairs:
        """The pairs with gradients clipped."""
        if _are_tensors(pairs):
            return self.recorded(pairs)
        return [(p, np.clip(g, self.min, self.max) if p.need_clip else g) for p, g in pairs]

    def recorded(self, pairs: Pairs) -> Pairs:
        """The same of gradients that are variables of a program."""
        return [
            (p, OPS["clip"](g, min=self.min, max=self.max) if p.need_clip else g) for p, g in pairs
        ]


class ClipGradByNorm:
    """Every gradient scaled so that its norm is at most clip_norm."""

    def __init__(self, clip_norm: float) -> None:
        self.clip_norm = float(clip_norm)

    def _clipped(self, g: Any) -> Any:
        norm = math.sqrt(_squares(g))
        return g * g.dtype.type(self.clip_norm / norm) if norm > self.clip_norm else g

    def __call__(self, pairs: Pairs) -> Pairs:
        """The pairs with gradients clipped."""
        if _are_tensors(pairs):
            return self.recorded(pairs)
        return [(p, self._clipped(g) if p.need_clip else g) for p, g in pairs]

    def recorded(self, pairs: Pairs) -> Pairs:
        """The same of gradients that are variables of a program."""
        return [
            (
                p,
                _scaled_to(g, _root_of([g]), self.clip_norm)
                if getattr(p, "need_clip", True)
                else g,
            )
            for p, g in pairs
        ]


class ClipGradByGlobalNorm:
    """All gradients scaled by one factor so that the norm of all together is at most clip_norm."""

    def __init__(
        self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False
    ) -> None:
        self.clip_norm = float(clip_norm)

    def __call__(self, pairs: Pairs) -> Pairs:
        """The pairs with gradients clipped."""
        if _are_tensors(pairs):
            return self.recorded(pairs)
        norm = math.sqrt(sum(_squares(g) for p, g in pairs if p.need_clip))
        factor = self.clip_norm / max(norm, self.clip_norm)
        if factor == 1.0:
            return pairs
        return [(p, g * g.dtype.type(factor) if p.need_clip else g) for p, g in pairs]

    def recorded(self, pairs: Pairs) -> Pairs:
        """The same of gradients that are variables of a program."""
        clipped = [g for p, g in pairs if getattr(p, "need_clip", True)]
        if not clipped:
            return pairs
        norm = _root_of(clipped)
        return [
            (p, _scaled_to(g, norm, self.clip_norm) if getattr(p, "need_clip", True) else g)
            for p, g in pairs
        ]


def _root_of(gradients: list[Any]) -> Any:
    """The norm of gradients that are variables.

    -> float32 []
    """
    wide = [g.astype("float32") if g.meta.dtype.itemsize == 2 else g for g in gradients]
    return OPS["sqrt"](OPS["sum"]([(g * g).sum() for g in wide]))


def _scaled_to(gradient: Any, norm: Any, most: float) -> Any:
    """A gradient times most / max(norm, most)."""
    limit = OPS["fill_any_like"](norm, value=most, dtype=-1)
    factor = limit / OPS["elementwise_max"](norm, limit)
    return gradient * factor.astype(gradient.dtype)
