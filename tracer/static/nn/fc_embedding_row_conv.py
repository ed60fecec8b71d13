"""Matrix products, embeddings and row convolution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...capture.variable import Variable
from ...core.dtype import parse_dtype
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...core.type_aliases import DTypeLike
from ...nn.type_aliases import ParamAttrLike
from .helper import LayerHelper, require_static_size


def fc(
    x: Tensor | Sequence[Tensor],
    size: int,
    num_flatten_dims: int = 1,
    weight_attr: ParamAttrLike | Sequence[ParamAttrLike | None] | None = None,
    bias_attr: ParamAttrLike | None = None,
    activation: str | None = None,
    name: str | None = None,
) -> Variable:
    """Fully connected layer in a static graph program, with parameters that it creates.

    out = activation(x @ W + b), where the axes of x from `num_flatten_dims` on are flattened to
    one. For several inputs, the products are summed.

    Parameters
    ----------
    x : Variable [*B, *D] or list of them, float
    size : int
        Features of the output.
    num_flatten_dims : int, default 1
        Number of leading axes *B that are kept; -1 for all but the last.
    weight_attr : ParamAttr, Initializer, str, or list with one of them per input, optional
        Initialization, name and regularizer of the weight [product of D, size]. Default: Xavier
        uniform.
    bias_attr : ParamAttr, Initializer, str or False, optional
        Of the bias [size]. False: no bias.
    activation : str, optional
        Name of the activation, such as "relu"; by default none.
    name : str, optional
        Prefix of the names of parameters and outputs.

    Returns
    -------
    Variable [*B, size], dtype of x

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If an input is not a Variable.
    OpError
        If `num_flatten_dims` is out of range, an axis of D is dynamic, or an input is not
        floating-point.

    See Also
    --------
    nn.Linear : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2])
    ...     y = paddle.static.nn.fc(x, 3, weight_attr=nn.initializer.Constant(2.0))
    >>> exe = paddle.static.Executor()
    >>> _ = exe.run(startup)
    >>> exe.run(main, {"x": np.ones([1, 2], np.float32)}, fetch_list=[y])[0].tolist()
    [[4.0, 4.0, 4.0]]
    >>> paddle.disable_static()
    """
    operands: list[Any] = list(x) if isinstance(x, list | tuple) else [x]
    helper = LayerHelper("fc", name, *operands)
    attrs: list[Any] = (
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
    input: Tensor,
    size: Sequence[int],
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: ParamAttrLike | None = None,
    dtype: DTypeLike = "float32",
) -> Variable:
    """Look up rows of a table that the function creates as a parameter of a static graph program.

    out[..., :] = table[input[...]]

    Parameters
    ----------
    input : Variable [*], int32 | int64
        Indices in [0, N).
    size : (int, int)
        The shape [N, D] of the table.
    is_sparse, is_distributed : bool, default False
        Have no effect.
    padding_idx : int, optional
        The result is zeros for this index; a negative one counts from N.
    param_attr : ParamAttr, Initializer or str, optional
        Initialization, name and regularizer of the table. Default: Xavier uniform.
    dtype : str or dtype, default "float32"
        A floating-point dtype.

    Returns
    -------
    Variable [*, D], dtype

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If `dtype` is not floating-point. A run raises it if an index is out of range.

    See Also
    --------
    nn.Embedding : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     ids = paddle.static.data("ids", [None, 2], "int64")
    ...     y = paddle.static.nn.embedding(ids, [10, 4])
    >>> y.shape
    (-1, 2, 4)
    >>> paddle.disable_static()
    """
    helper = LayerHelper("embedding", None, input)
    rows, width = (int(d) for d in size)
    padding = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else rows + padding_idx
    with helper.prefixing_output_names():
        table = helper.create_parameter(param_attr, [rows, width], parse_dtype(dtype))
        result: Variable = OPS["lookup_table_v2"](table, input, padding_idx=padding)
    return result


def bilinear_tensor_product(
    x: Tensor,
    y: Tensor,
    size: int,
    act: str | None = None,
    name: str | None = None,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
) -> Variable:
    """Bilinear layer in a static graph program, with parameters that it creates.

    out[b, i] = act(x[b] @ W[i] @ y[b] + bias[i])

    Parameters
    ----------
    x : Variable [B, M], float32 | float64
    y : Variable [B, N], dtype of x
    size : int
        Features of the output.
    act : str, optional
        Name of the activation, such as "relu"; by default none.
    name : str, optional
        Prefix of the names of parameters and outputs.
    param_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of the weight [size, M, N] and the bias [1, size].
        ``bias_attr=False``: no bias.

    Returns
    -------
    Variable [B, size], dtype of x

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `x` or `y` is not a Variable.
    OpError
        If `x` or `y` has another rank, or M or N is dynamic.

    See Also
    --------
    nn.Bilinear : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2])
    ...     y = paddle.static.data("y", [None, 3])
    ...     out = paddle.static.nn.bilinear_tensor_product(x, y, 4)
    >>> out.shape
    (-1, 4)
    >>> paddle.disable_static()
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
    input: Tensor,
    future_context_size: int,
    param_attr: ParamAttrLike | None = None,
    act: str | None = None,
) -> Variable:
    """Lookahead convolution in a static graph program (Amodei et al. 2015).

    out[b, t] = act(sum over i of W[i] * input[b, t + i]), for i from 0 to `future_context_size`.
    The function creates W.

    Parameters
    ----------
    input : Variable [B, T, D] or [R, D] with LoD, float32 | float64
    future_context_size : int
        Number of later time steps in a sum.
    param_attr : ParamAttr, Initializer or str, optional
        Initialization, name and regularizer of W [future_context_size + 1, D].
    act : str, optional
        Name of the activation, such as "relu"; by default none.

    Returns
    -------
    Variable, shape and dtype of input

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If D is dynamic.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 3, 1])
    ...     y = paddle.static.nn.row_conv(x, 1, param_attr=nn.initializer.Constant(1.0))
    >>> exe = paddle.static.Executor()
    >>> _ = exe.run(startup)
    >>> feed = {"x": np.array([[[1], [2], [3]]], np.float32)}
    >>> exe.run(main, feed, fetch_list=[y])[0].tolist()
    [[[3.0], [5.0], [3.0]]]
    >>> paddle.disable_static()
    """
    helper = LayerHelper("row_conv", None, input)
    with helper.prefixing_output_names():
        width = require_static_size("row_conv", input, -1)
        weight = helper.create_parameter(param_attr, [future_context_size + 1, width], input.dtype)
        return helper.activate(OPS["row_conv"](input, None, weight), act)
