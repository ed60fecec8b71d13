"""Small functions with branches and loops on tensors in an API that works eagerly and in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock.capture.control import (
    array_length,
    array_read,
    array_write,
    case,
    cond,
    create_array,
    switch_case,
    tensor_array_to_tensor,
    while_loop,
)

Function = Callable[..., Any]


def ints(value: int) -> Any:
    return paddle.full([1], value, "int64")


def either(x, y):
    return cond(x.sum() > 0, lambda: x * y, lambda: x - y)


def same_operand_in_both(x, y):
    z = paddle.tanh(x)
    return cond(z.sum() > 0, lambda: z * z, lambda: paddle.exp(z)) + z * y


def two_results(x, y):
    a, b = cond((x - y).sum() > 0, lambda: (x * 2, y), lambda: (y * y, x * 3))
    return a * b


def one_side_ignores(x, y):
    return cond(x.mean() > 0, lambda: x * 1.0, lambda: paddle.ones_like(x)) * y


def nested(x, y):
    inner = lambda: cond(y.sum() > 0, lambda: x * y, lambda: x + y)
    return cond(
        x.sum() > 0, inner, lambda: cond(y.sum() > 0, lambda: x / (y * y + 1), lambda: x - 2 * y)
    )


def cases(x, y):
    return case([(x.sum() > 1, lambda: x * y), (x.sum() > 0, lambda: x + y)], lambda: x * x)


def switched(x, y):
    index = paddle.cast(x.sum() > 0, "int64") + paddle.cast(y.sum() > 0, "int64")
    return switch_case(index, {0: lambda: x * y, 1: lambda: x - y, 2: lambda: y * 2})


def counted(x, y):
    _, s = while_loop(
        lambda i, s: i < 4, lambda i, s: (i + 1, paddle.tanh(s * x + y)), [ints(0), x * 1.0]
    )
    return s


def until(x, y):
    s, n = while_loop(
        lambda s, n: s.abs().sum() < 50, lambda s, n: (s * 1.5 + y * y, n + 1), [x * 1.0, ints(0)]
    )
    return s * paddle.cast(n, "float32")


def no_rounds(x, y):
    _, s = while_loop(lambda i, s: i < 0, lambda i, s: (i + 1, s * y), [ints(0), x * 1.0])
    return s + y


def swapping(x, y):
    _, a, b = while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b * x, a + y), [ints(0), x * 1.0, y * 1.0]
    )
    return a - b


def branch_in_loop(x, y):
    def body(i, s):
        return i + 1, cond(s.sum() > 0, lambda: s - x * 0.5, lambda: s + y * y)

    return while_loop(lambda i, s: i < 5, body, [ints(0), x * 1.0])[1]


def loop_in_branch(x, y):
    grown = lambda: while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * y), [ints(0), x * 1.0])[
        1
    ]
    return cond(x.sum() > 0, grown, lambda: x * y) + x


def loop_in_loop(x, y):
    def body(i, s):
        inner = while_loop(
            lambda j, t: j < i + 1, lambda j, t: (j + 1, paddle.tanh(t + y)), [ints(0), s * x]
        )
        return i + 1, inner[1]

    return while_loop(lambda i, s: i < 3, body, [ints(0), x + 0.1])[1]


def written_and_read(x, y):
    def body(i, s, kept):
        s = paddle.tanh(s * y)
        return i + 1, s, array_write(s * x, i, kept)

    _, s, kept = while_loop(
        lambda i, s, kept: i < 4, body, [ints(0), x * 1.0, create_array("float32")]
    )
    return array_read(kept, ints(1)) * array_read(kept, ints(3)) + s


def joined(x, y):
    def body(i, s, kept):
        return i + 1, s * y, array_write(s, i, kept)

    _, s, kept = while_loop(
        lambda i, s, kept: i < 3, body, [ints(0), x * 1.0, create_array("float32")]
    )
    return tensor_array_to_tensor(kept, axis=0, use_stack=True)[0].sum(0) * s


def written_over(x, y):
    kept = array_write(x * y, ints(0), create_array("float32"))
    kept = array_write(x + y, ints(0), kept)
    kept = array_write(x * x, ints(1), kept)
    return array_read(kept, ints(0)) + array_read(kept, ints(1)) * paddle.cast(ints(1), "float32")


def in_place(x, y):
    z = x * 1.0
    z.add_(y)
    w = paddle.tanh(z)
    z.multiply_(w)
    return z * w


def written_into(x, y):
    z = x * 2.0
    before = z * y
    z[0] = y[1]
    return z * z + before


FUNCTIONS: list[Function] = [
    either, same_operand_in_both, two_results, one_side_ignores, nested, cases, switched, counted, until, no_rounds, swapping,
    branch_in_loop, loop_in_branch, loop_in_loop, written_and_read, joined, written_over, in_place, written_into,
]  # fmt: skip
POINTS = [
    (np.array([0.5, 0.25, 0.75], "float32"), np.array([0.3, 0.2, 0.9], "float32")),
    (np.array([-0.5, 0.1, -0.75], "float32"), np.array([0.3, 0.2, 0.9], "float32")),
    (np.array([0.5, 0.1, 0.25], "float32"), np.array([-0.3, 0.2, -0.9], "float32")),
    (np.array([-0.5, 0.1, -0.25], "float32"), np.array([-0.7, 0.2, -0.9], "float32")),
]
__all__ = ["FUNCTIONS", "POINTS", "array_length"]
