"""Steps of recurrent networks, and fields over their results."""

from __future__ import annotations

import itertools
import math
from typing import Any

from ...core.errors import OpError, warn, with_user_line
from ...core.op import OPS
from ...nn.param_attr import ParamAttr
from ...static import default_main_program
from ...static.nn.dense import fc
from ...static.nn.helper import Helper, known_size

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
    """One step of gated recurrent units: the new state, what the reset gate leaves of the old one,
    and the gates.

    input [B,size], size = 3 D
    """
    helper = Helper("gru_unit", None, input)
    width = size // 3
    if (activation, gate_activation) != ("tanh", "sigmoid"):
        warn(
            "gru_unit: the activations are tanh and sigmoid, whatever is asked for, as in "
            "Paddle 1.8"
        )
    attrs = {"origin_mode": origin_mode}
    with helper.writing():
        weight = helper.parameter(param_attr, [width, 3 * width], input.dtype)
        bias = helper.parameter(bias_attr, [1, size], input.dtype, is_bias=True)
        gate, reset, made = OPS["gru_unit"](input, hidden, weight, bias, **attrs)
    return made, reset, gate


def lstm_unit(
    x_t: Any,
    hidden_t_prev: Any,
    cell_t_prev: Any,
    forget_bias: float = 0.0,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Any:
    """One step of an LSTM, input and state joined and projected: the new state and cell.

    x_t [B,M], hidden_t_prev, cell_t_prev [B,D] -> [B,D], [B,D]
    """
    width = known_size("lstm_unit", cell_t_prev, 1)
    joined = OPS["concat"]([x_t, hidden_t_prev], axis=1)
    i, f, o, new = OPS["split"](fc(joined, 4 * width, 1, param_attr, bias_attr), num=4, axis=1)
    keep = OPS["sigmoid"](OPS["scale"](f, scale=1.0, bias=float(forget_bias)))
    taken = OPS["elementwise_mul"](OPS["sigmoid"](i), OPS["tanh"](new))
    cell = OPS["elementwise_add"](OPS["elementwise_mul"](keep, cell_t_prev), taken)
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
    """Layers of an LSTM: what the last gives, and the last states and cells.

    input [T, B, D], init_h, init_c [layers, B, H] -> [T, B, H]

    is_bidirec: both directions, [2 layers, B, H] and [T, B, 2 H].
    All weights are one parameter, in the order of cuDNN: the matrices of all layers, then all
    biases.
    """
    helper = Helper("cudnn_lstm", name, input, init_h, init_c)
    size, ways = known_size(helper.kind, input, 2), 2 if is_bidirec else 1
    sizes = [
        [size if layer == 0 else ways * hidden_size, hidden_size]
        for layer in range(num_layers)
        for _ in range(ways)
    ]
    shapes = [[4 * hidden_size, width] for pair in sizes for width in pair] + [
        [4 * hidden_size]
    ] * (2 * len(sizes))
    ends = list(itertools.accumulate(math.prod(shape) for shape in shapes))
    attrs = {
        "dropout_prob": float(dropout_prob),
        "is_bidirec": is_bidirec,
        "input_size": size,
        "hidden_size": hidden_size,
        "num_layers": num_layers,
        "mode": "LSTM",
        "is_test": is_test,
    }
    with helper.writing():
        flat = helper.parameter(None, [ends[-1]], input.dtype, start=default_initializer)
        parts = OPS["split"](flat, sections=[math.prod(shape) for shape in shapes], axis=0)
        weights = [
            OPS["reshape2"](part, shape=shape) for part, shape in zip(parts, shapes, strict=True)
        ]
        out, _, _, last = OPS["rnn"](input, [init_h, init_c], weights, None, **attrs)
    return out, *last


def linear_chain_crf(input: Any, label: Any, param_attr: Any = None, length: Any = None) -> Any:
    """Minus the log of how likely a labelling of each sequence is.

    input [R,D], label int64 [R,1] -> [n,1]; padded with length: [n,T,D], [n,T,1]
    """
    helper = Helper("linear_chain_crf", None, input)
    count = known_size(helper.kind, input, len(input.meta.shape) - 1)
    with helper.writing():
        transition = helper.parameter(param_attr, [count + 2, count], input.dtype)
        return OPS["linear_chain_crf"](input, None, transition, label, length)[3]


def crf_decoding(input: Any, param_attr: Any, label: Any = None, length: Any = None) -> Any:
    """The best labels of each sequence, or with `label` whether they are those.

    input [R,D] -> int64 [R,1]

    param_attr: of the linear_chain_crf whose parameter it uses, by name.
    Raises OpError where there is none of that name.
    """
    spec = ParamAttr.of(param_attr)
    block = default_main_program().global_block()
    name = None if spec is None else spec.name
    if name is None or not block.has_var(name):
        raise OpError(
            with_user_line(f"crf_decoding: param_attr names no parameter of the program ({name!r})")
        )
    return OPS["crf_decoding"](input, None, block.var(name), label, length)
