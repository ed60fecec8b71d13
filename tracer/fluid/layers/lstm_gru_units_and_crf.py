"""Steps of recurrent networks, multi-layer LSTM, and conditional random fields."""

from __future__ import annotations

import itertools
import math
from typing import Any

from ...core.errors import OpError, append_user_line, warn
from ...core.op import OPS
from ...nn.param_attr import ParamAttr
from ...static import default_main_program
from ...static.nn.fc_embedding_row_conv import fc
from ...static.nn.helper import LayerHelper, require_static_size

__all__ = ["crf_decoding", "gru_unit", "linear_chain_crf", "lstm", "lstm_unit"]


def gru_unit(
    input: Any,
    hidden: Any,
    size: int,
    param_attr: Any = None,
    bias_attr: Any = None,
    activation: str = "tanh",
    gate_activation: str = "sigmoid",
    origin_mode: bool = False,
) -> Any:
    """One step of a GRU; returns the new state, the reset state and the gates.

    input: [B, size] with size = 3 D

    The newer name is `paddle.nn.GRUCell`.
    """
    helper = LayerHelper("gru_unit", None, input)
    width = size // 3
    if (activation, gate_activation) != ("tanh", "sigmoid"):
        warn(
            "gru_unit: activation and gate_activation have no effect, as in Paddle 1.8: they "
            "are tanh and sigmoid"
        )
    attrs = {"origin_mode": origin_mode}
    with helper.prefixing_output_names():
        weight = helper.create_parameter(param_attr, [width, 3 * width], input.dtype)
        bias = helper.create_parameter(bias_attr, [1, size], input.dtype, is_bias=True)
        gate, reset, new = OPS["gru_unit"](input, hidden, weight, bias, **attrs)
    return new, reset, gate


def lstm_unit(
    x_t: Any,
    hidden_t_prev: Any,
    cell_t_prev: Any,
    forget_bias: float = 0.0,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Any:
    """One step of an LSTM; the concatenation of input and state is projected. Returns state and
    cell.

    x_t: [B, M].
    hidden_t_prev, cell_t_prev: [B, D].
    Returns [B, D], [B, D].

    The newer name is `paddle.nn.LSTMCell`.
    """
    width = require_static_size("lstm_unit", cell_t_prev, 1)
    inputs = OPS["concat"]([x_t, hidden_t_prev], axis=1)
    i, f, o, candidate = OPS["split"](
        fc(inputs, 4 * width, 1, param_attr, bias_attr), num=4, axis=1
    )
    forget = OPS["sigmoid"](OPS["scale"](f, scale=1.0, bias=float(forget_bias)))
    update = OPS["elementwise_mul"](OPS["sigmoid"](i), OPS["tanh"](candidate))
    cell = OPS["elementwise_add"](OPS["elementwise_mul"](forget, cell_t_prev), update)
    return OPS["elementwise_mul"](OPS["sigmoid"](o), OPS["tanh"](cell)), cell


def lstm(
    input: Any,
    init_h: Any,
    init_c: Any,
    max_len: int,
    hidden_size: int,
    num_layers: int,
    dropout_prob: float = 0.0,
    is_bidirec: bool = False,
    is_test: bool = False,
    name: str | None = None,
    default_initializer: Any = None,
    seed: int = -1,
) -> Any:
    """Multi-layer LSTM; returns the outputs of the last layer, and the last states and cells.

    input: [T, B, D].
    init_h, init_c: [layers, B, H].
    is_bidirec: both directions; states [2 layers, B, H], outputs [T, B, 2 H]
    Returns [T, B, H].

    All weights are one parameter, in the order of cuDNN: the matrices of all layers, then all
    biases.

    The newer name is `paddle.nn.LSTM`.
    """
    helper = LayerHelper("cudnn_lstm", name, input, init_h, init_c)
    size = require_static_size(helper.layer_type, input, 2)
    num_directions = 2 if is_bidirec else 1
    sizes = [
        [size if layer == 0 else num_directions * hidden_size, hidden_size]
        for layer in range(num_layers)
        for _ in range(num_directions)
    ]
    shapes = [[4 * hidden_size, width] for pair in sizes for width in pair] + [
        [4 * hidden_size]
    ] * (2 * len(sizes))
    offsets = list(itertools.accumulate(math.prod(shape) for shape in shapes))
    attrs = {
        "dropout_prob": float(dropout_prob),
        "is_bidirec": is_bidirec,
        "input_size": size,
        "hidden_size": hidden_size,
        "num_layers": num_layers,
        "mode": "LSTM",
        "is_test": is_test,
    }
    with helper.prefixing_output_names():
        flat = helper.create_parameter(
            None, [offsets[-1]], input.dtype, default_initializer=default_initializer
        )
        parts = OPS["split"](flat, sections=[math.prod(shape) for shape in shapes], axis=0)
        weights = [
            OPS["reshape2"](part, shape=shape) for part, shape in zip(parts, shapes, strict=True)
        ]
        out, _, _, last = OPS["rnn"](input, [init_h, init_c], weights, None, **attrs)
    return out, *last


def linear_chain_crf(input: Any, label: Any, param_attr: Any = None, length: Any = None) -> Any:
    """Negative log-likelihood of the labels of each sequence under a linear-chain CRF, [n, 1].

    input: [R, D] with LoD, or [n, T, D] with length
    label: int64 [R, 1] with LoD, or [n, T, 1] with length
    """
    helper = LayerHelper("linear_chain_crf", None, input)
    num_tags = require_static_size(helper.layer_type, input, len(input.meta.shape) - 1)
    with helper.prefixing_output_names():
        transition = helper.create_parameter(param_attr, [num_tags + 2, num_tags], input.dtype)
        return OPS["linear_chain_crf"](input, None, transition, label, length)[3]


def crf_decoding(input: Any, param_attr: Any, label: Any = None, length: Any = None) -> Any:
    """Return the most probable labels of each sequence, or with `label` whether they are correct.

    input: [R, D] with LoD.
    param_attr: that of linear_chain_crf, with the name of the parameter
    Returns int64 [R, 1].

    Raises OpError if no parameter has this name.

    The newer name is `paddle.text.viterbi_decode`.
    """
    spec = ParamAttr.of(param_attr)
    block = default_main_program().global_block()
    name = None if spec is None else spec.name
    if name is None or not block.has_var(name):
        raise OpError(
            append_user_line(f"crf_decoding: param_attr: the program has no parameter {name!r}")
        )
    return OPS["crf_decoding"](input, None, block.var(name), label, length)
