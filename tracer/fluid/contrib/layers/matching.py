"""Layers over tables of pairs of sequences, and over trees: match_matrix_tensor,
sequence_topk_avg_pooling, var_conv_2d, tree_conv.
"""

from __future__ import annotations

from typing import Any

from ....core.op import OPS
from ....static.nn.helper import Helper, known_size
from ...layers.helper import stopped

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
    """act(x_i W_t y_i') for each pair of sequences and each of channel_num matrices, and x W.

    x [R, D], y [S, E] -> [sum of T h w, 1]
    """
    helper = Helper("match_matrix_tensor", name, x, y)
    shape = [known_size(helper.kind, x, 1), channel_num, known_size(helper.kind, y, 1)]
    with helper.writing():
        weight = helper.parameter(param_attr, shape, dtype)
        made, kept = OPS["match_matrix_tensor"](x, None, y, None, weight, dim_t=channel_num)
        return helper.activated(made, act), stopped(kept)


def sequence_topk_avg_pooling(input: Any, row: Any, col: Any, topks: Any, channel_num: int) -> Any:
    """For each row of a table, channel and k the sum of its k largest numbers, over k.

    input of tables, row, col: sequences -> [rows, C K]
    """
    attrs = {"topks": list(topks), "channel_num": channel_num}
    return OPS["sequence_topk_avg_pooling"](input, None, row, None, col, None, **attrs)[0]


def _pair(value: Any) -> list[int]:
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
    """act(each table convolved, zeros around it).

    input of tables, row, col: sequences as long as these are high and wide -> tables
    """
    helper = Helper("var_conv_2d", name, input)
    (high, wide), (down, across) = _pair(filter_size), _pair(stride)
    attrs = {
        "InputChannel": input_channel,
        "OutputChannel": output_channel,
        "StrideH": down,
        "StrideW": across,
        "KernelH": high,
        "KernelW": wide,
    }
    with helper.writing():
        weight = helper.parameter(param_attr, [output_channel, input_channel * high * wide], dtype)
        made = OPS["var_conv_2d"](input, None, row, None, col, None, weight, **attrs)[0]
        return helper.activated(made, act)


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
    """act(the features of each node and those below it, times filters, plus a bias)

    (Mou et al. 2016).
    nodes_vector [B, N, F] -> [B, N, D, K]

    edge_set int [B, E, 2]: numbers of nodes, above and below, from 1 on, up to the first 0.
    """
    helper = Helper("tree_conv", name, nodes_vector, edge_set)
    shape = [known_size(helper.kind, nodes_vector, 2), 3, output_size, num_filters]
    with helper.writing():
        weight = helper.parameter(param_attr, shape, nodes_vector.dtype)
        made = OPS["tree_conv"](nodes_vector, edge_set, weight, max_depth=max_depth)
        sizes = [known_size(helper.kind, made, axis) for axis in (1, 2, 3)]
        bias = helper.parameter(bias_attr, sizes, made.dtype, is_bias=True)
        made = made if bias is None else OPS["elementwise_add"](made, bias, axis=1)
        return helper.activated(made, act)
