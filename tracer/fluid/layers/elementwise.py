"""Elementwise arithmetic. `axis` is the axis of x to which the first axis of y is aligned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.op import OPS
from ...static.nn.helper import apply_activation
from ..deprecated import warn_deprecated_on_first_use

# op -> name in Paddle 2
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


def _make_elementwise_layer(kind: str, paddle2_name: str) -> Callable[..., Any]:
    @warn_deprecated_on_first_use(f"fluid.layers.{kind}", f"paddle.{paddle2_name}")
    def layer(
        x: Any, y: Any, axis: int = -1, act: str | None = None, name: str | None = None
    ) -> Any:
        return apply_activation(kind, OPS[kind](x, y, axis=axis), act)

    layer.__name__ = layer.__qualname__ = kind
    layer.__doc__ = (
        f"Compute {kind} of x and y with broadcasting, then the activation act.\n\n"
        "    x: [*S].\n"
        "    y: the shape of x, or of its axes from `axis` on (-1: of its last axes).\n"
        "    Returns [*S].\n\n"
        f"    The newer name is `paddle.{paddle2_name}`.\n    "
    )
    return layer


globals().update({kind: _make_elementwise_layer(kind, name) for kind, name in _OPS.items()})
