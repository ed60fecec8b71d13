"""Pooling over pictures of any number of axes.

A window is the product of what it covers along each axis, so sums and maxima are folded along one
axis after the other: KH + KW steps instead of KH * KW, and adaptive windows need nothing of their
own.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from ..core import native
from ..core.arrays import np
from ..core.limits import check_result
from ..core.op import Ints, Meta, Op, check, op
from .meta import Shape, check_float, like, like_x, shape_of
from .wide import wide
from .window import (
    COUNTS,
    Pair,
    Place,
    Window,
    as_given,
    channels_first,
    first_shape,
    in_format,
    numbers,
    pads_of,
)

# where in the picture, where in the result: slices or numbers along one axis
Piece = tuple[Any, Any]


class Pooling(NamedTuple):
    """One pooling of pictures of known size.   All but `apart` have an entry for each axis.

    folds: what is folded onto what; pads: of the picture; counts: how many elements an average is
    over, 0 or, as in Paddle, less where a window begins behind the picture
    """

    folds: list[list[Piece]]
    out: Place
    pads: list[Pair]
    counts: list[list[int]]
    apart: bool  # no two windows see the same element
    window: Window | None  # None where windows are of several sizes

    @property
    def pieces(self) -> Iterator[tuple[Any, Any]]:
        """Indices into the last axes of picture and result, in the order of the window."""
        return (
            ((..., *(p[0] for p in at)), (..., *(p[1] for p in at))) for at in product(*self.folds)
        )


def _adaptive_axis(size: int, out: int) -> tuple[list[Piece], list[int]]:
    starts = [i * size // out for i in range(out)]
    ends = [-(-(i + 1) * size // out) for i in range(out)]
    if size % out == 0:
        step = size // out
        return [(slice(k, None, step), slice(None)) for k in range(step)], [step] * out
    pieces = [(h, o) for o in range(out) for h in range(starts[o], ends[o])]
    return pieces, [e - s for s, e in zip(starts, ends, strict=True)]


def _window_axis(
    size: int, out: int, window: Window, axis: int, exclusive: bool
) -> tuple[list[Piece], list[int]]:
    k, stride, (before, _) = window.size[axis], window.stride[axis], window.pads[axis]
    pieces: list[Piece] = [
        (slice(i, i + (out - 1) * stride + 1, stride), slice(None)) for i in range(k)
    ]
    starts = [o * stride - before for o in range(out)]
    if exclusive:
        return pieces, [min(s + k, size) - max(s, 0) for s in starts]
    # as many at the end as at the beginning
    return pieces, [min(s + k, size + before) - s for s in starts]


def _out_size(size: int, window: Window, axis: int, ceil_mode: bool) -> int:
    if size < 0:
        return -1
    room, stride = size + sum(window.pads[axis]) - window.size[axis], window.stride[axis]
    room += stride - 1 if ceil_mode else 0
    # towards 0: less than a stride may be missing
    out = (room // stride if room >= 0 else -(-room // stride)) + 1
    check(
        out > 0,
        f"a window of {window.size[axis]} does not fit into {size} padded by "
        f"{list(window.pads[axis])}",
    )
    return out


def _window(
    sizes: Sequence[int], ksize: Any, strides: Any, paddings: Any, algorithm: str, whole: bool
) -> Window:
    rank = len(sizes)
    size, stride = numbers(ksize, rank, "ksize"), numbers(strides, rank, "strides")
    pads = pads_of(sizes, size, stride, paddings, algorithm)
    if whole:
        return Window(tuple(sizes), (1,) * rank, (1,) * rank, ((0, 0),) * rank)
    check(
        min(size) > 0 and min(stride) > 0,
        f"ksize={list(ksize)}, strides={list(strides)} are not positive",
    )
    return Window(size, stride, (1,) * rank, pads)


def sizes_of(
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
) -> tuple[Window | None, Place]:
    """The window (None when adaptive) and the sizes of the result.

    shape: [N,C,*S], -1 where unknown.
    """
    sizes = shape[2:]
    if adaptive:
        out = (1,) * len(sizes) if global_pooling else numbers(ksize, len(sizes), "ksize")
        check(min(out) > 0, f"ksize={list(ksize)} is not positive")
        return None, out
    window = _window(sizes, ksize, strides, paddings, padding_algorithm, global_pooling)
    if global_pooling:
        return window, (1,) * len(sizes)
    return window, tuple(_out_size(s, window, i, ceil_mode) for i, s in enumerate(sizes))


def pooling_of(shape: Shape, exclusive: bool = True, **attrs: Any) -> Pooling:
    """The pooling that the attributes describe over pictures of `shape` [N,C,*S]."""
    window, out = sizes_of(shape, **attrs)
    sizes = shape[2:]
    if window is None:
        axes = [_adaptive_axis(s, o) for s, o in zip(sizes, out, strict=True)]
        pads = [(0, 0)] * len(sizes)
        steps = tuple(s // o for s, o in zip(sizes, out, strict=True))
        even = all(o * step == s for s, o, step in zip(sizes, out, steps, strict=True))
        alike = Window(steps, steps, (1,) * len(sizes), tuple(pads)) if even else None
        return Pooling(
            [a[0] for a in axes], out, pads, [a[1] for a in axes], apart=False, window=alike
        )
    axes = [
        _window_axis(s, o, window, i, exclusive)
        for i, (s, o) in enumerate(zip(sizes, out, strict=True))
    ]
    pads = [
        (p[0], max(p[1], (out[i] - 1) * window.stride[i] + window.size[i] - sizes[i] - p[0]))
        for i, p in enumerate(window.pads)
    ]
    apart = all(s >= k for s, k in zip(window.stride, window.size, strict=True))
    return Pooling([a[0] for a in axes], out, pads, [a[1] for a in axes], apart, window)


def _inside(pads: list[Pair], sizes: Sequence[int]) -> tuple[Any, ...]:
    """The part of a padded picture that is the picture of these sizes."""
    return (..., *(slice(before, before + s) for (before, _), s in zip(pads, sizes, strict=True)))


def padded(x: Any, pads: list[Pair], value: float) -> Any:
    """x [N,C,*S] with `value` around it; itself where nothing is to be added."""
    if not any(map(any, pads)):
        return x
    wide = [s + sum(p) for s, p in zip(x.shape[2:], pads, strict=True)]
    check_result([*x.shape[:2], *wide], x.dtype.itemsize, "the padded image")
    full = np.full_like(x, value, shape=(*x.shape[:2], *wide))
    full[_inside(pads, x.shape[2:])] = x
    return full


def _along(axis: int) -> Any:
    """An index that is `s` along one axis and everything along the others."""
    return lambda s: (*(slice(None),) * axis, s)


def fold(x: Any, pieces: list[Piece], out: int, axis: int, function: Any) -> Any:
    """x folded along one axis: `function` over the elements of each window."""
    index = _along(axis)
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


def unfold(g: Any, pieces: list[Piece], size: int, axis: int) -> Any:
    """The adjoint of folding by sums: each element of g where its window had looked."""
    index = _along(axis)
    total = np.zeros_like(g, shape=(*g.shape[:axis], size, *g.shape[axis + 1 :]))
    for seen, place in pieces:
        part = total[index(seen)]
        total[index(seen)] = part + g[index(place)]
    return total


def _divisor(p: Pooling, x: Any) -> Any:
    """How many elements each place of the result is the average of, [*out]."""
    counts = [np.array(c, dtype=x.dtype) for c in p.counts]
    return math.prod(c.reshape(-1, *(1,) * (len(counts) - 1 - i)) for i, c in enumerate(counts))


def _flat_sizes(p: Pooling, sizes: Sequence[int]) -> Shape:
    """The sizes of a pooling of pictures with two axes, as the compiled kernels want them; empty
    where they do not apply.
    """
    if p.window is None or len(sizes) != 2:
        return ()
    return (*sizes, *p.out, *p.window.size, *p.window.stride, *(before for before, _ in p.pads))


def _counts(p: Pooling, x: Any) -> list[Any]:
    return [np.array(c, dtype=x.dtype) for c in p.counts]


_MAX, _MEAN, _MAX_BACK, _MEAN_BACK = map(
    native.kernel, ("max_pool", "avg_pool", "max_pool_grad", "avg_pool_grad")
)


@native.Unit
def pool(x: Any, p: Pooling, kind: str) -> Any:
    """x [N,C,*S] pooled to [N,C,*p.out]."""
    check(kind in ("max", "avg"), f"pooling_type={kind!r} is neither max nor avg")
    function = np.maximum if kind == "max" else np.add
    x = padded(x, p.pads, -np.inf if kind == "max" else 0)
    for i, pieces in enumerate(p.folds):
        x = fold(x, pieces, p.out[i], 2 + i, function)
    if kind == "max":
        return x.copy() if all(len(f) == 1 for f in p.folds) else x
    with np.errstate(all="ignore"):  # a window that sees nothing has no mean
        return x / _divisor(p, x)


@pool.native
def _(x, p, kind):
    sizes = _flat_sizes(p, x.shape[2:])
    if not sizes or kind not in ("max", "avg"):
        return NotImplemented
    return _MAX(x, sizes) if kind == "max" else _MEAN(x, *_counts(p, x), sizes)


@native.Unit
def average_back(g: Any, p: Pooling, sizes: Sequence[int]) -> Any:
    """The adjoint of average pooling, [N,C,*sizes]."""
    # what a window that sees nothing gives back ends in the padding
    with np.errstate(all="ignore"):
        g = g / _divisor(p, g)
    for i in reversed(range(len(sizes))):
        g = unfold(g, p.folds[i], sizes[i] + sum(p.pads[i]), 2 + i)
    return g[_inside(p.pads, sizes)]


@average_back.native
def _(g, p, sizes):
    flat = _flat_sizes(p, sizes)
    return _MEAN_BACK(g, *_counts(p, g), flat) if flat else NotImplemented


def chosen(x: Any, out: Any, p: Pooling) -> Iterator[tuple[Any, Any, Any]]:
    """Piece by piece: the index into padded x, the index into the result, and where this piece
    holds the first maximum.
    """
    free = np.ones_like(out, dtype=bool)
    for seen, place in p.pieces:
        hit = (x[seen] == out[place]) & free[place]
        free[place] ^= hit
        yield seen, place, hit


def laid_like(x: Any, other: Any) -> Any:
    """x with its axes in the order in memory that `other` has: mixed orders make every
    step slow.
    """
    if x.strides == other.strides:
        return x
    same = np.empty_like(other, dtype=x.dtype)
    same[...] = x
    return same


@native.Unit
def maximum_back(x: Any, out: Any, g: Any, p: Pooling) -> Any:
    """The adjoint of max pooling: the gradient goes to the first maximum of each window."""
    full = padded(x, p.pads, -np.inf)
    total, g = np.zeros_like(full), laid_like(g, out)
    for seen, place, hit in chosen(full, out, p):
        if p.apart:
            np.copyto(total[seen], g[place], where=hit)
        else:
            total[seen] += g[place] * hit
    return total[_inside(p.pads, x.shape[2:])]


@maximum_back.native
def _(x, out, g, p):
    sizes = _flat_sizes(p, x.shape[2:])
    return _MAX_BACK(x, out, g, sizes) if sizes else NotImplemented


def maximum_pick(x: Any, out: Any, gg: Any, p: Pooling) -> Any:
    """What `gg`, like x, holds where each window has its first maximum."""
    full, given = padded(x, p.pads, -np.inf), padded(laid_like(gg, x), p.pads, 0)
    total = np.zeros_like(out)
    for seen, place, hit in chosen(full, out, p):
        total[place] += given[seen] * hit
    return total


def _meta_of_rank(rank: int) -> Any:
    def rule(
        x, *, data_format, pooling_type, ksize, strides, paddings, use_cudnn, exclusive, **rest
    ):
        check_float(x)
        check(
            pooling_type in ("max", "avg"), f"pooling_type={pooling_type!r} is neither max nor avg"
        )
        shape = first_shape(x.shape, data_format, rank)
        _, out = sizes_of(shape, ksize=ksize, strides=strides, paddings=paddings, **rest)
        return Meta(in_format((*shape[:2], *out), data_format), x.dtype)

    return rule


def _vjp(g, x, *, Out, **over):
    return pool_grad(x, Out, g, **over)


def pool_for(shape: Shape) -> Op:
    """The pooling of pictures of this shape."""
    return pool3d if len(shape) == 5 else pool2d


def _forward(
    x: Any, rank: int, *, pooling_type: str, data_format: str, exclusive: bool, **attrs: Any
) -> Any:
    check(x.ndim == rank + 2, f"pictures need {COUNTS[rank + 2]} axes")
    x = channels_first(x, data_format)
    p = pooling_of(x.shape, exclusive, **attrs)
    out = pool(x, p, pooling_type)
    if pooling_type == "max" and p.window is not None:
        _fill_empty(out, p, p.window, x.shape[2:])
    return as_given(out, data_format)


def _fill_empty(out: Any, p: Pooling, window: Window, sizes: Sequence[int]) -> None:
    """Set the result of windows entirely in the padding to the lowest number, as in Paddle."""
    for i, size in enumerate(sizes):
        before = p.pads[i][0] - window.size[i]
        if before >= 0:
            out[(slice(None),) * (2 + i) + (slice(before // window.stride[i] + 1),)] = np.finfo(
                out.dtype
            ).min
        first = -(-(size + p.pads[i][0]) // window.stride[i])
        if first < p.out[i]:
            out[(slice(None),) * (2 + i) + (slice(first, None),)] = np.finfo(out.dtype).min


@op("pool2d", "X -> Out", meta=_meta_of_rank(2))
@wide
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
    """Out = the largest or the mean X in each window.   X [N,C,H,W] -> Out [N,C,H',W']"""
    return _forward(
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


@op("pool3d", "X -> Out", meta=_meta_of_rank(3))
@wide
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
    """Out = the largest or the mean X in each window.   X [N,C,D,H,W] -> Out [N,C,D',H',W']"""
    return _forward(
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


pool2d.vjp(_vjp)
pool3d.vjp(_vjp)


def _pooling_like(x: Any, attrs: dict[str, Any]) -> tuple[Pooling, str]:
    """The pooling of x [N,C,*S] that the attributes describe, and its kind."""
    full = pool_for(x.shape).full_attrs(attrs)
    return pooling_of(x.shape, **full), full["pooling_type"]


@op("pool_grad", "X, Out, Out@GRAD -> X@GRAD", meta=like_x, attrs_of=pool2d, internal=True)
@wide
def pool_grad(x, out, g, **attrs):
    """The gradient of a pooling.   X [N,C,*S], Out [N,C,*S'], Out@GRAD like Out -> X@GRAD like X"""
    layout = attrs.get("data_format", "NCHW")
    x, out, g = (channels_first(t, layout) for t in (x, out, g))
    p, kind = _pooling_like(x, attrs)
    return as_given(
        maximum_back(x, out, g, p) if kind == "max" else average_back(g, p, x.shape[2:]), layout
    )


@pool_grad.vjp
def _(gg, x, out, g, **over):
    average = over["pooling_type"] == "avg"
    return (
        None,
        None,
        lambda: pool_for(shape_of(x))(gg, **over) if average else pool_pick(x, out, gg, **over),
    )


@op("pool_pick", "X, Out, Y -> Out@GRAD", meta=like(1), attrs_of=pool2d, internal=True)
def pool_pick(x, out, y, **attrs):
    """Out@GRAD = Y where the max pooling of X had found its Out.

    X [N,C,*S], Out [N,C,*S'], Y like X -> like Out
    """
    layout = attrs.get("data_format", "NCHW")
    x, out, y = (channels_first(t, layout) for t in (x, out, y))
    return as_given(maximum_pick(x, out, y, _pooling_like(x, attrs)[0]), layout)


@pool_pick.vjp
def _(g, x, out, y, **over):
    return None, None, pool_grad(x, out, g, **over)
