"""Arithmetic that aligns the second operand with an axis of the first, for models ported from
Paddle 1.x.
"""

from __future__ import annotations

from ..core.tensor import Tensor
from ..ops import elementwise

__all__ = ["_add_with_axis", "_divide_with_axis", "_multiply_with_axis", "_subtract_with_axis"]


def _add_with_axis(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """x + y, with y aligned at `axis` of x.

    x [*A], y [*B], B the sizes of A from `axis` on (-1: the last ones) -> [*A]
    """
    out: Tensor = elementwise.add(x, y, axis=axis)
    return out


def _subtract_with_axis(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """x - y, with y aligned at `axis` of x.

    x [*A], y [*B], B the sizes of A from `axis` on (-1: the last ones) -> [*A]
    """
    out: Tensor = elementwise.sub(x, y, axis=axis)
    return out


def _multiply_with_axis(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """x * y, with y aligned at `axis` of x.

    x [*A], y [*B], B the sizes of A from `axis` on (-1: the last ones) -> [*A]
    """
    out: Tensor = elementwise.mul(x, y, axis=axis)
    return out


def _divide_with_axis(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """x / y, with y aligned at `axis` of x.

    x [*A], y [*B], B the sizes of A from `axis` on (-1: the last ones) -> [*A]
    """
    out: Tensor = elementwise.div(x, y, axis=axis)
    return out
