"""Networks that repeat a step: each as a StaticRNN of a program, and unrolled, eagerly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import static

Values = list[Any]
SIZES = [(1, 2), (4, 3), (3, 1)]  # steps and rows


@dataclass(frozen=True)
class Net:
    """weights: shapes; inputs: sizes of a row, each; memories: sizes of a row and what they start
    with, None for an input of the net.

    step: the weights, a step of each input, the memories and the whole inputs -> the next memories,
    and outputs.
    """

    step: Callable[[Values, Values, Values, Values], tuple[Values, Values]]
    inputs: Sequence[int]
    weights: Sequence[tuple[int, ...]] = ()
    memories: Sequence[tuple[int, float | None]] = ()


def plain(w: Values, x: Values, m: Values, _: Values) -> tuple[Values, Values]:
    """An Elman network."""
    h = paddle.tanh(paddle.matmul(x[0], w[0]) + paddle.matmul(m[0], w[1]) + w[2])
    return [h], [h]


def lstm(w: Values, x: Values, m: Values, _: Values) -> tuple[Values, Values]:
    """Two memories; one of them is also an output, with another value."""
    gates = paddle.matmul(paddle.concat([x[0], m[0]], 1), w[0])
    i, f, o, g = paddle.split(gates, 4, axis=1)
    sigmoid = paddle.nn.functional.sigmoid
    c = sigmoid(f) * m[1] + sigmoid(i) * paddle.tanh(g)
    h = sigmoid(o) * paddle.tanh(c)
    return [h, c], [h, c * 2.0]


def two_inputs(w: Values, x: Values, m: Values, _: Values) -> tuple[Values, Values]:
    h = paddle.tanh(paddle.matmul(x[0], w[0]) * x[1] + m[0])
    return [h], [h, x[1] + h]


def no_memory(w: Values, x: Values, m: Values, _: Values) -> tuple[Values, Values]:
    return [], [paddle.matmul(x[0], w[0]).sum(axis=1)]


def exchanged(w: Values, x: Values, m: Values, _: Values) -> tuple[Values, Values]:
    """Each memory becomes the other."""
    return [m[1], m[0] + x[0] * w[0]], [m[0]]


def last_seen(w: Values, x: Values, m: Values, _: Values) -> tuple[Values, Values]:
    """A memory that is an input of the step before."""
    return [x[0]], [x[0] * m[0] * w[0]]


def whole(w: Values, x: Values, m: Values, wholes: Values) -> tuple[Values, Values]:
    """The step reads the whole sequence."""
    scores = paddle.nn.functional.softmax(
        (wholes[0] * (m[0] + x[0])).sum(axis=2, keepdim=True), axis=0
    )
    h = paddle.tanh((wholes[0] * scores).sum(axis=0) + m[0] * w[0])
    return [h], [h]


def branching(w: Values, x: Values, m: Values, _: Values) -> tuple[Values, Values]:
    """A branch in the step."""
    h = static.nn.cond(
        x[0].sum() > 0, lambda: paddle.tanh(m[0] * w[0] + x[0]), lambda: m[0] * m[0] + x[0] * w[0]
    )
    return [h], [h]


def looping(w: Values, x: Values, m: Values, _: Values) -> tuple[Values, Values]:
    """A loop in the step."""
    i = paddle.zeros([1], "int64")
    _, h = static.nn.while_loop(
        lambda i, h: i < 3, lambda i, h: [i + 1, paddle.tanh(h * w[0] + x[0])], [i, m[0]]
    )
    return [h], [h * x[0]]


NETS = {
    "plain": Net(plain, [3], [(3, 4), (4, 4), (4,)], [(4, 0.0)]),
    "plain_from_input": Net(plain, [3], [(3, 4), (4, 4), (4,)], [(4, None)]),
    "lstm": Net(lstm, [3], [(7, 16)], [(4, None), (4, 0.5)]),
    "two_inputs": Net(two_inputs, [3, 4], [(3, 4)], [(4, 0.25)]),
    "no_memory": Net(no_memory, [3], [(3, 2)]),
    "exchanged": Net(exchanged, [3], [(3,)], [(3, None), (3, 1.0)]),
    "last_seen": Net(last_seen, [3], [(3,)], [(3, 1.0)]),
    "whole": Net(whole, [3], [(3,)], [(3, 0.5)]),
    "branching": Net(branching, [3], [(3,)], [(3, 0.5)]),
    "looping": Net(looping, [3], [(3,)], [(3, None)]),
}


def feeds(net: Net, steps: int, rows: int, seed: int = 0) -> dict[str, Any]:
    """Values for the inputs of a net: `x0`, `x1` ... and `m0`, `m1` ..."""
    draw = np.random.default_rng([seed, steps, rows])
    given = {
        f"x{i}": draw.standard_normal((steps, rows, size)) for i, size in enumerate(net.inputs)
    }
    given |= {
        f"m{i}": draw.standard_normal((rows, size))
        for i, (size, at) in enumerate(net.memories)
        if at is None
    }
    return {name: value.astype("float32") for name, value in given.items()}


def weights(net: Net) -> list[Any]:
    """Values for the weights of a net."""
    draw = np.random.default_rng(9)
    return [(draw.standard_normal(shape) * 0.5).astype("float32") for shape in net.weights]


def recurrent(net: Net, w: Values, given: dict[str, Any]) -> Values:
    """The outputs of a net by StaticRNN."""
    rnn = static.nn.StaticRNN()
    wholes = [given[f"x{i}"] for i in range(len(net.inputs))]
    with rnn.step():
        x = [rnn.step_input(one) for one in wholes]
        m = []
        for i, (size, at) in enumerate(net.memories):
            if at is None:
                m.append(rnn.memory(init=given[f"m{i}"]))
            else:
                m.append(rnn.memory(shape=[-1, size], batch_ref=x[0], init_value=at))
        after, outs = net.step(w, x, m, wholes)
        for memory, value in zip(m, after, strict=True):
            rnn.update_memory(memory, value)
        rnn.output(*outs)
    made = rnn()
    return made if isinstance(made, list) else [made]


def unrolled(net: Net, w: Values, given: dict[str, Any], reverse: bool = False) -> Values:
    """The outputs of a net step by step."""
    wholes = [given[f"x{i}"] for i in range(len(net.inputs))]
    steps, rows = wholes[0].shape[0], wholes[0].shape[1]
    m = [
        given[f"m{i}"] if at is None else paddle.full([rows, size], at, "float32")
        for i, (size, at) in enumerate(net.memories)
    ]
    found: list[Values] = []
    for t in reversed(range(steps)) if reverse else range(steps):
        m, outs = net.step(w, [one[t] for one in wholes], m, wholes)
        found.append(outs)
    return [
        paddle.stack(list(each))
        for each in zip(*(reversed(found) if reverse else found), strict=True)
    ]


def loss_of(outs: Values) -> Any:
    """A number that all outputs have a part in."""
    return paddle.add_n([(o * o).sum() for o in outs])


def written(net: Net, steps: int = -1, rows: int = -1) -> tuple[dict[str, Any], Values, Values]:
    """A net in the main program: its inputs, its parameters with the values of `weights`, its
    outputs.
    """
    given = {}
    for name, value in feeds(net, 2, 2).items():
        shape = [steps, rows, value.shape[-1]] if name[0] == "x" else [rows, value.shape[-1]]
        given[name] = static.data(name, shape)
        given[name].stop_gradient = False
    w = []
    for i, value in enumerate(weights(net)):
        init = paddle.nn.initializer.Assign(value)
        w.append(
            static.create_parameter(value.shape, "float32", name=f"w{i}", default_initializer=init)
        )
    return given, w, recurrent(net, w, given)


def eager(net: Net, given: dict[str, Any], reverse: bool = False) -> tuple[Values, list[Any]]:
    """Return the results of a network, and the gradients of `loss_of` by inputs and weights."""
    paddle.disable_static()
    try:
        w = [paddle.to_tensor(v, stop_gradient=False) for v in weights(net)]
        x = {name: paddle.to_tensor(v, stop_gradient=False) for name, v in given.items()}
        outs = unrolled(net, w, x, reverse)
        loss_of(outs).backward()
        slopes = [None if v.grad is None else v.grad.numpy() for v in (*x.values(), *w)]
        return [o.numpy() for o in outs], slopes
    finally:
        paddle.enable_static()


def started() -> Any:
    exe = static.Executor()
    exe.run(static.default_startup_program())
    return exe


def close(found: Any, wanted: Any) -> None:
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


def as_list(made: Any) -> list[Any]:
    return [v.numpy() for v in (made if isinstance(made, list | tuple) else [made])]


def repeated(x: Any, first: Any) -> Any:
    """m becomes tanh(m * x[t] + x[t]); all of them."""
    rnn = static.nn.StaticRNN()
    with rnn.step():
        one, m = rnn.step_input(x), rnn.memory(init=first)
        h = paddle.tanh(m * one + one)
        rnn.update_memory(m, h)
        rnn.step_output(h)
    return rnn()
