"""Rows of shrink."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(33)
f = n.f
X = np.array([-3.0, -1.2, -0.7, -0.3, 0.2, 0.4, 0.8, 1.7, 4.0], "f")
EDGES = np.array([-0.5, 0.0, 0.5, 1.0], "f")
SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772


def shrunk(width):
    return lambda x: np.where(x > width, x - width, np.where(x < -width, x + width, 0))


def only_beyond(width):
    return lambda x: np.where(np.abs(x) > width, x, 0)


ROWS = [
    Row("celu", [f(2, 3)], ref=lambda x: np.where(x > 0, x, np.expm1(x))),
    Row("celu", [X], {"alpha": 1.5}, ref=lambda x: np.where(x > 0, x, 1.5 * np.expm1(x / 1.5))),
    Row("celu", [f()], {"alpha": 0.5}),
    Row("selu", [f(2, 3)], ref=lambda x: SCALE * np.where(x > 0, x, ALPHA * np.expm1(x))),
    Row("selu", [X], {"scale": 1.5, "alpha": 2.0}, ref=lambda x: 1.5 * np.where(x > 0, x, 2 * np.expm1(x))),
    Row("hard_shrink", [X], ref=only_beyond(0.5)),
    Row("hard_shrink", [X], {"threshold": 1.0}, ref=only_beyond(1.0)),
    Row("hard_shrink", [EDGES], grad=False, ref=only_beyond(0.5)),
    Row("softshrink", [X], ref=shrunk(0.5)),
    Row("softshrink", [X], {"lambda": 1.0}, ref=shrunk(1.0)),
    Row("softshrink", [EDGES], grad=False, ref=shrunk(0.5)),
    Row("tanh_shrink", [X], ref=lambda x: x - np.tanh(x.astype("d")), tol=2e-5),
    Row("thresholded_relu", [X], ref=lambda x: np.where(x > 1, x, 0)),
    Row("thresholded_relu", [f(2, 3)], {"threshold": -0.1}, ref=lambda x: np.where(x > -0.1, x, 0)),
    Row("stanh", [X], ref=lambda x: 1.7159 * np.tanh(0.67 * x)),
    Row("stanh", [f()], {"scale_a": 1.5, "scale_b": 0.5}, ref=lambda x: 0.5 * np.tanh(1.5 * x)),
    Row("logit", [n.pos(3, 4) * 0.8], ref=lambda x: np.log(x / (1 - x)), tol=2e-5),
    Row("logit", [n.pos(3, 4) * 0.8], {"eps": 0.3}, ref=lambda x: np.log((c := np.clip(x, 0.3, 0.7)) / (1 - c)), second=False),
    Row("logit", [np.array([-0.5, 0.0, 1.0, 1.5], "f")], {"eps": 0.0}, grad=False,
        ref=lambda x: np.array([np.nan, -np.inf, np.inf, np.nan])),
    Row("rrelu", [X], {"is_test": True}, ref=lambda x: (np.where(x > 0, x, x * (1 / 8 + 1 / 3) / 2), None)),
    Row("rrelu", [f(2, 3)], {"is_test": True, "lower": 0.2, "upper": 0.4}, ref=lambda x: (np.where(x > 0, x, 0.3 * x), None)),
    Row("rrelu", [f(2, 3)], {"lower": 0.2, "upper": 0.4}, random=True),
    Row("gumbel_softmax", [f(2, 3)], {"temperature": 0.5}, random=True),
    Row("gumbel_softmax", [f(2, 3, 4)], {"hard": True, "axis": 1}, random=True),
]  # fmt: skip
ROWS += [
    Row(t, [f(0, 2)], ref=lambda x: x, paddle="2.6.2 rejects empty tensors")
    for t in ("celu", "selu", "softshrink", "stanh", "logit")
]
