"""Rows of activation and softmax."""

from __future__ import annotations

import math

import numpy as np

from .rows import Numbers, Row

n = Numbers(3)
f = n.f
erf = np.vectorize(math.erf, otypes=[float])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def soft(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


PLAIN = [  # op type, attributes, reference
    ("relu", {}, lambda x: np.maximum(x, 0)), ("relu6", {}, lambda x: np.clip(x, 0, 6)),
    ("brelu", {"t_min": -0.4, "t_max": 0.5}, lambda x: np.clip(x, np.float32(-0.4), np.float32(0.5))),
    ("clip", {"min": -0.4, "max": 0.5}, lambda x: np.clip(x, np.float32(-0.4), np.float32(0.5))),
    ("leaky_relu", {}, lambda x: np.where(x > 0, x, 0.02 * x)), ("leaky_relu", {"alpha": 0.3}, lambda x: np.where(x > 0, x, 0.3 * x)),
    ("elu", {}, lambda x: np.where(x > 0, x, np.expm1(x))), ("elu", {"alpha": 1.7}, lambda x: np.where(x > 0, x, 1.7 * np.expm1(x))),
    ("gelu", {}, lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2)))), ("gelu", {"approximate": True}, gelu_tanh),
    ("silu", {}, lambda x: x * sigmoid(x)), ("swish", {}, lambda x: x * sigmoid(x)),
    ("hard_swish", {}, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    ("hard_sigmoid", {}, lambda x: np.clip(0.2 * x + 0.5, 0, 1)), ("hard_sigmoid", {"slope": 0.7, "offset": 0.4}, None),
    ("softplus", {}, lambda x: np.log1p(np.exp(x))), ("softplus", {"beta": 3.0, "threshold": 1.0}, None),
    ("softsign", {}, lambda x: x / (1 + np.abs(x))), ("logsigmoid", {}, lambda x: np.log(sigmoid(x))),
    ("mish", {}, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
]  # fmt: skip
PIECEWISE = {"relu", "relu6", "brelu", "clip", "leaky_relu", "hard_sigmoid"}

ROWS = [
    row
    for type, attrs, ref in PLAIN
    for row in (
        Row(type, [f(3, 4)], attrs, ref=ref, second=type not in PIECEWISE),
        Row(type, [f()], attrs, ref=ref, second=type not in PIECEWISE),
        Row(type, [f(0, 2)], attrs, ref=ref, paddle="2.6.2 rejects empty tensors"),
        Row(type, [f(5) * 8], attrs, ref=None, second=type not in PIECEWISE and type not in ("hard_swish", "softplus")),
    )
]  # fmt: skip
ROWS += [
    Row("relu", [np.array([-1.0, 0.0, 1.0], "f")], ref=lambda x: np.maximum(x, 0), grad=False),
    Row("relu6", [f(3, 4) * 4], {"threshold": 2.5}, ref=lambda x: np.clip(x, 0, 2.5), paddle="2.6.2 supports only threshold = 6"),
    Row("swish", [f(3, 4)], {"beta": 0.7}, ref=lambda x: x * sigmoid(np.float32(0.7) * x), paddle="2.6.2 supports only beta = 1"),
    Row("silu", [np.array([-200.0, 200.0], "f")], ref=lambda x: np.array([0.0, 200.0]), grad=False),
    Row(
        "hard_swish",
        [f(3, 4) * 4],
        {"threshold": 5.0, "scale": 4.0, "offset": 2.0},
        second=False,
        paddle="2.6 ignores the attributes, which older programs rely on",
    ),
    Row(
        "clip",
        [f(3, 4), np.array([-0.4], "f"), np.array([0.5], "f")],
        {"min": -9.0, "max": 9.0},
        second=False,
        ref=lambda x, a, b: np.clip(x, a, b),
    ),
    Row(
        "clip",
        [f(3, 4), None, np.array([0.5], "f")],
        {"min": -0.3, "max": 9.0},
        second=False,
        ref=lambda x, a, b: np.clip(x, np.float32(-0.3), b),
    ),
    Row("clip", [n.ints(6)], {"min": 1.0, "max": 3.0}, ref=lambda x: np.clip(x, 1, 3)),
    Row("prelu", [f(2, 3, 4), f(1)], {"mode": "all"}, ref=lambda x, a: np.where(x > 0, x, a * x)),
    Row("prelu", [f(2, 3, 4), f(3)], {"mode": "channel"}, ref=lambda x, a: np.where(x > 0, x, a[:, None] * x)),
    Row(
        "prelu",
        [f(2, 3, 4), f(4)],
        {"mode": "channel", "data_format": "NHWC"},
        ref=lambda x, a: np.where(x > 0, x, a * x),
    ),
    Row("prelu", [f(2, 3, 4), f(1, 3, 4)], {"mode": "element"}, ref=lambda x, a: np.where(x > 0, x, a * x)),
    Row("softmax", [f(3, 4)], ref=soft),
    Row("softmax", [f(2, 3, 4)], {"axis": 1}, ref=lambda x: soft(x, 1)),
    Row("softmax", [f()], ref=lambda x: np.float32(1), second=False),
    Row("softmax", [f(0, 4)], ref=lambda x: x, paddle="2.6.2 rejects empty tensors"),
    Row("softmax", [np.array([[1000.0, 0.0, -1000.0]], "f")], ref=soft),
    Row("softmax", [np.array([[-np.inf, 0.0, 1.0]], "f")], ref=soft, grad=False),
    Row("softmax", [np.full((1, 2), -np.inf, "f")], ref=lambda x: x * np.nan, grad=False),
    Row("log_softmax", [f(3, 4)], ref=lambda x: np.log(soft(x))),
    Row("log_softmax", [f(2, 3, 4)], {"axis": -2}, ref=lambda x: np.log(soft(x, 1))),
    Row("log_softmax", [f()], ref=lambda x: np.float32(0), second=False),
]  # fmt: skip
