"""Rows of diagonals."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(56)
f = n.f


def embedded(offset, dim1, dim2):
    def of(x):
        size = x.shape[-1] + abs(offset)
        out = np.zeros((*x.shape[:-1], size, size), x.dtype)
        for i in range(x.shape[-1]):
            out[..., i + max(-offset, 0), i + max(offset, 0)] = x[..., i]
        return np.moveaxis(out, (-2, -1), (dim1, dim2))

    return of


def filled(value, offset=0, wrap=False):
    def of(x):
        out = x.copy()
        for i in range(len(out)):
            place = i % (x.shape[1] + 1) if wrap else i
            if place < x.shape[1] and 0 <= place + offset < x.shape[1]:
                out[i, place + offset] = value
        return out

    return of


def filled_cube(value, offset, most=3):
    def of(x):
        out = x.copy()
        for i in range(most):
            if 0 <= i + offset < len(x):
                out[i, i, i + offset] = value
        return out

    return of


def with_diagonal(offset):
    def of(x, y):
        out = x.copy()
        for k in range(y.shape[-1]):
            out[k + max(-offset, 0), k + max(offset, 0)] = y[..., k]
        return out

    return of


ROWS = [
    Row("diagonal", [f(3, 4)], ref=np.diagonal),
    Row("diagonal", [f(2, 3, 4)], {"offset": -1, "axis1": 1, "axis2": 2}, ref=lambda x: np.diagonal(x, -1, 1, 2)),
    Row("diagonal", [f(3, 2, 4)], {"offset": 1, "axis1": 2, "axis2": 0}, ref=lambda x: np.diagonal(x, 1, 2, 0)),
    Row("trace", [f(3, 4)], ref=np.trace),
    Row("trace", [f(2, 3, 4)], {"offset": 1, "axis1": 2, "axis2": 1}, ref=lambda x: np.trace(x, 1, 1, 2)),
    Row("trace", [f(2, 3, 4)], {"offset": 1, "axis1": -2, "axis2": -1}, ref=lambda x: np.trace(x, 1, -2, -1)),
    Row("diag_embed", [f(2, 3)], ref=embedded(0, -2, -1), paddle_grad="2.6.2 has no gradient"),
    Row("diag_embed", [f(2, 3)], {"offset": -1, "dim1": 0, "dim2": 2}, ref=embedded(-1, 0, 2), paddle_grad="2.6.2 has no gradient"),
    Row("diag_embed", [f(3)], {"offset": 2}, ref=embedded(2, -2, -1), paddle_grad="2.6.2 has no gradient"),
    Row("fill_diagonal", [f(3, 4)], {"value": 2.5}, ref=filled(2.5)),
    Row("fill_diagonal", [f(4, 3)], {"value": 2.0, "offset": 1}, ref=filled(2.0, 1)),
    Row("fill_diagonal", [f(7, 3)], {"value": 2.0, "wrap": True}, ref=filled(2.0, 0, True)),
    Row("fill_diagonal", [f(5, 3)], {"value": 2.0, "offset": -1}, ref=filled(2.0, -1)),
    Row("fill_diagonal", [f(3, 3, 3)], {"value": 2.0, "offset": 1, "wrap": True}, ref=filled_cube(2.0, 1)),
    Row("fill_diagonal", [f(3, 3, 3)], {"value": 2.0, "offset": -1, "wrap": True}, ref=filled_cube(2.0, -1)),
    Row("fill_diagonal", [f(3, 3, 3)], {"value": 2.0, "offset": 1}, ref=filled_cube(2.0, 1, most=1)),
    Row("fill_diagonal_tensor", [f(4, 3), f(3)], ref=with_diagonal(0), paddle_grad="2.6.2 has no gradient of Y"),
    Row("fill_diagonal_tensor", [f(4, 5, 2), f(2, 4)], {"offset": 1}, ref=with_diagonal(1), paddle_grad="2.6.2 has no gradient of Y"),
]  # fmt: skip
