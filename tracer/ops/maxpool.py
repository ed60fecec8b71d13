"""Max pooling that also tells where it found its maxima."""

from __future__ import annotations

import numpy as np

from ..core.op import Ints, Meta, check, op
from .meta import like
from .pool import Pooling, _sizes, padded, pooling_of


def _meta(x, *, ksize, strides, paddings, global_pooling, adaptive):
    check(len(x.shape) == 4, "pictures need four axes")
    _, out = _sizes(
        x.shape, ksize=ksize, strides=strides, paddings=paddings, global_pooling=global_pooling, adaptive=adaptive
    )
    return Meta((*x.shape[:2], *out), x.dtype), Meta((*x.shape[:2], *out), np.dtype(np.int32))


def _first_maxima(x, p: Pooling):
    """The maxima of x [N,C,H,W] and their places in H * W."""
    (top, left), w = (p.pads[0][0], p.pads[1][0]), x.shape[3]
    full = padded(x, p.pads, -np.inf)
    rows, columns = (
        np.arange(n, dtype=np.int32) - before for n, before in zip(full.shape[2:], (top, left), strict=True)
    )
    places = np.broadcast_to(rows[:, None] * np.int32(w) + columns, full.shape)
    best = np.full_like(x, -np.inf, shape=(*x.shape[:2], *p.out))
    where = np.zeros_like(best, dtype=np.int32)
    for seen, place in p.pieces:
        better = full[seen] > best[place]
        best[place] = np.where(better, full[seen], best[place])
        where[place] = np.where(better, places[seen], where[place])
    return best, where


@op("max_pool2d_with_index", "X -> Out, Mask~", meta=_meta)
def max_pool2d_with_index(
    x,
    *,
    ksize: Ints,
    global_pooling: bool = False,
    adaptive: bool = False,
    strides: Ints = [1, 1],
    paddings: Ints = [0, 0],
):
    """Out = the largest X in each window, Mask = its place in H * W.   X [N,C,H,W] -> Out [N,C,H',W'], Mask int32 like Out"""
    check(x.ndim == 4, "pictures need four axes")
    p = pooling_of(
        x.shape, ksize=ksize, strides=strides, paddings=paddings, global_pooling=global_pooling, adaptive=adaptive
    )
    return _first_maxima(x, p)


@max_pool2d_with_index.vjp
def _(g, x, *, Mask):
    return put_in_pictures(x, Mask, g)


@op("put_in_pictures", "X, Mask, Y -> Out", meta=like(0), internal=True)
def put_in_pictures(x, mask, y):
    """Out = zeros like X, with each Y added at its place in H * W.   X [N,C,H,W], Mask int32 [N,C,*], Y [N,C,*] -> Out like X"""
    n, c, h, w = x.shape
    total = np.zeros_like(y, shape=(n * c, h * w))
    np.add.at(total, (np.arange(n * c)[:, None], mask.reshape(n * c, -1)), y.reshape(n * c, -1))
    return total.reshape(x.shape)


@put_in_pictures.vjp
def _(g, x, mask, y):
    return None, None, take_from_pictures(g, mask)


@op("take_from_pictures", "X, Mask -> Out", internal=True)
def take_from_pictures(x, mask):
    """Out = X at the places in H * W.   X [N,C,H,W], Mask int32 [N,C,*] -> Out like Mask"""
    n, c, h, w = x.shape
    return np.take_along_axis(x.reshape(n * c, h * w), mask.reshape(n * c, -1), axis=1).reshape(mask.shape)


@take_from_pictures.meta
def _(x, mask):
    return Meta(mask.shape, x.dtype)


@take_from_pictures.vjp
def _(g, x, mask):
    return put_in_pictures(x, mask, g), None
