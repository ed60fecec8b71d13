"""Arithmetic with the second operand put at an axis of the first, as Paddle's models ported from
1.x ask for it.
"""

from __future__ import annotations

from ..core.tensor import Tensor
from ..ops import elementwise

__all__ = ["_add_with_axis", "_divide_with_axis", "_multiply_with_axis", "_subtract_with_axis"]


def _add_with_axis(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """x + y.

    x [*A], y [*B], B the sizes of A from `axis` on -> [*A]; -1: the last ones
    """
    found: Tensor = elementwise.add(x, y, axis=axis)
    return found


def _subtract_with_axis(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """x - y.

    x [*A], y [*B], B the sizes of A from `axis` on -> [*A]; -1: the last ones
    """
    found: Tensor = elementwise.sub(x, y, axis=axis)
    return found


def _multiply_with_axis(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """x * y.

    x [*A], y [*B], B the sizes of A from `axis` on -> [*A]; -1: the last ones
    """
    found: Tensor = elementwise.mul(x, y, axis=axis)
    return found


def _divide_with_axis(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """x / y.

    x [*A], y [*B], B the sizes of A from `axis` on -> [*A]; -1: the last ones
    """
    found: Tensor = elementwise.div(x, y, axis=axis)
    return found
