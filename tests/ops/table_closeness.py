"""Rows of closeness, cropping, renormalizing, and extremes that share their gradient."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(57)
f, ints, distinct = n.f, n.ints, n.distinct
A = f(3, 4)
NAN = np.array([1.0, np.nan, np.inf], "f")


def renormed(p, axis, most):
    def of(x):
        others = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
        norm = (np.abs(x) ** p).sum(others, keepdims=True) ** (1 / p)
        return np.where(norm > most, x * most / norm, x)

    return of


TIES = np.array([[1, 3, 3], [2, 2, 2]], "f")
ROWS = [
    Row("isclose", [A, A + np.float32(1e-6)], ref=np.isclose),
    Row("isclose", [NAN, NAN], {"equal_nan": True}, ref=lambda x, y: np.isclose(x, y, equal_nan=True)),
    Row("isclose", [A, A * 1.05], {"rtol": "0.1", "atol": "0"}, ref=lambda x, y: np.isclose(x, y, 0.1, 0)),
    Row("isclose", [np.array([1, np.inf, np.inf, np.nan, 1, np.inf], "f"), np.array([np.inf, -np.inf, 1, 1, np.nan, np.inf], "f")], {"equal_nan": True},
        ref=lambda *_: np.array([True, True, False, False, False, True])),
    Row("allclose", [A, A + np.float32(1e-6)], ref=np.allclose),
    Row("allclose", [A, A + 1], ref=np.allclose),
    Row("allclose", [A, A, np.array([1e-3], "d"), np.array([0.0], "d")], ref=lambda x, y, r, a: np.array(True)),
    Row("equal_all", [A, A.copy()], ref=np.array_equal),
    Row("equal_all", [A, f(4, 3)], ref=np.array_equal),
    Row("equal_all", [ints(3), ints(3)], ref=np.array_equal),
    Row("is_empty", [f(0, 3)], ref=lambda x: np.array(True)),
    Row("is_empty", [f(1, 3)], ref=lambda x: np.array(False)),
    Row("renorm", [f(3, 4)], {"p": 2.0, "axis": 0, "max_norm": 1.0}, ref=renormed(2.0, 0, 1.0)),
    Row("renorm", [f(2, 3, 4)], {"p": 1.0, "axis": 1, "max_norm": 4.0}, ref=renormed(1.0, 1, 4.0)),
    Row("renorm", [f(3, 4)], {"p": 3.0, "axis": 1, "max_norm": 100.0}, ref=lambda x: x, second=False),
    Row("crop_tensor", [f(3, 4)], {"offsets": [1, 0], "shape": [2, 3]}, ref=lambda x: x[1:, :3]),
    Row("crop_tensor", [f(3, 4)], {"offsets": [0, 1], "shape": [-1, 2]}, ref=lambda x: x[:, 1:3]),
    Row("crop_tensor", [f(3, 4), np.array([2, 2], "int32"), None, np.array([1, 1], "int32")], ref=lambda x, *_: x[1:, 1:3]),
    Row("crop_tensor", [f(3, 4), None, [np.array([2], "int32"), np.array([2], "int32")]], {"offsets": [1, 1], "shape": [-1, -1]}, ref=lambda x, *_: x[1:, 1:3]),
    Row("reduce_amax", [distinct(3, 4)], {"dim": [1]}, ref=lambda x: x.max(1), second=False),
    Row("reduce_amax", [TIES], {"dim": [1], "keep_dim": True}, ref=lambda x: x.max(1, keepdims=True), grad=False),
    Row("reduce_amin", [distinct(2, 3, 4)], {"dim": [0, 2]}, ref=lambda x: x.min((0, 2)), second=False),
    Row("reduce_amin", [distinct(3, 4)], {"dim": [], "reduce_all": True}, ref=lambda x: x.min(), second=False),
]  # fmt: skip
