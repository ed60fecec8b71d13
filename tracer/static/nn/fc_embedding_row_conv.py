"""Matrix products, embeddings and row convolution."""

from __future__ import annotations

import math
from typing import Any

from ...capture.variable import Variable
from ...core.dtype import parse_dtype
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from .helper import LayerHelper, require_static_size


def fc(
    x: Any,
    size: int,
    num_flatten_dims: int = 1,
    weight_attr: Any = None,
    bias_attr: Any = None,
    activation: str | None = None,
    name: str | None = None,
) -> Variable:
    """Fully connected layer activation(x @ W + b), with the axes of x from num_flatten_dims on
    flattened to one. For several x, the products are summed.

    x: [*B, *D].
    Returns [*B, size].
    """
    operands = list(x) if isinstance(x, list | tuple) else [x]
    helper = LayerHelper("fc", name, *operands)
    attrs = (
        list(weight_attr)
        if isinstance(weight_attr, list | tuple)
        else [weight_attr] * len(operands)
    )
    products = []
    with helper.prefixing_output_names():
        for operand, attr in zip(operands, attrs, strict=True):
            axis = _checked_flatten_axis(operand, num_flatten_dims)
            width = math.prod(
                require_static_size("fc", operand, i) for i in range(axis, operand.ndim)
            )
            weight = helper.create_parameter(attr, [width, size], operand.dtype)
            products.append(OPS["mul"](operand, weight, x_num_col_dims=axis))
        total = products[0] if len(products) == 1 else OPS["sum"](products)
        bias_axis = _checked_flatten_axis(operands[0], num_flatten_dims)
        return helper.activate(helper.add_bias(total, bias_attr, bias_axis, size), activation)


def _checked_flatten_axis(x: Any, num_flatten_dims: int) -> int:
    axis = x.ndim - 1 if num_flatten_dims == -1 else num_flatten_dims
    if not 0 < axis < x.ndim:
        raise OpError(
            append_user_line(
                f"fc: num_flatten_dims={num_flatten_dims} is not in [1, {x.ndim - 1}] (X={x.meta})"
            )
        )
    return int(axis)


def embedding(
    input: Variable,
    size: Any,
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Variable:
    """Create a table [N, D] as a parameter, and look up its rows by index; the result is zeros for
    the index padding_idx.

    input: int [*].
    Returns [*, D].
    """
    helper = LayerHelper("embedding", None, input)
    rows, width = (int(d) for d in size)
    padding = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else rows + padding_idx
    with helper.prefixing_output_names():
        table = helper.create_parameter(param_attr, [rows, width], parse_dtype(dtype))
        result: Variable = OPS["lookup_table_v2"](table, input, padding_idx=padding)
    return result


def bilinear_tensor_product(
    x: Variable,
    y: Variable,
    size: int,
    act: str | None = None,
    name: str | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
) -> Variable:
    """Bilinear layer: act(x W_i y + b_i) for i < size.

    x: [B, M].
    y: [B, N].
    Returns [B, size].
    """
    helper = LayerHelper("bilinear_tensor_product", name, x, y)
    if x.ndim != 2 or y.ndim != 2:
        raise OpError(
            append_user_line(
                f"bilinear_tensor_product: X and Y must have two axes (X={x.meta}, Y={y.meta})"
            )
        )
    shape = [
        size,
        require_static_size(helper.layer_type, x, 1),
        require_static_size(helper.layer_type, y, 1),
    ]
    with helper.prefixing_output_names():
        weight = helper.create_parameter(param_attr, shape, x.dtype)
        bias = helper.create_parameter(bias_attr, [1, size], x.dtype, is_bias=True)
        result: Variable = helper.activate(OPS["bilinear_tensor_product"](x, y, weight, bias), act)
    return result


def row_conv(
    input: Variable, future_context_size: int, param_attr: Any = None, act: str | None = None
) -> Variable:
    """Lookahead convolution: out[t] = sum over i of W[i] * input[t + i] (Amodei et al. 2015).

    input: [B, T, D], or a tensor [R, D] with LoD.
    Returns the same shape.
    """
    helper = LayerHelper("row_conv", None, input)
    with helper.prefixing_output_names():
        width = require_static_size("row_conv", input, -1)
        weight = helper.create_parameter(param_attr, [future_context_size + 1, width], input.dtype)
        return helper.activate(OPS["row_conv"](input, None, weight), act)
