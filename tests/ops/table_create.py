"""Rows of create: constants, rows of numbers, diagonals."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(13)
f, ints = n.f, n.ints

I32 = np.int32
NO_GRADIENT = "2.6.2 has no gradient; Oarlock's is zero"


def const(shape, value, dtype="float32"):
    """The reference of a constant."""
    return lambda *_: np.full(shape, value, dtype)


def one(value, dtype="float32"):
    """Return a 1-D tensor of one number."""
    return np.array([value], dtype)


def scalar(value, dtype="float32"):
    """Return a 0-D tensor."""
    return np.array(value, dtype)


# fmt: off
CONSTANTS = [
    Row("fill_constant", [], {"shape": [2, 3], "value": 1.5}, const((2, 3), 1.5)),
    Row("fill_constant", [], {"shape": [], "value": -2.0}, const((), -2.0)),
    Row("fill_constant", [], {"shape": [0, 2], "value": 1.0}, const((0, 2), 1.0), paddle="2.6.2 cannot create empty tensors"),
    Row("fill_constant", [], {"shape": [2], "value": 1.0, "str_value": "2.5"}, const((2,), 2.5)),
    Row("fill_constant", [], {"shape": [1], "str_value": "0.1", "dtype": 6}, const((1,), 0.1, "float64")),
    Row("fill_constant", [], {"shape": [1], "str_value": "inf"}, const((1,), np.inf)),
    Row("fill_constant", [], {"shape": [1], "str_value": "-inf", "dtype": 6}, const((1,), -np.inf, "float64")),
    Row("fill_constant", [], {"shape": [1], "str_value": "nan"}, const((1,), np.nan)),
    Row("fill_constant", [], {"shape": [2], "value": 1.9, "dtype": 3}, const((2,), 1, "int64")),
    Row("fill_constant", [], {"shape": [2], "str_value": "-1.7", "dtype": 2}, const((2,), -1, "int32")),
    Row("fill_constant", [], {"shape": [1], "str_value": "1e3", "dtype": 2}, const((1,), 1000, "int32")),
    Row(
        "fill_constant", [], {"shape": [1], "str_value": "9007199254740993", "dtype": 3}, const((1,), 9007199254740993, "int64"),
        paddle="2.6.2 reads str_value as a double, which cannot hold this number",
    ),
    Row("fill_constant", [], {"shape": [2], "value": 1.0, "dtype": 0}, const((2,), True, "bool")),
    Row("fill_constant", [], {"shape": [2], "dtype": 0}, const((2,), False, "bool")),
    Row("fill_constant", [], {"shape": [2], "value": 3.0, "dtype": 4}, const((2,), 3, "float16")),
    Row("fill_constant", [one(4.0)], {"shape": [2], "value": 1.0}, const((2,), 4.0)),
    Row("fill_constant", [None, np.array([2, 1], I32)], {"shape": [-1, -1], "value": 2.0}, const((2, 1), 2.0)),
    Row("fill_constant", [None, None, [one(2, I32), scalar(1, I32)]], {"shape": [-1, 1], "value": 2.0}, const((2, 1), 2.0)),
    Row("fill_any_like", [f(2, 3)], {"value": 1.5}, const((2, 3), 1.5), paddle_grad=NO_GRADIENT),
    Row("fill_any_like", [f()], {}, const((), 0.0), paddle_grad=NO_GRADIENT),
    Row("fill_any_like", [ints(2)], {"value": 2.0}, const((2,), 2, "int64")),
    Row("fill_any_like", [f(2)], {"value": 1.5, "dtype": 3}, const((2,), 1, "int64"), grad=False),
    Row("fill_any_like", [n.bools(3)], {"value": 1.0}, const((3,), True, "bool")),
    Row("fill_constant_batch_size_like", [f(2, 3)], {"shape": [-1, 4], "value": 2.0}, const((2, 4), 2.0)),
    Row(
        "fill_constant_batch_size_like", [f(2, 3)],
        {"shape": [7, 4], "str_value": "3", "dtype": 3, "input_dim_idx": 1, "output_dim_idx": 1}, const((7, 3), 3, "int64"),
    ),
    Row("assign_value", [], {"shape": [2], "dtype": 5, "fp32_values": [1.0, 2.5]}, lambda: np.array([1.0, 2.5])),
    Row("assign_value", [], {"shape": [2], "dtype": 6, "fp64_values": [1.0, 0.1]}, lambda: np.array([1.0, 0.1])),
    Row("assign_value", [], {"shape": [1, 2], "dtype": 0, "bool_values": [1, 0]}, lambda: np.array([[True, False]])),
    Row("assign_value", [], {"shape": [2, 1], "dtype": 2, "int32_values": [1, -2]}, lambda: np.array([[1], [-2]])),
    Row("assign_value", [], {"shape": [], "dtype": 3, "int64_values": [2**40]}, lambda: np.array(2**40)),
    Row("empty", [], {"shape": [2, 3]}, const((2, 3), 0.0), random=True),
    Row("empty", [np.array([2, 3], I32)], {"shape": [-1, -1], "dtype": 3}, const((2, 3), 0, "int64"), random=True),
]

NUMBERS = [
    Row("range", [one(0, "int64"), one(5, "int64"), one(2, "int64")], {}, lambda *_: np.array([0, 2, 4])),
    Row("range", [one(5, I32), one(0, I32), one(-2, I32)], {}, lambda *_: np.array([5, 3, 1])),
    Row("range", [scalar(0.0), scalar(1.0), scalar(0.1)], {}, lambda *_: np.arange(10) * np.float32(0.1), grad=False,
        half="steps are counted in the operands' own precision"),
    Row("range", [scalar(0.0), scalar(0.3), scalar(0.1)], {}, lambda *_: np.arange(3) * np.float32(0.1), grad=False,
        half="steps are counted in the operands' own precision"),
    Row("range", [scalar(1.0, "float64"), scalar(-1.0, "float64"), scalar(-0.5, "float64")], {}, lambda *_: np.array([1, 0.5, 0, -0.5])),
    Row("range", [scalar(1.0), scalar(1.0), scalar(0.1)], {}, lambda *_: np.zeros(0), grad=False),
    Row("linspace", [one(0.0), one(1.0), one(7, I32)], {"dtype": 5}, lambda *_: np.linspace(0, 1, 7), grad=False),
    Row("linspace", [scalar(0.0), scalar(10.0), scalar(1, I32)], {"dtype": 5}, lambda *_: np.zeros(1), grad=False),
    Row("linspace", [one(-2.7), one(3.5), one(5, I32)], {"dtype": 2}, lambda *_: np.array([-2, 0, 0, 1, 3])),
    Row("linspace", [scalar(0, I32), scalar(10, I32), scalar(4, I32)], {"dtype": 2}, lambda *_: np.array([0, 3, 6, 10])),
    Row("linspace", [scalar(0, I32), scalar(-10, I32), scalar(4, I32)], {"dtype": 2}, lambda *_: np.array([0, -3, -6, -10])),
    Row("meshgrid", [[f(2), f(3)]], {}, lambda xs: np.meshgrid(*xs, indexing="ij")),
    Row("meshgrid", [[f(2), f(3), f(2)]], {}, lambda xs: np.meshgrid(*xs, indexing="ij")),
    Row("meshgrid", [[f(2), f()]], {}, lambda xs: np.meshgrid(*xs, indexing="ij")),
    Row("meshgrid", [[f(3)]], {}, lambda xs: xs, paddle="2.6.2 requires more than one tensor here"),
]

DIAGONALS = [
    Row("eye", [], {"num_rows": 2, "num_columns": 3}, lambda: np.eye(2, 3)),
    Row("eye", [], {"num_rows": 2, "dtype": 3}, lambda: np.eye(2)),
    Row("eye", [], {"num_rows": 3, "num_columns": 2, "dtype": 6}, lambda: np.eye(3, 2)),
    Row("diag_v2", [f(3)], {}, np.diag),
    Row("diag_v2", [f(2)], {"offset": 1, "padding_value": 0.5}, lambda x: np.where(np.eye(3, k=1) > 0, np.diag(x, 1), 0.5)),
    Row("diag_v2", [f(2)], {"offset": -1}, lambda x: np.diag(x, -1)),
    Row("diag_v2", [f()], {}, lambda x: x.reshape(1, 1), paddle_grad="the gradient of a 0-D input has an axis in 2.6.2"),
    Row("diag_v2", [ints(2)], {"padding_value": 2.0}, lambda x: np.where(np.eye(2) > 0, np.diag(x), 2)),
    Row("diag_v2", [f(2, 3)], {"offset": 1}, lambda x: np.diag(x, 1)),
    Row("diag_v2", [f(3, 2)], {"offset": -1}, lambda x: np.diag(x, -1)),
    Row("diag_v2", [f(2, 3)], {"offset": 3}, lambda x: np.zeros(0), grad=False),
]

ROWS = CONSTANTS + NUMBERS + DIAGONALS

ROWS += [
    Row("logspace", [np.array([0.0], "f"), np.array([2.0], "f"), np.array([5], "int32"), np.array([10.0], "f")], {"dtype": 5},
        ref=lambda *_: np.logspace(0, 2, 5)),
    Row("logspace", [np.array([1.0], "f"), np.array([4.0], "f"), np.array([4], "int32"), np.array([2.0], "f")], {"dtype": 3},
        ref=lambda *_: np.array([2, 4, 8, 16])),
    Row("tril_indices", [], {"rows": 4, "cols": 3, "offset": 1}, ref=lambda: np.array(np.tril_indices(4, 1, 3))),
    Row("tril_indices", [], {"rows": 2, "cols": 5, "offset": -1, "dtype": 2}, ref=lambda: np.array(np.tril_indices(2, -1, 5))),
    Row("triu_indices", [], {"row": 4, "col": 3, "offset": -1}, ref=lambda: np.array(np.triu_indices(4, -1, 3))),
    Row("triu_indices", [], {"row": 2, "col": 5, "offset": 2}, ref=lambda: np.array(np.triu_indices(2, 2, 5))),
]  # fmt: skip
