"""Rows of arrange."""

from __future__ import annotations

import itertools

import numpy as np

from .rows import Numbers, Row

n = Numbers(34)
f, distinct = n.f, n.distinct


def last(function):
    """Return the reference for channels-last images."""
    return lambda x: function(x.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)


def shuffled(r):
    def of(x):
        count, c, h, w = x.shape
        y = np.zeros((count, c // (r * r), h * r, w * r), "f")
        for k, i, j in np.ndindex(*y.shape[1:]):
            y[:, k, i, j] = x[:, k * r * r + i % r * r + j % r, i // r, j // r]
        return y

    return of


def unshuffled(r):
    def of(x):
        count, c, h, w = x.shape
        y = np.zeros((count, c * r * r, h // r, w // r), "f")
        for k, a, b in itertools.product(range(c), range(r), range(r)):
            y[:, (k * r + a) * r + b] = x[:, k, a::r, b::r]
        return y

    return of


def channels(groups):
    return lambda x: x[
        :,
        [
            g * (x.shape[1] // groups) + i
            for i in range(x.shape[1] // groups)
            for g in range(groups)
        ],
    ]


def shift(count, ratio=0.25):
    def of(x):
        frames = x.reshape(-1, count, *x.shape[1:])
        y = frames.copy()
        one, two = int(x.shape[1] * ratio), int(x.shape[1] * 2 * ratio)
        y[:, :, :two] = 0
        y[:, 1:, :one] = frames[:, :-1, :one]
        y[:, :-1, one:two] = frames[:, 1:, one:two]
        return y.reshape(x.shape)

    return of


def columns(size, stride, pads, dilation):
    """Return the window contents at each position; pads: top, left, bottom, right."""

    def of(x):
        x = np.pad(x, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
        out = [
            (s - d * (k - 1) - 1) // t + 1
            for s, k, t, d in zip(x.shape[2:], size, stride, dilation, strict=True)
        ]
        found = []
        for i, j in np.ndindex(*out):
            rows = i * stride[0] + dilation[0] * np.arange(size[0])
            found.append(
                x[:, :, rows][..., j * stride[1] + dilation[1] * np.arange(size[1])].reshape(
                    len(x), -1
                )
            )
        return np.stack(found, -1)

    return of


def put_back(sizes, size, stride, pads, dilation):
    """The adjoint of `split_index_tuples`: sums the window contents into the image."""

    def of(y):
        count = y.shape[1] // (size[0] * size[1])
        numbered = (
            np.arange(count * sizes[0] * sizes[1], dtype=np.float64).reshape(1, count, *sizes) + 1
        )
        where = columns(size, stride, pads, dilation)(numbered)[0].astype(int)
        out = np.zeros((len(y), count * sizes[0] * sizes[1] + 1))
        for k in range(len(y)):
            np.add.at(out[k], where, y[k])
        return out[:, 1:].reshape(len(y), count, *sizes)

    return of


def windows(size, stride, pads, dilation):
    return {"kernel_sizes": size, "strides": stride, "paddings": pads, "dilations": dilation}


A = ([2, 3], [1, 1], [0, 0, 0, 0], [1, 1])
B = ([3, 2], [2, 1], [1, 0, 2, 1], [1, 2])
C = ([3, 2], [2, 1], [1, 0, 1, 0], [1, 2])
ROWS = [
    Row("pixel_shuffle", [f(2, 8, 2, 3)], {"upscale_factor": 2}, ref=shuffled(2)),
    Row("pixel_shuffle", [f(1, 2, 3, 9)], {"upscale_factor": 3, "data_format": "NHWC"}, ref=last(shuffled(3))),
    Row("pixel_unshuffle", [f(2, 2, 4, 6)], {"downscale_factor": 2}, ref=unshuffled(2)),
    Row("pixel_unshuffle", [f(1, 6, 3, 2)], {"downscale_factor": 3, "data_format": "NHWC"}, ref=last(unshuffled(3))),
    Row("channel_shuffle", [f(2, 6, 2, 3)], {"groups": 3}, ref=channels(3)),
    Row("channel_shuffle", [f(2, 3, 2, 8)], {"groups": 2, "data_format": "NHWC"}, ref=last(channels(2))),
    Row("temporal_shift", [f(6, 4, 2, 3)], {"seg_num": 3}, ref=shift(3)),
    Row("temporal_shift", [f(4, 5, 2, 2)], {"seg_num": 2, "shift_ratio": 0.4}, ref=shift(2, 0.4)),
    Row("temporal_shift", [f(4, 2, 2, 8)], {"seg_num": 4, "data_format": "NHWC"}, ref=last(shift(4))),
    Row("maxout", [distinct(2, 6, 2, 3)], {"groups": 2}, ref=lambda x: x.reshape(2, 3, 2, 2, 3).max(2)),
    Row("maxout", [distinct(1, 2, 3, 4)], {"groups": 4, "axis": 3}, ref=lambda x: x.reshape(1, 2, 3, 1, 4).max(4)),
    Row("maxout", [distinct(1, 2, 3, 4)], {"groups": 2, "axis": -1}, ref=lambda x: x.reshape(1, 2, 3, 2, 2).max(4)),
    Row("unfold", [f(2, 3, 4, 5)], windows(*A), ref=columns(*A)),
    Row("unfold", [f(2, 2, 6, 5)], windows(*B), ref=columns(*B)),
    Row("fold", [f(2, 12, 6)], {"output_sizes": [3, 5], **windows(*A)}, ref=put_back([3, 5], *A)),
    Row("fold", [f(2, 12, 16)], {"output_sizes": [6, 5], **windows(*B)}, ref=put_back([6, 5], *B),
        paddle="2.6.2 assumes equal padding at both ends"),
    Row("fold", [f(2, 12, 12)], {"output_sizes": [6, 6], **windows(*C)}, ref=put_back([6, 6], *C)),
]  # fmt: skip
