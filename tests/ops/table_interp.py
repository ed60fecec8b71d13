"""Rows of interp."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(35)
f = n.f


def weights(kind, size, out, scale, corners, mode):
    """Return the interpolation matrix of one axis, [out, size]."""
    matrix = np.zeros((out, size))
    ratio = (
        ((size - 1) / (out - 1) if out > 1 else 0)
        if corners
        else 0
        if out == 1
        else 1 / scale
        if scale
        else size / out
    )
    for o in range(out):
        centered = (o + 0.5) * ratio - 0.5
        if kind == "nearest":
            matrix[o, int(o * ratio + (0.5 if corners else 0))] = 1
        elif kind == "cubic":
            at = o * ratio if corners else centered
            for k in range(int(np.floor(at)) - 1, int(np.floor(at)) + 3):
                d = abs(at - k)
                value = (
                    1.25 * d**3 - 2.25 * d**2 + 1
                    if d <= 1
                    else -0.75 * (d**3 - 5 * d**2 + 8 * d - 4)
                )
                matrix[o, min(max(k, 0), size - 1)] += value
        else:
            at = max(centered, 0) if mode == 0 and not corners else o * ratio
            low = int(at)
            matrix[o, low] += 1 - (at - low)
            matrix[o, min(low + 1, size - 1)] += at - low
    return matrix


def resized(kind, out=None, scale=None, corners=True, mode=1):
    def of(x, *_):
        for i in range(x.ndim - 2):
            wanted = out[i] if out else int(x.shape[2 + i] * scale[i])
            matrix = weights(kind, x.shape[2 + i], wanted, scale[i] if scale else 0, corners, mode)
            x = np.moveaxis(np.tensordot(matrix, x, (1, 2 + i)), 0, 2 + i)
        return x

    return of


def last(function):
    return lambda x, *_: np.moveaxis(function(np.moveaxis(x, -1, 1)), 1, -1)


WORDS = {
    "linear_interp_v2": "linear",
    "bilinear_interp_v2": "linear",
    "trilinear_interp_v2": "linear",
    "bicubic_interp_v2": "cubic",
    "nearest_interp_v2": "nearest",
}
SHAPES = {
    "linear_interp_v2": (2, 3, 5),
    "bilinear_interp_v2": (2, 3, 4, 5),
    "trilinear_interp_v2": (1, 2, 3, 4, 2),
    "bicubic_interp_v2": (2, 3, 5, 4),
    "nearest_interp_v2": (2, 3, 4, 5),
}
NAMES = ["out_d", "out_h", "out_w"]


def rows(type):
    shape, kind = SHAPES[type], WORDS[type]
    rank = len(shape) - 2
    found = []
    for corners, mode in ((True, 1), (False, 0), (False, 1)):
        attrs = {"interp_method": type.split("_")[0], "align_corners": corners, "align_mode": mode}
        for out in ([7, 6, 5][3 - rank :], [2, 9, 3][3 - rank :]):
            sizes = dict(zip(NAMES[3 - rank :], out, strict=True))
            found.append(
                Row(
                    type,
                    [f(*shape)],
                    {**attrs, **sizes},
                    ref=resized(kind, out, None, corners, mode),
                )
            )
        scale = [1.5, 2.0, 0.7][:rank]
        if kind != "nearest" or not corners:
            found.append(
                Row(
                    type,
                    [f(*shape)],
                    {**attrs, "scale": scale},
                    ref=resized(kind, None, scale, corners, mode),
                )
            )
    out = [3, 4, 6][:rank]
    method = {"interp_method": type.split("_")[0], "align_corners": False, "align_mode": 0}
    wide = {"data_layout": "NHWC", **method, **dict(zip(NAMES[3 - rank :], out, strict=True))}
    found.append(Row(type, [f(*shape)], wide, ref=last(resized(kind, out, None, False, 0))))
    found.append(
        Row(
            type,
            [f(*shape), np.array(out, "int32")],
            method,
            ref=resized(kind, out, None, False, 0),
        )
    )
    tensors = [np.array([o], "int32") for o in out]
    found.append(
        Row(type, [f(*shape), None, tensors], method, ref=resized(kind, out, None, False, 0))
    )
    found.append(
        Row(
            type,
            [f(*shape), None, None, np.array([2.0], "f")],
            method,
            ref=resized(kind, None, [2.0] * rank, False, 0),
        )
    )
    return found


ROWS = [row for type in WORDS for row in rows(type)]
ROWS.append(
    Row(
        "nearest_interp_v2",
        [f(1, 2, 3, 4, 2)],
        {"interp_method": "nearest", "align_corners": False, "out_d": 4, "out_h": 6, "out_w": 5},
        ref=resized("nearest", [4, 6, 5], None, False),
    )
)
