"""Rows of sort: in order, and the largest k."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(16)
distinct, ints = n.distinct, n.ints

NAN_ORDER = "ONNX Runtime sorts NaN to where it happens to stand"
NAN = np.array([[1, 3, 3, 2], [5, 5, 5, 5], [np.nan, 1, np.nan, 2]], np.float32)
TIES = "the order of equal elements is undefined in 2.6.2"


def ordered(axis, descending=False):
    """The reference that sorts numbers without ties."""

    def ref(x):
        order = np.argsort(-x if descending else x, axis)
        return np.take_along_axis(x, order, axis), order

    return ref


def largest(k, axis, sign=-1):
    """The reference that takes the k largest, or with sign=1 smallest."""

    def ref(x, _=None):
        order = np.take(np.argsort(sign * x, axis, kind="stable"), range(k), axis)
        return np.take_along_axis(x, order, axis), order

    return ref


# fmt: off
ROWS = [
    Row("argsort", [distinct(3, 4)], {}, ordered(1)),
    Row("argsort", [distinct(3, 4)], {"axis": 0, "descending": True}, ordered(0, True)),
    Row("argsort", [distinct(2, 3, 4)], {"axis": 1}, ordered(1)),
    Row("argsort", [distinct()], {"axis": 0}, lambda x: (x, np.zeros((), int))),
    Row("argsort", [NAN], {"descending": True}, lambda x: (
        np.array([[3, 3, 2, 1], [5, 5, 5, 5], [np.nan, np.nan, 2, 1]]), np.array([[1, 2, 3, 0], [0, 1, 2, 3], [0, 2, 3, 1]])), grad=False, engine=NAN_ORDER),
    Row("argsort", [NAN], {}, lambda x: (
        np.array([[1, 2, 3, 3], [5, 5, 5, 5], [1, 2, np.nan, np.nan]]), np.array([[0, 3, 1, 2], [0, 1, 2, 3], [1, 3, 0, 2]])), grad=False, engine=NAN_ORDER),
    Row("argsort", [ints(5, high=100)], {}, ordered(0)),
    Row("top_k", [distinct(3, 4)], {"k": 2}, largest(2, 1)),
    Row("top_k", [distinct(2, 3, 4), np.array([3], np.int32)], {}, largest(3, 2)),
    Row("top_k_v2", [distinct(3, 4)], {"k": 2}, largest(2, 1)),
    Row("top_k_v2", [distinct(4, 3)], {"k": 3, "axis": 0, "largest": False}, largest(3, 0, 1)),
    Row("top_k_v2", [distinct(2, 5, 2)], {"k": 2, "axis": 1}, largest(2, 1)),
    Row("top_k_v2", [distinct(3, 4)], {"k": 4, "axis": -1}, largest(4, 1)),
    Row("top_k_v2", [distinct()], {"k": 1}, lambda x: (x, np.zeros((), int))),
    Row("top_k_v2", [distinct(3, 4), np.array([2], np.int32)], {"k": 1}, largest(2, 1)),
    Row("top_k_v2", [NAN], {"k": 2}, lambda x: (np.array([[3, 3], [5, 5], [np.nan, np.nan]]), np.array([[1, 2], [0, 1], [0, 2]])),
        grad=False, paddle=TIES, engine=NAN_ORDER),
]
