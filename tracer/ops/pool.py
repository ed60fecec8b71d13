"""The ops pool2d and pool3d and their gradients, written for any number of spatial axes.

max_pool2d_with_index and max_pool3d_with_index are in `max_pool_with_index.py`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from ..core import native
from ..core.arrays import np
from ..core.op import Ints, Meta, Op, check, op
from ..core.result_size_limit import check_result_size
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    Shape,
    check_float,
    like_x_meta,
    make_meta_rule_like_input_at,
    vjp_input_shape,
)
from .sliding_window import (
    IntPerAxis,
    PadPair,
    Window,
    check_image_rank,
    from_channels_first,
    pad_pairs_for_algorithm,
    require_ints_per_axis,
    shape_from_channels_first,
    shape_to_channels_first,
    to_channels_first,
)

# a pair of an index in the image and an index in the result, each a slice or an integer along one
# axis
ImageResultIndexPair = tuple[Any, Any]


class PoolingPlan(NamedTuple):
    """How a pooling of images of known size is computed.

    index_pairs_per_axis: for each axis, pairs of an image index and a result index; pooling reduces
    the former onto the latter.
    output_sizes: the size of the result along each axis.
    pads: the padding of each axis.
    counts_per_axis: for each axis and output position, the number of elements that an average
    divides by. As in Paddle, 0 or negative for a window that begins after the image.
    """

    index_pairs_per_axis: list[list[ImageResultIndexPair]]
    output_sizes: IntPerAxis
    pads: list[PadPair]
    counts_per_axis: list[list[int]]
    is_nonoverlapping: bool  # whether no two windows share an element
    window: Window | None  # None if windows have several sizes

    @property
    def image_result_index_pairs(self) -> Iterator[tuple[Any, Any]]:
        """Return pairs of indices into the spatial axes of the image and of the result, one per
        window offset, in window order.
        """
        return (
            ((..., *(p[0] for p in at)), (..., *(p[1] for p in at)))
            for at in product(*self.index_pairs_per_axis)
        )


def _adaptive_index_pairs_and_counts_of_axis(
    size: int, out: int
) -> tuple[list[ImageResultIndexPair], list[int]]:
    starts = [i * size // out for i in range(out)]
    ends = [-(-(i + 1) * size // out) for i in range(out)]
    if size % out == 0:
        step = size // out
        return [(slice(k, None, step), slice(None)) for k in range(step)], [step] * out
    pieces = [(h, o) for o in range(out) for h in range(starts[o], ends[o])]
    return pieces, [e - s for s, e in zip(starts, ends, strict=True)]


def _window_index_pairs_and_counts_of_axis(
    size: int, out: int, window: Window, axis: int, exclusive: bool
) -> tuple[list[ImageResultIndexPair], list[int]]:
    k, stride, (before, _) = window.size[axis], window.stride[axis], window.pads[axis]
    pieces: list[ImageResultIndexPair] = [
        (slice(i, i + (out - 1) * stride + 1, stride), slice(None)) for i in range(k)
    ]
    starts = [o * stride - before for o in range(out)]
    if exclusive:
        return pieces, [min(s + k, size) - max(s, 0) for s in starts]
    # the window extends into as much padding at the end as there is at the start
    return pieces, [min(s + k, size + before) - s for s in starts]


def _output_size(size: int, window: Window, axis: int, ceil_mode: bool) -> int:
    if size < 0:
        return -1
    room, stride = size + sum(window.pads[axis]) - window.size[axis], window.stride[axis]
    room += stride - 1 if ceil_mode else 0
    # The division truncates towards 0, because the padded image may be smaller than the window by
    # less than a stride.
    out = (room // stride if room >= 0 else -(-room // stride)) + 1
    check(
        out > 0,
        f"a window of {window.size[axis]} does not fit into {size} padded by "
        f"{list(window.pads[axis])}",
    )
    return out


def _make_window_from_pool_attrs(
    sizes: Sequence[int], ksize: Any, strides: Any, paddings: Any, algorithm: str, whole: bool
) -> Window:
    rank = len(sizes)
    size, stride = (
        require_ints_per_axis(ksize, rank, "ksize"),
        require_ints_per_axis(strides, rank, "strides"),
    )
    if whole:
        pad_pairs_for_algorithm(
            sizes, size, (1,) * rank, paddings, algorithm
        )  # this call only checks the attributes
        return Window(tuple(sizes), (1,) * rank, (1,) * rank, ((0, 0),) * rank)
    check(
        min(size) > 0 and min(stride) > 0,
        f"ksize={list(ksize)}, strides={list(strides)} are not positive",
    )
    pads = pad_pairs_for_algorithm(sizes, size, stride, paddings, algorithm)
    return Window(size, stride, (1,) * rank, pads)


def window_unless_adaptive_and_output_sizes(
    shape: Shape,
    *,
    ksize: Any,
    strides: Any,
    paddings: Any,
    padding_algorithm: str = "EXPLICIT",
    ceil_mode: bool = False,
    global_pooling: bool = False,
    adaptive: bool = False,
    **_: Any,
) -> tuple[Window | None, IntPerAxis]:
    """Return the window of a pooling (None for an adaptive pooling) and the output sizes.

    shape: [N,C,*S], -1 for dynamic dimensions
    """
    sizes = shape[2:]
    if adaptive:
        out = (
            (1,) * len(sizes)
            if global_pooling
            else require_ints_per_axis(ksize, len(sizes), "ksize")
        )
        check(min(out) > 0, f"ksize={list(ksize)} is not positive")
        return None, out
    window = _make_window_from_pool_attrs(
        sizes, ksize, strides, paddings, padding_algorithm, global_pooling
    )
    if global_pooling:
        return window, (1,) * len(sizes)
    return window, tuple(_output_size(s, window, i, ceil_mode) for i, s in enumerate(sizes))


def make_pooling_plan(shape: Shape, exclusive: bool = True, **attrs: Any) -> PoolingPlan:
    """Return the PoolingPlan for images of `shape` [N,C,*S] with the given attributes."""
    window, out = window_unless_adaptive_and_output_sizes(shape, **attrs)
    sizes = shape[2:]
    if window is None:
        axes = [
            _adaptive_index_pairs_and_counts_of_axis(s, o) for s, o in zip(sizes, out, strict=True)
        ]
        pads = [(0, 0)] * len(sizes)
        steps = tuple(s // o for s, o in zip(sizes, out, strict=True))
        even = all(o * step == s for s, o, step in zip(sizes, out, steps, strict=True))
        alike = Window(steps, steps, (1,) * len(sizes), tuple(pads)) if even else None
        return PoolingPlan(
            [a[0] for a in axes],
            out,
            pads,
            [a[1] for a in axes],
            is_nonoverlapping=False,
            window=alike,
        )
    axes = [
        _window_index_pairs_and_counts_of_axis(s, o, window, i, exclusive)
        for i, (s, o) in enumerate(zip(sizes, out, strict=True))
    ]
    pads = [
        (p[0], max(p[1], (out[i] - 1) * window.stride[i] + window.size[i] - sizes[i] - p[0]))
        for i, p in enumerate(window.pads)
    ]
    apart = all(s >= k for s, k in zip(window.stride, window.size, strict=True))
    return PoolingPlan([a[0] for a in axes], out, pads, [a[1] for a in axes], apart, window)


def _unpadded_index(pads: list[PadPair], sizes: Sequence[int]) -> tuple[Any, ...]:
    """The index that selects the part of a padded image without the padding."""
    return (..., *(slice(before, before + s) for (before, _), s in zip(pads, sizes, strict=True)))


def pad_images(x: Any, pads: list[PadPair], value: float) -> Any:
    """x [N,C,*S] padded with `value`; x itself if there is no padding."""
    if not any(map(any, pads)):
        return x
    wide = [s + sum(p) for s, p in zip(x.shape[2:], pads, strict=True)]
    check_result_size([*x.shape[:2], *wide], x.dtype.itemsize, "the padded image")
    full = np.full_like(x, value, shape=(*x.shape[:2], *wide))
    full[_unpadded_index(pads, x.shape[2:])] = x
    return full


def _make_axis_index_function(axis: int) -> Any:
    """Return a function that maps a slice or integer `s` to the index (:, ..., :, s), with s at
    `axis`.
    """
    return lambda s: (*(slice(None),) * axis, s)


def reduce_windows_along_axis(
    x: Any, pieces: list[ImageResultIndexPair], out: int, axis: int, function: Any
) -> Any:
    """Reduce x along one axis with `function`, over the elements of each window."""
    index = _make_axis_index_function(axis)
    if all(isinstance(p[1], slice) for p in pieces):
        first = x[index(pieces[0][0])]
        if len(pieces) == 1:
            return first
        total = function(first, x[index(pieces[1][0])])
        for seen, _ in pieces[2:]:
            function(total, x[index(seen)], out=total)
        return total
    parts = [[x[index(seen)] for seen, place in pieces if place == o] for o in range(out)]
    return np.stack([functools.reduce(function, p) for p in parts], axis=axis)


def distribute_to_windows_along_axis(
    g: Any, pieces: list[ImageResultIndexPair], size: int, axis: int
) -> Any:
    """The adjoint of reducing windows by sums: distribute g to the elements of each window."""
    index = _make_axis_index_function(axis)
    total = np.zeros_like(g, shape=(*g.shape[:axis], size, *g.shape[axis + 1 :]))
    for seen, place in pieces:
        part = total[index(seen)]
        total[index(seen)] = part + g[index(place)]
    return total


def _num_averaged_elements_per_window(p: PoolingPlan, x: Any) -> Any:
    """For each output position, the number of elements that average pooling divides by, [*out]."""
    counts = [np.array(c, dtype=x.dtype) for c in p.counts_per_axis]
    return math.prod(c.reshape(-1, *(1,) * (len(counts) - 1 - i)) for i, c in enumerate(counts))


def native_pool_sizes_or_empty(p: PoolingPlan, sizes: Sequence[int]) -> Shape:
    """The sizes of a 2-D pooling, in the order in which the compiled kernels take them as
    arguments; empty if the kernels do not support the pooling.
    """
    if len(sizes) != 2:
        return ()
    if p.window is None:  # adaptive windows of several sizes
        return (*sizes, *p.output_sizes, 0, 0, 1, 1, 0, 0)
    return (
        *sizes,
        *p.output_sizes,
        *p.window.size,
        *p.window.stride,
        *(before for before, _ in p.pads),
    )


def _divisor_arrays_per_axis(p: PoolingPlan, x: Any) -> list[Any]:
    return [np.array(c, dtype=x.dtype) for c in p.counts_per_axis]


_MAX, _MEAN, _MAX_BACK, _MEAN_BACK = map(
    native.compiled_function_or_placeholder,
    ("max_pool", "avg_pool", "max_pool_grad", "avg_pool_grad"),
)


@native.OptionallyNativeFunction
def pool_images(x: Any, p: PoolingPlan, kind: str) -> Any:
    """Pool x [N,C,*S] to [N,C,*p.output_sizes]."""
    check(kind in ("max", "avg"), f"pooling_type={kind!r} is neither max nor avg")
    function = np.maximum if kind == "max" else np.add
    x = pad_images(x, p.pads, -np.inf if kind == "max" else 0)
    for i, pieces in enumerate(p.index_pairs_per_axis):
        x = reduce_windows_along_axis(x, pieces, p.output_sizes[i], 2 + i, function)
    if kind == "max":
        return x.copy() if all(len(f) == 1 for f in p.index_pairs_per_axis) else x
    with np.errstate(all="ignore"):  # an empty window has no mean
        return x / _num_averaged_elements_per_window(p, x)


@pool_images.native
def _(x, p, kind):
    sizes = native_pool_sizes_or_empty(p, x.shape[2:])
    if not sizes or kind not in ("max", "avg"):
        return NotImplemented
    return _MAX(x, sizes) if kind == "max" else _MEAN(x, *_divisor_arrays_per_axis(p, x), sizes)


@native.OptionallyNativeFunction
def average_pool_grad(g: Any, p: PoolingPlan, sizes: Sequence[int]) -> Any:
    """The gradient of average pooling, [N,C,*sizes]."""
    # the gradient of an empty window belongs to the padding
    with np.errstate(all="ignore"):
        g = g / _num_averaged_elements_per_window(p, g)
    for i in reversed(range(len(sizes))):
        g = distribute_to_windows_along_axis(
            g, p.index_pairs_per_axis[i], sizes[i] + sum(p.pads[i]), 2 + i
        )
    return g[_unpadded_index(p.pads, sizes)]


@average_pool_grad.native
def _(g, p, sizes):
    flat = native_pool_sizes_or_empty(p, sizes)
    return _MEAN_BACK(g, *_divisor_arrays_per_axis(p, g), flat) if flat else NotImplemented


def iter_indices_and_first_maximum_masks(
    x: Any, out: Any, p: PoolingPlan
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield, for each window offset, the index into the padded x, the index into the result, and a
    mask of the windows whose first maximum is at this offset.
    """
    free = np.ones_like(out, dtype=bool)
    for seen, place in p.image_result_index_pairs:
        hit = (x[seen] == out[place]) & free[place]
        free[place] ^= hit
        yield seen, place, hit


