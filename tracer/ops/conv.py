"""Convolutions over pictures, forwards, backwards, and backwards again.

One product per block of output rows: the columns of a block fit into the cache, so they are never written to memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.op import OPS, Ints, Meta, check, op
from .meta import Shape, agree, like, shape_of, size_of
from .window import (
    Pair,
    Window,
    as_given,
    batch_first,
    batch_last,
    channels_first,
    cropped,
    in_format,
    nchw,
    padded,
    tap,
    window_of,
)  # fmt: skip

BLOCK = 1 << 20  # elements of the columns of a block


def geometry(
    x: Any,
    w: Any,
    *,
    strides: Any,
    paddings: Any,
    padding_algorithm: str,
    dilations: Any,
    groups: int,
    data_format: str,
) -> tuple[Window, Shape]:
    """The window and the result's shape [N,M,H,W].   x, w: arrays or Metas of pictures and filter [M,C/groups,KH,KW]."""
    n, c, *hw = nchw(tuple(x.shape), data_format)
    check(len(w.shape) == 4, "Filter needs four axes")
    check(groups > 0 and (w.shape[0] < 0 or w.shape[0] % groups == 0), f"groups={groups} does not divide the filters")
    check(agree(c, w.shape[1] * groups), f"{c} channels are not {w.shape[1]} of Filter times groups={groups}")
    window = window_of(hw, w.shape[2:], strides, paddings, padding_algorithm, dilations)
    return window, (n, w.shape[0], *window.out(hw))


