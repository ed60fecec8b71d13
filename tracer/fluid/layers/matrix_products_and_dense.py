"""Matrix and vector products, dense layers, embeddings, row_conv, dist, addcmul, logsumexp."""

from __future__ import annotations

from typing import Any

from ...core.dtype import parse_dtype
from ...core.op import OPS
from ...static import nn
from ...static.nn.helper import LayerHelper
from .layer_utils import assign_to, deprecated_layer, ensure_at_least_1d

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


@deprecated_layer("paddle.static.nn.fc")
def fc(
    input: Any,
    size: int,
    num_flatten_dims: int = 1,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    name: str | None = None,
) -> Any:
    """act(input @ W + b), with the axes from num_flatten_dims on flattened to one; for several
    inputs the sum of the products.

    input: [*B, *D].
    Returns [*B, size].
    """
    return nn.fc(input, size, num_flatten_dims, param_attr, bias_attr, act, name)


@deprecated_layer("paddle.static.nn.embedding")
def embedding(
    input: Any,
    size: Any,
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Any:
    """Look up rows of a table [N, D], int [*, 1] -> [*, D]; the row padding_idx is zeros."""
    helper = LayerHelper("embedding", None, input)
    rows, width = (int(d) for d in size)
    padding = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else rows + padding_idx
    with helper.prefixing_output_names():
        table = helper.create_parameter(param_attr, [rows, width], parse_dtype(dtype))
        return OPS["lookup_table"](
            table, input, padding_idx=padding, is_sparse=is_sparse, is_distributed=is_distributed
        )


@deprecated_layer("paddle.matmul")
def matmul(
    x: Any,
    y: Any,
    transpose_x: bool = False,
    transpose_y: bool = False,
    alpha: float = 1.0,
    name: str | None = None,
) -> Any:
    """alpha * x @ y over the last two axes; the other axes are broadcast.

    x: [*A, M, K].
    y: [*B, K, N].
    Returns [*A, M, N], or [1] for two vectors.
    """
    return OPS["matmul"](x, y, transpose_X=transpose_x, transpose_Y=transpose_y, alpha=float(alpha))


@deprecated_layer("paddle.matmul")
def mul(
    x: Any, y: Any, x_num_col_dims: int = 1, y_num_col_dims: int = 1, name: str | None = None
) -> Any:
    """Matrix product with the first num_col_dims axes of each operand, and its other axes,
    flattened to one.

    x: [*A, *K].
    y: [*K, *B].
    Returns [*A, *B].
    """
    return OPS["mul"](x, y, x_num_col_dims=x_num_col_dims, y_num_col_dims=y_num_col_dims)


@deprecated_layer("paddle.bmm")
def bmm(x: Any, y: Any, name: str | None = None) -> Any:
    """Batched matrix product: [B, M, K], [B, K, N] -> [B, M, N]."""
    return OPS["bmm"](x, y)


@deprecated_layer("paddle.dot")
def dot(x: Any, y: Any, name: str | None = None) -> Any:
    """Sum of products over the last axis: [N], [N] -> [1]; [B, N], [B, N] -> [B, 1]."""
    out = OPS["dot"](x, y)
    return OPS["unsqueeze2"](out, axes=[-1]) if x.ndim > 1 else ensure_at_least_1d(out)


@deprecated_layer("paddle.cross")
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """Cross product along axis `dim` of size 3, by default the first axis of this size."""
    return OPS["cross"](input, other) if dim is None else OPS["cross"](input, other, dim=dim)


@deprecated_layer("paddle.dist")
def dist(x: Any, y: Any, p: float = 2) -> Any:
    """p-norm of x - y: [*], [*] -> [1]."""
    return ensure_at_least_1d(OPS["dist"](x, y, p=float(p)))


@deprecated_layer("paddle.kron")
def kron(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """Kronecker product."""
    return assign_to(OPS["kron"](x, y), out)


@deprecated_layer("paddle.addmm")
def addmm(
    input: Any, x: Any, y: Any, alpha: float = 1.0, beta: float = 1.0, name: str | None = None
) -> Any:
    """beta * input + alpha * x @ y: [M, N], [M, K], [K, N] -> [M, N]."""
    return OPS["addmm"](input, x, y, Alpha=float(alpha), Beta=float(beta))


@deprecated_layer("paddle.add")
def addcmul(
    input: Any,
    tensor1: Any,
    tensor2: Any,
    value: float = 1.0,
    out: Any = None,
    name: str | None = None,
) -> Any:
    """input + value * tensor1 * tensor2, elementwise."""
    product = OPS["scale"](OPS["elementwise_mul"](tensor1, tensor2), scale=float(value))
    return assign_to(OPS["elementwise_add"](input, product), out)


@deprecated_layer("paddle.logsumexp")
def logsumexp(
    x: Any, dim: Any = None, keepdim: bool = False, out: Any = None, name: str | None = None
) -> Any:
    """ln(sum(exp(x))) over the axes `dim`, by default all.

    Returns [1] if no axis remains.
    """
    axes = [] if dim is None else [dim] if isinstance(dim, int) else list(dim)
    total = OPS["reduce_sum"](OPS["exp"](x), dim=axes or [0], keep_dim=keepdim, reduce_all=not axes)
    return assign_to(OPS["log"](ensure_at_least_1d(total)), out)


@deprecated_layer("paddle.static.nn.bilinear_tensor_product")
def bilinear_tensor_product(
    x: Any,
    y: Any,
    size: int,
    act: str | None = None,
    name: str | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
) -> Any:
    """act(x W_i y + b_i) for i < size: [B, M], [B, N] -> [B, size]."""
    return nn.bilinear_tensor_product(x, y, size, act, name, param_attr, bias_attr)


@deprecated_layer("paddle.static.nn.row_conv")
def row_conv(
    input: Any, future_context_size: int, param_attr: Any = None, act: str | None = None
) -> Any:
    """Lookahead convolution (Amodei et al. 2015): [B, T, D] -> [B, T, D], see
    `static.nn.row_conv`.
    """
    return nn.row_conv(input, future_context_size, param_attr, act)
