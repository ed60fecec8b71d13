"""Arithmetic of two tensors; `axis` says where the axes of the second one are put under those of
the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.op import OPS
from ...static.nn.helper import activated
from ..deprecated import instead

# name -> what Paddle 2 calls it
_OPS = {
    "elementwise_add": "add",
    "elementwise_div": "divide",
    "elementwise_floordiv": "floor_divide",
    "elementwise_max": "maximum",
    "elementwise_min": "minimum",
    "elementwise_mod": "mod",
    "elementwise_mul": "multiply",
    "elementwise_pow": "pow",
    "elementwise_sub": "subtract",
}
__all__ = list(_OPS)


def _made(kind: str, today: str) -> Callable[..., Any]:
    @instead(f"fluid.layers.{kind}", f"paddle.{today}")
    def layer(
        x: Any, y: Any, axis: int = -1, act: str | None = None, name: str | None = None
    ) -> Any:
        return activated(kind, OPS[kind](x, y, axis=axis), act)

    layer.__name__ = layer.__qualname__ = kind
    layer.__doc__ = (
        f"act of what {kind} gives.   x [*S], y the same or a run of axes of it that starts at "
        "`axis` (-1: the last ones) -> [*S]"
    )
    return layer


globals().update({kind: _made(kind, today) for kind, today in _OPS.items()})
