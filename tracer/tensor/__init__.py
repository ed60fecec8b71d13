"""Functions on tensors, under Paddle's names; they are also the methods of Tensor.   EXPORTS: what `oarlock.*` offers."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from .creation import assign, full
from .patch import EXPORTS

globals().update(EXPORTS)
__all__ = sorted(EXPORTS)  # noqa: PLE0605 - made from the table


def fill_constant(
    shape: Any, dtype: Any, value: Any, force_cpu: bool = False, out: Tensor | None = None, name: str | None = None
) -> Tensor:
    """A tensor of one value, through which no gradient flows.   out: a tensor that becomes it -> [*shape]"""
    made = full(shape, value, dtype)
    found = made if out is None else assign(made, out)
    found.stop_gradient = True
    return found
