"""Sequences of different lengths, one after the other in one tensor: static.nn.sequence_*."""

from __future__ import annotations

from typing import Any

from ...core.errors import OperandError, with_user_line
from ...core.op import OPS
from .helper import Helper, known_size


def sequence_pool(input: Any, pool_type: str, is_test: bool = False, pad_value: float = 0.0) -> Any:
    """One row of each sequence: its average, sum, sqrt (sum / sqrt(length)), max, last or first
    one.

    input [R,*] -> [n,*]
    """
    if not isinstance(pool_type, str):
        raise OperandError(
            with_user_line(f"sequence_pool: pool_type is {type(pool_type).__name__}, not a str")
        )
    return OPS["sequence_pool"](input, pooltype=pool_type.upper(), pad_value=float(pad_value))[0]


def sequence_first_step(input: Any) -> Any:
    """The first row of each sequence.   input [R,*] -> [n,*]"""
    return sequence_pool(input, "first")


def sequence_last_step(input: Any) -> Any:
    """The last row of each sequence.   input [R,*] -> [n,*]"""
    return sequence_pool(input, "last")


def sequence_softmax(input: Any, use_cudnn: bool = False, name: str | None = None) -> Any:
    """The softmax within each sequence.   input [R,1] -> [R,1]"""
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
    """act(the window of filter_size rows around each row, zeros beyond its sequence, times a
    matrix, plus a bias).

    input [R,D] -> [R,num_filters]
    """
    helper = Helper("sequence_conv", name, input)
    shape = [filter_size * known_size(helper.kind, input, 1), num_filters]
    start = -int(filter_size // 2) if padding_start is None else padding_start
    with helper.writing():
        weight = helper.parameter(param_attr, shape, input.dtype)
        attrs = {
            "contextLength": filter_size,
            "contextStart": start,
            "contextStride": filter_stride,
        }
        made = OPS["sequence_conv"](input, None, None, weight, **attrs)
        return helper.activated(helper.biased(made, bias_attr, 1, num_filters), act)


def sequence_expand(x: Any, y: Any, ref_level: int = -1, name: str | None = None) -> Any:
    """Each sequence of x as often as level ref_level of y has parts there.   x [R,*] -> [S,*]"""
    return OPS["sequence_expand"](x, None, y, ref_level=ref_level)


def sequence_expand_as(x: Any, y: Any, name: str | None = None) -> Any:
    """Row i of x as often as sequence i of y has rows.   x [n,*] -> [R,*]"""
    return OPS["sequence_expand_as"](x, y)


def sequence_concat(input: Any, name: str | None = None) -> Any:
    """Sequence i of each of several, one after the other, for each i.

    [R_k,*] -> [sum of R_k,*]
    """
    return OPS["sequence_concat"](list(input))


def sequence_reverse(x: Any, name: str | None = None) -> Any:
    """The rows of each sequence, the last one first.   x [R,*] -> [R,*]"""
    return OPS["sequence_reverse"](x)


def sequence_pad(x: Any, pad_value: Any, maxlen: int | None = None, name: str | None = None) -> Any:
    """The sequences side by side, filled up with pad_value to maxlen or the longest, and how long
    each is.

    x [R,*] -> [n,T,*], int64 [n]
    """
    return OPS["sequence_pad"](x, None, pad_value, padded_length=-1 if maxlen is None else maxlen)


def sequence_unpad(x: Any, length: Any, name: str | None = None) -> Any:
    """The first length[i] rows of each x[i], one sequence after the other.

    x [n,T,*], length int64 [n] -> [R,*]
    """
    return OPS["sequence_unpad"](x, length)


def sequence_reshape(input: Any, new_dim: int) -> Any:
    """The numbers of each sequence in rows of new_dim.   input [R,D] -> [R D / new_dim, new_dim]"""
    return OPS["sequence_reshape"](input, new_dim=new_dim)


def sequence_enumerate(
    input: Any, win_size: int, pad_value: int = 0, name: str | None = None
) -> Any:
    """Each number and those that follow it in its sequence.   input int [R,1] -> [R,win_size]"""
    return OPS["sequence_enumerate"](input, win_size=win_size, pad_value=pad_value)


def sequence_slice(input: Any, offset: Any, length: Any, name: str | None = None) -> Any:
    """length[i] rows of sequence i from offset[i] on.

    input [R,*], offset, length int64 [n,1] -> [S,*]
    """
    return OPS["sequence_slice"](input, None, offset, length)


def sequence_scatter(input: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """input with the numbers of sequence i of updates added to its row i, at the places in index.

    input [n,D], index int64, updates [R,1] -> [n,D]
    """
    return OPS["sequence_scatter"](input, index, None, updates)
