"""Layers on matrices of sequence pairs and on trees: match_matrix_tensor,
sequence_topk_avg_pooling, var_conv_2d, tree_conv.
"""

from __future__ import annotations

from typing import Any

from ....core.op import OPS
from ....static.nn.helper import LayerHelper, require_static_size
from ...layers.layer_utils import set_stop_gradient

__all__ = ["match_matrix_tensor", "sequence_topk_avg_pooling", "tree_conv", "var_conv_2d"]


def match_matrix_tensor(
    x: Any,
    y: Any,
    channel_num: int,
    act: str | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
    name: str | None = None,
) -> Any:
    """Compute act(x_i W_t y_j) for each pair of sequences, all rows i and j of the pair, and each
    of the channel_num weights W_t.

    x: [R, D].
    y: [S, E].
    Returns [sum of T h w, 1], and the products x W.
    """
    helper = LayerHelper("match_matrix_tensor", name, x, y)
    shape = [
        require_static_size(helper.layer_type, x, 1),
        channel_num,
        require_static_size(helper.layer_type, y, 1),
    ]
    with helper.prefixing_output_names():
        weight = helper.create_parameter(param_attr, shape, dtype)
        out, product = OPS["match_matrix_tensor"](x, None, y, None, weight, dim_t=channel_num)
        return helper.activate(out, act), set_stop_gradient(product)


def sequence_topk_avg_pooling(input: Any, row: Any, col: Any, topks: Any, channel_num: int) -> Any:
    """Return, for each row, each channel and each k in topks, the sum of the k largest elements
    divided by k.

    input: matrices with LoD.
    row, col: sequences with their heights and widths.
    Returns [rows, C K].
    """
    attrs = {"topks": list(topks), "channel_num": channel_num}
    return OPS["sequence_topk_avg_pooling"](input, None, row, None, col, None, **attrs)[0]


def _to_pair(value: Any) -> list[int]:
    return [int(v) for v in value] if isinstance(value, list | tuple) else [int(value)] * 2


def var_conv_2d(
    input: Any,
    row: Any,
    col: Any,
    input_channel: int,
    output_channel: int,
    filter_size: Any,
    stride: Any = 1,
    param_attr: Any = None,
    act: str | None = None,
    dtype: Any = "float32",
    name: str | None = None,
) -> Any:
    """act(convolution of each matrix, padded with zeros).

    input: matrices with LoD.
    row, col: sequences with their heights and widths.
    Returns matrices.
    """
    helper = LayerHelper("var_conv_2d", name, input)
    (kernel_h, kernel_w), (stride_h, stride_w) = _to_pair(filter_size), _to_pair(stride)
    attrs = {
        "InputChannel": input_channel,
        "OutputChannel": output_channel,
        "StrideH": stride_h,
        "StrideW": stride_w,
        "KernelH": kernel_h,
        "KernelW": kernel_w,
    }
    with helper.prefixing_output_names():
        weight = helper.create_parameter(
            param_attr, [output_channel, input_channel * kernel_h * kernel_w], dtype
        )
        out = OPS["var_conv_2d"](input, None, row, None, col, None, weight, **attrs)[0]
        return helper.activate(out, act)


def tree_conv(
    nodes_vector: Any,
    edge_set: Any,
    output_size: int,
    num_filters: int = 1,
    max_depth: int = 2,
    act: str | None = "tanh",
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Any:
    """Tree-based convolution: act(features of each node and its descendants times filters, plus a
    bias) (Mou et al. 2016).

    nodes_vector: [B, N, F]
    edge_set: int [B, E, 2]; pairs of parent and child, counted from 1; ends at the first 0

    Returns [B, N, D, K].
    """
    helper = LayerHelper("tree_conv", name, nodes_vector, edge_set)
    shape = [require_static_size(helper.layer_type, nodes_vector, 2), 3, output_size, num_filters]
    with helper.prefixing_output_names():
        weight = helper.create_parameter(param_attr, shape, nodes_vector.dtype)
        out = OPS["tree_conv"](nodes_vector, edge_set, weight, max_depth=max_depth)
        sizes = [require_static_size(helper.layer_type, out, axis) for axis in (1, 2, 3)]
        bias = helper.create_parameter(bias_attr, sizes, out.dtype, is_bias=True)
        out = out if bias is None else OPS["elementwise_add"](out, bias, axis=1)
        return helper.activate(out, act)
