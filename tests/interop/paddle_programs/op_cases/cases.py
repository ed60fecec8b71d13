"""How a table of calls becomes a program: each call's results, and the gradients of its float
operands.
"""

import numpy as np

from ..table import attempt, describe, paddle, register


def numbers(*shape, low=-2.0, high=2.0, dtype="float32"):
    """Return distinct numbers, equal at every call."""
    count = int(np.prod(shape))
    order = (np.arange(count) * 7) % max(count, 1) if count % 7 else np.arange(count)
    return (low + (high - low) * (order + 0.37) / max(count, 1)).reshape(shape).astype(dtype)


def outcome(call, arrays):
    """Return the results of a call, and the gradients of a weighted sum of each result."""
    tensors = [paddle.to_tensor(a, stop_gradient=a.dtype.kind != "f") for a in arrays]
    made = call(*tensors)
    results = list(made) if isinstance(made, (list, tuple)) else [made]
    found = [describe(r) for r in results]
    floats = [
        r
        for r in results
        if isinstance(r, paddle.Tensor) and not r.stop_gradient and r.is_floating_point()
    ]
    for r in floats:
        weights = np.linspace(0.5, 1.5, int(np.prod(r.shape))).reshape(r.shape).astype("float32")
        (r * paddle.to_tensor(weights).astype(r.dtype)).sum().backward(retain_graph=True)
    return found, [None if t.grad is None else describe(t.grad) for t in tensors]


def cases(module, name, **calls):
    """Register a program of calls: each is `(call, *arrays)`."""

    def run(_):
        return {n: describe(attempt(lambda c=c: outcome(c[0], c[1:]))) for n, c in calls.items()}

    run.__module__, run.__name__ = module, name
    register(run, run, once=True)
