"""Convolutions with any number of spatial axes, their gradients and second-order gradients.

The output is computed in blocks of rows. Each block is one matrix product with an im2col matrix.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ..core import native
from ..core.arrays import is_running_kernel_on_gpu, np
from ..core.op import OPS, Ints, Meta, Op, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    Shape,
    dims_match,
    make_meta_rule_like_input_at,
    num_elements,
    vjp_input_shape,
)
from .sliding_window import (
    CHANNELS_FIRST,
    CHANNELS_LAST,
    NUMBER_WORDS,
    PadPair,
    Window,
    check_image_rank,
    crop_and_move_batch_first,
    from_channels_first,
    make_window,
    move_batch_first,
    move_batch_last,
    pad_and_move_batch_last,
    shape_from_channels_first,
    shape_to_channels_first,
    to_channels_first,
    view_at_kernel_offset,
)

# Number of elements of the im2col matrix of one block. On the CPU, the matrix fits in the cache. On
# a GPU, the matrix is so large that launching kernels takes only a small part of the time.
IM2COL_BLOCK_SIZE = 1 << 20
GPU_IM2COL_BLOCK_SIZE = 1 << 27


def window_and_output_shape(
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
    """Return the window of a convolution with these attributes, and the output shape [N,M,*S'].

    x: the images [N,C,*S], an array or Meta.
    w: the filter [M,C/groups,*K], an array or Meta.
    """
    n, c, *sizes = shape_to_channels_first(tuple(x.shape), data_format, len(strides))
    check(len(w.shape) == len(sizes) + 2, f"Filter needs {NUMBER_WORDS[len(sizes) + 2]} axes")
    check(
        groups > 0 and (w.shape[0] < 0 or w.shape[0] % groups == 0),
        f"groups={groups} does not divide the filters",
    )
    _check_channels(x.shape, c, w.shape[1] * groups, data_format)
    window = make_window(
        sizes, w.shape[2:], strides, paddings, padding_algorithm, dilations
    ).with_end_pads_extended_to_kernel_size(sizes)
    return window, (n, w.shape[0], *window.output_sizes(sizes))


def _check_channels(shape: Shape, channels: int, wanted: int, data_format: str) -> None:
    """Raise OpError if images have another number of channels than the filter expects."""
    is_last = data_format in CHANNELS_LAST
    other_axis, other_format = (
        (1, CHANNELS_FIRST[len(shape) - 4]) if is_last else (-1, CHANNELS_LAST[len(shape) - 4])
    )
    hint = (
        f"; if the images are {other_format}, pass data_format={other_format!r} or transpose them"
        if shape[other_axis] == wanted
        else ""
    )
    check(
        dims_match(channels, wanted),
        f"Input has {channels} channels (axis {-1 if is_last else 1}), Filter needs {wanted}{hint}",
    )


def iter_output_row_blocks(rows: int, elements_per_row: int) -> Iterator[PadPair]:
    """Yield ranges of output rows such that the im2col matrix of each range has a limited size."""
    size = GPU_IM2COL_BLOCK_SIZE if is_running_kernel_on_gpu() else IM2COL_BLOCK_SIZE
    step = max(1, size // max(elements_per_row, 1))
    return ((r, min(r + step, rows)) for r in range(0, rows, step))


def _im2col(z: Any, window: Window, rows: PadPair, rest: Sequence[int], groups: int) -> Any:
    """The im2col matrix of a range of output rows: for each output element, the input elements
    under the kernel, [groups, C/groups*K, rows*rest*N].

    z: [C,*S,N].
    """
    c, n = z.shape[0], z.shape[-1]
    if set(window.size) == {1}:
        return view_at_kernel_offset(z, window, (0,) * len(window.size), rows, rest).reshape(
            groups, c // groups, -1
        )
    shape = (c, *window.size, rows[1] - rows[0], *rest, n)
    if is_running_kernel_on_gpu():  # launches one copy kernel instead of one for each kernel offset
        every = np.lib.stride_tricks.as_strided(
            z[:, rows[0] * window.stride[0] :], shape, _im2col_strides(z, window)
        )
        return every.reshape(groups, (c // groups) * math.prod(window.size), -1)
    seen = np.empty_like(z, shape=shape)
    for at in window.kernel_indices:
        seen[(slice(None), *at)] = view_at_kernel_offset(z, window, at, rows, rest)
    return seen.reshape(groups, (c // groups) * math.prod(window.size), -1)


def _im2col_strides(z: Any, window: Window) -> tuple[int, ...]:
    """The strides of the view [C,*K,*S',N] of z [C,*S,N] that contains, for each output position,
    the elements under the kernel.
    """
    channel, *spatial, image = z.strides
    offsets = (d * s for d, s in zip(window.dilation, spatial, strict=True))
    steps = (k * s for k, s in zip(window.stride, spatial, strict=True))
    return channel, *offsets, *steps, image


@native.OptionallyNativeFunction
def convolve(x: Any, w: Any, window: Window, out: Shape, groups: int) -> Any:
    """The convolution of x [N,C,*S] with w [M,C/groups,*K].

    Returns a view [N,M,*S'] of a contiguous array [M,*S',N].
    """
    n, m, high, *rest = out
    z = pad_and_move_batch_last(x, window)
    result = np.empty_like(z, shape=(m, high, *rest, n))
    if w.shape[1] == 1 and groups > 1:
        return move_batch_first(_depthwise_conv_into(z, w, window, result, groups))
    w = w.reshape(groups, m // groups, -1)
    for rows in iter_output_row_blocks(high, w.shape[2] * groups * math.prod(rest) * n):
        seen = _im2col(z, window, rows, rest, groups)
        part = result[:, rows[0] : rows[1]].reshape(groups, m // groups, seen.shape[2])
        np.matmul(w, seen, out=part)
    return move_batch_first(result)


_CONV, _CONV_INPUT, _CONV_FILTER = map(
    native.compiled_function_or_placeholder, ("conv2d", "conv2d_input_grad", "conv2d_filter_grad")
)


def _native_size_arguments(x: Shape, w: Shape, window: Window, out: Shape, groups: int) -> Shape:
    """The sizes of a 2-D convolution, in the order in which the compiled kernels take them as
    arguments.
    """
    starts = tuple(p[0] for p in window.pads)
    return (*x, w[0], groups, *w[2:], *out, *window.stride, *window.dilation, *starts)


@convolve.native
def _(x, w, window, out, groups):
    return (
        _CONV(x, w, _native_size_arguments(x.shape, w.shape, window, out[2:], groups))
        if x.ndim == 4
        else NotImplemented
    )


def _weight_at_offset(w: Any, at: Shape) -> Any:
    """The weights at one kernel offset `at` of all depthwise filters, [M,1,...,1]. w: [M,1,*K]"""
    return w[(slice(None), 0, *at)].reshape(-1, *(1,) * (w.ndim - 1))


def _depthwise_conv_into(z: Any, w: Any, window: Window, result: Any, groups: int) -> Any:
    m, high, *rest, n = result.shape
    for rows in iter_output_row_blocks(high, 8 * m * math.prod(rest) * n):
        part = result[:, rows[0] : rows[1]]
        part[...] = 0
        for at in window.kernel_indices:
            part += _repeat_channels(
                view_at_kernel_offset(z, window, at, rows, rest), m // groups
            ) * _weight_at_offset(w, at)
    return result


def _repeat_channels(z: Any, times: int) -> Any:
    """Repeat each channel of z [C,...] `times` times: once for each depthwise filter that is
    applied to the channel.
    """
    return np.repeat(z, times, axis=0) if times > 1 else z


@native.OptionallyNativeFunction
def conv_input_grad(g: Any, w: Any, window: Window, sizes: Any, groups: int) -> Any:
    """The gradient of `convolve` with respect to x, [N,C,*sizes]. g: the output gradient
    [N,M,*S']
    """
    n, m, high, *rest = g.shape
    c = w.shape[1] * groups
    g = move_batch_last(g)
    z = np.zeros_like(
        g, shape=(c, *(s + sum(p) for s, p in zip(sizes, window.pads, strict=True)), n)
    )
    if w.shape[1] == 1 and groups > 1:
        return crop_and_move_batch_first(
            _accumulate_depthwise_input_grad(z, g, w, window, groups), window
        )
    flat = np.swapaxes(w.reshape(groups, m // groups, -1), 1, 2)
    for rows in iter_output_row_blocks(high, flat.shape[1] * groups * math.prod(rest) * n):
        part = g[:, rows[0] : rows[1]].reshape(groups, m // groups, -1)
        seen = np.matmul(flat, part).reshape(c, *window.size, rows[1] - rows[0], *rest, n)
        for at in window.kernel_indices:
            place = view_at_kernel_offset(z, window, at, rows, rest)
            place += seen[(slice(None), *at)]
    return crop_and_move_batch_first(z, window)


@conv_input_grad.native
def _(g, w, window, sizes, groups):
    if g.ndim != 4:
        return NotImplemented
    x = g.shape[0], w.shape[1] * groups, *sizes
    return _CONV_INPUT(w, g, _native_size_arguments(x, w.shape, window, g.shape[2:], groups))


def _accumulate_depthwise_input_grad(z: Any, g: Any, w: Any, window: Window, groups: int) -> Any:
    m, high, *rest, n = g.shape
    for rows in iter_output_row_blocks(high, 8 * m * math.prod(rest) * n):
        for at in window.kernel_indices:
            part = g[:, rows[0] : rows[1]] * _weight_at_offset(w, at)
            place = view_at_kernel_offset(z, window, at, rows, rest)
            place += (
                part
                if m == groups
                else np.sum(part.reshape(groups, m // groups, *part.shape[1:]), axis=1)
            )
    return z


@native.OptionallyNativeFunction
def conv_filter_grad(x: Any, g: Any, window: Window, shape: Shape, groups: int) -> Any:
    """The gradient of `convolve` with respect to the filter, [M,C/groups,*K]."""
    n, m, high, *rest = g.shape
    z, g = pad_and_move_batch_last(x, window), move_batch_last(g)
    if shape[1] == 1 and groups > 1:
        return _depthwise_filter_grad(z, g, window, shape, groups)
    total = np.zeros_like(g, shape=(groups, m // groups, math.prod(shape[1:])))
    for rows in iter_output_row_blocks(high, total.shape[2] * groups * math.prod(rest) * n):
        seen = _im2col(z, window, rows, rest, groups)
        part = g[:, rows[0] : rows[1]].reshape(groups, m // groups, -1)
        total += np.matmul(part, np.swapaxes(seen, 1, 2))
    return total.reshape(shape)


@conv_filter_grad.native
def _(x, g, window, shape, groups):
    return (
        _CONV_FILTER(x, g, _native_size_arguments(x.shape, shape, window, g.shape[2:], groups))
        if x.ndim == 4
        else NotImplemented
    )


def _depthwise_filter_grad(z: Any, g: Any, window: Window, shape: Shape, groups: int) -> Any:
    m, high, *rest, n = g.shape
    total: Any = np.zeros_like(g, shape=shape)
    for rows in iter_output_row_blocks(high, 8 * m * math.prod(rest) * n):
        for at in window.kernel_indices:
            seen = _repeat_channels(view_at_kernel_offset(z, window, at, rows, rest), m // groups)
            total[(slice(None), 0, *at)] += np.sum(
                g[:, rows[0] : rows[1]] * seen, axis=tuple(range(1, g.ndim))
            )
    return total


def _conv_forward(
    x: Any, w: Any, rank: int, *, groups: int, data_format: str, **window: Any
) -> Any:
    check_image_rank(x.shape, rank, data_format)
    over, out = window_and_output_shape(x, w, groups=groups, data_format=data_format, **window)
    return from_channels_first(
        convolve(to_channels_first(x, data_format), w, over, out, groups), data_format
    )


def _make_meta_rule(rank: int) -> Any:
    def rule(x, w, *, data_format, **window):
        check_dtype(x.dtype == w.dtype, "the dtypes differ")
        check_image_rank(x.shape, rank, data_format)
        _, out = window_and_output_shape(x, w, data_format=data_format, **window)
        return Meta(shape_from_channels_first(out, data_format), x.dtype)

    return rule


def _conv_vjp(g, x, w, **over):
    return lambda: conv_input_grad_op(x, w, g, **over), lambda: conv_filter_grad_op(x, w, g, **over)


def select_conv_op_by_shape(shape: Shape) -> Op:
    """Return the op conv2d or conv3d, depending on the rank of the images."""
    return conv3d if len(shape) == 5 else conv2d


@op(
    "conv2d",
    "Input, Filter -> Output",
    meta=_make_meta_rule(2),
    same_dtype="Input Filter",
    amp_class="allow",
)
@computed_in_float32_if_half
def conv2d(
    x,
    w,
    *,
    strides: Ints = [1, 1],
    paddings: Ints = [0, 0],
    padding_algorithm: str = "EXPLICIT",
    dilations: Ints = [1, 1],
    groups: int = 1,
    data_format: str = "NCHW",
):
    """Output = the cross-correlation of Input with Filter.

    Input [N,C,H,W], Filter [M,C/groups,KH,KW] -> Output [N,M,H',W']
    """
    return _conv_forward(
        x,
        w,
        2,
        groups=groups,
        data_format=data_format,
        strides=strides,
        paddings=paddings,
        padding_algorithm=padding_algorithm,
        dilations=dilations,
    )


@op(
    "depthwise_conv2d",
    "Input, Filter -> Output",
    meta=_make_meta_rule(2),
    attrs_of=conv2d,
    same_dtype="Input Filter",
    public_name="conv2d",
)
@computed_in_float32_if_half
def depthwise_conv2d(x, w, **attrs):
    """Depthwise convolution: Output = each channel of Input, cross-correlated with its own
    filters.

    Input [N,C,H,W], Filter [M,1,KH,KW] -> Output [N,M,H',W']
    """
    return conv2d.kernel(x, w, **attrs)


@op("conv3d", "Input, Filter -> Output", meta=_make_meta_rule(3), same_dtype="Input Filter")
@computed_in_float32_if_half
def conv3d(
    x,
    w,
    *,
    strides: Ints = [1, 1, 1],
    paddings: Ints = [0, 0, 0],
    padding_algorithm: str = "EXPLICIT",
    groups: int = 1,
    dilations: Ints = [1, 1, 1],
    data_format: str = "NCDHW",
):
    """Output = the cross-correlation of Input with Filter.

    Input [N,C,D,H,W], Filter [M,C/groups,KD,KH,KW] -> Output [N,M,D',H',W']
    """
    return _conv_forward(
        x,
        w,
        3,
        groups=groups,
        data_format=data_format,
        strides=strides,
        paddings=paddings,
        padding_algorithm=padding_algorithm,
        dilations=dilations,
    )


conv2d.vjp(_conv_vjp)
depthwise_conv2d.vjp(_conv_vjp)
conv3d.vjp(_conv_vjp)


@op(
    "conv_input_grad",
    "Input, Filter, Output@GRAD -> Input@GRAD",
    meta=make_meta_rule_like_input_at(0),
    attrs_of=conv2d,
    internal=True,
)
@computed_in_float32_if_half
def conv_input_grad_op(x, w, g, **attrs):
    """The gradient of a convolution with respect to Input. Only the shape of Input is used.

    -> Input@GRAD like Input
    """
    attrs = select_conv_op_by_shape(x.shape).attrs_with_defaults(attrs)
    window, _ = window_and_output_shape(x, w, **attrs)
    sizes = shape_to_channels_first(x.shape, attrs["data_format"], x.ndim - 2)[2:]
    back = conv_input_grad(
        to_channels_first(g, attrs["data_format"]), w, window, sizes, attrs["groups"]
    )
    return from_channels_first(back, attrs["data_format"])


@conv_input_grad_op.vjp
def _(gg, x, w, g, **over):
    return (
        None,
        lambda: conv_filter_grad_op(gg, w, g, **over),
        lambda: select_conv_op_by_shape(vjp_input_shape(gg))(gg, w, **over),
    )


@op(
    "conv_filter_grad",
    "Input, Filter, Output@GRAD -> Filter@GRAD",
    meta=make_meta_rule_like_input_at(1),
    attrs_of=conv2d,
    internal=True,
)
@computed_in_float32_if_half
def conv_filter_grad_op(x, w, g, **attrs):
    """The gradient of a convolution with respect to Filter. Only the shape of Filter is used.

    -> Filter@GRAD like Filter
    """
    attrs = select_conv_op_by_shape(x.shape).attrs_with_defaults(attrs)
    window, _ = window_and_output_shape(x, w, **attrs)
    layout = attrs["data_format"]
    return conv_filter_grad(
        to_channels_first(x, layout), to_channels_first(g, layout), window, w.shape, attrs["groups"]
    )


@conv_filter_grad_op.vjp
def _(gg, x, w, g, **over):
    return (
        lambda: conv_input_grad_op(x, gg, g, **over),
        None,
        lambda: select_conv_op_by_shape(vjp_input_shape(x))(x, gg, **over),
    )


def _transposed_window_and_output_shape(
    x: Any,
    w: Any,
    *,
    strides: Any,
    paddings: Any,
    padding_algorithm: str,
    dilations: Any,
    groups: int,
    data_format: str,
    output_padding: Any,
    output_size: Any,
) -> tuple[Window, Shape]:
    """Return the window of the convolution whose input gradient is this transposed convolution, and
    the output shape [N,M,*S'].
    """
    n, c, *sizes = shape_to_channels_first(tuple(x.shape), data_format, len(strides))
    check(len(w.shape) == len(sizes) + 2, f"Filter needs {NUMBER_WORDS[len(sizes) + 2]} axes")
    _check_channels(x.shape, c, w.shape[0], data_format)
    check(
        groups > 0 and (c < 0 or c % groups == 0), f"groups={groups} does not divide the channels"
    )
    window = make_window(sizes, w.shape[2:], strides, paddings, padding_algorithm, dilations)
    out = [
        _transposed_output_size(window, i, s, output_padding, output_size)
        for i, s in enumerate(sizes)
    ]
    return window, (n, max(w.shape[1] * groups, -1), *out)


def _transposed_output_size(window: Window, axis: int, size: int, extra: Any, wanted: Any) -> int:
    known = min(size, window.size[axis]) >= 0
    least = (
        (size - 1) * window.stride[axis] + window.dilated_size(axis) - sum(window.pads[axis])
        if known
        else -1
    )
    if wanted:
        fits = least < 0 or least <= wanted[axis] < least + window.stride[axis]
        check(fits, f"output_size={list(wanted)} is not a possible output size of this convolution")
        return int(wanted[axis])
    more = extra[axis] if extra else 0
    check(
        more == 0 or more < window.stride[axis],
        f"output_padding={list(extra)} is not less than the stride",
    )
    return least + more if least >= 0 else -1


def _conv_transpose_kernel(x: Any, w: Any, rank: int, **attrs: Any) -> Any:
    check_image_rank(x.shape, rank, attrs["data_format"])
    window, out = _transposed_window_and_output_shape(x, w, **attrs)
    return from_channels_first(
        conv_input_grad(
            to_channels_first(x, attrs["data_format"]), w, window, out[2:], attrs["groups"]
        ),
        attrs["data_format"],
    )


def _make_transposed_meta_rule(rank: int) -> Any:
    def rule(x, w, bias=None, *, data_format, **rest):
        check_dtype(x.dtype == w.dtype, "the dtypes differ")
        check_image_rank(x.shape, rank, data_format)
        _, out = _transposed_window_and_output_shape(x, w, data_format=data_format, **rest)
        check(
            bias is None or dims_match(num_elements(bias.shape), out[1]),
            "Bias needs one element per channel of the result",
        )
        return Meta(shape_from_channels_first(out, data_format), x.dtype)

    return rule


@op(
    "conv2d_transpose",
    "Input, Filter, Bias? -> Output",
    meta=_make_transposed_meta_rule(2),
    same_dtype="Input Filter Bias",
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def conv2d_transpose(
    x,
    w,
    bias=None,
    *,
    output_padding: Ints = [],
    output_size: Ints = [],
    strides: Ints = [1, 1],
    paddings: Ints = [0, 0],
    padding_algorithm: str = "EXPLICIT",
    dilations: Ints = [1, 1],
    groups: int = 1,
    data_format: str = "NCHW",
):
    """The transposed convolution: the input gradient of conv2d with this Filter, for Input as the
    output gradient.

    Input [N,C,H,W], Filter [C,M/groups,KH,KW] -> [N,M,H',W']
    """
    y = _conv_transpose_kernel(
        x,
        w,
        2,
        strides=strides,
        paddings=paddings,
        padding_algorithm=padding_algorithm,
        dilations=dilations,
        groups=groups,
        data_format=data_format,
        output_padding=output_padding,
        output_size=output_size,
    )
    return y if bias is None else y + from_channels_first(bias.reshape(1, -1, 1, 1), data_format)


@op(
    "depthwise_conv2d_transpose",
    "Input, Filter, Bias? -> Output",
    meta=_make_transposed_meta_rule(2),
    attrs_of=conv2d_transpose,
    same_dtype="Input Filter Bias",
    public_name="conv2d_transpose",
)
@computed_in_float32_if_half
def depthwise_conv2d_transpose(x, w, bias=None, **attrs):
    """conv2d_transpose with one group per channel.

    Input [N,C,H,W], Filter [C,1,KH,KW] -> [N,C,H',W']
    """
    return conv2d_transpose.kernel(x, w, bias, **attrs)


@op(
    "conv3d_transpose",
    "Input, Filter -> Output",
    meta=_make_transposed_meta_rule(3),
    same_dtype="Input Filter",
)
@computed_in_float32_if_half
def conv3d_transpose(
    x,
    w,
    *,
    output_padding: Ints = [],
    output_size: Ints = [],
    strides: Ints = [1, 1, 1],
    paddings: Ints = [0, 0, 0],
    padding_algorithm: str = "EXPLICIT",
    groups: int = 1,
    dilations: Ints = [1, 1, 1],
    data_format: str = "NCHW",
):
    """The transposed convolution: the input gradient of conv3d with this Filter, for Input as the
    output gradient.

    Input [N,C,D,H,W], Filter [C,M/groups,*K] -> [N,M,D',H',W']
    """
    return _conv_transpose_kernel(
        x,
        w,
        3,
        strides=strides,
        paddings=paddings,
        padding_algorithm=padding_algorithm,
        dilations=dilations,
        groups=groups,
        data_format=data_format,
        output_padding=output_padding,
        output_size=output_size,
    )


def conv_transpose_vjp(
    g, x, w, *bias, strides, paddings, padding_algorithm, dilations, groups, data_format
):
    """The gradients of a transposed convolution with respect to Input (a convolution), Filter and,
    if it is given, Bias.

    g like the result
    """
    rank = len(strides)
    sizes = shape_to_channels_first(vjp_input_shape(x), data_format, rank)[2:]
    check(
        padding_algorithm != "SAME" or min(sizes) >= 0,
        "the gradient of padding SAME needs sizes that are known only at run time",
    )
    window = make_window(
        sizes, vjp_input_shape(w)[2:], strides, paddings, padding_algorithm, dilations
    )
    over = {
        "strides": strides,
        "paddings": [p for pads in window.pads for p in pads],
        "dilations": list(window.dilation),
        "groups": groups,
        "data_format": data_format,
    }

    def bias_grad() -> Any:
        return OPS["reduce_sum"](g, dim=[0, 1, 2] if data_format == "NHWC" else [0, 2, 3])

    back = (
        lambda: select_conv_op_by_shape(vjp_input_shape(g))(g, w, **over),
        lambda: conv_filter_grad_op(g, w, x, **over),
    )
    return (*back, bias_grad) if bias else back


conv2d_transpose.vjp(conv_transpose_vjp)
depthwise_conv2d_transpose.vjp(conv_transpose_vjp)
conv3d_transpose.vjp(conv_transpose_vjp)
