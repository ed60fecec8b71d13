"""backward, paddle.grad, retained and reused graphs, PyLayer, and functional derivatives."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import each, f32, paddle, raised, scenario

X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])
PyLayer = paddle.autograd.PyLayer


def leaf(value=X):
    return paddle.to_tensor(value, stop_gradient=False)


@scenario
def gradients_add_up():
    x = leaf()
    (x * 2).sum().backward()
    first = x.grad.clone()
    (x * x).sum().backward()
    second = x.grad.clone()
    x.clear_grad()
    third = x.grad
    (x * 3).sum().backward()
    x.clear_gradient(False)
    return first, second, third, x.grad


@scenario
def clear_gradient_to_zero():
    x = leaf()
    (x * 2).sum().backward()
    x.clear_gradient()
    zero = x.grad.clone()
    (x * 2).sum().backward()
    return zero, x.grad


@scenario
def backward_with_a_gradient():
    x = leaf()
    y = x * x
    y.backward(paddle.to_tensor(X))
    z = leaf()
    w = (z * 2).sum(1)
    w.backward(paddle.to_tensor([1.0, -1.0]))
    return (
        x.grad,
        z.grad,
        raised((leaf() * 2).backward, paddle.ones([2])),
        raised((leaf() * 2).backward, 3),
    )


@scenario
def backward_of_several_tensors():
    x, y = leaf(), leaf(X[0])
    a, b = x * y, (x + y).exp()
    paddle.autograd.backward([a, b], [None, paddle.full([2, 3], 0.5)])
    return x.grad, y.grad


@scenario
def backward_of_tensors_without_gradient():
    x = paddle.to_tensor(X)
    return raised((x * 2).sum().backward), raised(x.backward)


@scenario
def a_graph_that_was_freed():
    x = leaf()
    y = (x * x).sum()
    y.backward()
    return raised(y.backward), x.grad


@scenario
def a_graph_that_is_kept():
    x = leaf()
    y = x * x
    z = y.sum()
    z.backward(retain_graph=True)
    z.backward(retain_graph=True)
    (y * 2).sum().backward()
    return x.grad


@scenario
def gradients_of_inner_tensors():
    x = leaf()
    y = x * 2
    z = y * y
    y.retain_grads()
    z.sum().backward()
    return y.grad, z.grad, x.grad


@scenario
def leaves_and_stop_gradient():
    x, c = leaf(), paddle.to_tensor(X)
    y = x + c
    z = c * 2
    found = [x.is_leaf, c.is_leaf, y.is_leaf, z.is_leaf, y.stop_gradient, z.stop_gradient]
    y.stop_gradient = True
    w = y * x
    w.sum().backward()
    return found, x.grad, c.grad, y.grad, paddle.create_parameter([2], "float32").is_leaf


@scenario
def detach_and_clone():
    x = leaf()
    y = x.detach()
    y.stop_gradient = False
    z = x.clone()
    ((x * y).sum() + (z * 3).sum()).backward()
    return x.grad, y.grad, z.grad, x.detach().stop_gradient, x.clone().stop_gradient


@scenario
def grad_of_inputs_and_inner_values():
    x = leaf()
    y = x * x
    z = (y * 3).sum()
    gx, gy = paddle.grad(z, [x, y], retain_graph=True)
    (single,) = paddle.grad([z], x)
    return gx, gy, single, x.grad, gx.stop_gradient


@scenario
def grad_of_unused_inputs():
    x, y = leaf(), leaf()
    z = (x * 2).sum()
    return raised(paddle.grad, z, [x, y], retain_graph=True), paddle.grad(
        z, [x, y], allow_unused=True
    )


@scenario
def grad_with_outputs_weights():
    x = leaf()
    a, b = x * x, x.exp()
    return each(
        lambda: paddle.grad([a, b], [x], [paddle.full([2, 3], 2.0), None], retain_graph=True),
        lambda: paddle.grad(a, x, paddle.to_tensor(X), retain_graph=True),
        lambda: raised(
            paddle.grad, a, x, [paddle.ones([2, 3]), paddle.ones([2, 3])], retain_graph=True
        ),
        lambda: raised(paddle.grad, a, 3),
        lambda: raised(paddle.grad, None, x),
    )


@scenario
def grad_with_constants():
    x = leaf()
    y = x * x
    z = (x * y).sum()
    (plain,) = paddle.grad(z, x, retain_graph=True)
    (without,) = paddle.grad(z, x, no_grad_vars=[y])
    return plain, without


@scenario
def grad_outputs_that_are_inputs():
    x = leaf()
    y = x * 2
    return raised(paddle.grad, y, y, retain_graph=True), paddle.grad([y, x], [x])


@scenario
def second_derivatives():
    x = leaf()
    y = (x**3).sum()
    (g,) = paddle.grad(y, x, create_graph=True)
    (gg,) = paddle.grad(g.sum(), x, create_graph=True)
    (ggg,) = paddle.grad(gg.sum(), x)
    return g, gg, ggg, g.stop_gradient


@scenario
def second_derivatives_of_many_functions():
    F = paddle.nn.functional
    found = {}
    functions = {
        "tanh": paddle.tanh, "sigmoid": F.sigmoid, "exp": paddle.exp, "sin": paddle.sin, "cos": paddle.cos, "square": paddle.square,
        "relu": F.relu, "leaky_relu": F.leaky_relu, "softplus": F.softplus, "gelu": lambda x: x * F.sigmoid(x), "log": lambda x: paddle.log(x + 3),
        "sqrt": lambda x: paddle.sqrt(x + 3),
        "rsqrt": lambda x: paddle.rsqrt(x + 3), "matmul": lambda x: x.matmul(x, transpose_y=True), "concat": lambda x: paddle.concat([x, x * x]),
        "mean": lambda x: (x * x).mean(0), "max": lambda x: (x * x).max(1), "softmax": lambda x: F.softmax(x)[:, 0],
        "transpose": lambda x: (x * x).t(),
        "slice": lambda x: x[:, 1] ** 3, "expand": lambda x: (x[0] ** 2).expand([2, 3]), "where": lambda x: paddle.where(x > 0, x * x, x),
        "norm": lambda x: paddle.norm(x, axis=1), "pad": lambda x: F.pad(x * x, [1, 1, 0, 0]),
        "cumsum": lambda x: paddle.cumsum(x * x, 1), "gather": lambda x: paddle.gather(x**2, paddle.to_tensor([1, 1])),
        "log_softmax": lambda x: F.log_softmax(x)[:, 1], "abs": lambda x: x.abs() ** 3, "prod": lambda x: x.prod(1),
    }  # fmt: skip
    for name, function in functions.items():
        x = leaf()
        try:
            (g,) = paddle.grad((function(x) * function(x)).sum(), x, create_graph=True)
            (g * g).sum().backward()
            found[name] = x.grad.numpy().round(4).tolist()
        except Exception:
            found[name] = {"rejected": []}
    return found


@scenario
def gradient_penalty_of_a_convolution():
    conv = paddle.nn.Conv2D(1, 2, 2)
    conv.weight.set_value(np.linspace(-1, 1, 8).reshape(2, 1, 2, 2).astype("float32"))
    conv.bias.set_value(f32(0.1, -0.1))
    x = leaf(np.linspace(-1, 1, 9).reshape(1, 1, 3, 3).astype("float32"))
    y = paddle.tanh(conv(x)).sum()
    (g,) = paddle.grad(y, x, create_graph=True)
    ((g.norm() - 1) ** 2).backward()
    return g, conv.weight.grad, conv.bias.grad, x.grad


class Scale(PyLayer):
    @staticmethod
    def forward(ctx, x, y, factor, name="n"):
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return x * y * factor, x + y

    @staticmethod
    def backward(ctx, da, db):
        x, y = ctx.saved_tensor()
        return da * y * ctx.factor + db, da * x * ctx.factor + db


@scenario
def a_py_layer():
    x, y = leaf(), leaf(X * 2)
    a, b = Scale.apply(x, y, 3.0, name="m")
    (a.sum() + (b * b).sum()).backward()
    return a, b, x.grad, y.grad


@scenario
def a_py_layer_with_unused_outputs():
    x, y = leaf(), leaf(X * 2)
    a, _ = Scale.apply(x, y, 2.0)
    a.sum().backward()
    return x.grad, y.grad


class NoneBack(PyLayer):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_not_inplace if hasattr(ctx, "mark_not_inplace") else None
        return x * 2 + y

    @staticmethod
    def backward(ctx, d):
        return d * 2, None


@scenario
def a_py_layer_that_returns_none():
    x, y = leaf(), leaf()
    NoneBack.apply(x, y).sum().backward()
    z = paddle.to_tensor(X)
    w = leaf()
    NoneBack.apply(w, z).sum().backward()
    return x.grad, y.grad, w.grad, z.grad


class Wrong(PyLayer):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, d):
        return d


class NotATensor(Wrong):
    @staticmethod
    def backward(ctx, d):
        return 1.0, 2.0


@scenario
def wrong_py_layers():
    def run(layer):
        x, y = leaf(), leaf()
        layer.apply(x, y).sum().backward()

    class NoForward(PyLayer):
        @staticmethod
        def backward(ctx, d):
            return d

    return raised(run, Wrong), raised(run, NotATensor), raised(NoForward.apply, leaf())


class Save(PyLayer):
    @staticmethod
    def forward(ctx, x, items):
        ctx.save_for_backward(x)
        ctx.set_materialize_grads(False)
        return x * items[0], x * items[1]

    @staticmethod
    def backward(ctx, a, b):
        (x,) = ctx.saved_tensor()
        return (a if a is not None else 0) * 2 + (b if b is not None else x * 0) * 3


@scenario
def a_py_layer_without_materialized_gradients():
    x = leaf()
    a, b = Save.apply(x, [2.0, 3.0])
    a.sum().backward()
    y = leaf()
    a, b = Save.apply(y, [2.0, 3.0])
    (a.sum() + b.sum()).backward()
    return x.grad, y.grad


class NonDifferentiable(PyLayer):
    @staticmethod
    def forward(ctx, x):
        a, b = x * 2, (x > 0).astype("float32")
        ctx.mark_non_differentiable(b)
        return a, b

    @staticmethod
    def backward(ctx, da, db):
        return da * 2 + db * 0


@scenario
def a_py_layer_with_a_constant_output():
    x = leaf()
    a, b = NonDifferentiable.apply(x)
    a.sum().backward()
    return a.stop_gradient, b.stop_gradient, x.grad


class Square(PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, d):
        (x,) = ctx.saved_tensor()
        return 2 * x * d


@scenario
def a_py_layer_twice_differentiated():
    x = leaf()
    y = Square.apply(x)
    (g,) = paddle.grad(y.sum(), x, create_graph=True)
    return g, raised(lambda: (g * g).sum().backward()), x.grad


@scenario
def a_py_layer_under_no_grad_and_of_constants():
    x = leaf()
    with paddle.no_grad():
        a = Square.apply(x)
    b = Square.apply(paddle.to_tensor(X))
    return a.stop_gradient, b.stop_gradient, a


@scenario
def a_py_layer_in_a_layer():
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.w = self.create_parameter(
                [3], default_initializer=paddle.nn.initializer.Constant(2.0)
            )

        def forward(self, x):
            return Square.apply(x * self.w)

    net, x = Net(), leaf()
    net(x).sum().backward()
    return x.grad, net.w.grad


@scenario
def recompute_returns_the_same_gradients():
    from_utils = paddle.distributed.fleet.utils.recompute
    net = paddle.nn.Linear(3, 3)
    net.weight.set_value(np.eye(3, dtype="float32") * 0.5)
    x = leaf()
    y = from_utils(lambda v: paddle.tanh(net(v)), x)
    y.sum().backward()
    return y, x.grad, net.weight.grad


@scenario
def jacobians_and_hessians():
    x = leaf(X[0])
    y = x * x * x[0]
    j = paddle.autograd.jacobian(y, x)
    z = (x**3).sum()
    h = paddle.autograd.hessian(z, x)
    return each(lambda: j[:], lambda: j[0], lambda: j.shape, lambda: h[:], lambda: h[1, 1:])


@scenario
def batched_jacobians():
    x = leaf()
    y = (x * x) * x.sin()
    j = paddle.autograd.jacobian(y, x, batch_axis=0)
    return j[:], j[:, 0], j.shape


@scenario
def incubate_vjp_and_jvp():
    f = lambda x: x * x * 3
    return paddle.incubate.autograd.vjp(
        f, paddle.to_tensor(X), paddle.to_tensor(X)
    ), paddle.incubate.autograd.jvp(f, paddle.to_tensor(X))


@scenario
def grads_flow_through_dtypes():
    x = leaf()
    y = x.astype("float64") * 2
    z = y.astype("float32").astype("float16").astype("float32")
    (y.sum() + z.sum().astype("float64")).backward()
    return x.grad, y.dtype == paddle.float64


@scenario
def set_gradients_by_hand():
    x = leaf()
    x.grad = paddle.full([2, 3], 2.0)
    first = x.grad.clone()
    (x * 1).sum().backward()
    return first, x.grad, raised(setattr, x, "grad", "a")


@scenario
def long_chains():
    x = leaf()
    y = x
    for i in range(3000):
        y = y + 0.001 if i % 2 else y * 1.0001
    y.sum().backward()
    return x.grad


@scenario
def diamonds():
    x = leaf()
    a = x * 2
    b, c = a.sin(), a.cos()
    d = b * c + a
    e = paddle.concat([d, b], 1)
    e.split(2, 1)[1].sum().backward(retain_graph=True)
    first = x.grad.clone()
    e.sum().backward()
    return first, x.grad


@scenario
def gradient_of_in_place_after_use():
    x = leaf()
    y = x * 1
    z = y.exp()
    y.add_(paddle.ones([2, 3]))
    (z.sum() + y.sum()).backward()
    return x.grad
