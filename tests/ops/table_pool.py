"""Rows of pool and maxpool."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from .rows import Numbers, Row

n = Numbers(8)
f, distinct = n.f, n.distinct


def pooled(kind, size, stride, pads=((0, 0), (0, 0)), ceil=False, exclusive=True):
    """Pooling by definition, one output element at a time."""

    def of(x):
        rounding = math.ceil if ceil else math.floor
        hw = x.shape[2:]
        out = [
            rounding((s + sum(p) - k) / t) + 1
            for s, p, k, t in zip(hw, pads, size, stride, strict=True)
        ]
        y = np.zeros((*x.shape[:2], *out))
        for i, j in np.ndindex(*out):
            box = [
                (o * t - p[0], o * t - p[0] + k)
                for o, t, p, k in zip((i, j), stride, pads, size, strict=True)
            ]
            (a, b), (c, d) = ((max(lo, 0), min(hi, s)) for (lo, hi), s in zip(box, hw, strict=True))
            seen = x[:, :, a:b, c:d]
            # Paddle counts padding at the end no further than there is some at the beginning.
            whole = math.prod(
                min(hi, s + p[0]) - lo for (lo, hi), s, p in zip(box, hw, pads, strict=True)
            )
            count = (b - a) * (d - c) if exclusive else whole
            y[:, :, i, j] = seen.max((2, 3)) if kind == "max" else seen.sum((2, 3)) / count
        return y

    return of


def adaptive(kind, out):
    def of(x):
        y = np.zeros((*x.shape[:2], *out))
        for i, j in np.ndindex(*out):
            a, b = (k * s // o for k, s, o in zip((i, j), x.shape[2:], out, strict=True))
            c, d = (-(-(k + 1) * s // o) for k, s, o in zip((i, j), x.shape[2:], out, strict=True))
            y[:, :, i, j] = (np.max if kind == "max" else np.mean)(x[:, :, a:c, b:d], axis=(2, 3))
        return y

    return of


def behind(kind, size, stride, pad, exclusive=True):
    """Pooling whose last windows may begin outside of the image: their maximum is the lowest
    number, their mean 0 / 0 or 0 / negative.
    """

    def of(x):
        sizes = [-(-(s + 2 * pad - size) // stride) + 1 for s in x.shape[2:]]
        y = np.zeros((*x.shape[:2], *sizes))
        for at in np.ndindex(*sizes):
            spans = [
                (i * stride - pad, i * stride - pad + size, s)
                for i, s in zip(at, x.shape[2:], strict=True)
            ]
            counts = [
                min(b, s) - max(a, 0) if exclusive else min(b, s + pad) - a for a, b, s in spans
            ]
            (a, b), (c, d) = ((max(a, 0), max(min(b, s), 0)) for a, b, s in spans)
            seen = x[:, :, a:b, c:d]
            if kind == "max":
                y[:, :, *at] = seen.max((2, 3)) if seen.size else np.finfo("f").min
            else:
                y[:, :, *at] = (
                    np.divide(seen.sum((2, 3)), counts[0] * counts[1])
                    if counts[0] * counts[1]
                    else np.nan
                )
        return y

    return of


def last(function):
    return lambda x: function(x.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)


def both(more, make, shape=(2, 3, 6, 7), channels_last=False):
    rows = []
    for kind in ("max", "avg"):
        ref = make(kind)
        lost = (
            "the max pooling of 2.6.2 ignores adaptive"
            if kind == "max" and "adaptive" in more
            else ""
        )
        ref = last(ref) if channels_last else ref
        rows.append(
            Row("pool2d", [distinct(*shape)], {"pooling_type": kind, **more}, ref=ref, paddle=lost)
        )
    return rows


ROWS = [
    *both({"ksize": [2, 2], "strides": [2, 2]}, lambda k: pooled(k, (2, 2), (2, 2))),
    *both({"ksize": [3, 2], "strides": [2, 1]}, lambda k: pooled(k, (3, 2), (2, 1))),
    *both({"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]}, lambda k: pooled(k, (3, 3), (2, 2), ((1, 1), (1, 1)))),
    *both({"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 0, 0, 1]}, lambda k: pooled(k, (3, 3), (2, 2), ((1, 0), (0, 1)))),
    *both({"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1], "exclusive": False},
          lambda k: pooled(k, (3, 3), (2, 2), ((1, 1), (1, 1)), exclusive=False)),
    *both({"ksize": [2, 3], "strides": [1, 2], "paddings": [0, 1, 1, 1], "exclusive": False},
          lambda k: pooled(k, (2, 3), (1, 2), ((0, 1), (1, 1)), exclusive=False)),
    *both({"ksize": [3, 3], "strides": [2, 2], "ceil_mode": True}, lambda k: pooled(k, (3, 3), (2, 2), ceil=True)),
    *both({"ksize": [2, 3], "strides": [2, 3], "ceil_mode": True, "paddings": [0, 1], "exclusive": False},
          lambda k: pooled(k, (2, 3), (2, 3), ((0, 0), (1, 1)), ceil=True, exclusive=False)),
    *both({"ksize": [1, 1]}, lambda k: pooled(k, (1, 1), (1, 1))),
    *both({"ksize": [2, 2], "global_pooling": True}, lambda k: pooled(k, (6, 7), (1, 1))),
    *both({"ksize": [1, 1], "adaptive": True}, lambda k: adaptive(k, (1, 1))),
    *both({"ksize": [3, 7], "adaptive": True}, lambda k: adaptive(k, (3, 7))),
    *both({"ksize": [4, 3], "adaptive": True}, lambda k: adaptive(k, (4, 3))),
    *both({"ksize": [2, 2], "strides": [2, 2], "data_format": "NHWC"}, lambda k: pooled(k, (2, 2), (2, 2)), (2, 6, 7, 3), True),
    *both({"ksize": [4, 3], "adaptive": True, "data_format": "NHWC"}, lambda k: adaptive(k, (4, 3)), (2, 6, 7, 3), True),
    *both({"ksize": [3, 3], "strides": [2, 2], "padding_algorithm": "SAME"}, lambda k: pooled(k, (3, 3), (2, 2), ((0, 1), (1, 1)))),
    *both({"ksize": [3, 3], "strides": [2, 2], "padding_algorithm": "VALID", "paddings": [1, 1]}, lambda k: pooled(k, (3, 3), (2, 2))),
    *[replace(row, grad=False, half="the lowest number of these dtypes is another") for row in [
        *both({"ksize": [2, 2], "strides": [3, 3], "ceil_mode": True}, lambda k: behind(k, 2, 3, 0)),
        *both({"ksize": [2, 2], "strides": [2, 2], "paddings": [1, 1], "ceil_mode": True}, lambda k: behind(k, 2, 2, 1)),
        *both({"ksize": [2, 2], "strides": [3, 3], "paddings": [1, 1], "ceil_mode": True, "exclusive": False},
              lambda k: behind(k, 2, 3, 1, exclusive=False)),
    ]],
    Row("pool_to", [distinct(2, 3, 6, 7), [np.array([4], "int32"), np.array(3)]], {"pooling_type": "avg"}, ref=lambda x, _: adaptive("avg", (4, 3))(x)),
    Row("pool_to", [distinct(2, 6, 7, 3), [np.array([2]), np.array([7])]], {"pooling_type": "max", "data_format": "NHWC"},
        ref=lambda x, _: last(adaptive("max", (2, 7)))(x)),
    Row("pool2d", [np.array([[[[1, 1], [1, 1]]]], "f")], {"pooling_type": "max", "ksize": [2, 2]}, ref=lambda x: x[:, :, :1, :1], grad=False),
]  # fmt: skip


def with_places(size, stride, pad=0):
    def of(x):
        y = pooled("max", size, stride, ((pad, pad), (pad, pad)))(x)
        where = np.zeros(y.shape, "int32")
        for at in np.ndindex(*y.shape):  # the numbers are distinct
            where[at] = np.flatnonzero(x[at[0], at[1]].ravel() == np.float32(y[at]))[0]
        return y, where

    return of


ROWS += [
    Row("max_pool2d_with_index", [distinct(2, 3, 6, 7)], {"ksize": [2, 2], "strides": [2, 2]}, ref=with_places((2, 2), (2, 2))),
    Row("max_pool2d_with_index", [distinct(2, 3, 6, 7)], {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]},
        ref=with_places((3, 3), (2, 2), 1)),
    Row("max_pool2d_with_index", [distinct(2, 3, 6, 7)], {"ksize": [4, 3], "adaptive": True}),
    Row("max_pool2d_with_index", [distinct(2, 3, 6, 7)], {"ksize": [4, 3], "global_pooling": True}, ref=with_places((6, 7), (1, 1))),
]  # fmt: skip
