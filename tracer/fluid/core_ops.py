"""fluid.core.ops: ops called as Paddle's generated functions were, operands first, then names of attributes and their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.op import OPS


def __getattr__(name: str) -> Callable[..., Any]:
    """The op of that type."""
    if name not in OPS:
        raise AttributeError(f"module 'paddle.fluid.core.ops' has no attribute {name!r}")
    op = OPS[name]

    def call(*given: Any) -> Any:
        first = next((at for at, value in enumerate(given) if isinstance(value, str)), len(given))
        attrs = dict(zip(given[first::2], given[first + 1 :: 2], strict=True))
        return op(*given[:first], **{key: value for key, value in attrs.items() if key in op.attrs})

    return call
