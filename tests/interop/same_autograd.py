"""The same code for Oarlock and for real Paddle: gradients by hand, of higher order, hooks; see
same_code.py.
"""

import numpy as np


def leaf(P, *values):
    """Return a float32 leaf with stop_gradient=False."""
    return P.to_tensor(np.array(values, "float32"), stop_gradient=False)


def tanh_layer(P):
    """A PyLayer with something saved, an argument that is no tensor, and two results."""

    class Tanh(P.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x, y, factor=1.0):
            out = P.tanh(x) * factor
            ctx.save_for_backward(x, out)
            ctx.factor = factor
            return out, x + y

        @staticmethod
        def backward(ctx, first, second):
            x, _ = ctx.saved_tensor()
            slope = 1 - P.tanh(x) * P.tanh(x)
            return first * slope * ctx.factor + second, second

    return Tanh


def py_layer(P):
    x, y = leaf(P, 0.1, -0.4, 1.2), leaf(P, 1.0, 2.0, 3.0)
    a, b = tanh_layer(P).apply(x * 2, y, factor=3.0)
    (a * y + b * b).sum().backward()
    return {"a": a.numpy(), "b": b.numpy(), "x": x.grad.numpy(), "y": y.grad.numpy()}


def py_layer_one_result_unused(P):
    x, y = leaf(P, 0.1, -0.4, 1.2), leaf(P, 1.0, 2.0, 3.0)
    a, _ = tanh_layer(P).apply(x, y)
    a.sum().backward()
    return {"x": x.grad.numpy(), "y": y.grad.numpy()}


def py_layer_none(P):
    class Halves(P.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x + 1, x * 3

        @staticmethod
        def backward(ctx, first, second):
            assert second is None
            return first * 5

    x = leaf(P, 1.0, 2.0)
    Halves.apply(x * 1)[0].sum().backward()
    return {"x": x.grad.numpy()}


def py_layer_marks(P):
    class Marked(P.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            index = P.argmax(x)
            kept = x * 2
            ctx.mark_non_differentiable(kept)
            return x * 3, kept, index

        @staticmethod
        def backward(ctx, first, second, third):
            return first * 3

    x = leaf(P, 1.0, 2.0)
    out, kept, index = Marked.apply(x)
    out.sum().backward()
    flags = np.array([out.stop_gradient, kept.stop_gradient])
    return {"x": x.grad.numpy(), "flags": flags, "index": index.numpy()}


def jacobians(P):
    x, w = leaf(P, 1.0, 2.0, 3.0), leaf(P, 0.5, -1.0)
    y = x[:2] * w * x.sum()
    found = P.autograd.jacobian(y, (x, w))
    lone = P.autograd.jacobian((x * x * x).sum(), x)
    return {
        "x": found[0][:].numpy(),
        "w": found[1][:].numpy(),
        "row": found[0][1].numpy(),
        "part": found[0][0:1, 1:].numpy(),
        "lone": lone[:].numpy(),
        "shape": np.array(found[0].shape),
    }


def batched_jacobian(P):
    x = P.to_tensor(np.arange(6, dtype="float32").reshape(2, 3) / 4, stop_gradient=False)
    found = P.autograd.jacobian(P.sin(x) * x.sum(1, keepdim=True), x, batch_axis=0)
    return {
        "all": found[:].numpy(),
        "one": found[1].numpy(),
        "column": found[:, 1].numpy(),
        "shape": np.array(found.shape),
    }


def hessians(P):
    x, y = leaf(P, 1.0, 2.0), leaf(P, 0.5, -1.0, 2.0)
    of = (x * x * x).sum() * (y * y).sum()
    found = P.autograd.hessian(of, (x, y))
    return {f"{i}{j}": found[i][j][:].numpy() for i in (0, 1) for j in (0, 1)}


def products(P):
    a = P.to_tensor(np.array([[1.0, 2.0], [3.0, 5.0]], "float32"))
    v = P.to_tensor(np.array([[1.0, -2.0], [0.5, 1.0]], "float32"))
    names = P.incubate.autograd
    ys, back = names.vjp(lambda x: P.matmul(x, P.tanh(x)), a, v)
    _, forth = names.jvp(lambda x: P.matmul(x, P.tanh(x)), a, v)
    _, pair = names.vjp(lambda x, y: (x * y, x + y), [a, v])
    return {
        "ys": ys.numpy(),
        "back": back.numpy(),
        "forth": forth.numpy(),
        **{f"pair{i}": p.numpy() for i, p in enumerate(pair)},
    }


def triple(P):
    x = leaf(P, 0.3, -0.7)
    y = (P.tanh(x) * x).sum()
    found = {}
    for order in "123":
        (g,) = P.grad(y, [x], create_graph=True)
        found[order], y = g.numpy(), g.sum()
    return found


def part_of_the_graph(P):
    x, w = leaf(P, 1.0, 2.0), leaf(P, 3.0, 4.0)
    middle = x * w
    y = (middle * middle * w).sum()
    g = P.grad(y, [middle, w], retain_graph=True)
    barred = P.grad(y, [w], no_grad_vars=[middle], retain_graph=True)
    unused = P.grad(y, [x, leaf(P, 1.0)], allow_unused=True, retain_graph=True)
    given = P.grad(
        [y, middle],
        [x],
        grad_outputs=[None, P.to_tensor(np.array([1.0, -1.0], "float32"))],
        retain_graph=True,
    )
    assert unused[1] is None and x.grad is None
    return {
        "middle": g[0].numpy(),
        "w": g[1].numpy(),
        "barred": barred[0].numpy(),
        "x": unused[0].numpy(),
        "given": given[0].numpy(),
    }


def hooks(P):
    x = leaf(P, 1.0, 2.0)
    y = x * 2
    seen = []
    y.register_hook(lambda g: g * 10)
    gone = y.register_hook(lambda g: g * 1000)
    gone.remove()
    x.register_hook(lambda g: seen.append(g.numpy()))
    y.retain_grads()
    (y * y).sum().backward()
    return {"x": x.grad.numpy(), "y": y.grad.numpy(), "seen": seen[0]}


def several_roots(P):
    x = leaf(P, 1.0, 2.0)
    a, b = x * 2, x * x
    P.autograd.backward([a, b], [None, P.to_tensor(np.array([1.0, 3.0], "float32"))])
    return {"x": x.grad.numpy()}


def versions(P):
    x = leaf(P, 1.0, 2.0)
    y = x * 2
    before = y.inplace_version
    y.add_(P.ones([2]))
    y.scale_(3.0)
    errors = []
    for change in (lambda: x.add_(y), lambda: x.__setitem__(0, 1.0)):
        try:
            change()
        except ValueError:
            errors.append(1)
    with P.no_grad():
        x.add_(P.ones([2]))
    return {
        "versions": np.array([before, y.inplace_version]),
        "errors": np.array(errors),
        "leaf": np.array(x.is_leaf),
    }


CASES = {f"autograd.{f.__name__}": f for f in (
    py_layer, py_layer_one_result_unused, py_layer_none, py_layer_marks, jacobians, batched_jacobian, hessians, products, triple,
    part_of_the_graph, hooks, several_roots, versions,
)}  # fmt: skip
