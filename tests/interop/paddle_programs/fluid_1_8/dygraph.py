"""Dygraph of Paddle 1.8."""

# ruff: noqa - Python as its users wrote it for Python 3.7

import importlib

import numpy as np

from ..table import NAME, f32, raised, scenario

fluid = importlib.import_module(NAME + ".fluid")
L, D = fluid.layers, fluid.dygraph
X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])
CONSTANT = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.5))


@scenario
def arithmetic():
    with D.guard():
        x = D.to_variable(X)
        y = [
            x + 1,
            2 - x,
            x * x,
            x / 2,
            x**2,
            -x,
            x > 0,
            L.reduce_sum(x),
            L.mean(x),
            x[0],
            x[:, 1:],
            L.concat([x, x]),
            x[0, 1],
            L.matmul(x, x, transpose_y=True),
        ]
        return [v.numpy() for v in y]


@scenario
def gradients():
    with D.guard():
        x = D.to_variable(X)
        x.stop_gradient = False
        y = L.reduce_sum(x * x * 2)
        y.backward()
        first = x.gradient()
        x.clear_gradient()
        z = D.grad(L.reduce_sum(x * x), x, create_graph=False)[0]
        with D.no_grad():
            w = x * 2
        return first, x.gradient(), z.numpy(), w.stop_gradient, y.numpy().shape


@scenario
def layers_and_training():
    with D.guard():
        net = D.Sequential(
            D.Linear(3, 2, param_attr=CONSTANT, act="tanh"), D.Linear(2, 1, param_attr=CONSTANT)
        )
        opt = fluid.optimizer.SGD(0.1, parameter_list=net.parameters())
        losses = []
        for _ in range(3):
            loss = L.mean(L.square(net(D.to_variable(X))))
            loss.backward()
            opt.minimize(loss)
            net.clear_gradients()
            losses.append(loss.numpy())
        return losses, [p.numpy() for p in net.parameters()], list(net.state_dict())


@scenario
def saved_states(folder):
    with D.guard():
        a, b = D.Linear(3, 2, param_attr=CONSTANT), D.Linear(3, 2)
        fluid.save_dygraph(a.state_dict(), str(folder / "m"))
        state, opt = fluid.load_dygraph(str(folder / "m"))
        b.set_dict(state)
        return (
            sorted(state),
            opt,
            b(D.to_variable(X)).numpy(),
            raised(fluid.load_dygraph, str(folder / "none")) != "no error",
        )


@scenario
def convolution_and_norm():
    with D.guard():
        x = D.to_variable(f32(np.sin(np.arange(32)).reshape(1, 2, 4, 4)))
        conv, bn, pool, emb = (
            D.Conv2D(2, 2, 3, padding=1, param_attr=CONSTANT, act="relu"),
            D.BatchNorm(2),
            D.Pool2D(2, "max", 2),
            D.Embedding([5, 3], param_attr=CONSTANT),
        )
        return (
            conv(x).numpy(),
            bn(x).numpy(),
            pool(x).numpy(),
            emb(D.to_variable(np.array([[1], [4]]))).numpy(),
            D.LayerNorm([4])(x).numpy(),
        )


@scenario
def learning_rates():
    with D.guard():
        found = []
        for make in (
            lambda: D.NoamDecay(16, 4),
            lambda: D.ExponentialDecay(0.1, 1, 0.5),
            lambda: D.PiecewiseDecay([1, 2], [0.3, 0.2, 0.1], 0),
            lambda: D.PolynomialDecay(0.1, 4),
            lambda: D.CosineDecay(0.1, 1, 4),
            lambda: D.InverseTimeDecay(0.1, 1, 0.5),
            lambda: D.NaturalExpDecay(0.1, 1, 0.5),
        ):
            p = D.Linear(1, 1, param_attr=CONSTANT, bias_attr=False)
            opt = fluid.optimizer.SGD(make(), parameter_list=p.parameters())
            for _ in range(3):
                loss = L.mean(p(D.to_variable(f32([[1.0]]))))
                loss.backward()
                opt.minimize(loss)
                p.clear_gradients()
            found.append([p.weight.numpy(), opt.current_step_lr()])
        return found


@scenario
def modes():
    before = fluid.in_dygraph_mode()
    with D.guard():
        inside = fluid.in_dygraph_mode(), D.enabled()
    return before, inside, fluid.in_dygraph_mode()


@scenario
def texts_of_variables():
    with D.guard():
        x = D.to_variable(f32(1, 2))
        return (
            str(x.dtype),
            x.shape,
            x.stop_gradient,
            x.numpy().dtype.name,
            len(x),
            x.astype("int64").numpy(),
            raised(lambda: D.to_variable("a")) != "no error",
        )
