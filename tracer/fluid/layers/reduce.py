"""Reductions; the result has at least one axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.op import OPS
from ..deprecated import warn_deprecated_on_first_use
from .layer_utils import ensure_at_least_1d

# op type -> name of the function of Paddle 2 that replaces the layer
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


def _make_reduce_layer(kind: str, paddle2_name: str) -> Callable[..., Any]:
    @warn_deprecated_on_first_use(f"fluid.layers.{kind}", f"paddle.{paddle2_name}")
    def layer(input: Any, dim: Any = None, keep_dim: bool = False, name: str | None = None) -> Any:
        axes = [dim] if isinstance(dim, int) else list(dim or [])
        return ensure_at_least_1d(
            OPS[kind](input, dim=axes or [0], keep_dim=keep_dim, reduce_all=not axes)
        )

    layer.__name__ = layer.__qualname__ = kind
    layer.__doc__ = (
        f"{paddle2_name} over the axes `dim`, by default all; returns [1] if no axis remains.\n\n"
        f"    The newer name is `paddle.{paddle2_name}`.\n    "
    )
    return layer


globals().update({kind: _make_reduce_layer(kind, name) for kind, name in _OPS.items()})
