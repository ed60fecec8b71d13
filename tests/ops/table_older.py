"""Rows of ops of Paddle 1.x."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(71)
f, pos, ints = n.f, n.pos, n.ints


def padded(top, bottom, left, right, mode="constant", last=False, **more):
    sides = [(top, bottom), (left, right)]
    pairs = [(0, 0), *sides, (0, 0)] if last else [(0, 0), (0, 0), *sides]
    return lambda x: np.pad(x, pairs, mode=mode, **more)


def around(x, size, axis=1):
    moved = np.moveaxis(x, axis, 0)
    at = [
        range(max(c - (size - 1) // 2, 0), min(c - (size - 1) // 2 + size, len(moved)))
        for c in range(len(moved))
    ]
    return np.moveaxis(np.stack([moved[list(r)].sum(0) for r in at]), 0, axis)


def response(size, k, alpha, beta, axis=1):
    def of(x):
        mid = k + alpha * around(x**2, size, axis)
        return x / mid**beta, mid

    return of


def unit(axis, epsilon):
    def of(x):
        length = np.sqrt((x**2).sum(axis, keepdims=True) + epsilon)
        return x / length, length

    return of


def bpr(x, label):
    own = np.take_along_axis(x, label, -1)
    each = np.log1p(np.exp(x - own)) * (np.arange(x.shape[-1]) != label)
    return each.sum(-1, keepdims=True) / (x.shape[-1] - 1)


def soft(x):
    return np.log1p(np.exp(x))


def teacher_student(x, label):
    clicked = np.where(label < 0, label >= -1, label >= 1)
    score = label - clicked
    return soft(x) - clicked * x + np.where(label < 0, 0, soft(x) - score * x)


# no click, click, no click with score, click with score; boundaries of the kinds
LABELS = np.array([[-3], [-2], [-1.5], [-1], [-0.5], [0], [0.3], [1], [1.7], [2]], "f")
NONE = "2.6.2 defines the op without a kernel"
PICTURE = f(2, 3, 4, 5)
ROWS = [
    Row("reverse", [f(2, 3)], {"axis": [1]}, ref=lambda x: x[:, ::-1]),
    Row("reverse", [f(2, 3, 2)], {"axis": [0, 2]}, ref=lambda x: x[::-1, :, ::-1]),
    Row("shuffle_channel", [f(2, 6, 2, 3)], {"group": 2}, ref=lambda x: x.reshape(2, 2, 3, 2, 3).swapaxes(1, 2).reshape(x.shape),
        paddle_grad="2.6.2 applies the forward permutation, which is the inverse only if group ** 2 is the number of channels"),
    Row("pad2d", [PICTURE], {"paddings": [1, 2, 0, 3], "pad_value": 0.5}, ref=padded(1, 2, 0, 3, constant_values=0.5), paddle=NONE),
    Row("pad2d", [PICTURE], {"paddings": [1, 2, 0, 3], "mode": "reflect"}, ref=padded(1, 2, 0, 3, "reflect"), paddle=NONE),
    Row("pad2d", [PICTURE], {"paddings": [1, 0, 2, 1], "mode": "edge"}, ref=padded(1, 0, 2, 1, "edge"), paddle=NONE),
    Row("pad2d", [PICTURE], {"paddings": [1, 0, 2, 1], "data_format": "NHWC"}, ref=padded(1, 0, 2, 1, last=True), paddle=NONE),
    Row("lrn", [f(2, 6, 2, 2)], {"n": 3, "k": 1.0, "alpha": 0.5, "data_format": "NCHW"}, ref=response(3, 1.0, 0.5, 0.75), tol=2e-5),
    Row("lrn", [f(2, 6, 2, 2)], {"n": 5, "beta": 0.5, "alpha": 0.3, "data_format": "NCHW"}, ref=response(5, 2.0, 0.3, 0.5), tol=2e-5),
    Row("norm", [f(2, 3, 4)], {"axis": 1}, ref=unit(1, 1e-10)),
    Row("norm", [f(2, 3)], {"axis": -1, "epsilon": 0.5}, ref=unit(-1, 0.5)),
    Row("affine_channel", [f(2, 3, 2, 2), f(3), f(3)], {"data_layout": "NCHW"}, ref=lambda x, s, b: x * s[:, None, None] + b[:, None, None]),
    Row("affine_channel", [f(2, 2, 2, 3), f(3), f(3)], {"data_layout": "NHWC"}, ref=lambda x, s, b: x * s + b),
    Row("affine_channel", [f(2, 2, 2, 3), f(3), f(3)], ref=lambda x, s, b: x * s + b),
    Row("rank_loss", [pos(4, 1), f(4, 1), f(4, 1)], ref=lambda label, a, b: soft(a - b) - label * (a - b)),
    Row("bpr_loss", [f(4, 5), ints(4, 1)], ref=bpr),
    Row("soft_relu", [f(3, 4)], ref=soft),
    Row("teacher_student_sigmoid_loss", [f(10, 1), LABELS], ref=teacher_student),
    Row("teacher_student_sigmoid_loss", [f(10, 1) * 10, LABELS], {"soft_max_up_bound": 40.0, "soft_max_lower_bound": -40.0},
        ref=teacher_student, tol=2e-5),
    Row("teacher_student_sigmoid_loss", [f(10, 1) * 2, LABELS], {"soft_max_up_bound": 0.9, "soft_max_lower_bound": -0.9},
        ref=teacher_student, grad=False),
    Row("teacher_student_sigmoid_loss", [np.array([[-20], [20], [15], [-15], [0]], "f"), LABELS[-5:]], grad=False,
        ref=teacher_student),
    Row("teacher_student_sigmoid_loss", [np.array([[np.nan], [np.inf], [np.inf], [-np.inf], [-np.inf], [1]], "f"),
        np.array([[-1], [-2], [0.5], [0.5], [-1], [np.nan]], "f")], grad=False,
        ref=lambda x, label: np.array([[np.nan], [np.inf], [np.nan], [np.inf], [np.inf], [np.nan]])),
    Row("teacher_student_sigmoid_loss", [f(0, 1), f(0, 1)], ref=teacher_student),
]  # fmt: skip
