"""Rows of index_put."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(55)
f = n.f


def added(axis):
    def of(x, i, v):
        out = x.copy()
        np.add.at(np.moveaxis(out, axis, 0), i, np.moveaxis(v, axis, 0))
        return out

    return of


def put(accumulate=False):
    def of(x, i, v):
        out = x.copy()
        if accumulate:
            np.add.at(out, tuple(i), v)
        else:
            out[tuple(i)] = v
        return out

    return of


ROW, COLUMN = np.array([0, 2]), np.array([1, 3])
MASK = np.array([True, False, True])
ROWS = [
    Row("index_add", [f(4, 3), np.array([0, 2, 0]), f(3, 3)], ref=added(0)),
    Row("index_add", [f(2, 4, 3), np.array([3, 1], "int32"), f(2, 2, 3)], {"axis": 1}, ref=added(1)),
    Row("index_put", [f(3, 4), [ROW, COLUMN], f(2)], ref=put()),
    Row("index_put", [f(3, 4), [ROW, np.array([1, -1])], f(2)], ref=put()),
    Row("index_put", [f(2, 3, 5), [np.array([MASK, ~MASK]), np.array([4, 3, 0])], f(3)], ref=put()),
    Row("index_put", [f(3, 3, 5), [MASK, np.array([[2], [1]])], f(2, 2, 5)], ref=put()),
    Row("index_put", [f(3, 4), [np.array([0, 0, 1])], f(3, 4)], {"accumulate": True}, ref=put(True)),
    Row("index_put", [f(3, 4), [ROW[:, None], COLUMN], f(1)], ref=put()),
    Row("index_put", [f(3, 4), [MASK], f(2, 4)], ref=put()),
]  # fmt: skip
