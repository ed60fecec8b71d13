"""no_grad, enable_grad, set_grad_enabled, inference, and the mode of the process."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import each, f32, paddle, raised, scenario

X = f32([0.5, -0.25, 0.75])


def leaf():
    return paddle.to_tensor(X, stop_gradient=False)


@scenario
def no_grad_forms():
    x = leaf()
    with paddle.no_grad():
        a = x * 2

    @paddle.no_grad()
    def decorated(v):
        return v * 2

    b = decorated(x)
    found = [a.stop_gradient, b.stop_gradient, (x * 2).stop_gradient, decorated.__name__]
    return found


@scenario
def nested_modes():
    x, found = leaf(), []
    with paddle.no_grad():
        found.append(paddle.is_grad_enabled())
        with paddle.enable_grad():
            found += [paddle.is_grad_enabled(), (x * 2).stop_gradient]
        found.append((x * 2).stop_gradient)
        with paddle.set_grad_enabled(True):
            found.append((x * 2).stop_gradient)
        with paddle.set_grad_enabled(False):
            found.append((x * 2).stop_gradient)
    return found, paddle.is_grad_enabled()


@scenario
def modes_after_an_error():
    def fail():
        with paddle.no_grad():
            raise ValueError("here")

    return raised(fail), paddle.is_grad_enabled()


@scenario
def no_grad_of_generators():
    x = leaf()

    @paddle.no_grad()
    def rows():
        for _ in range(2):
            yield (x * 2).stop_gradient, paddle.is_grad_enabled()

    return list(rows())


@scenario
def set_grad_enabled_as_a_function():
    x = leaf()
    mode = paddle.set_grad_enabled(False)
    inside = (x * 2).stop_gradient
    paddle.set_grad_enabled(True)
    return inside, (x * 2).stop_gradient


@scenario
def grads_in_part():
    x = leaf()
    y = x * 2
    with paddle.no_grad():
        z = y * 3
    w = (y + z).sum()
    w.backward()
    return x.grad, z.stop_gradient, w.stop_gradient


@scenario
def parameters_made_under_no_grad():
    with paddle.no_grad():
        p = paddle.nn.Linear(2, 2).weight
        t = paddle.to_tensor([1.0], stop_gradient=False)
    return p.stop_gradient, t.stop_gradient


@scenario
def parameters_and_trainable():
    p = paddle.nn.Linear(2, 2).weight
    p.trainable = False
    first = p.stop_gradient
    p.stop_gradient = False
    return first, p.trainable, p.stop_gradient


@scenario
def dynamic_and_static():
    found = [paddle.in_dynamic_mode()]
    paddle.enable_static()
    try:
        found += [paddle.in_dynamic_mode(), paddle.static.default_main_program() is not None]
    finally:
        paddle.disable_static()
    return each(
        lambda: found,
        lambda: paddle.in_dynamic_mode(),
        lambda: paddle.is_compiled_with_cuda(),
        lambda: paddle.get_device(),
        lambda: str(paddle.ones([1]).place),
    )


@scenario
def devices_and_copies():
    y, w, v = leaf().cpu(), leaf().to("float64"), leaf().to(dtype="int32")
    return (
        y,
        w,
        v,
        y.stop_gradient,
        w.stop_gradient,
        leaf().to("cpu"),
        paddle.set_device("cpu") is not None,
    )


@scenario
def train_and_eval():
    net = paddle.nn.Sequential(paddle.nn.Dropout(0.5), paddle.nn.BatchNorm1D(3))
    x = paddle.to_tensor(np.stack([X, X * 2]))
    net.eval()
    a, modes = net(x), [l.training for l in net.sublayers(include_self=True)]
    net.train()
    net[0].eval()
    return a, modes, [l.training for l in net.sublayers(include_self=True)], net(x), net[1]._mean


@scenario
def summaries_and_flags():
    before = paddle.get_flags("FLAGS_check_nan_inf")
    return before, paddle.get_flags(["FLAGS_check_nan_inf"]), raised(paddle.get_flags, 3)
