"""Pooling over pictures.

A window is the product of what it covers along each axis, so sums and maxima are folded along one axis, then along the other:
KH + KW steps instead of KH * KW, and adaptive windows need nothing of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.op import Ints, Meta, check, op
from .meta import Shape, check_float, like, like_x
from .window import Pair, Window, as_given, channels_first, explicit_pads, in_format, nchw, pair, same_pads

Piece = tuple[Any, Any]  # where in the picture, where in the result: slices or numbers along one axis


class Pooling(NamedTuple):
    """One pooling of pictures of known size.   rows, columns: what is folded onto what; pads: of the picture."""

    rows: list[Piece]
    columns: list[Piece]
    out: Pair
    pads: tuple[Pair, Pair]
    counts: tuple[list[int], list[int]]  # how many elements an average is over, along each axis
    apart: bool  # no two windows see the same element

    @property
    def pieces(self) -> Iterator[tuple[Any, Any]]:
        """Indices into the last two axes of picture and result, in the order of the window."""
        return (((..., r[0], c[0]), (..., r[1], c[1])) for r in self.rows for c in self.columns)


def _adaptive_axis(size: int, out: int) -> tuple[list[Piece], list[int]]:
    starts = [i * size // out for i in range(out)]
    ends = [-(-(i + 1) * size // out) for i in range(out)]
    if size % out == 0:
        step = size // out
        return [(slice(k, None, step), slice(None)) for k in range(step)], [step] * out
    pieces = [(h, o) for o in range(out) for h in range(starts[o], ends[o])]
    return pieces, [e - s for s, e in zip(starts, ends, strict=True)]


def _window_axis(size: int, out: int, window: Window, axis: int, exclusive: bool) -> tuple[list[Piece], list[int]]:
    k, stride, (before, after) = window.size[axis], window.stride[axis], window.pads[axis]
    pieces: list[Piece] = [(slice(i, i + (out - 1) * stride + 1, stride), slice(None)) for i in range(k)]
    starts = [o * stride - before for o in range(out)]
    if exclusive:
        return pieces, [max(min(s + k, size) - max(s, 0), 1) for s in starts]
    return pieces, [max(min(s + k, size + after) - s, 1) for s in starts]


def _out_size(size: int, window: Window, axis: int, ceil_mode: bool) -> int:
    if size < 0:
        return -1
    room = size + sum(window.pads[axis]) - window.size[axis]
    out = (room + (window.stride[axis] - 1 if ceil_mode else 0)) // window.stride[axis] + 1
    check(out > 0, f"a window of {window.size[axis]} does not fit into {size} padded by {list(window.pads[axis])}")
    return out


def _window(hw: Sequence[int], ksize: Any, strides: Any, paddings: Any, algorithm: str, whole: bool) -> Window:
    check(algorithm in ("EXPLICIT", "SAME", "VALID"), f"padding_algorithm={algorithm} is none of EXPLICIT, SAME, VALID")
    if whole:
        size = (hw[0], hw[1])
        return Window(size, (1, 1), (1, 1), ((0, 0), (0, 0)))
    size, stride, pads = pair(ksize, "ksize"), pair(strides, "strides"), explicit_pads(paddings)
    check(min(size) > 0 and min(stride) > 0, f"ksize={list(ksize)}, strides={list(strides)} are not positive")
    if algorithm == "VALID":
        pads = (0, 0), (0, 0)
    elif algorithm == "SAME":
        pads = same_pads(hw[0], size[0], stride[0]), same_pads(hw[1], size[1], stride[1])
    check(all(max(pads[i]) < size[i] for i in (0, 1)), f"paddings={list(paddings)} are as large as the window")
    return Window(size, stride, (1, 1), pads)


def _sizes(
    shape: Shape, *, ksize: Any, strides: Any, paddings: Any, padding_algorithm: str = "EXPLICIT", ceil_mode: bool = False,
    global_pooling: bool = False, adaptive: bool = False, **_: Any,
) -> tuple[Window | None, Pair]:  # fmt: skip
    """The window (None when adaptive) and the sizes of the result.   shape: [N,C,H,W], -1 where unknown."""
    hw = shape[2:]
    if adaptive:
        size = (1, 1) if global_pooling else pair(ksize, "ksize")
        check(min(size) > 0, f"ksize={list(ksize)} is not positive")
        return None, size
    window = _window(hw, ksize, strides, paddings, padding_algorithm, global_pooling)
    if global_pooling:
        return window, (1, 1)
    return window, (_out_size(hw[0], window, 0, ceil_mode), _out_size(hw[1], window, 1, ceil_mode))


def pooling_of(shape: Shape, exclusive: bool = True, **attrs: Any) -> Pooling:
    """The pooling that the attributes describe over pictures of `shape` [N,C,H,W]."""
    window, out = _sizes(shape, **attrs)
    hw = shape[2:]
    if window is None:
        (rows, high), (columns, wide) = (_adaptive_axis(hw[i], out[i]) for i in (0, 1))
        return Pooling(rows, columns, out, ((0, 0), (0, 0)), (high, wide), apart=False)
    (rows, high), (columns, wide) = (_window_axis(hw[i], out[i], window, i, exclusive) for i in (0, 1))
    pads = [
        (p[0], max(p[1], (out[i] - 1) * window.stride[i] + window.size[i] - hw[i] - p[0]))
        for i, p in enumerate(window.pads)
    ]
    apart = all(s >= k for s, k in zip(window.stride, window.size, strict=True))
    return Pooling(rows, columns, out, (pads[0], pads[1]), (high, wide), apart)


def padded(x: Any, pads: tuple[Pair, Pair], value: float) -> Any:
    """x [N,C,H,W] with `value` around it; itself where nothing is to be added."""
    (top, bottom), (left, right) = pads
    if not (top or bottom or left or right):
        return x
    n, c, h, w = x.shape
    full = np.full_like(x, value, shape=(n, c, h + top + bottom, w + left + right))
    full[:, :, top : top + h, left : left + w] = x
    return full


def fold(x: Any, pieces: list[Piece], out: int, axis: int, function: Any) -> Any:
    """x folded along one axis (2 or 3): `function` over the elements of each window."""
    index = (lambda s: (slice(None), slice(None), s)) if axis == 2 else (lambda s: (..., s))
    if all(isinstance(p[1], slice) for p in pieces):
        first = x[index(pieces[0][0])]
        if len(pieces) == 1:
            return first
        total = function(first, x[index(pieces[1][0])])
        for seen, _ in pieces[2:]:
            function(total, x[index(seen)], out=total)
        return total
    parts = [[x[index(seen)] for seen, place in pieces if place == o] for o in range(out)]
    return np.stack([function.reduce(p) if len(p) > 1 else p[0] for p in parts], axis=axis)


def unfold(g: Any, pieces: list[Piece], size: int, axis: int) -> Any:
    """The adjoint of folding by sums: each element of g where its window had looked."""
    index = (lambda s: (slice(None), slice(None), s)) if axis == 2 else (lambda s: (..., s))
    total = np.zeros_like(g, shape=(*g.shape[:axis], size, *g.shape[axis + 1 :]))
    for seen, place in pieces:
        part = total[index(seen)]
        total[index(seen)] = part + g[index(place)]
    return total


def _divisor(p: Pooling, x: Any) -> Any:
    high, wide = (np.array(c, dtype=x.dtype) for c in p.counts)
    return high[:, None] * wide


def pool(x: Any, p: Pooling, kind: str) -> Any:
    """x [N,C,H,W] pooled to [N,C,*p.out]."""
    check(kind in ("max", "avg"), f"pooling_type={kind!r} is neither max nor avg")
    function = np.maximum if kind == "max" else np.add
    x = padded(x, p.pads, -np.inf if kind == "max" else 0)
    x = fold(fold(x, p.rows, p.out[0], 2, function), p.columns, p.out[1], 3, function)
    return (
        x.copy() if kind == "max" and len(p.rows) == len(p.columns) == 1 else x if kind == "max" else x / _divisor(p, x)
    )


def average_back(g: Any, p: Pooling, hw: Sequence[int]) -> Any:
    """The adjoint of average pooling, [N,C,*hw]."""
    (top, bottom), (left, right) = p.pads
    g = unfold(g / _divisor(p, g), p.columns, hw[1] + left + right, 3)
    return unfold(g, p.rows, hw[0] + top + bottom, 2)[:, :, top : top + hw[0], left : left + hw[1]]


def chosen(x: Any, out: Any, p: Pooling) -> Iterator[tuple[Any, Any, Any]]:
    """Piece by piece: the index into padded x, the index into the result, and where this piece holds the first maximum."""
    free = np.ones_like(out, dtype=bool)
    for seen, place in p.pieces:
        hit = (x[seen] == out[place]) & free[place]
        free[place] ^= hit
        yield seen, place, hit


def laid_like(x: Any, other: Any) -> Any:
    """x with its axes in the order in memory that `other` has: mixed orders make every step slow."""
    if x.strides == other.strides:
        return x
    same = np.empty_like(other, dtype=x.dtype)
    same[...] = x
    return same


def maximum_back(x: Any, out: Any, g: Any, p: Pooling) -> Any:
    """The adjoint of max pooling: the gradient goes to the first maximum of each window."""
    (top, bottom), (left, right) = p.pads
    full = padded(x, p.pads, -np.inf)
    total, g = np.zeros_like(full), laid_like(g, out)
    for seen, place, hit in chosen(full, out, p):
        if p.apart:
            np.copyto(total[seen], g[place], where=hit)
        else:
            total[seen] += g[place] * hit
    return total[:, :, top : full.shape[2] - bottom, left : full.shape[3] - right]


def maximum_pick(x: Any, out: Any, gg: Any, p: Pooling) -> Any:
    """What `gg`, like x, holds where each window has its first maximum."""
    full, given = padded(x, p.pads, -np.inf), padded(laid_like(gg, x), p.pads, 0)
    total = np.zeros_like(out)
    for seen, place, hit in chosen(full, out, p):
        total[place] += given[seen] * hit
    return total


def _meta(x, *, data_format, pooling_type, ksize, strides, paddings, use_cudnn, exclusive, **rest):
    check_float(x)
    check(pooling_type in ("max", "avg"), f"pooling_type={pooling_type!r} is neither max nor avg")
    shape = nchw(x.shape, data_format)
    _, out = _sizes(shape, ksize=ksize, strides=strides, paddings=paddings, **rest)
    return Meta(in_format((*shape[:2], *out), data_format), x.dtype)


@op("pool2d", "X -> Out", meta=_meta)
def pool2d(
    x, *, pooling_type: str = "", ksize: Ints, global_pooling: bool = False, strides: Ints = [1, 1],
    paddings: Ints = [0, 0], exclusive: bool = True, adaptive: bool = False, ceil_mode: bool = False,
    data_format: str = "NCHW", padding_algorithm: str = "EXPLICIT", use_cudnn: bool = False,
):  # fmt: skip
    """Out = the largest or the mean X in each window.   X [N,C,H,W] -> Out [N,C,H',W']"""
    x = channels_first(x, data_format)
    check(x.ndim == 4, "pictures need four axes")
    p = pooling_of(x.shape, exclusive, ksize=ksize, global_pooling=global_pooling, strides=strides, paddings=paddings,
                   adaptive=adaptive, ceil_mode=ceil_mode, padding_algorithm=padding_algorithm)  # fmt: skip
    return as_given(pool(x, p, pooling_type), data_format)


@pool2d.vjp
def _(
    g, x, *, pooling_type, ksize, global_pooling, strides, paddings, exclusive, adaptive, ceil_mode, data_format,
    padding_algorithm, Out,
):  # fmt: skip
    over = {
        "pooling_type": pooling_type, "ksize": ksize, "global_pooling": global_pooling, "strides": strides,
        "paddings": paddings, "exclusive": exclusive, "adaptive": adaptive, "ceil_mode": ceil_mode,
        "data_format": data_format, "padding_algorithm": padding_algorithm,
    }  # fmt: skip
    return pool2d_grad(x, Out, g, **over)


@op("pool2d_grad", "X, Out, Out@GRAD -> X@GRAD", meta=like_x, internal=True)
def pool2d_grad(
    x, out, g, *, pooling_type: str = "", ksize: Ints, global_pooling: bool = False, strides: Ints = [1, 1],
    paddings: Ints = [0, 0], exclusive: bool = True, adaptive: bool = False, ceil_mode: bool = False,
    data_format: str = "NCHW", padding_algorithm: str = "EXPLICIT",
):  # fmt: skip
    """The gradient of pool2d.   X [N,C,H,W], Out [N,C,H',W'], Out@GRAD like Out -> X@GRAD like X"""
    x, out, g = (channels_first(t, data_format) for t in (x, out, g))
    p = pooling_of(x.shape, exclusive, ksize=ksize, global_pooling=global_pooling, strides=strides, paddings=paddings,
                   adaptive=adaptive, ceil_mode=ceil_mode, padding_algorithm=padding_algorithm)  # fmt: skip
    back = maximum_back(x, out, g, p) if pooling_type == "max" else average_back(g, p, x.shape[2:])
    return as_given(back, data_format)


@pool2d_grad.vjp
def _(
    gg, x, out, g, *, pooling_type, ksize, global_pooling, strides, paddings, exclusive, adaptive, ceil_mode, data_format,
    padding_algorithm,
):  # fmt: skip
    over = {
        "pooling_type": pooling_type, "ksize": ksize, "global_pooling": global_pooling, "strides": strides,
        "paddings": paddings, "exclusive": exclusive, "adaptive": adaptive, "ceil_mode": ceil_mode,
        "data_format": data_format, "padding_algorithm": padding_algorithm,
    }  # fmt: skip
    return None, None, lambda: pool2d(gg, **over) if pooling_type == "avg" else pool2d_pick(x, out, gg, **over)


@op("pool2d_pick", "X, Out, Y -> Out@GRAD", meta=like(1), internal=True)
def pool2d_pick(
    x, out, y, *, pooling_type: str = "", ksize: Ints, global_pooling: bool = False, strides: Ints = [1, 1],
    paddings: Ints = [0, 0], exclusive: bool = True, adaptive: bool = False, ceil_mode: bool = False,
    data_format: str = "NCHW", padding_algorithm: str = "EXPLICIT",
):  # fmt: skip
    """Out@GRAD = Y where the max pooling of X had found its Out.   X [N,C,H,W], Out [N,C,H',W'], Y like X -> like Out"""
    x, out, y = (channels_first(t, data_format) for t in (x, out, y))
    p = pooling_of(x.shape, exclusive, ksize=ksize, global_pooling=global_pooling, strides=strides, paddings=paddings,
                   adaptive=adaptive, ceil_mode=ceil_mode, padding_algorithm=padding_algorithm)  # fmt: skip
    return as_given(maximum_pick(x, out, y, p), data_format)


@pool2d_pick.vjp
def _(
    g, x, out, y, *, pooling_type, ksize, global_pooling, strides, paddings, exclusive, adaptive, ceil_mode, data_format,
    padding_algorithm,
):  # fmt: skip
    over = {
        "pooling_type": pooling_type, "ksize": ksize, "global_pooling": global_pooling, "strides": strides,
        "paddings": paddings, "exclusive": exclusive, "adaptive": adaptive, "ceil_mode": ceil_mode,
        "data_format": data_format, "padding_algorithm": padding_algorithm,
    }  # fmt: skip
    return None, None, pool2d_grad(x, out, g, **over)
