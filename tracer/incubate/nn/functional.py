"""Matrix products with bias and activation. Each function calls separate ops, which the engine
fuses.
"""

from __future__ import annotations

from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...nn import functional as F
from ...tensor.linalg import matmul

__all__ = ["fused_linear", "fused_linear_activation", "fused_matmul_bias"]


def fused_matmul_bias(
    x: Tensor,
    y: Tensor,
    bias: Tensor | None = None,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return x @ y + bias.

    x [*, M, K], y [K, N], bias [N] -> [*, M, N]
    """
    product = matmul(x, y, transpose_x, transpose_y)
    return product if bias is None else product + bias


def fused_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    transpose_weight: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return x @ weight + bias.

    x [*, K], weight [K, N], or [N, K] if transpose_weight, bias [N] -> [*, N]
    """
    return fused_matmul_bias(x, weight, bias, False, transpose_weight, name)


def fused_linear_activation(
    x: Tensor,
    y: Tensor,
    bias: Tensor,
    trans_x: bool = False,
    trans_y: bool = False,
    activation: str | None = None,
) -> Tensor:
    """Return activation(x @ y + bias); the activation is "gelu", "relu" or none.

    x [*, M, K], y [K, N], bias [N] -> [*, M, N]
    """
    if activation not in (None, "none", "gelu", "relu"):
        problem = f"activation={activation!r} is not one of 'gelu', 'relu', 'none'"
        raise OpError(append_user_line(f"fused_linear_activation: {problem}"))
    out = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    return (
        F.gelu(out, approximate=True)
        if activation == "gelu"
        else F.relu(out)
        if activation == "relu"
        else out
    )
