"""Rows of concat, stack, split and unbind."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(12)
f, ints = n.f, n.ints

I32 = np.int32
NEGATIVE = (
    "2.6.2's op looks up a negative axis as it is; its Python code counts it from the front before"
)


def joined(axis):
    """The reference that joins all X along an axis."""
    return lambda xs, *_: np.concatenate(xs, axis)


def parts(at, axis):
    """The reference that splits X at these positions."""
    return lambda x, *_: np.split(x, at, axis)


def slices(axis):
    """The reference that takes all slices of X."""
    return lambda x: [np.take(x, i, axis) for i in range(x.shape[axis])]


# fmt: off
ROWS = [
    Row("concat", [[f(2, 3), f(1, 3)]], {}, joined(0)),
    Row("concat", [[f(2, 3), f(2, 1), f(2, 2)]], {"axis": -1}, joined(1)),
    Row("concat", [[f(2, 3, 2)]], {"axis": 1}, joined(1)),
    Row("concat", [[f(2, 3), f(2, 0)]], {"axis": 1}, joined(1), paddle_grad="2.6.2 has no gradient for an empty input"),
    Row("concat", [[ints(2, 2), ints(1, 2)]], {}, joined(0)),
    Row("concat", [[f(2, 3), f(1, 3)], np.array([0], I32)], {"axis": 1}, joined(0)),
    Row("split", [f(6, 3)], {"num": 3}, parts(3, 0)),
    Row("split", [f(2, 6)], {"num": 2, "axis": -1}, parts(2, 1), paddle=NEGATIVE),
    Row("split", [f(2, 6)], {"num": 3, "axis": 1}, parts(3, 1)),
    Row("split", [f(5, 3)], {"sections": [2, 3]}, parts([2], 0)),
    Row("split", [f(2, 6, 2)], {"sections": [1, -1, 2], "axis": 1}, parts([1, 4], 1)),
    Row("split", [f(4)], {"sections": [4]}, parts(1, 0)),
    Row("split", [ints(4)], {"num": 4}, parts(4, 0)),
    Row("split", [f(2, 6), np.array([1], I32)], {"num": 3}, parts(3, 1)),
    Row("split", [f(6, 3), None, [np.array([1], I32), np.array([-1], I32)]], {"sections": [-1, -1]}, parts([1], 0)),
    Row("stack", [[f(2), f(2)]], {"axis": -1}, lambda xs: np.stack(xs, -1)),
    Row("stack", [[f(2, 3), f(2, 3), f(2, 3)]], {"axis": 1}, lambda xs: np.stack(xs, 1)),
    Row("stack", [[f(), f()]], {}, np.stack),
    Row("stack", [[f(2, 3)]], {"axis": 2}, lambda xs: np.stack(xs, 2)),
    Row("stack", [[ints(2), ints(2)]], {}, np.stack),
    Row("unstack", [f(2, 3)], {"axis": -1, "num": 3}, slices(1)),
    Row("unstack", [f(2, 3, 2)], {"num": 2}, slices(0)),
    Row("unstack", [f(2)], {"num": 2}, slices(0)),
    Row("unbind", [f(2, 3)], {}, slices(0)),
    Row("unbind", [f(2, 3, 2)], {"axis": 1}, slices(1)),
    Row("unbind", [f(2, 3, 2)], {"axis": -1}, slices(2)),
    Row("unbind", [ints(3)], {}, slices(0)),
]
