"""Reductions over axes: all of them give at least one axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.op import OPS
from ..deprecated import instead
from .helper import one

# name -> what Paddle 2 calls it
_OPS = {
    "reduce_all": "all",
    "reduce_any": "any",
    "reduce_max": "max",
    "reduce_mean": "mean",
    "reduce_min": "min",
    "reduce_prod": "prod",
    "reduce_sum": "sum",
}
__all__ = list(_OPS)


def _made(kind: str, today: str) -> Callable[..., Any]:
    @instead(f"fluid.layers.{kind}", f"paddle.{today}")
    def layer(input: Any, dim: Any = None, keep_dim: bool = False, name: str | None = None) -> Any:
        axes = [dim] if isinstance(dim, int) else list(dim or [])
        return one(OPS[kind](input, dim=axes or [0], keep_dim=keep_dim, reduce_all=not axes))

    layer.__name__ = layer.__qualname__ = kind
    layer.__doc__ = (
        f"The {today} over the axes `dim`, all for None.   input [*S] -> [*S] without those axes, "
        "[1] where none is left"
    )
    return layer


globals().update({kind: _made(kind, today) for kind, today in _OPS.items()})
