"""Rows of rnn."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(31)
f = n.f
GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(mode, x, states, w):
    """One step of a cell, as its definition has it."""
    a, b = x @ w[0].T + w[2], states[0] @ w[1].T + w[3]
    if mode == "LSTM":
        i, o, new, out = np.split(a + b, 4, -1)
        c = sigmoid(o) * states[1] + sigmoid(i) * np.tanh(new)
        return [sigmoid(out) * np.tanh(c), c]
    if mode == "GRU":
        (ar, az, an), (br, bz, bn) = np.split(a, 3, -1), np.split(b, 3, -1)
        z, new = sigmoid(az + bz), np.tanh(an + sigmoid(ar + br) * bn)
        return [z * states[0] + (1 - z) * new]
    return [np.tanh(a + b) if mode == "RNN_TANH" else np.maximum(a + b, 0)]


def by_definition(mode, layers=1, directions=1):
    def of(x, pre, weights, lengths=None):
        last, half = [np.array(p, "d") for p in pre], len(weights) // 2
        for layer in range(layers):
            outs = []
            for d in range(directions):
                at = layer * directions + d
                w = [*weights[2 * at : 2 * at + 2], *weights[half + 2 * at : half + 2 * at + 2]]
                states, out = [p[at] for p in pre], np.zeros((*x.shape[:2], pre[0].shape[2]))
                for t in range(len(x))[:: -1 if d else 1]:
                    inside = (
                        np.ones((x.shape[1], 1), bool)
                        if lengths is None
                        else (t < lengths)[:, None]
                    )
                    states = [
                        np.where(inside, a, b)
                        for a, b in zip(step(mode, x[t], states, w), states, strict=True)
                    ]
                    out[t] = states[0] * inside
                outs.append(out)
                for k, s in enumerate(states):
                    last[k][at] = s
            x = np.concatenate(outs, -1)
        return x, None, None, last

    return of


def row(mode, layers=1, directions=1, lengths=None, sizes=(4, 3, 2, 5), **attrs):
    t, b, i, h = sizes
    wide, count = GATES[mode] * h, layers * directions
    matrices = [
        f(wide, s) for k in range(count) for s in (i if k < directions else directions * h, h)
    ]
    biases = [f(wide) for _ in range(2 * count)]
    pre = [f(count, b, h) for _ in range(2 if mode == "LSTM" else 1)]
    return Row(
        "rnn",
        [f(t, b, i), pre, [0.5 * w for w in matrices] + biases, lengths],
        {
            "mode": mode,
            "num_layers": layers,
            "is_bidirec": directions == 2,
            "hidden_size": h,
            "input_size": i,
            **attrs,
        },
        ref=by_definition(mode, layers, directions) if not attrs.get("dropout_prob") else None,
        second=False,
        grad=mode != "RNN_RELU",
        unset=frozenset({"DropoutState", "Reserve"}),
        random=bool(attrs.get("dropout_prob")),
        paddle_grad="2.6.2 saves nothing for the gradient with is_test"
        if attrs.get("is_test")
        else ""
        if lengths is None
        else IN_LENGTHS,
    )


IN_LENGTHS = "with SequenceLength the gradients of 2.6.2 are not the derivatives of its outputs"
LENGTHS = np.array([4, 1, 3], "int32")
ROWS = [
    *[row(mode) for mode in GATES],
    *[row(mode, 2, 2) for mode in GATES],
    *[row(mode, 2, 2, LENGTHS) for mode in GATES],
    row("LSTM", 1, 2, LENGTHS),
    row("LSTM", 1, 1, LENGTHS),
    row("GRU", 2, 1, is_test=True),
    row("GRU", 3, 1, LENGTHS),
    row("LSTM", sizes=(1, 1, 1, 1)),
    row("LSTM", 2, 2, dropout_prob=0.5),
    row("GRU", 2, dropout_prob=1.0),
]
