"""The matrix product of Paddle 1.x: times a number, and of at least one axis."""

from __future__ import annotations

from typing import Any

from ..core.op import OPS, Meta, check, op
from .matmul import matmul as today
from .meta import shape_of
from .wide import wide


@op("matmul", "X, Y -> Out")
@wide
def matmul(x, y, *, transpose_X: bool = False, transpose_Y: bool = False, alpha: float = 1.0, head_number: int = 1):
    """Out = alpha * X @ Y over the last two axes, a vector being a row or a column.   X [*B,M,K], Y [*B,K,N] -> Out [*B,M,N], [1] of vectors"""
    check(head_number == 1, "head_number is not 1")
    out = today.kernel(x, y, trans_x=transpose_X, trans_y=transpose_Y)
    out = out if alpha == 1.0 else out * x.dtype.type(alpha)
    return out if out.ndim else out.reshape(1)


@matmul.meta
def _(x, y, *, transpose_X, transpose_Y, alpha, head_number):
    check(head_number == 1, "head_number is not 1")
    made: Meta = today.infer((x, y), {"trans_x": transpose_X, "trans_y": transpose_Y})
    return Meta(made.shape or (1,), made.dtype)


@matmul.vjp
def _(g, x, y, *, transpose_X, transpose_Y, alpha, head_number):
    if len(shape_of(x)) == 1 and len(shape_of(y)) == 1:
        g = OPS["reshape2"](g, shape=[])
    g = _scaled(g, alpha)
    assert today.rule is not None
    return today.rule(g, x, y, trans_x=transpose_X, trans_y=transpose_Y)


def _scaled(g: Any, alpha: float) -> Any:
    return g if alpha == 1.0 else OPS["scale"](g, scale=alpha)
