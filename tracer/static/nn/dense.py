"""Products with matrices, tables and windows over time."""

from __future__ import annotations

import math
from typing import Any

from ...capture.variable import Variable
from ...core.dtype import dtype_of
from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from .helper import Helper, known_size


def fc(
    x: Any,
    size: int,
    num_flatten_dims: int = 1,
    weight_attr: Any = None,
    bias_attr: Any = None,
    activation: str | None = None,
    name: str | None = None,
) -> Variable:
    """activation(x @ W + b), the axes from num_flatten_dims on as one; of several x the sum of the
    products.

    x [*B, *D] -> [*B, size]
    """
    operands = list(x) if isinstance(x, list | tuple) else [x]
    helper = Helper("fc", name, *operands)
    attrs = (
        list(weight_attr)
        if isinstance(weight_attr, list | tuple)
        else [weight_attr] * len(operands)
    )
    products = []
    with helper.writing():
        for operand, attr in zip(operands, attrs, strict=True):
            at = _split(operand, num_flatten_dims)
            width = math.prod(known_size("fc", operand, i) for i in range(at, operand.ndim))
            weight = helper.parameter(attr, [width, size], operand.dtype)
            products.append(OPS["mul"](operand, weight, x_num_col_dims=at))
        summed = products[0] if len(products) == 1 else OPS["sum"](products)
        return helper.activated(
            helper.biased(summed, bias_attr, _split(operands[0], num_flatten_dims), size),
            activation,
        )


def _split(x: Any, axes: int) -> int:
    at = x.ndim - 1 if axes == -1 else axes
    if not 0 < at < x.ndim:
        raise OpError(
            with_user_line(f"fc: num_flatten_dims={axes} is not in 1 ... {x.ndim - 1} (X={x.meta})")
        )
    return int(at)


def embedding(
    input: Variable,
    size: Any,
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Variable:
    """Rows of a table [N, D]; that of padding_idx counts as zeros.   input: int [*] -> [*, D]"""
    helper = Helper("embedding", None, input)
    rows, width = (int(d) for d in size)
    at = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else rows + padding_idx
    with helper.writing():
        table = helper.parameter(param_attr, [rows, width], dtype_of(dtype))
        found: Variable = OPS["lookup_table_v2"](table, input, padding_idx=at)
    return found


def bilinear_tensor_product(
    x: Variable,
    y: Variable,
    size: int,
    act: str | None = None,
    name: str | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
) -> Variable:
    """act(x W_i y + b_i) for i < size.   x [B, M], y [B, N] -> [B, size]"""
    helper = Helper("bilinear_tensor_product", name, x, y)
    if x.ndim != 2 or y.ndim != 2:
        raise OpError(
            with_user_line(f"bilinear_tensor_product: needs two axes (X={x.meta}, Y={y.meta})")
        )
    shape = [size, known_size(helper.kind, x, 1), known_size(helper.kind, y, 1)]
    with helper.writing():
        weight = helper.parameter(param_attr, shape, x.dtype)
        bias = helper.parameter(bias_attr, [1, size], x.dtype, is_bias=True)
        found: Variable = helper.activated(OPS["bilinear_tensor_product"](x, y, weight, bias), act)
    return found


def row_conv(
    input: Variable, future_context_size: int, param_attr: Any = None, act: str | None = None
) -> Variable:
    """Each step plus weighted ones after it: out[t] = sum over i of W[i] * in[t + i]

    (Amodei et al. 2015).

    input [B, T, D], or [R, D] of sequences -> same
    """
    helper = Helper("row_conv", None, input)
    with helper.writing():
        width = known_size("row_conv", input, -1)
        weight = helper.parameter(param_attr, [future_context_size + 1, width], input.dtype)
        return helper.activated(OPS["row_conv"](input, None, weight), act)
