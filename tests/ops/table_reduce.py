"""Rows of reduce."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(6)
f, ints, bools, distinct = n.f, n.ints, n.bools, n.distinct

KINDS = [
    ("reduce_sum", np.sum),
    ("reduce_mean", np.mean),
    ("reduce_max", np.max),
    ("reduce_min", np.min),
    ("reduce_prod", np.prod),
]


def over(function, axis, keepdims=False):
    return lambda x, *_: function(x, axis=axis, keepdims=keepdims)


ROWS = [
    row
    for type, function in KINDS
    for row in (
        Row(type, [distinct(2, 3, 4) + 0.03], {"dim": [1]}, ref=over(function, 1), second=type == "reduce_prod"),
        Row(type, [distinct(2, 3, 4) + 0.03], {"dim": [-1, 0]}, ref=over(function, (2, 0)), second=type == "reduce_prod"),
        Row(type, [distinct(2, 3) + 0.03], {"dim": [1], "keep_dim": True}, ref=over(function, 1, True), second=type == "reduce_prod"),
        Row(type, [distinct(2, 3) + 0.03], {"reduce_all": True}, ref=over(function, None), second=type == "reduce_prod"),
        Row(type, [distinct(2, 3) + 0.03], {"reduce_all": True, "keep_dim": True}, ref=over(function, None, True), second=False),
        Row(type, [distinct(2, 3) + 0.03], {"dim": []}, ref=over(function, None), second=False),
        Row(type, [f()], {"dim": []}, ref=over(function, None), second=False),
        Row(type, [f()], {"dim": [0]}, ref=over(function, None), second=False,
            paddle_grad="the gradient op of 2.6.2 rejects the axis that the forward op accepts" if type == "reduce_mean" else ""),
    )
]  # fmt: skip
ROWS += [
    Row("reduce_sum", [ints(2, 3, dtype="int32")], {"dim": [1]}, ref=over(np.sum, 1)),
    Row("reduce_sum", [bools(2, 3)], {"dim": [1]}, ref=over(np.sum, 1)),
    Row("reduce_sum", [f(2, 3)], {"dim": [1], "in_dtype": 5, "out_dtype": 6}, ref=over(np.sum, 1), grad=False),
    Row("reduce_sum", [f(0, 3)], {"dim": [0]}, ref=over(np.sum, 0), paddle="2.6.2 rejects empty tensors"),
    Row("reduce_mean", [np.array([1, 4, 2])], {}, ref=lambda x: np.int64(2)),
    Row("reduce_max", [ints(2, 3)], {"dim": [1]}, ref=over(np.max, 1)),
    Row("reduce_max", [np.array([1, 3, 3], "f")], {}, ref=over(np.max, 0), grad=False),
    Row("reduce_min", [ints(2, 3)], {"dim": [0]}, ref=over(np.min, 0)),
    Row("reduce_prod", [ints(2, 3, low=1, dtype="int32")], {"dim": [1]}, ref=over(np.prod, 1)),
    Row("reduce_prod", [np.array([[0, 2, 3], [0, 0, 3], [1, 2, 3]], "f")], {"dim": [1]}, ref=over(np.prod, 1), second=False,
        paddle_grad="2.6.2 divides by zero"),
    Row("reduce_any", [bools(2, 3)], {"dim": [1]}, ref=over(np.any, 1)),
    Row("reduce_any", [bools(2, 3)], {"reduce_all": True, "keep_dim": True}, ref=over(np.any, None, True)),
    Row("reduce_any", [bools(2, 3)], {"dim": [-1, 0]}, ref=over(np.any, (0, 1))),
    Row("reduce_all", [bools(2, 3)], {"dim": [0]}, ref=over(np.all, 0)),
    Row("reduce_all", [bools()], {"dim": []}, ref=over(np.all, None)),
    Row("reduce_any", [np.array([0, 2])], ref=over(np.any, 0)),
    Row("reduce_any", [bools(2, 3), np.array([1])], {"dim": [0]}, ref=over(np.any, 1), paddle="2.6.2 uses the attribute dim, not AxisTensor"),
    Row("reduce_all", [np.array([0.0, 2.0], "f")], ref=over(np.all, 0)),
    Row("mean", [f(2, 3)], ref=np.mean, second=False),
    Row("mean", [f()], ref=np.mean, second=False),
    Row("logsumexp", [f(2, 3, 4)], {"axis": [1]}, ref=lambda x: np.log(np.exp(x).sum(1))),
    Row("logsumexp", [f(2, 3)], {"axis": [0, -1], "keepdim": True}, ref=lambda x: np.log(np.exp(x).sum(keepdims=True))),
    Row("logsumexp", [f(2, 3)], {"reduce_all": True}, ref=lambda x: np.log(np.exp(x).sum())),
    Row("logsumexp", [f()], {"reduce_all": True}, ref=lambda x: x, second=False),
    Row("logsumexp", [np.array([-np.inf, -np.inf], "f")], {}, ref=lambda x: -np.inf, grad=False, paddle="2.6.2 returns NaN"),
    Row("logsumexp", [np.array([1000.0, -1000.0], "f")], {}, ref=lambda x: 1000.0),
    Row("cumsum", [f(2, 3)], ref=lambda x: np.cumsum(x, -1), second=False),
    Row("cumsum", [f(2, 3)], {"axis": 0, "reverse": True}, ref=lambda x: np.cumsum(x[::-1], 0)[::-1], second=False),
    Row("cumsum", [f(2, 3)], {"axis": 1, "exclusive": True}, ref=lambda x: np.cumsum(x, 1) - x, second=False),
    Row("cumsum", [f(2, 3)], {"axis": 1, "exclusive": True, "reverse": True},
        ref=lambda x: np.cumsum(x[:, ::-1], 1)[:, ::-1] - x, second=False),
    Row("cumsum", [f(2, 3)], {"flatten": True}, ref=np.cumsum, second=False),
    Row("cumsum", [ints(4, dtype="int32")], ref=np.cumsum),
    Row("cumsum", [f()], ref=lambda x: x, second=False),
    Row("size", [f(2, 3)], ref=np.size),
    Row("size", [f()], ref=np.size),
]  # fmt: skip
ROWS += [
    row
    for type, function in (("arg_max", np.argmax), ("arg_min", np.argmin))
    for row in (
        Row(type, [distinct(2, 3)], {"axis": 1}, ref=lambda x, function=function: function(x, 1)),
        Row(type, [distinct(2, 3)], {"axis": -2, "keepdims": True}, ref=lambda x, function=function: function(x, 0)[None]),
        Row(type, [distinct(2, 3)], {"axis": 0, "flatten": True}, ref=lambda x, function=function: function(x)),
        Row(type, [distinct(2, 3)], {"axis": 0, "flatten": True, "keepdims": True},
            ref=lambda x, function=function: function(x).reshape(1, 1)),
        Row(type, [np.array([3, 1, 3, 1])], {"axis": 0, "dtype": 2}, ref=lambda x, function=function: function(x)),
        Row(type, [f()], {"axis": 0}, ref=lambda x: 0),
    )
]  # fmt: skip