def blocks(rows: int, elements_per_row: int) -> Iterator[Pair]:
    """Output rows in blocks whose columns stay in the cache."""
    step = max(1, BLOCK // max(elements_per_row, 1))
    return ((r, min(r + step, rows)) for r in range(0, rows, step))


def _columns(z: Any, window: Window, rows: Pair, columns: int, groups: int) -> Any:
    """What the kernel sees at the output rows, [groups, C/groups*KH*KW, rows*columns*N].   z: [C,H,W,N]"""
    c, _, _, n = z.shape
    kh, kw = window.size
    if (kh, kw) == (1, 1):
        return tap(z, window, (0, 0), rows, columns).reshape(groups, c // groups, -1)
    seen = np.empty_like(z, shape=(c, kh, kw, rows[1] - rows[0], columns, n))
    for at in window.taps:
        seen[:, at[0], at[1]] = tap(z, window, at, rows, columns)
    return seen.reshape(groups, (c // groups) * kh * kw, -1)


def correlate(x: Any, w: Any, window: Window, out: Shape, groups: int) -> Any:
    """The convolution of x [N,C,H,W] with w [M,C/groups,KH,KW], a view [N,M,H,W] of [M,H,W,N]."""
    n, m, oh, ow = out
    z = padded(x, window)
    result = np.empty_like(z, shape=(m, oh, ow, n))
    if w.shape[1] == 1 and groups > 1:
        return batch_first(_depthwise(z, w, window, result, groups))
    w = w.reshape(groups, m // groups, -1)
    for rows in blocks(oh, w.shape[2] * groups * ow * n):
        seen = _columns(z, window, rows, ow, groups)
        part = result[:, rows[0] : rows[1]].reshape(groups, m // groups, seen.shape[2])
        np.matmul(w, seen, out=part)
    return batch_first(result)


def _depthwise(z: Any, w: Any, window: Window, result: Any, groups: int) -> Any:
    m, oh, ow, n = result.shape
    for rows in blocks(oh, 8 * m * ow * n):
        part = result[:, rows[0] : rows[1]]
        part[...] = 0
        for at in window.taps:
            seen = _repeated(tap(z, window, at, rows, ow), m // groups)
            part += seen * w[:, 0, at[0], at[1]].reshape(m, 1, 1, 1)
    return result


def _repeated(z: Any, times: int) -> Any:
    """Each channel of [C,...] as often as filters look at it."""
    return np.repeat(z, times, axis=0) if times > 1 else z


def spread(g: Any, w: Any, window: Window, hw: Any, groups: int) -> Any:
    """The adjoint of `correlate` in x: each g [N,M,H,W] times the filter, summed where the kernel had looked: [N,C,*hw]."""
    n, m, oh, ow = g.shape
    c = w.shape[1] * groups
    g = batch_last(g)
    (top, bottom), (left, right) = window.pads
    z = np.zeros_like(g, shape=(c, hw[0] + top + bottom, hw[1] + left + right, n))
    if w.shape[1] == 1 and groups > 1:
        return cropped(_depthwise_spread(z, g, w, window, groups), window)
    flat = np.swapaxes(w.reshape(groups, m // groups, -1), 1, 2)
    for rows in blocks(oh, flat.shape[1] * groups * ow * n):
        part = g[:, rows[0] : rows[1]].reshape(groups, m // groups, -1)
        seen = np.matmul(flat, part).reshape(c, *window.size, rows[1] - rows[0], ow, n)
        for at in window.taps:
            place = tap(z, window, at, rows, ow)
            place += seen[:, at[0], at[1]]
    return cropped(z, window)


def _depthwise_spread(z: Any, g: Any, w: Any, window: Window, groups: int) -> Any:
    m, oh, ow, n = g.shape
    for rows in blocks(oh, 8 * m * ow * n):
        for at in window.taps:
            part = g[:, rows[0] : rows[1]] * w[:, 0, at[0], at[1]].reshape(m, 1, 1, 1)
            place = tap(z, window, at, rows, ow)
            place += part if m == groups else np.sum(part.reshape(groups, m // groups, *part.shape[1:]), axis=1)
    return z


def filter_of(x: Any, g: Any, window: Window, shape: Shape, groups: int) -> Any:
    """The adjoint of `correlate` in the filter, whose shape is [M,C/groups,KH,KW]."""
    n, m, oh, ow = g.shape
    z, g = padded(x, window), batch_last(g)
    if shape[1] == 1 and groups > 1:
        return _depthwise_filter(z, g, window, shape, groups)
    total = np.zeros_like(g, shape=(groups, m // groups, shape[1] * shape[2] * shape[3]))
    for rows in blocks(oh, total.shape[2] * groups * ow * n):
        seen = _columns(z, window, rows, ow, groups)
        part = g[:, rows[0] : rows[1]].reshape(groups, m // groups, -1)
        total += np.matmul(part, np.swapaxes(seen, 1, 2))
    return total.reshape(shape)


def _depthwise_filter(z: Any, g: Any, window: Window, shape: Shape, groups: int) -> Any:
    m, oh, ow, n = g.shape
    total = np.zeros_like(g, shape=shape)
    for rows in blocks(oh, 8 * m * ow * n):
        for at in window.taps:
            seen = _repeated(tap(z, window, at, rows, ow), m // groups)
            total[:, 0, at[0], at[1]] += np.sum(g[:, rows[0] : rows[1]] * seen, axis=(1, 2, 3))
    return total


def _forward(x: Any, w: Any, groups: int, data_format: str, **window: Any) -> Any:
    over, out = geometry(x, w, groups=groups, data_format=data_format, **window)
    return as_given(correlate(channels_first(x, data_format), w, over, out, groups), data_format)


def _meta(x, w, *, data_format, **window):
    check(x.dtype == w.dtype, "the dtypes differ")
    _, out = geometry(x, w, data_format=data_format, **window)
    return Meta(in_format(out, data_format), x.dtype)


def _vjp(g, x, w, *, strides, paddings, padding_algorithm, dilations, groups, data_format):
    over = {
        "strides": strides, "paddings": paddings, "padding_algorithm": padding_algorithm, "dilations": dilations,
        "groups": groups, "data_format": data_format,
    }  # fmt: skip
    return lambda: input_grad(x, w, g, **over), lambda: filter_grad(x, w, g, **over)


@op("conv2d", "Input, Filter -> Output", meta=_meta)
def conv2d(
    x, w, *, strides: Ints = [1, 1], paddings: Ints = [0, 0], padding_algorithm: str = "EXPLICIT",
    dilations: Ints = [1, 1], groups: int = 1, data_format: str = "NCHW",
):  # fmt: skip
    """Output = the correlation of Input with Filter.   Input [N,C,H,W], Filter [M,C/groups,KH,KW] -> Output [N,M,H',W']"""
    return _forward(x, w, groups, data_format, strides=strides, paddings=paddings, padding_algorithm=padding_algorithm,
                    dilations=dilations)  # fmt: skip


conv2d.vjp(_vjp)


@op("depthwise_conv2d", "Input, Filter -> Output", meta=_meta)
def depthwise_conv2d(
    x, w, *, strides: Ints = [1, 1], paddings: Ints = [0, 0], padding_algorithm: str = "EXPLICIT",
    dilations: Ints = [1, 1], groups: int = 1, data_format: str = "NCHW",
):  # fmt: skip
    """Output = each channel correlated with its own filters.   Input [N,C,H,W], Filter [M,1,KH,KW] -> Output [N,M,H',W']"""
    return _forward(x, w, groups, data_format, strides=strides, paddings=paddings, padding_algorithm=padding_algorithm,
                    dilations=dilations)  # fmt: skip


depthwise_conv2d.vjp(_vjp)


@op("conv2d_input_grad", "Input, Filter, Output@GRAD -> Input@GRAD", meta=like(0), internal=True)
def input_grad(
    x, w, g, *, strides: Ints = [1, 1], paddings: Ints = [0, 0], padding_algorithm: str = "EXPLICIT",
    dilations: Ints = [1, 1], groups: int = 1, data_format: str = "NCHW",
):  # fmt: skip
    """The gradient of conv2d in its Input, of which only the shape matters.   -> Input@GRAD like Input"""
    window, _ = geometry(x, w, strides=strides, paddings=paddings, padding_algorithm=padding_algorithm,
                         dilations=dilations, groups=groups, data_format=data_format)  # fmt: skip
    hw = nchw(x.shape, data_format)[2:]
    return as_given(spread(channels_first(g, data_format), w, window, hw, groups), data_format)


@input_grad.vjp
def _(gg, x, w, g, *, strides, paddings, padding_algorithm, dilations, groups, data_format):
    over = {
        "strides": strides, "paddings": paddings, "padding_algorithm": padding_algorithm, "dilations": dilations,
        "groups": groups, "data_format": data_format,
    }  # fmt: skip
    return None, lambda: filter_grad(gg, w, g, **over), lambda: conv2d(gg, w, **over)


@op("conv2d_filter_grad", "Input, Filter, Output@GRAD -> Filter@GRAD", meta=like(1), internal=True)
def filter_grad(
    x, w, g, *, strides: Ints = [1, 1], paddings: Ints = [0, 0], padding_algorithm: str = "EXPLICIT",
    dilations: Ints = [1, 1], groups: int = 1, data_format: str = "NCHW",
):  # fmt: skip
    """The gradient of conv2d in its Filter, of which only the shape matters.   -> Filter@GRAD like Filter"""
    window, _ = geometry(x, w, strides=strides, paddings=paddings, padding_algorithm=padding_algorithm,
                         dilations=dilations, groups=groups, data_format=data_format)  # fmt: skip
    return filter_of(channels_first(x, data_format), channels_first(g, data_format), window, w.shape, groups)


@filter_grad.vjp
def _(gg, x, w, g, *, strides, paddings, padding_algorithm, dilations, groups, data_format):
    over = {
        "strides": strides, "paddings": paddings, "padding_algorithm": padding_algorithm, "dilations": dilations,
        "groups": groups, "data_format": data_format,
    }  # fmt: skip
    return lambda: input_grad(x, gg, g, **over), None, lambda: conv2d(x, gg, **over)


def _transposed(
    x: Any, w: Any, *, strides: Any, paddings: Any, padding_algorithm: str, dilations: Any, groups: int,
    data_format: str, output_padding: Any, output_size: Any,
) -> tuple[Window, Shape]:  # fmt: skip
    """The window of the convolution that is gone backwards, and the result's shape [N,M,H,W]."""
    n, c, *hw = nchw(tuple(x.shape), data_format)
    check(len(w.shape) == 4, "Filter needs four axes")
    check(agree(c, w.shape[0]), f"{c} channels are not the {w.shape[0]} of Filter")
    check(groups > 0 and (c < 0 or c % groups == 0), f"groups={groups} does not divide the channels")
    window = window_of(hw, w.shape[2:], strides, paddings, padding_algorithm, dilations)
    sizes = [_transposed_size(window, i, hw[i], output_padding, output_size) for i in (0, 1)]
    return window, (n, max(w.shape[1] * groups, -1), sizes[0], sizes[1])


def _transposed_size(window: Window, axis: int, size: int, extra: Any, wanted: Any) -> int:
    known = min(size, window.size[axis]) >= 0
    least = (size - 1) * window.stride[axis] + window.reach(axis) - sum(window.pads[axis]) if known else -1
    if wanted:
        fits = least < 0 or least <= wanted[axis] < least + window.stride[axis]
        check(fits, f"output_size={list(wanted)} does not come from such a convolution")
        return int(wanted[axis])
    more = extra[axis] if extra else 0
    check(more == 0 or more < window.stride[axis], f"output_padding={list(extra)} is not less than the stride")
    return least + more if least >= 0 else -1


@op("conv2d_transpose", "Input, Filter, Bias? -> Output")
def conv2d_transpose(
    x, w, bias=None, *, output_padding: Ints = [], output_size: Ints = [], strides: Ints = [1, 1],
    paddings: Ints = [0, 0], padding_algorithm: str = "EXPLICIT", dilations: Ints = [1, 1], groups: int = 1,
    data_format: str = "NCHW",
):  # fmt: skip
    """Output = what conv2d with this Filter would have as gradient.   Input [N,C,H,W], Filter [C,M/groups,KH,KW] -> [N,M,H',W']"""
    window, out = _transposed(
        x, w, strides=strides, paddings=paddings, padding_algorithm=padding_algorithm, dilations=dilations, groups=groups,
        data_format=data_format, output_padding=output_padding, output_size=output_size,
    )  # fmt: skip
    y = spread(channels_first(x, data_format), w, window, out[2:], groups)
    return as_given(y if bias is None else y + bias.reshape(1, -1, 1, 1), data_format)


@conv2d_transpose.meta
def _(x, w, bias, *, data_format, **rest):
    check(x.dtype == w.dtype, "the dtypes differ")
    _, out = _transposed(x, w, data_format=data_format, **rest)
    check(bias is None or agree(size_of(bias.shape), out[1]), "Bias needs one element per channel of the result")
    return Meta(in_format(out, data_format), x.dtype)


@conv2d_transpose.vjp
def _(g, x, w, bias, *, strides, paddings, padding_algorithm, dilations, groups, data_format):
    hw = nchw(shape_of(x), data_format)[2:]
    check(padding_algorithm != "SAME" or min(hw) >= 0, "the gradient of padding SAME needs known sizes")
    window = window_of(hw, shape_of(w)[2:], strides, paddings, padding_algorithm, dilations)
    over = {
        "strides": strides, "paddings": [*window.pads[0], *window.pads[1]], "dilations": list(window.dilation),
        "groups": groups, "data_format": data_format,
    }  # fmt: skip

    def to_bias() -> Any:
        return OPS["reduce_sum"](g, dim=[0, 1, 2] if data_format == "NHWC" else [0, 2, 3])

    return lambda: conv2d(g, w, **over), lambda: filter_grad(g, w, x, **over), to_bias
