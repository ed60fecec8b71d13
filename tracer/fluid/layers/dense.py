"""Products: of matrices, with weights of the program, with tables."""

from __future__ import annotations

from typing import Any

from ...core.dtype import dtype_of
from ...core.op import OPS
from ...static import nn
from ...static.nn.helper import Helper
from .helper import into, one, today

__all__ = [
    "addcmul",
    "addmm",
    "bilinear_tensor_product",
    "bmm",
    "cross",
    "dist",
    "dot",
    "embedding",
    "fc",
    "kron",
    "logsumexp",
    "matmul",
    "mul",
    "row_conv",
]


@today("paddle.static.nn.fc")
def fc(
    input: Any,
    size: int,
    num_flatten_dims: int = 1,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    name: str | None = None,
) -> Any:
    """act(input @ W + b), the axes from num_flatten_dims on as one; of several inputs the sum of
    the products.

    input [*B, *D] -> [*B, size]
    """
    return nn.fc(input, size, num_flatten_dims, param_attr, bias_attr, act, name)


@today("paddle.static.nn.embedding")
def embedding(
    input: Any,
    size: Any,
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Any:
    """Rows of a table [N, D]; that of padding_idx counts as zeros.   input: int [*, 1] -> [*, D]"""
    helper = Helper("embedding", None, input)
    rows, width = (int(d) for d in size)
    at = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else rows + padding_idx
    with helper.writing():
        table = helper.parameter(param_attr, [rows, width], dtype_of(dtype))
        return OPS["lookup_table"](
            table, input, padding_idx=at, is_sparse=is_sparse, is_distributed=is_distributed
        )


@today("paddle.matmul")
def matmul(
    x: Any,
    y: Any,
    transpose_x: bool = False,
    transpose_y: bool = False,
    alpha: float = 1.0,
    name: str | None = None,
) -> Any:
    """alpha * x @ y over the last two axes, the others broadcasting.

    x [*A, M, K], y [*B, K, N] -> [*A, M, N], [1] of two vectors
    """
    return OPS["matmul"](x, y, transpose_X=transpose_x, transpose_Y=transpose_y, alpha=float(alpha))


@today("paddle.matmul")
def mul(
    x: Any, y: Any, x_num_col_dims: int = 1, y_num_col_dims: int = 1, name: str | None = None
) -> Any:
    """The product of two matrices, the first axes of each made one, and the others.

    x [*A, *K], y [*K, *B] -> [*A, *B]
    """
    return OPS["mul"](x, y, x_num_col_dims=x_num_col_dims, y_num_col_dims=y_num_col_dims)


@today("paddle.bmm")
def bmm(x: Any, y: Any, name: str | None = None) -> Any:
    """Products of matrices.   x [B, M, K], y [B, K, N] -> [B, M, N]"""
    return OPS["bmm"](x, y)


@today("paddle.dot")
def dot(x: Any, y: Any, name: str | None = None) -> Any:
    """Sums of products.   x, y [N] -> [1]; [B, N] -> [B, 1]"""
    made = OPS["dot"](x, y)
    return OPS["unsqueeze2"](made, axes=[-1]) if x.ndim > 1 else one(made)


@today("paddle.cross")
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """Cross products along an axis of size 3, the first such one for None.

    input, other [*] -> [*]
    """
    return OPS["cross"](input, other) if dim is None else OPS["cross"](input, other, dim=dim)


@today("paddle.dist")
def dist(x: Any, y: Any, p: float = 2) -> Any:
    """The p-norm of x - y.   x [*], y [*] -> [1]"""
    return one(OPS["dist"](x, y, p=float(p)))


@today("paddle.kron")
def kron(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """The Kronecker product.   x [*], y [*] -> [*]"""
    return into(OPS["kron"](x, y), out)


@today("paddle.addmm")
def addmm(
    input: Any, x: Any, y: Any, alpha: float = 1.0, beta: float = 1.0, name: str | None = None
) -> Any:
    """beta * input + alpha * x @ y.   input [M, N], x [M, K], y [K, N] -> [M, N]"""
    return OPS["addmm"](input, x, y, Alpha=float(alpha), Beta=float(beta))


@today("paddle.add")
def addcmul(
    input: Any,
    tensor1: Any,
    tensor2: Any,
    value: float = 1.0,
    out: Any = None,
    name: str | None = None,
) -> Any:
    """input + value * tensor1 * tensor2.   [*] each -> [*]"""
    product = OPS["scale"](OPS["elementwise_mul"](tensor1, tensor2), scale=float(value))
    return into(OPS["elementwise_add"](input, product), out)


@today("paddle.logsumexp")
def logsumexp(
    x: Any, dim: Any = None, keepdim: bool = False, out: Any = None, name: str | None = None
) -> Any:
    """ln of the sum of exp(x) over axes, all for None.

    x [*] -> [*] without those axes, [1] where none is left
    """
    axes = [] if dim is None else [dim] if isinstance(dim, int) else list(dim)
    total = OPS["reduce_sum"](OPS["exp"](x), dim=axes or [0], keep_dim=keepdim, reduce_all=not axes)
    return into(OPS["log"](one(total)), out)


@today("paddle.static.nn.bilinear_tensor_product")
def bilinear_tensor_product(
    x: Any,
    y: Any,
    size: int,
    act: str | None = None,
    name: str | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
) -> Any:
    """act(x W_i y + b_i) for i < size.   x [B, M], y [B, N] -> [B, size]"""
    return nn.bilinear_tensor_product(x, y, size, act, name, param_attr, bias_attr)


@today("paddle.static.nn.row_conv")
def row_conv(
    input: Any, future_context_size: int, param_attr: Any = None, act: str | None = None
) -> Any:
    """Each step plus weighted ones after it   (Amodei et al. 2015).   input [B, T, D] -> same"""
    return nn.row_conv(input, future_context_size, param_attr, act)
