"""Rows of 3-D windows, and of the gradients of pooling."""

from __future__ import annotations

import itertools

import numpy as np

from .rows import Numbers, Row

n = Numbers(32)
f, distinct = n.f, n.distinct


def seen(x, at, size, stride, dilation):
    """Return the window contents at one position: x [N,C,*S] -> [N,C,*size]."""
    index = [
        slice(i * s, i * s + d * (k - 1) + 1, d)
        for i, k, s, d in zip(at, size, stride, dilation, strict=True)
    ]
    return x[(slice(None), slice(None), *index)]


def correlated(stride=(1, 1, 1), pads=((0, 0),) * 3, dilation=(1, 1, 1), groups=1):
    """Convolution by definition, one output element at a time."""

    def of(x, w):
        x = np.pad(x.astype("d"), [(0, 0), (0, 0), *pads])
        reach = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
        out = [(s - r) // t + 1 for s, r, t in zip(x.shape[2:], reach, stride, strict=True)]
        y = np.zeros((x.shape[0], w.shape[0], *out))
        c, m = w.shape[1], w.shape[0] // groups
        for at, g in itertools.product(np.ndindex(*out), range(groups)):
            part = seen(x, at, w.shape[2:], stride, dilation)[:, g * c : (g + 1) * c]
            y[(slice(None), slice(g * m, (g + 1) * m), *at)] = np.tensordot(
                part, w[g * m : (g + 1) * m], [[1, 2, 3, 4], [1, 2, 3, 4]]
            )
        return y

    return of


def scattered(stride=(1, 1, 1), pads=((0, 0),) * 3, dilation=(1, 1, 1), groups=1, extra=(0, 0, 0)):
    """Transposed convolution by definition: every input element adds its filter to the output."""

    def of(x, w, *_):
        rank = x.ndim - 2
        reach = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
        full = [
            (s - 1) * t + r + e
            for s, t, r, e in zip(x.shape[2:], stride, reach, extra, strict=True)
        ]
        y = np.zeros((x.shape[0], groups, w.shape[1], *full))
        parted = x.reshape(x.shape[0], groups, -1, *x.shape[2:])
        filters = w.reshape(groups, -1, *w.shape[1:])
        for at in np.ndindex(*x.shape[2:]):
            part = np.einsum("ngc,gcm...->ngm...", parted[(..., *at)], filters)
            index = [
                slice(i * t, i * t + r, d)
                for i, t, r, d in zip(at, stride, reach, dilation, strict=True)
            ]
            y[(slice(None), slice(None), slice(None), *index)] += part
        y = y.reshape(x.shape[0], -1, *full)
        return y[
            (
                slice(None),
                slice(None),
                *(slice(a, y.shape[2 + i] - b) for i, (a, b) in enumerate(pads[:rank])),
            )
        ]

    return of


def pooled(kind, size, stride, pads=((0, 0),) * 3, exclusive=True, out=None):
    """Pooling by its definition."""

    def of(x):
        wide = np.pad(x.astype("d"), [(0, 0), (0, 0), *pads], constant_values=np.nan)
        places = out or [
            (s - k) // t + 1 for s, k, t in zip(wide.shape[2:], size, stride, strict=True)
        ]
        y = np.zeros((*x.shape[:2], *places))
        for at in np.ndindex(*places):
            part = seen(wide, at, size, stride, (1, 1, 1)).reshape(*x.shape[:2], -1)
            mean = np.nanmean(part, -1) if exclusive else np.nansum(part, -1) / part.shape[-1]
            y[(..., *at)] = np.nanmax(part, -1) if kind == "max" else mean
        return y

    return of


def adaptive(kind, out):
    """Adaptive pooling by its definition."""

    def of(x):
        y = np.zeros((*x.shape[:2], *out))
        for at in np.ndindex(*out):
            index = [
                slice(i * s // o, -(-(i + 1) * s // o))
                for i, o, s in zip(at, out, x.shape[2:], strict=True)
            ]
            part = x[(..., *index)].reshape(*x.shape[:2], -1)
            y[(..., *at)] = part.max(-1) if kind == "max" else part.mean(-1)
        return y

    return of


def with_index(size, stride, pads=((0, 0),) * 3):
    def of(x):
        count = np.arange(x[0, 0].size).reshape(1, 1, *x.shape[2:])
        flat = pooled("max", size, stride, pads)(x)
        where = {
            float(v): i
            for v, i in zip(x.ravel(), np.broadcast_to(count, x.shape).ravel(), strict=True)
        }
        return flat, np.vectorize(lambda v: where[float(np.float32(v))])(flat)

    return of


def put(sizes):
    def of(x, where):
        y = np.zeros((*x.shape[:2], int(np.prod(sizes))), "f")
        for at in np.ndindex(*x.shape):
            y[at[0], at[1], where[at]] = x[at]
        return y.reshape(*x.shape[:2], *sizes)

    return of


def last(function):
    """The reference for volumes whose channels come last."""
    return lambda x, *w: np.moveaxis(function(np.moveaxis(x, -1, 1), *w), 1, -1)


def places(*shape, low=0, high=4):
    """Return distinct positions within each image."""
    flat = np.stack(
        [n._source.permutation(high)[: int(np.prod(shape[2:]))] for _ in range(shape[0] * shape[1])]
    )
    return flat.reshape(shape).astype("int32")


V = f(2, 3, 4, 5, 4)
ONE = ((1, 1),) * 3
D = distinct(1, 2, 4, 5, 4)
POOL = {"ksize": [2, 3, 2], "strides": [2, 1, 2]}
ROWS = [
    Row("conv3d", [V, f(4, 3, 2, 3, 2)], ref=correlated()),
    Row("conv3d", [V, f(4, 3, 1, 1, 1)], {"strides": [2, 2, 1]}, ref=correlated(stride=(2, 2, 1))),
    Row("conv3d", [V, f(4, 3, 3, 3, 3)], {"strides": [2, 1, 3], "paddings": [1, 2, 0]},
        ref=correlated((2, 1, 3), ((1, 1), (2, 2), (0, 0)))),
    Row("conv3d", [V, f(2, 3, 2, 2, 2)], {"paddings": [1, 0, 0, 2, 1, 1]}, ref=correlated(pads=((1, 0), (0, 2), (1, 1)))),
    Row("conv3d", [f(1, 4, 4, 5, 4), f(6, 2, 2, 2, 2)], {"groups": 2, "dilations": [2, 1, 2]},
        ref=correlated(groups=2, dilation=(2, 1, 2))),
    Row("conv3d", [f(1, 3, 3, 4, 3), f(6, 1, 2, 3, 2)], {"groups": 3}, ref=correlated(groups=3)),
    Row("conv3d", [f(1, 2, 4, 5, 3), f(3, 2, 2, 3, 3)], {"padding_algorithm": "SAME", "strides": [2, 2, 2]},
        ref=correlated((2, 2, 2), ((0, 0), (1, 1), (1, 1)))),
    Row("conv3d", [f(1, 4, 5, 3, 2), f(3, 2, 2, 3, 2)], {"data_format": "NDHWC", "paddings": [1, 1, 1]}, ref=last(correlated(pads=ONE))),
    Row("conv3d_transpose", [f(2, 3, 2, 3, 2), f(3, 4, 2, 3, 2)], ref=scattered()),
    Row("conv3d_transpose", [f(2, 3, 2, 3, 2), f(3, 4, 3, 3, 3)], {"strides": [2, 1, 3], "paddings": [1, 0, 1]},
        ref=scattered((2, 1, 3), ((1, 1), (0, 0), (1, 1)))),
    Row("conv3d_transpose", [f(1, 4, 2, 3, 2), f(4, 3, 2, 2, 2)], {"groups": 2, "dilations": [1, 2, 1]},
        ref=scattered(groups=2, dilation=(1, 2, 1))),
    Row("conv3d_transpose", [f(1, 2, 2, 3, 2), f(2, 3, 3, 3, 3)], {"strides": [2, 2, 2], "paddings": [1, 1, 1], "output_padding": [1, 0, 1]},
        ref=scattered((2, 2, 2), ONE, extra=(1, 0, 1))),
    Row("conv3d_transpose", [f(1, 2, 2, 3, 2), f(2, 3, 2, 2, 2)], {"strides": [2, 2, 2], "output_size": [5, 6, 4]},
        ref=scattered((2, 2, 2), extra=(1, 0, 0))),
    Row("conv3d_transpose", [f(1, 2, 3, 2, 3), f(3, 2, 2, 2, 2)], {"data_format": "NHWC"}, ref=last(scattered())),
    Row("depthwise_conv2d_transpose", [f(2, 3, 4, 5), f(3, 1, 3, 2)], {"groups": 3}, ref=scattered((1, 1), groups=3, dilation=(1, 1), extra=(0, 0))),
    Row("depthwise_conv2d_transpose", [f(2, 3, 4, 5), f(3, 1, 3, 3)], {"groups": 3, "strides": [2, 2], "paddings": [1, 1], "output_padding": [1, 0]},
        ref=scattered((2, 2), ((1, 1), (1, 1)), (1, 1), 3, (1, 0))),
    Row("pool3d", [D], {"pooling_type": "max", **POOL}, ref=pooled("max", (2, 3, 2), (2, 1, 2))),
    Row("pool3d", [D], {"pooling_type": "avg", **POOL}, ref=pooled("avg", (2, 3, 2), (2, 1, 2))),
    Row("pool3d", [D], {"pooling_type": "max", **POOL, "paddings": [1, 1, 1]}, ref=pooled("max", (2, 3, 2), (2, 1, 2), ONE)),
    Row("pool3d", [D], {"pooling_type": "avg", **POOL, "paddings": [1, 1, 1]}, ref=pooled("avg", (2, 3, 2), (2, 1, 2), ONE)),
    Row("pool3d", [D], {"pooling_type": "avg", **POOL, "paddings": [1, 1, 1], "exclusive": False},
        ref=pooled("avg", (2, 3, 2), (2, 1, 2), ONE, exclusive=False)),
    Row("pool3d", [D], {"pooling_type": "max", "ksize": [2, 2, 2], "strides": [2, 2, 2], "ceil_mode": True},
        ref=pooled("max", (2, 2, 2), (2, 2, 2), ((0, 0), (0, 1), (0, 0)))),
    Row("pool3d", [D], {"pooling_type": "avg", "ksize": [1, 1, 1], "global_pooling": True}, ref=lambda x: x.mean((2, 3, 4), keepdims=True)),
    Row("pool3d", [D], {"pooling_type": "avg", "ksize": [2, 3, 3], "adaptive": True}, ref=adaptive("avg", (2, 3, 3))),
    Row("pool3d", [D], {"pooling_type": "max", "ksize": [3, 2, 4], "adaptive": True}, ref=adaptive("max", (3, 2, 4)),
        paddle="the windows of 2.6.2 extend beyond the padded input"),
    Row("pool3d", [distinct(1, 4, 3, 4, 2)], {"pooling_type": "max", "ksize": [2, 2, 2], "strides": [1, 1, 2], "data_format": "NDHWC"},
        ref=last(pooled("max", (2, 2, 2), (1, 1, 2)))),
    Row("pool3d", [f(1, 2, 3, 4, 5)], {"pooling_type": "avg", "ksize": [2, 2, 2], "strides": [2, 2, 2], "padding_algorithm": "SAME"},
        ref=pooled("avg", (2, 2, 2), (2, 2, 2), ((0, 1), (0, 0), (0, 1)))),
    Row("max_pool3d_with_index", [D], POOL, ref=with_index((2, 3, 2), (2, 1, 2))),
    Row("max_pool3d_with_index", [D], {**POOL, "paddings": [1, 1, 1]}, ref=with_index((2, 3, 2), (2, 1, 2), ONE)),
    Row("max_pool3d_with_index", [D], {"ksize": [2, 2, 3], "adaptive": True}),
    Row("max_pool3d_with_index", [D], {"ksize": [2, 2, 2], "global_pooling": True}),
    Row("unpool", [f(2, 3, 2, 2), places(2, 3, 2, 2, high=16)],
        {"ksize": [2, 2], "strides": [2, 2], "unpooling_type": "max", "output_size": [4, 4]}, ref=put((4, 4)), second=False),
    Row("unpool", [f(1, 2, 2, 3), places(1, 2, 2, 3, high=20)],
        {"ksize": [2, 2], "strides": [2, 2], "unpooling_type": "max", "output_size": [4, 5]}, ref=put((4, 5)), second=False),
    Row("unpool_to", [f(1, 2, 2, 3), places(1, 2, 2, 3, high=20), [np.array([1, 2, 4, 5])]], ref=lambda x, at, _: put((4, 5))(x, at), second=False),
    Row("unpool_to", [f(2, 2, 1, 2, 2), places(2, 2, 1, 2, 2, high=16), [np.array(2), np.array([4]), np.array([2], "int32")]],
        ref=lambda x, at, _: put((2, 4, 2))(x, at), second=False),
    Row("unpool3d", [f(2, 2, 1, 2, 2), places(2, 2, 1, 2, 2, high=16)],
        {"ksize": [2, 2, 2], "strides": [2, 2, 2], "output_size": [2, 4, 2]}, ref=put((2, 4, 2)), second=False),
]  # fmt: skip
