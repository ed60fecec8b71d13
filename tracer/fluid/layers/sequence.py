"""Ops on tensors with LoD, and recurrent layers over them."""

from __future__ import annotations

from typing import Any

from ...core.dtype import parse_dtype
from ...core.op import OPS
from ...static.nn.helper import LayerHelper
from ...static.nn.sequence import (
    sequence_concat,
    sequence_conv,
    sequence_enumerate,
    sequence_expand,
    sequence_expand_as,
    sequence_first_step,
    sequence_last_step,
    sequence_pad,
    sequence_pool,
    sequence_reshape,
    sequence_reverse,
    sequence_scatter,
    sequence_slice,
    sequence_softmax,
    sequence_unpad,
)

__all__ = [
    "dynamic_gru",
    "dynamic_lstm",
    "dynamic_lstmp",
    "lod_append",
    "lod_reset",
    "sequence_concat",
    "sequence_conv",
    "sequence_enumerate",
    "sequence_expand",
    "sequence_expand_as",
    "sequence_first_step",
    "sequence_last_step",
    "sequence_mask",
    "sequence_pad",
    "sequence_pool",
    "sequence_reshape",
    "sequence_reverse",
    "sequence_scatter",
    "sequence_slice",
    "sequence_softmax",
    "sequence_unpad",
]


def sequence_mask(x: Any, maxlen: Any = None, dtype: Any = "int64", name: str | None = None) -> Any:
    """Return 1 at positions before x, else 0: int [*] -> [*, maxlen].

    maxlen: by default the maximum of x

    The newer name is `paddle.nn.functional.sequence_mask`.
    """
    maxlen_tensor = maxlen if hasattr(maxlen, "meta") else None
    size = -1 if maxlen is None or maxlen_tensor is not None else int(maxlen)
    return OPS["sequence_mask"](x, maxlen_tensor, maxlen=size, out_dtype=parse_dtype(dtype).proto)


def lod_reset(x: Any, y: Any = None, target_lod: Any = None) -> Any:
    """Return x with the LoD of y, or with the row splits that y or target_lod contains."""
    return OPS["lod_reset"](x, None, y, target_lod=list(target_lod or []))


def lod_append(x: Any, level: Any) -> Any:
    """Return x with one more LoD level, whose row splits are `level`: a list, or a variable that
    contains them.
    """
    level_tensor = level if hasattr(level, "meta") else None
    return OPS["lod_reset"](
        x,
        None,
        level_tensor,
        target_lod=[] if level_tensor is not None else list(level),
        append=True,
    )


def dynamic_lstm(
    input: Any,
    size: int,
    h_0: Any = None,
    c_0: Any = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
    dtype: Any = "float32",
    name: str | None = None,
) -> Any:
    """LSTM over each sequence; returns hidden states and cells.

    input: [R, size], already projected, with size = 4 D.
    Returns [R, D], [R, D].

    The newer name is `paddle.nn.LSTM`.
    """
    helper = LayerHelper("lstm", name, input)
    width = size // 4
    attrs = {
        "use_peepholes": use_peepholes,
        "is_reverse": is_reverse,
        "gate_activation": gate_activation,
        "cell_activation": cell_activation,
        "candidate_activation": candidate_activation,
    }
    with helper.prefixing_output_names():
        weight = helper.create_parameter(param_attr, [width, 4 * width], dtype)
        bias = helper.create_parameter(
            bias_attr, [1, (7 if use_peepholes else 4) * width], dtype, is_bias=True
        )
        return OPS["lstm"](input, None, h_0, c_0, weight, bias, **attrs)[:2]


def dynamic_lstmp(
    input: Any,
    size: int,
    proj_size: int,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_peepholes: bool = True,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    cell_activation: str = "tanh",
    candidate_activation: str = "tanh",
    proj_activation: str = "tanh",
    dtype: Any = "float32",
    name: str | None = None,
    h_0: Any = None,
    c_0: Any = None,
    cell_clip: float | None = None,
    proj_clip: float | None = None,
) -> Any:
    """LSTM with a recurrent projection over each sequence; returns projected states and cells.

    input: [R, size], already projected, with size = 4 D.
    Returns [R, proj_size], [R, D].

    The newer name is `paddle.nn.LSTM`.
    """
    helper = LayerHelper("lstmp", name, input)
    width = size // 4
    attrs = {
        "use_peepholes": use_peepholes,
        "is_reverse": is_reverse,
        "gate_activation": gate_activation,
        "cell_activation": cell_activation,
        "candidate_activation": candidate_activation,
        "proj_activation": proj_activation,
        "cell_clip": float(cell_clip or 0.0),
        "proj_clip": float(proj_clip or 0.0),
    }
    with helper.prefixing_output_names():
        weight = helper.create_parameter(param_attr, [proj_size, 4 * width], dtype)
        projection = helper.create_parameter(param_attr, [width, proj_size], dtype)
        bias = helper.create_parameter(
            bias_attr, [1, (7 if use_peepholes else 4) * width], dtype, is_bias=True
        )
        return OPS["lstmp"](input, None, h_0, c_0, weight, projection, bias, **attrs)[:2]


def dynamic_gru(
    input: Any,
    size: int,
    param_attr: Any = None,
    bias_attr: Any = None,
    is_reverse: bool = False,
    gate_activation: str = "sigmoid",
    candidate_activation: str = "tanh",
    h_0: Any = None,
    origin_mode: bool = False,
) -> Any:
    """GRU over each sequence; returns the hidden states.

    input: [R, 3 size], already projected.
    Returns [R, size].

    The newer name is `paddle.nn.GRU`.
    """
    helper = LayerHelper("gru", None, input)
    attrs = {
        "activation": candidate_activation,
        "gate_activation": gate_activation,
        "is_reverse": is_reverse,
        "origin_mode": origin_mode,
    }
    with helper.prefixing_output_names():
        weight = helper.create_parameter(param_attr, [size, 3 * size], input.dtype)
        bias = helper.create_parameter(bias_attr, [1, 3 * size], input.dtype, is_bias=True)
        return OPS["gru"](input, None, h_0, weight, bias, **attrs)[3]