def match_memory_order(x: Any, other: Any) -> Any:
    """Return x with the memory order of `other`, because operations on arrays with different orders
    are slow.
    """
    if x.strides == other.strides:
        return x
    same = np.empty_like(other, dtype=x.dtype)
    same[...] = x
    return same


@native.OptionallyNativeFunction
def max_pool_grad(x: Any, out: Any, g: Any, p: PoolingPlan) -> Any:
    """The gradient of max pooling of x with the result out: the gradient of a window goes to its
    first maximum, which is searched again. Arrays [N,C,*S].
    """
    full = pad_images(x, p.pads, -np.inf)
    total, g = np.zeros_like(full), match_memory_order(g, out)
    for seen, place, hit in iter_indices_and_first_maximum_masks(full, out, p):
        if p.is_nonoverlapping:
            np.copyto(total[seen], g[place], where=hit)
        else:
            total[seen] += g[place] * hit
    return total[_unpadded_index(p.pads, x.shape[2:])]


@max_pool_grad.native
def _(x, out, g, p):
    sizes = native_pool_sizes_or_empty(p, x.shape[2:])
    return _MAX_BACK(x, out, g, sizes) if sizes else NotImplemented


def gather_at_first_maxima(x: Any, out: Any, gg: Any, p: PoolingPlan) -> Any:
    """The elements of `gg` (like x) at the first maximum of each window."""
    full, given = pad_images(x, p.pads, -np.inf), pad_images(match_memory_order(gg, x), p.pads, 0)
    total = np.zeros_like(out)
    for seen, place, hit in iter_indices_and_first_maximum_masks(full, out, p):
        total[place] += given[seen] * hit
    return total


