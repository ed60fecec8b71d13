"""Rearrange pixels and channels: pixel_shuffle, channel_shuffle, temporal_shift, maxout, unfold."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import NO_GRAD_VALUE_INDEPENDENT, Ints, Meta, check, op
from .elementwise import masked
from .shared_op_rules import check_float, dims_match, normalize_axis, scale_dim
from .sliding_window import (
    Window,
    check_image_rank,
    from_channels_first,
    require_ints_per_axis,
    shape_from_channels_first,
    shape_to_channels_first,
    to_channels_first,
)


def _divide_size_exactly(size: int, by: int, what: str) -> int:
    check(by > 0 and (size < 0 or size % by == 0), f"{what} does not divide {size}")
    return size // by if size >= 0 else -1


# -- pixels and channels
# ------------------------------------------------------------------------------------------


@op("pixel_shuffle", "X -> Out", validate_before_kernel=True)
def pixel_shuffle(x, *, upscale_factor: int = 1, data_format: str = "NCHW"):
    """Rearrange each group of r * r channels to blocks of r x r pixels, where r = upscale_factor.

    X [N,C*r*r,H,W] -> Out [N,C,H*r,W*r]
    """
    r = upscale_factor
    n, c, h, w = (x := to_channels_first(x, data_format)).shape
    spread = x.reshape(n, c // (r * r), r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
    return from_channels_first(spread.reshape(n, c // (r * r), h * r, w * r), data_format)


@pixel_shuffle.meta
def _(x, *, upscale_factor, data_format):
    n, c, h, w = shape_to_channels_first(x.shape, data_format)
    r = upscale_factor
    c = _divide_size_exactly(c, r * r, f"upscale_factor={r} squared")
    return Meta(
        shape_from_channels_first((n, c, scale_dim(h, r), scale_dim(w, r)), data_format), x.dtype
    )


@pixel_shuffle.vjp
def _(g, x, *, upscale_factor, data_format):
    return pixel_unshuffle(g, downscale_factor=upscale_factor, data_format=data_format)


@op("pixel_unshuffle", "X -> Out", validate_before_kernel=True)
def pixel_unshuffle(x, *, downscale_factor: int = 1, data_format: str = "NCHW"):
    """The inverse of pixel_shuffle: rearrange blocks of r x r pixels to r * r channels.

    X [N,C,H*r,W*r] -> Out [N,C*r*r,H,W]
    """
    r = downscale_factor
    n, c, h, w = (x := to_channels_first(x, data_format)).shape
    packed = x.reshape(n, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4)
    return from_channels_first(packed.reshape(n, c * r * r, h // r, w // r), data_format)


@pixel_unshuffle.meta
def _(x, *, downscale_factor, data_format):
    n, c, h, w = shape_to_channels_first(x.shape, data_format)
    r = downscale_factor
    h, w = (_divide_size_exactly(s, r, f"downscale_factor={r}") for s in (h, w))
    return Meta(shape_from_channels_first((n, scale_dim(c, r * r), h, w), data_format), x.dtype)


@pixel_unshuffle.vjp
def _(g, x, *, downscale_factor, data_format):
    return pixel_shuffle(g, upscale_factor=downscale_factor, data_format=data_format)


@op("channel_shuffle", "X -> Out", validate_before_kernel=True)
def channel_shuffle(x, *, groups: int, data_format: str = "NCHW"):
    """Interleave the groups of channels: first channel 0 of each group, then channel 1 of each
    group, and so on (Zhang et al., 2017).

    X [N,C,H,W] -> Out [N,C,H,W]
    """
    return from_channels_first(
        _interleave_groups(to_channels_first(x, data_format), groups), data_format
    )


def _interleave_groups(x: Any, groups: int) -> Any:
    n, c, h, w = x.shape
    return np.swapaxes(x.reshape(n, groups, c // groups, h, w), 1, 2).reshape(x.shape)


@channel_shuffle.meta
def _(x, *, groups, data_format):
    _divide_size_exactly(
        shape_to_channels_first(x.shape, data_format)[1], groups, f"groups={groups}"
    )
    return x


@channel_shuffle.vjp
def _(g, x, *, groups, data_format):
    return channel_unshuffle(g, groups=groups, data_format=data_format)


@op("channel_unshuffle", "X -> Out", meta=lambda x, **_: x, internal=True)
def channel_unshuffle(x, *, groups: int, data_format: str = "NCHW"):
    """The inverse of channel_shuffle. X [N,C,H,W] -> Out [N,C,H,W]"""
    x = to_channels_first(x, data_format)
    return from_channels_first(_interleave_groups(x, x.shape[1] // groups), data_format)


@channel_unshuffle.vjp
def _(g, x, *, groups, data_format):
    return channel_shuffle(g, groups=groups, data_format=data_format)


# -- video frames
# ---------------------------------------------------------------------------------------------


def _shift_channel_parts_in_time(
    x: Any, seg_num: int, shift_ratio: float, data_format: str, step: int
) -> Any:
    """Shift a part of the channels in time: the first channels of each frame come from the frame
    `step` earlier, the next channels from the frame `step` later.
    """
    first = to_channels_first(x, data_format)
    frames = first.reshape(-1, seg_num, *first.shape[1:])
    c = first.shape[1]
    one, two = int(c * shift_ratio), int(c * 2 * shift_ratio)
    out = np.zeros_like(frames)
    for part, by in ((slice(0, one), step), (slice(one, two), -step)):
        if by > 0:
            out[:, by:, part] = frames[:, :-by, part]
        else:
            out[:, :by, part] = frames[:, -by:, part]
    out[:, :, two:] = frames[:, :, two:]
    return from_channels_first(out.reshape(first.shape), data_format)


def _temporal_shift_meta(x, *, seg_num, shift_ratio, data_format):
    shape = shape_to_channels_first(x.shape, data_format)
    check(0 <= shift_ratio <= 0.5, f"shift_ratio={shift_ratio} is not in [0, 0.5]")
    _divide_size_exactly(shape[0], seg_num, f"seg_num={seg_num}")
    return x


@op("temporal_shift", "X -> Out", meta=_temporal_shift_meta, validate_before_kernel=True)
def temporal_shift(x, *, seg_num: int, shift_ratio: float = 0.25, data_format: str = "NCHW"):
    """Temporal shift (Lin et al., 2019): one part of the channels comes from the previous frame, a
    second part from the next frame. Missing frames are 0.

    X [N*T,C,H,W] -> Out [N*T,C,H,W]
    """
    return _shift_channel_parts_in_time(x, seg_num, shift_ratio, data_format, 1)


@temporal_shift.vjp
def _(g, x, *, seg_num, shift_ratio, data_format):
    return temporal_shift_adjoint(
        g, seg_num=seg_num, shift_ratio=shift_ratio, data_format=data_format
    )


@op("temporal_unshift", "X -> Out", meta=_temporal_shift_meta, internal=True)
def temporal_shift_adjoint(
    x, *, seg_num: int, shift_ratio: float = 0.25, data_format: str = "NCHW"
):
    """The adjoint of temporal_shift. X [N*T,C,H,W] -> Out [N*T,C,H,W]"""
    return _shift_channel_parts_in_time(x, seg_num, shift_ratio, data_format, -1)


@temporal_shift_adjoint.vjp
def _(g, x, *, seg_num, shift_ratio, data_format):
    return temporal_shift(g, seg_num=seg_num, shift_ratio=shift_ratio, data_format=data_format)


# -- maxout
# ---------------------------------------------------------------------------------


def _split_into_groups_of_size(x: Any, groups: int, axis: int) -> Any:
    """Reshape [*,C,*] to [*,C/groups,groups,*]."""
    axis %= x.ndim
    return x.reshape(*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1 :])


@op("maxout", "X -> Out")
def maxout(x, *, groups: int, axis: int = 1):
    """Out = the maximum over each group of `groups` consecutive channels (Goodfellow et al.,
    2013).

    X [N,C,H,W] -> Out [N,C/groups,H,W]
    """
    check_float(x)
    check(-x.ndim <= axis < x.ndim, f"axis={axis} is not an axis of X")
    return np.max(_split_into_groups_of_size(x, groups, axis), axis=axis % x.ndim + 1)


@maxout.meta
def _(x, *, groups, axis):
    check_float(x)
    check_image_rank(x.shape, 2)
    at = normalize_axis(axis, 4)
    check(at in (1, 3), f"axis={axis} is not an axis of X")
    return Meta(
        (
            *x.shape[:at],
            _divide_size_exactly(x.shape[at], groups, f"groups={groups}"),
            *x.shape[at + 1 :],
        ),
        x.dtype,
    )


@maxout.vjp
def _(g, x, *, groups, axis):
    return masked(
        repeat_channels(g, groups=groups, axis=axis),
        mask_of_first_maxima_in_channel_groups(x, groups=groups, axis=axis),
    )


@op("first_largest", "X -> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT, internal=True)
def mask_of_first_maxima_in_channel_groups(x, *, groups: int, axis: int = 1):
    """Out = a mask of the channels that hold the first maximum of their group.

    X [*,C,*] -> Out bool [*,C,*]
    """
    grouped, at = _split_into_groups_of_size(x, groups, axis), axis % x.ndim + 1
    out = np.zeros_like(grouped, dtype=bool)
    np.put_along_axis(out, np.argmax(grouped, axis=at, keepdims=True), True, axis=at)
    return out.reshape(x.shape)


@mask_of_first_maxima_in_channel_groups.meta
def _(x, **_):
    return Meta(x.shape, np.dtype(bool))


@op("repeat_groups", "X -> Out", internal=True)
def repeat_channels(x, *, groups: int, axis: int = 1):
    """Out = each channel, repeated `groups` times. X [*,C,*] -> Out [*,C*groups,*]"""
    return np.repeat(x, groups, axis=axis)


@repeat_channels.meta
def _(x, *, groups, axis):
    at = axis % len(x.shape)
    return Meta((*x.shape[:at], scale_dim(x.shape[at], groups), *x.shape[at + 1 :]), x.dtype)


@repeat_channels.vjp
def _(g, x, *, groups, axis):
    return sum_groups(g, groups=groups, axis=axis)


@op("sum_groups", "X -> Out", internal=True)
def sum_groups(x, *, groups: int, axis: int = 1):
    """Out = the sum over each group of `groups` consecutive channels. X [*,C,*] -> Out
    [*,C/groups,*]
    """
    return np.sum(_split_into_groups_of_size(x, groups, axis), axis=axis % x.ndim + 1)


@sum_groups.meta
def _(x, *, groups, axis):
    at = axis % len(x.shape)
    return Meta(
        (*x.shape[:at], _divide_size_exactly(x.shape[at], groups, "groups"), *x.shape[at + 1 :]),
        x.dtype,
    )


@sum_groups.vjp
def _(g, x, *, groups, axis):
    return repeat_channels(g, groups=groups, axis=axis)


# -- im2col
# -----------------------------------------------------------------------------------------


def _make_unfold_window(kernel_sizes: Any, strides: Any, paddings: Any, dilations: Any) -> Window:
    check(len(paddings) in (2, 4), f"paddings={list(paddings)} are neither two nor four numbers")
    top, left, bottom, right = paddings if len(paddings) == 4 else (*paddings, *paddings)
    size, stride, dilation = (
        require_ints_per_axis(kernel_sizes, 2, "kernel_sizes"),
        require_ints_per_axis(strides, 2, "strides"),
        require_ints_per_axis(dilations, 2, "dilations"),
    )
    positive = min(*size, *stride, *dilation) > 0
    check(
        positive,
        f"kernel_sizes={list(size)}, strides={list(stride)}, dilations={list(dilation)} are not "
        "positive",
    )
    return Window(size, stride, dilation, ((top, bottom), (left, right)))


def _elements_at_kernel_offset(
    x: Any, window: Window, at: tuple[int, ...], out: tuple[int, ...]
) -> Any:
    """Return a view [N,C,*out] of the padded x [N,C,H,W] with the elements at kernel offset `at` of
    all windows.
    """
    starts = [i * d for i, d in zip(at, window.dilation, strict=True)]
    index = [
        slice(b, b + (o - 1) * s + 1, s) for b, o, s in zip(starts, out, window.stride, strict=True)
    ]
    return x[(slice(None), slice(None), *index)]


@op("unfold", "X -> Y")
def unfold(x, *, kernel_sizes: Ints, strides: Ints, paddings: Ints, dilations: Ints):
    """im2col: Y = the elements of the window at each of its L positions, as columns.

    X [N,C,H,W] -> Y [N,C*KH*KW,L]
    """
    window = _make_unfold_window(kernel_sizes, strides, paddings, dilations)
    out = window.output_sizes(x.shape[2:])
    full = np.pad(x, [(0, 0), (0, 0), *window.pads])
    y = np.empty_like(x, shape=(*x.shape[:2], *window.size, *out))
    for at in window.kernel_indices:
        y[:, :, at[0], at[1]] = _elements_at_kernel_offset(full, window, at, out)
    return y.reshape(x.shape[0], -1, out[0] * out[1])


@unfold.meta
def _(x, *, kernel_sizes, strides, paddings, dilations):
    n, c, *sizes = shape_to_channels_first(x.shape, "NCHW")
    window = _make_unfold_window(kernel_sizes, strides, paddings, dilations)
    high, wide = window.output_sizes(sizes)
    return Meta(
        (
            n,
            scale_dim(c, window.size[0] * window.size[1]),
            high * wide if min(high, wide) >= 0 else -1,
        ),
        x.dtype,
    )


@unfold.vjp
def _(g, x, **over):
    return fold_like(g, x, **over)


def _col2im(y: Any, window: Window, sizes: Any) -> Any:
    out = window.output_sizes(sizes)
    columns = y.reshape(y.shape[0], -1, *window.size, *out)
    wide = [s + sum(p) for s, p in zip(sizes, window.pads, strict=True)]
    full = np.zeros_like(y, shape=(*columns.shape[:2], *wide))
    for at in window.kernel_indices:
        place = _elements_at_kernel_offset(full, window, at, out)
        place += columns[:, :, at[0], at[1]]
    (top, _), (left, _) = window.pads
    return full[:, :, top : top + sizes[0], left : left + sizes[1]]


@op("fold", "X -> Y")
def fold(
    x, *, output_sizes: Ints, kernel_sizes: Ints, strides: Ints, paddings: Ints, dilations: Ints
):
    """col2im, the adjoint of unfold: add each column to the window at its position.

    X [N,C*KH*KW,L] -> Y [N,C,*output_sizes]
    """
    return _col2im(x, _make_unfold_window(kernel_sizes, strides, paddings, dilations), output_sizes)


@fold.meta
def _(x, *, output_sizes, kernel_sizes, strides, paddings, dilations):
    check(len(x.shape) == 3, "X needs three axes")
    window = _make_unfold_window(kernel_sizes, strides, paddings, dilations)
    high, wide = window.output_sizes(require_ints_per_axis(output_sizes, 2, "output_sizes"))
    check(
        dims_match(x.shape[2], high * wide),
        f"the last axis of X has {x.shape[2]} elements, not one for each of the {high * wide} "
        "window positions",
    )
    count = _divide_size_exactly(
        x.shape[1], window.size[0] * window.size[1], "the size of the window"
    )
    return Meta((x.shape[0], count, *output_sizes), x.dtype)


@fold.vjp
def _(g, x, *, output_sizes, **over):
    return unfold(g, **over)


@op("fold_like", "X, Y -> Out", meta=lambda x, y, **_: y, attrs_of=unfold, internal=True)
def fold_like(x, y, **over):
    """Out = fold of X with the output sizes of Y. X [N,C*KH*KW,L], Y [N,C,H,W] -> Out like Y"""
    return _col2im(x, _make_unfold_window(**over), y.shape[2:])


@fold_like.vjp
def _(g, x, y, **over):
    return unfold(g, **over), None
