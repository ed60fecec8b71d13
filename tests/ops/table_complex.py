"""Rows of complex numbers: construction, parts, and ops that combine them with real numbers."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(41)
f, c = n.f, n.c
NO_KERNEL = "2.6.2 has no CPU kernel for complex numbers"


def of(function, type=None, shape=(3, 4), paddle=NO_KERNEL, **settings):
    """Return a row of a function of one operand."""
    return Row(
        type or function.__name__, [c(*shape)], ref=function, tol=2e-5, paddle=paddle, **settings
    )


ROWS = [
    Row("complex", [f(3, 4), f(3, 4)], ref=lambda x, y: x + 1j * y),
    Row("complex", [f(3, 1), f(4)], ref=lambda x, y: x + 1j * y),
    Row("complex", [f(), f()], ref=lambda x, y: x + 1j * y),
    Row("complex", [f(0, 2), f(0, 2)], ref=lambda x, y: x + 1j * y, paddle="2.6.2 rejects empty tensors"),
    Row("real", [c(3, 4)], ref=np.real),
    Row("real", [c()], ref=np.real),
    Row("imag", [c(3, 4)], ref=np.imag),
    Row("imag", [c(2, 0)], ref=np.imag, paddle="2.6.2 rejects empty tensors"),
    Row("conj", [c(3, 4)], ref=np.conj),
    Row("conj", [f(3, 4)], ref=np.conj),
    Row("conj", [n.ints(3, 4)], ref=np.conj),
    Row("angle", [c(3, 4)], ref=np.angle),
    Row("angle", [f(3, 4)], ref=np.angle, second=False),
    Row("angle", [np.array([0, 1, -1], "c8")], ref=np.angle, grad=False),
    Row("as_complex", [f(3, 2)], ref=lambda x: x[..., 0] + 1j * x[..., 1]),
    Row("as_complex", [f(2)], ref=lambda x: x[..., 0] + 1j * x[..., 1]),
    Row("as_real", [c(3, 4)], ref=lambda x: np.stack([x.real, x.imag], -1)),
    Row("as_real", [c()], ref=lambda x: np.stack([x.real, x.imag], -1)),
    Row("abs", [c(3, 4)], ref=np.abs),
    Row("abs", [np.zeros(2, "c8")], ref=np.abs, grad=False),
    *(of(function, paddle="") for function in (np.exp, np.expm1, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh)),
    *(of(function, name, paddle="") for function, name in ((np.arcsin, "asin"), (np.arccos, "acos"), (np.arctan, "atan"))),
    *(of(function, name, paddle="") for function, name in ((np.arcsinh, "asinh"), (np.arctanh, "atanh"))),
    of(np.arccosh, "acosh", paddle="", paddle_grad="2.6.2 has the wrong sign for a negative real part"),
    *(of(function) for function in (np.log, np.log2, np.log10, np.log1p, np.sqrt, np.square, np.reciprocal)),
    of(lambda x: 1 / np.sqrt(x), "rsqrt"),
    of(lambda x: 1 / (1 + np.exp(-x)), "sigmoid", paddle=""),
    of(lambda x: x / (1 + np.exp(-x)), "silu", paddle=""),
    Row("pow", [c(3, 4)], {"factor": 3.0}, ref=lambda x: x**3, tol=2e-5, paddle=NO_KERNEL),
    Row("mean", [c(3, 4)], ref=np.mean),
    Row("reduce_sum", [c(3, 4)], {"dim": [1]}, ref=lambda x: x.sum(1)),
    Row("reduce_mean", [c(3, 4)], {"dim": [0]}, ref=lambda x: x.mean(0)),
    Row("cumsum", [c(3, 4)], {"axis": 1}, ref=lambda x: np.cumsum(x, 1), paddle=NO_KERNEL),
    Row("scale", [c(3)], {"scale": 2.0, "bias": 1.0}, ref=lambda x: 2 * x + 1, paddle=NO_KERNEL),
    Row("elementwise_add", [c(3, 4), c(4)], ref=np.add),
    Row("elementwise_sub", [c(3, 4), c(3, 1)], ref=np.subtract),
    Row("elementwise_mul", [c(3, 4), c(3, 4)], ref=np.multiply),
    Row("elementwise_mul", [c(3, 1), c(4)], ref=np.multiply),
    Row("elementwise_div", [c(3, 4), c(4)], ref=np.divide, tol=2e-5),
    Row("elementwise_pow", [c(3, 4), c(3, 4)], ref=np.power, tol=5e-5, paddle=NO_KERNEL),
    Row("matmul_v2", [c(2, 3), c(3, 4)], ref=np.matmul),
    Row("matmul_v2", [c(5, 3, 2), c(4, 3)], {"trans_x": True, "trans_y": True}, ref=lambda x, y: x.swapaxes(1, 2) @ y.T),
    Row("matmul_v2", [c(2, 3), c(3)], ref=np.matmul),
    Row("dot", [c(4), c(4)], ref=np.dot),
    Row("cast", [c(3)], {"in_dtype": 23, "out_dtype": 5}, ref=np.real),
    Row("cast", [f(3)], {"in_dtype": 5, "out_dtype": 23}, ref=lambda x: x.astype("c8")),
    Row(
        "cast",
        [np.array([0, 1, 1j, 1 + 1j], "c8")],
        {"in_dtype": 23, "out_dtype": 0},
        ref=lambda x: x != 0,
        grad=False,
    ),
    Row("transpose2", [c(3, 4)], {"axis": [1, 0]}, ref=np.transpose),
    Row("concat", [[c(2, 3), c(1, 3)], None], {"axis": 0}, ref=lambda xs, _: np.concatenate(xs)),
    Row("slice", [c(3, 4)], {"axes": [1], "starts": [1], "ends": [3]}, ref=lambda x, *_: x[:, 1:3]),
]  # fmt: skip