def _make_meta_rule(rank: int) -> Any:
    def rule(
        x, *, data_format, pooling_type, ksize, strides, paddings, use_cudnn, exclusive, **rest
    ):
        check_float(x)
        check(
            pooling_type in ("max", "avg"), f"pooling_type={pooling_type!r} is neither max nor avg"
        )
        shape = shape_to_channels_first(x.shape, data_format, rank)
        _, out = window_unless_adaptive_and_output_sizes(
            shape, ksize=ksize, strides=strides, paddings=paddings, **rest
        )
        return Meta(shape_from_channels_first((*shape[:2], *out), data_format), x.dtype)

    return rule


def _pool_vjp(g, x, *, Out, **over):
    return pool_grad(x, Out, g, **over)


def pool_op_for_shape(shape: Shape) -> Op:
    """Return the op pool2d or pool3d, depending on the rank of the images."""
    return pool3d if len(shape) == 5 else pool2d


def _pool2d_or_pool3d_kernel(
    x: Any, rank: int, *, pooling_type: str, data_format: str, exclusive: bool, **attrs: Any
) -> Any:
    check_image_rank(x.shape, rank)
    x = to_channels_first(x, data_format)
    p = make_pooling_plan(x.shape, exclusive, **attrs)
    out = pool_images(x, p, pooling_type)
    if pooling_type == "max" and p.window is not None:
        _set_empty_max_windows_to_lowest(out, p, p.window, x.shape[2:])
    return from_channels_first(out, data_format)


