"""Rows of unary functions and cast."""

from __future__ import annotations

import math

import numpy as np

from .rows import Numbers, Row

n = Numbers(2)
f, pos = n.f, n.pos
erf = np.vectorize(math.erf, otypes=[float])


def away(x):
    """Rounded, halves away from zero."""
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


PLAIN = [  # op type, reference, operand
    ("exp", np.exp, f(2, 3)), ("expm1", np.expm1, f(2, 3)), ("log", np.log, pos(2, 3)), ("log2", np.log2, pos(2, 3)),
    ("log10", np.log10, pos(2, 3)), ("log1p", np.log1p, pos(2, 3)), ("sqrt", np.sqrt, pos(2, 3)),
    ("rsqrt", lambda x: 1 / np.sqrt(x), pos(2, 3)), ("square", np.square, f(2, 3)), ("reciprocal", np.reciprocal, f(2, 3)),
    ("abs", np.abs, f(2, 3)), ("sign", np.sign, f(2, 3)), ("floor", np.floor, f(2, 3) * 3), ("ceil", np.ceil, f(2, 3) * 3),
    ("round", away, f(2, 3) * 3), ("sin", np.sin, f(2, 3)), ("cos", np.cos, f(2, 3)), ("tan", np.tan, f(2, 3)),
    ("asin", np.arcsin, f(2, 3) * 0.9), ("acos", np.arccos, f(2, 3) * 0.9), ("atan", np.arctan, f(2, 3)),
    ("sinh", np.sinh, f(2, 3)), ("cosh", np.cosh, f(2, 3)), ("asinh", np.arcsinh, f(2, 3)),
    ("acosh", np.arccosh, pos(2, 3) + 1), ("atanh", np.arctanh, f(2, 3) * 0.9), ("erf", erf, f(2, 3) * 2),
    ("tanh", np.tanh, f(2, 3)), ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), f(2, 3)),
]  # fmt: skip
FLAT = {"sign", "floor", "ceil", "round"}

ROWS = [
    row
    for type, function, x in PLAIN
    for row in (
        Row(type, [x], ref=function, second=type not in FLAT),
        Row(type, [x[0, 0]], ref=function, second=type not in FLAT),
        Row(type, [x[:0]], ref=function, second=type not in FLAT, paddle="2.6.2 rejects empty tensors"),
    )
]  # fmt: skip
WHOLE = np.array([1, 2, 5], dtype=np.int64)
ROWS += [
    Row(t, [WHOLE], ref=r)
    for t, r, _ in PLAIN
    if t in ("exp", "expm1", "log", "log2", "log10", "log1p")
]
ROWS += [Row(t, [WHOLE - 2], ref=r) for t, r, _ in PLAIN if t in ("square", "abs", "sign")]
ROWS += [
    Row(
        "round",
        [np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.49999997], "f")],
        ref=lambda x: np.array([1, 2, 3, -1, -2, 0]),
        grad=False,
    ),
    Row("sign", [np.array([0.0, -0.0, np.nan, np.inf], "f")], ref=np.sign, grad=False),
    Row("abs", [np.array([0.0, -1.0], "f")], ref=np.abs, grad=False),
    Row("erf", [np.linspace(-6, 6, 101).astype("f")], ref=erf, tol=1e-6),
    Row(
        "sigmoid",
        [np.array([-200.0, -20.0, 0.0, 20.0, 200.0], "f")],
        ref=lambda x: 1 / (1 + np.exp(-x.astype("d"))),
        tol=1e-6,
    ),
    Row("log", [np.array([0.0, -1.0, np.inf], "f")], ref=lambda x: np.array([-np.inf, np.nan, np.inf]), grad=False),
    Row("cast", [f(2, 3) * 3], {"in_dtype": 5, "out_dtype": 3}, ref=lambda x: np.trunc(x)),
    Row("cast", [f(2, 3)], {"in_dtype": 5, "out_dtype": 0}, ref=lambda x: x != 0),
    Row("cast", [n.ints(2, 3)], {"in_dtype": 3, "out_dtype": 5}, ref=lambda x: x),
    Row("cast", [f()], {"in_dtype": 5, "out_dtype": 5}, ref=lambda x: x, second=False),
    Row("cast", [f(2)], {"in_dtype": 5, "out_dtype": 4}, ref=lambda x: x, tol=1e-3, grad=False),
    Row("assign", [f(2, 3)], ref=lambda x: x, second=False),
    Row("share_data", [f(2, 3)], ref=lambda x: x, second=False, paddle_grad="2.6.2 has no gradient"),
    Row(
        "increment", [f(1)], {"step": 2.0}, ref=lambda x: x + 2, second=False, paddle_grad="2.6.2 cannot create the gradient op alone"
    ),
    Row("increment", [np.array([3])], {"step": 2.0}, ref=lambda x: x + 2),
    Row("pow", [pos(2, 3)], {"factor": 2.5}, ref=lambda x: x**2.5),
    Row("pow", [f(2, 3)], {"factor": 2.0}, ref=np.square),
    Row("pow", [f(2, 3)], {"factor": 3.0}, ref=lambda x: x**3),
    Row("pow", [f(2, 3)], {"factor": -1.0}, ref=lambda x: 1 / x),
    Row("pow", [pos()], {"factor": 0.5}, ref=np.sqrt),
    Row(
        "pow",
        [pos(3), np.array([1.5], "f")],
        {"factor": 2.0},
        ref=lambda x, p: x**1.5,
        paddle_grad="the gradient op of 2.6.2 ignores FactorTensor",
    ),
    Row("pow", [np.array([2, 3])], {"factor": 3.0}, ref=lambda x: x**3),
]  # fmt: skip
