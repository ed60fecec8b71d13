"""Branches and loops in programs written by hand, and their gradients, for Oarlock and for real
Paddle; see same_code.py.

Left out because real Paddle 2.6.2 is wrong there, and tested against Python's own control flow
only: a branch inside of a loop (it takes the gradient of one round), two results of a branch of
which one runs for the first time in a later run (zeros), lists written outside of loops (gradients
add up from run to run).
"""

import numpy as np
from same_static import static_mode

POINTS = [
    ([0.5, 0.25, 0.75], [0.3, 0.2, 0.9]),
    ([-0.5, 0.1, -0.75], [0.3, 0.2, 0.9]),
    ([0.5, 0.1, 0.25], [-0.3, 0.2, -0.9]),
    ([-0.5, 0.1, -0.25], [-0.7, 0.2, -0.9]),
]


def start(P):
    """The number 0 to count with."""
    return P.full([1], 0, "int64")


def either(P, S, x, y):
    """One of two."""
    return S.nn.cond(x.sum() > 0, lambda: x * y, lambda: x - y)


def shared(P, S, x, y):
    """Both branches read an earlier result."""
    z = P.tanh(x)
    return S.nn.cond(z.sum() > 0, lambda: z * z, lambda: P.exp(z)) + z * y


def nested(P, S, x, y):
    """Branches of branches."""
    inner = lambda: S.nn.cond(y.sum() > 0, lambda: x * y, lambda: x + y)
    return S.nn.cond(x.sum() > 0, inner, lambda: x / (y * y + 1))


def cases(P, S, x, y):
    """The first true condition is selected."""
    return S.nn.case([(x.sum() > 1, lambda: x * y), (x.sum() > 0, lambda: x + y)], lambda: x * x)


def switched(P, S, x, y):
    """A branch by number."""
    index = P.cast(x.sum() > 0, "int32") + P.cast(y.sum() > 0, "int32")
    return S.nn.switch_case(index, {0: lambda: x * y, 1: lambda: x - y, 2: lambda: y * 2})


def counted(P, S, x, y):
    """A fixed number of iterations."""
    body = lambda i, s: [i + 1, P.tanh(s * x + y)]
    return S.nn.while_loop(lambda i, s: i < 4, body, [start(P), x * 1.0])[1]


def until(P, S, x, y):
    """A number of iterations that depends on values."""
    body = lambda s, n: [s * 1.5 + y * y, n + 1]
    return S.nn.while_loop(lambda s, n: s.abs().sum() < 50, body, [x * 1.0, start(P)])[0]


def no_rounds(P, S, x, y):
    """None at all."""
    body = lambda i, s: [i + 1, s * y]
    return S.nn.while_loop(lambda i, s: i < 0, body, [start(P), x * 1.0])[1] + y


def loop_in_loop(P, S, x, y):
    """A loop in a loop."""

    def body(i, s):
        inner = S.nn.while_loop(
            lambda j, t: j < 2, lambda j, t: [j + 1, P.tanh(t + y)], [start(P), s * x]
        )
        return [i + 1, inner[1]]

    return S.nn.while_loop(lambda i, s: i < 3, body, [start(P), x + 0.1])[1]


def flow(build):
    """Return the results of a function and its gradients, for inputs that take every branch."""

    def run(P):
        with static_mode(P) as S:
            x, y = (S.data(name, [3], "float32") for name in "xy")
            x.stop_gradient = y.stop_gradient = False
            out = build(P, S, x, y)
            grads = S.gradients([out.sum()], [x, y])
            exe = S.Executor(P.CPUPlace())
            found = {}
            fetches = [out, *(g for g in grads if g is not None)]
            for i, (a, b) in enumerate(POINTS):
                feed = {"x": np.array(a, "float32"), "y": np.array(b, "float32")}
                for name, array in zip(
                    ("out", "dx", "dy"), exe.run(feed=feed, fetch_list=fetches), strict=False
                ):
                    found[f"{name}{i}"] = np.asarray(array)
            return found

    return run


CASES = {
    f"flow.{f.__name__}": flow(f)
    for f in (
        either, shared, nested, cases, switched, counted, until, no_rounds, loop_in_loop,
    )
}  # fmt: skip
