"""Rows of slice and set_value."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(14)
f, ints = n.f, n.ints

I32 = np.int32
OPEN = 2**31 - 1
NEGATIVE_AXIS = (
    "2.6.2's op does not count negative axes from the front; its Python code does that before"
)
TOO_LOW = "with a negative stride, 2.6.2 reaches the first element only for an end of -1"
NO_GRADIENT = "2.6.2 returns no gradient, or one of dtype bool"


def at(*index):
    """The reference that takes X at a NumPy index."""
    return lambda x, *_: x[index]


def put(*index, value=None):
    """The reference that writes the value, or that of the operand, at a NumPy index."""

    def ref(x, *rest):
        out = x.copy()
        out[index] = rest[-1] if value is None else value
        return out

    return ref


def one(value, dtype=I32):
    """Return a tensor of one number."""
    return np.array([value], dtype)


def cut(axes, starts, ends, decrease=(), **more):
    """The attributes of a slice."""
    return {
        "axes": axes,
        "starts": starts,
        "ends": ends,
        "decrease_axis": list(decrease),
        "infer_flags": [1] * len(axes),
        **more,
    }


def over(axes, starts, ends, steps=None, **more):
    """The attributes of set_value."""
    return {
        "axes": axes,
        "starts": starts,
        "ends": ends,
        "steps": steps or [1] * len(axes),
        "dtype": 5,
        **more,
    }


s_ = slice

# fmt: off
SLICE = [
    Row("slice", [f(5)], cut([0], [1], [3]), at(s_(1, 3))),
    Row("slice", [f(5)], cut([0], [-10], [-1]), at(s_(0, 4))),
    Row("slice", [f(5)], cut([0], [7], [9]), at(s_(5, 5)), paddle_grad="2.6.2 has no gradient for empty tensors"),
    Row("slice", [f(5, 3)], cut([0], [1], [2], [0]), at(1)),
    Row("slice", [f(5, 3)], cut([1], [-1], [OPEN], [1]), at(s_(None), -1)),
    Row("slice", [f(5)], cut([0], [-1], [OPEN], [0]), at(4)),
    Row("slice", [f(4, 3, 2)], cut([0, 2], [1, 0], [OPEN, 1]), at(s_(1, None), s_(None), s_(0, 1))),
    Row("slice", [f(4, 3, 2)], cut([0, 1, 2], [1, 0, 1], [2, 1, 2], [0, 1, 2]), at(1, 0, 1)),
    Row("slice", [f(5, 3)], cut([-1], [1], [2]), at(s_(None), s_(1, 2)), paddle=NEGATIVE_AXIS),
    Row("slice", [ints(5)], cut([0], [0], [2]), at(s_(0, 2))),
    Row("slice", [f(5, 3), np.array([1, 0], I32), np.array([2, 2], I32)], cut([0, 1], [], []) | {"infer_flags": [-1, -1]},
        at(s_(1, 2), s_(0, 2))),
    Row("slice", [f(5, 3), None, None, [one(1), one(0)], [one(2), one(2)]],
        cut([0, 1], [-1, -1], [-1, -1], [0]) | {"infer_flags": [-1, -1]}, at(1, s_(0, 2))),
    Row("strided_slice", [f(6)], cut([0], [0], [6], strides=[2]), at(s_(0, 6, 2))),
    Row("strided_slice", [f(6)], cut([0], [5], [0], strides=[-2]), at(s_(5, 0, -2))),
    Row("strided_slice", [f(6)], cut([0], [OPEN], [-1], strides=[-1]), at(s_(None, None, -1))),
    Row("strided_slice", [f(6)], cut([0], [3], [-1], strides=[-1]), at(s_(3, None, -1))),
    Row("strided_slice", [f(6)], cut([0], [-1], [-4], strides=[-1]), at(s_(5, 2, -1))),
    Row("strided_slice", [f(6)], cut([0], [-1], [-7], strides=[-1]), at(s_(None, None, -1)), paddle=TOO_LOW),
    Row("strided_slice", [f(4, 6)], cut([0, 1], [0, 1], [OPEN, 6], strides=[2, 3]), at(s_(0, None, 2), s_(1, 6, 3))),
    Row("strided_slice", [f(4, 6)], cut([0, 1], [1, OPEN], [2, -1], [0], strides=[1, -2]), at(1, s_(None, None, -2)),
        paddle_grad="2.6.2 rejects the gradient if decrease_axis drops an axis"),
    Row("strided_slice", [ints(6)], cut([0], [1], [5], strides=[3]), at(s_(1, 5, 3))),
    Row("strided_slice", [f(6), one(0), one(6), one(2)], cut([0], [], [], strides=[]) | {"infer_flags": [-1]}, at(s_(0, 6, 2))),
    Row("strided_slice", [f(6), None, None, None, [one(0)], [one(6)], [one(2)]],
        cut([0], [-1], [-1], strides=[-1]) | {"infer_flags": [-1]}, at(s_(0, 6, 2))),
]

SET = [
    Row("set_value", [f(3, 2), None, None, None, f(2)], over([0], [0], [1], decrease_axes=[0]), put(0), paddle_grad=NO_GRADIENT),
    Row("set_value", [f(3, 2), None, None, None, f(3, 2)], over([], [], []), put(...), paddle_grad=NO_GRADIENT),
    Row("set_value", [f(3, 2), None, None, None, f()], over([0, 1], [1, 0], [2, 1], decrease_axes=[0, 1]), put(1, 0),
        paddle_grad=NO_GRADIENT),
    Row("set_value", [f(4, 3), None, None, None, f(2, 1)], over([0], [0], [4], [2]), put(s_(0, 4, 2)), paddle_grad=NO_GRADIENT),
    Row("set_value", [f(4, 3), None, None, None, f(4, 3)], over([0], [OPEN], [-1], [-1]), put(s_(None, None, -1)),
        paddle_grad=NO_GRADIENT),
    Row("set_value", [f(3, 2), None, None, None, f(1, 1, 2)], over([0], [1], [2], none_axes=[0]), put(s_(1, 2)), paddle_grad=NO_GRADIENT),
    Row("set_value", [f(2, 3), None, None, None, f(2, 1, 3)], over([0], [0], [2], none_axes=[0, 1]),
        lambda x, *r: r[-1].reshape(2, 3), paddle_grad=NO_GRADIENT),
    Row("set_value", [f(2, 3), None, None, None, f(2, 1)], over([0, 1], [0, 0], [2, 1], decrease_axes=[1], none_axes=[1]),
        lambda x, *r: np.concatenate([r[-1], x[:, 1:]], 1), paddle_grad=NO_GRADIENT),
    Row("set_value", [f(3, 2)], over([0], [0], [1], decrease_axes=[0], shape=[1], values=[7.0]), put(0, value=7), paddle_grad=NO_GRADIENT),
    Row("set_value", [f(3, 2)], over([0], [2], [-4], [-2], shape=[2, 2], values=[7.0, 8.0, 9.0, 10.0]),
        put(s_(2, None, -2), value=np.array([[7, 8], [9, 10]])), paddle_grad=NO_GRADIENT),
    Row("set_value", [ints(3, 2)], over([1], [0], [1], shape=[1], values=[7]) | {"dtype": 3}, put(s_(None), s_(0, 1), value=7)),
    Row("set_value", [f(3, 2), [one(1, "int64")], [one(2, "int64")], [one(1, "int64")], f(1)], over([0], [-1], [-1], [-1]),
        put(s_(1, 2)), paddle_grad=NO_GRADIENT),
]

ROWS = SLICE + SET