def _set_empty_max_windows_to_lowest(
    out: Any, p: PoolingPlan, window: Window, sizes: Sequence[int]
) -> None:
    """Set the result of max pooling to the lowest number of the dtype, as in Paddle, for windows
    that lie entirely in the padding.
    """
    for i, size in enumerate(sizes):
        before = p.pads[i][0] - window.size[i]
        if before >= 0:
            out[(slice(None),) * (2 + i) + (slice(before // window.stride[i] + 1),)] = np.finfo(
                out.dtype
            ).min
        first = -(-(size + p.pads[i][0]) // window.stride[i])
        if first < p.output_sizes[i]:
            out[(slice(None),) * (2 + i) + (slice(first, None),)] = np.finfo(out.dtype).min


@op("pool2d", "X -> Out", meta=_make_meta_rule(2))
@computed_in_float32_if_half
def pool2d(
    x,
    *,
    pooling_type: str = "",
    ksize: Ints,
    global_pooling: bool = False,
    strides: Ints = [1, 1],
    paddings: Ints = [0, 0],
    exclusive: bool = True,
    adaptive: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    padding_algorithm: str = "EXPLICIT",
    use_cudnn: bool = False,
):
    """Out = the maximum or the mean of X in each window. X [N,C,H,W] -> Out [N,C,H',W']"""
    check_float(x)
    return _pool2d_or_pool3d_kernel(
        x,
        2,
        pooling_type=pooling_type,
        data_format=data_format,
        exclusive=exclusive,
        ksize=ksize,
        strides=strides,
        paddings=paddings,
        global_pooling=global_pooling,
        adaptive=adaptive,
        ceil_mode=ceil_mode,
        padding_algorithm=padding_algorithm,
    )


@op("pool3d", "X -> Out", meta=_make_meta_rule(3))
@computed_in_float32_if_half
def pool3d(
    x,
    *,
    pooling_type: str = "",
    ksize: Ints,
    global_pooling: bool = False,
    strides: Ints = [1, 1, 1],
    paddings: Ints = [0, 0, 0],
    exclusive: bool = True,
    adaptive: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    padding_algorithm: str = "EXPLICIT",
    use_cudnn: bool = False,
):
    """Out = the maximum or the mean of X in each window. X [N,C,D,H,W] -> Out [N,C,D',H',W']"""
    check_float(x)
    return _pool2d_or_pool3d_kernel(
        x,
        3,
        pooling_type=pooling_type,
        data_format=data_format,
        exclusive=exclusive,
        ksize=ksize,
        strides=strides,
        paddings=paddings,
        global_pooling=global_pooling,
        adaptive=adaptive,
        ceil_mode=ceil_mode,
        padding_algorithm=padding_algorithm,
    )


pool2d.vjp(_pool_vjp)
pool3d.vjp(_pool_vjp)


def _pooling_plan_and_kind_of_attrs(x: Any, attrs: dict[str, Any]) -> tuple[PoolingPlan, str]:
    """Return the PoolingPlan for x [N,C,*S] with these attributes, and the kind of pooling ("max"
    or "avg").
    """
    full = pool_op_for_shape(x.shape).attrs_with_defaults(attrs)
    return make_pooling_plan(x.shape, **full), full["pooling_type"]


@op("pool_grad", "X, Out, Out@GRAD -> X@GRAD", meta=like_x_meta, attrs_of=pool2d, internal=True)
@computed_in_float32_if_half
def pool_grad(x, out, g, **attrs):
    """The gradient of a pooling. X [N,C,*S], Out [N,C,*S'], Out@GRAD like Out -> X@GRAD like X"""
    layout = attrs.get("data_format", "NCHW")
    x, out, g = (to_channels_first(t, layout) for t in (x, out, g))
    p, kind = _pooling_plan_and_kind_of_attrs(x, attrs)
    return from_channels_first(
        max_pool_grad(x, out, g, p) if kind == "max" else average_pool_grad(g, p, x.shape[2:]),
        layout,
    )


@pool_grad.vjp
def _(gg, x, out, g, **over):
    average = over["pooling_type"] == "avg"
    return (
        None,
        None,
        lambda: (
            pool_op_for_shape(vjp_input_shape(x))(gg, **over)
            if average
            else gather_at_max_pooled_elements(x, out, gg, **over)
        ),
    )


@op(
    "pool_pick",
    "X, Out, Y -> Out@GRAD",
    meta=make_meta_rule_like_input_at(1),
    attrs_of=pool2d,
    internal=True,
)
def gather_at_max_pooled_elements(x, out, y, **attrs):
    """Out@GRAD = the elements of Y at the maxima that the max pooling of X selected.

    X [N,C,*S], Out [N,C,*S'], Y like X -> like Out
    """
    layout = attrs.get("data_format", "NCHW")
    x, out, y = (to_channels_first(t, layout) for t in (x, out, y))
    return from_channels_first(
        gather_at_first_maxima(x, out, y, _pooling_plan_and_kind_of_attrs(x, attrs)[0]), layout
    )


@gather_at_max_pooled_elements.vjp
def _(g, x, out, y, **over):
    return None, None, pool_grad(x, out, g, **over)
