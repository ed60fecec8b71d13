"""The matmul of Paddle 1.x, with factor alpha."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS, check, op
from ..half_precision import computed_in_float32_if_half
from ..matmul import matmul as today


@op("matmul", "X, Y -> Out", same_dtype="X Y", amp_class="allow")
@computed_in_float32_if_half
def matmul(
    x,
    y,
    *,
    transpose_X: bool = False,
    transpose_Y: bool = False,
    alpha: float = 1.0,
    head_number: int = 1,
):
    """Out = alpha * X @ Y over the last two axes, with NumPy's rules for vectors.

    X [*B,M,K], Y [*B,K,N] -> Out [*B,M,N]
    """
    check(head_number == 1, "head_number is not 1")
    out = today.kernel(x, y, trans_x=transpose_X, trans_y=transpose_Y)
    return out if alpha == 1.0 else out * x.dtype.type(alpha)


@matmul.meta
def _(x, y, *, transpose_X, transpose_Y, alpha, head_number):
    check(head_number == 1, "head_number is not 1")
    return today.infer((x, y), {"trans_x": transpose_X, "trans_y": transpose_Y})


@matmul.vjp
def _(g, x, y, *, transpose_X, transpose_Y, alpha, head_number):
    assert today.vjp_rule is not None
    return today.vjp_rule(
        _scale_cotangent(g, alpha), x, y, trans_x=transpose_X, trans_y=transpose_Y
    )


def _scale_cotangent(g: Any, alpha: float) -> Any:
    return g if alpha == 1.0 else OPS["scale"](g, scale=alpha)
