"""Ops on sequences with LoD: `static.nn.sequence_*`.

A tensor [R, *] holds the rows of n sequences one after the other; its LoD holds the row at which
each begins, and R.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import OperandError, append_user_line
from ...core.op import OPS
from .helper import LayerHelper, require_static_size


def sequence_pool(input: Any, pool_type: str, is_test: bool = False, pad_value: float = 0.0) -> Any:
    """Reduce each sequence to one row: [R, *] -> [n, *].

    pool_type: "average", "sum", "sqrt" (sum / sqrt(length)), "max", "last" or "first"
    """
    if not isinstance(pool_type, str):
        raise OperandError(
            append_user_line(f"sequence_pool: pool_type is {type(pool_type).__name__}, not a str")
        )
    return OPS["sequence_pool"](input, pooltype=pool_type.upper(), pad_value=float(pad_value))[0]


def sequence_first_step(input: Any) -> Any:
    """Return the first row of each sequence: [R, *] -> [n, *]."""
    return sequence_pool(input, "first")


def sequence_last_step(input: Any) -> Any:
    """Return the last row of each sequence: [R, *] -> [n, *]."""
    return sequence_pool(input, "last")


def sequence_softmax(input: Any, use_cudnn: bool = False, name: str | None = None) -> Any:
    """Softmax over each sequence: [R, 1] -> [R, 1]."""
    return OPS["sequence_softmax"](input)


def sequence_conv(
    input: Any,
    num_filters: int,
    filter_size: int = 3,
    filter_stride: int = 1,
    padding: bool = True,
    padding_start: int | None = None,
    bias_attr: Any = None,
    param_attr: Any = None,
    act: str | None = None,
    name: str | None = None,
) -> Any:
    """Convolution over the rows of each sequence: act(window @ W + b), with windows of filter_size
    rows that are padded with zeros at the ends of a sequence.

    input: [R, D].
    Returns [R, num_filters].
    """
    helper = LayerHelper("sequence_conv", name, input)
    shape = [filter_size * require_static_size(helper.layer_type, input, 1), num_filters]
    start = -int(filter_size // 2) if padding_start is None else padding_start
    with helper.prefixing_output_names():
        weight = helper.create_parameter(param_attr, shape, input.dtype)
        attrs = {
            "contextLength": filter_size,
            "contextStart": start,
            "contextStride": filter_stride,
        }
        out = OPS["sequence_conv"](input, None, None, weight, **attrs)
        return helper.activate(helper.add_bias(out, bias_attr, 1, num_filters), act)


def sequence_expand(x: Any, y: Any, ref_level: int = -1, name: str | None = None) -> Any:
    """Repeat sequence i of x as often as sequence i in level ref_level of the LoD of y is long."""
    return OPS["sequence_expand"](x, None, y, ref_level=ref_level)


def sequence_expand_as(x: Any, y: Any, name: str | None = None) -> Any:
    """Repeat row i of x as often as sequence i of y is long: [n, *] -> [R, *]."""
    return OPS["sequence_expand_as"](x, y)


def sequence_concat(input: Any, name: str | None = None) -> Any:
    """Join sequence i of all inputs to one sequence, for each i: [R_k, *] -> [sum of R_k, *]."""
    return OPS["sequence_concat"](list(input))


def sequence_reverse(x: Any, name: str | None = None) -> Any:
    """Reverse the rows of each sequence: [R, *] -> [R, *]."""
    return OPS["sequence_reverse"](x)


def sequence_pad(x: Any, pad_value: Any, maxlen: int | None = None, name: str | None = None) -> Any:
    """Pad all sequences with pad_value to the length maxlen, or to the length of the longest
    sequence.

    x: [R, *].
    Returns [n, T, *], and the lengths int64 [n].
    """
    return OPS["sequence_pad"](x, None, pad_value, padded_length=-1 if maxlen is None else maxlen)


def sequence_unpad(x: Any, length: Any, name: str | None = None) -> Any:
    """Remove the padding of sequences: concatenate the first length[i] rows of each x[i] to a
    tensor with LoD.

    x: [n, T, *].
    length: int64 [n].
    Returns [R, *].
    """
    return OPS["sequence_unpad"](x, length)


def sequence_reshape(input: Any, new_dim: int) -> Any:
    """Reshape each sequence to rows with new_dim elements: [R, D] -> [R D / new_dim, new_dim]."""
    return OPS["sequence_reshape"](input, new_dim=new_dim)


def sequence_enumerate(
    input: Any, win_size: int, pad_value: int = 0, name: str | None = None
) -> Any:
    """Return, for each element, the window of win_size elements that starts with this element.
    Windows are padded at the end of a sequence.

    input: int [R, 1].
    Returns [R, win_size].
    """
    return OPS["sequence_enumerate"](input, win_size=win_size, pad_value=pad_value)


def sequence_slice(input: Any, offset: Any, length: Any, name: str | None = None) -> Any:
    """Return part of each sequence: the length[i] rows of sequence i that start at row offset[i].

    input: [R, *].
    offset, length: int64 [n, 1].
    Returns [S, *].
    """
    return OPS["sequence_slice"](input, None, offset, length)


def sequence_scatter(input: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """Return a copy of input. The elements of sequence i of `updates` are added to row i of the
    copy, at the columns that sequence i of `index` contains.

    input: [n, D].
    index: int64 [R, 1].
    updates: [R, 1].
    Returns [n, D].
    """
    return OPS["sequence_scatter"](input, index, None, updates)
