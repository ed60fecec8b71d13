"""Recurrent networks for `lowering_cases.py`."""

import numpy as np
from lowering_cases import a, f, op, w

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def rnn(mode, layers=1, directions=1, lengths=None, sizes=(6, 3, 4, 5), **more):
    """One op over random weights.   sizes: time, batch, features, hidden."""
    time, batch, features, hidden = sizes
    rows, count = GATES[mode] * hidden, layers * directions
    widths = [features if k < directions else directions * hidden for k in range(count)]
    matrices = [
        w(f(rows, size, seed=10 + k) / 2) for k in range(count) for size in (widths[k], hidden)
    ]
    biases = [w(f(rows, seed=40 + k) / 2) for k in range(2 * count)]
    states = [f(count, batch, hidden, seed=80 + k) for k in range(2 if mode == "LSTM" else 1)]
    given = (
        {}
        if lengths is None
        else {"SequenceLength": a(lengths, "int32"), "undeclared": "batch open"}
    )
    return op(
        "rnn",
        Input=f(time, batch, features),
        PreState=states,
        WeightList=matrices + biases,
        out=f"Out State*{len(states)}",
        unread="DropoutState Reserve",
        mode=mode,
        is_bidirec=directions == 2,
        input_size=features,
        hidden_size=hidden,
        num_layers=layers,
        is_test=True,
        keep=(-1,),
        **given,
        **more,
    )


def with_nan(case, slot, at):
    """Return the case with one NaN in an operand."""
    case.inputs[slot][0][at] = np.nan
    return case


# In Paddle NaN stays from its step on, in the row where it is; behind a length, too.
NANS = [
    with_nan(rnn(mode, layers, directions, lengths), slot, at)
    for mode in ("LSTM", "GRU", "RNN_TANH")
    for layers, directions, lengths in (
        (1, 1, None),
        (1, 2, [6, 3, 4]),
        (2, 2, [6, 3, 4]),
        (2, 1, [5, 3, 6]),
    )
    for slot, at in (("Input", (2, 1, 0)), ("Input", (4, 1, 3)), ("PreState", (0, 1, 2)))
]

OPS = [
    rnn("LSTM"),
    rnn("GRU"),
    rnn("RNN_TANH"),
    rnn("RNN_RELU"),
    rnn("LSTM", layers=2, directions=2),
    rnn("GRU", layers=3),
    rnn("GRU", directions=2, lengths=[6, 2, 4]),
    rnn("LSTM", layers=2, directions=2, lengths=[1, 6, 3]),
    rnn("RNN_TANH", layers=2, lengths=[5, 6, 1]),
    *NANS,
]
