"""Hooks of tensors and of layers."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import f32, paddle, raised, scenario

X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])
nn = paddle.nn


def leaf():
    return paddle.to_tensor(X, stop_gradient=False)


def linear():
    layer = nn.Linear(3, 2)
    layer.weight.set_value(f32([[1, 2], [3, 4], [5, 6]]) / 4)
    return layer


@scenario
def hooks_change_gradients():
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: g * 3)
    x.register_hook(lambda g: g + 1)
    y.sum().backward()
    return x.grad


@scenario
def hooks_see_gradients_in_order():
    seen = []
    x = leaf()
    y = x * 2
    z = y.exp()
    for name, t in (("x", x), ("y", y), ("z", z)):
        t.register_hook(lambda g, name=name: seen.append((name, float(g.sum()))))
    z.sum().backward()
    return seen, x.grad


@scenario
def several_hooks_on_one_tensor():
    x = leaf()
    first = x.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: g + 1)
    (x * 1).sum().backward(retain_graph=True)
    both = x.grad.clone()
    x.clear_gradient(False)
    removed = first.remove()
    (x * 1).sum().backward()
    return both, removed, first.remove(), x.grad


@scenario
def hooks_of_tensors_used_twice():
    seen = []
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: seen.append(g.numpy().ravel().tolist()))
    (y * y + y).sum().backward()
    return seen


@scenario
def hooks_under_grad():
    seen = []
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: seen.append(1))
    (g,) = paddle.grad((y * y).sum(), x, create_graph=True)
    return g, seen


@scenario
def a_hook_on_a_constant():
    return raised(paddle.to_tensor(X).register_hook, lambda g: g)


@scenario
def forward_hooks():
    layer, seen = linear(), []
    pre = layer.register_forward_pre_hook(lambda l, inputs: (inputs[0] * 2,))
    post = layer.register_forward_post_hook(lambda l, inputs, out: out + 1)
    layer.register_forward_post_hook(
        lambda l, inputs, out: seen.append([inputs[0].shape, out.shape])
    )
    a = layer(paddle.to_tensor(X))
    pre.remove()
    post.remove()
    b = layer(paddle.to_tensor(X))
    return a, b, seen


@scenario
def forward_hooks_that_return_one_tensor():
    layer = linear()
    layer.register_forward_pre_hook(lambda l, inputs: inputs[0] * 0)
    return layer(paddle.to_tensor(X)), layer.forward(paddle.to_tensor(X))


@scenario
def hooks_of_sublayers():
    net, seen = nn.Sequential(linear(), nn.ReLU()), []
    for name, layer in net.named_sublayers(include_self=True):
        layer.register_forward_post_hook(
            lambda l, i, o, name=name: seen.append((name, type(l).__name__))
        )
    net(paddle.to_tensor(X))
    return seen


@scenario
def a_hook_on_a_parameter():
    layer = linear()
    layer.weight.register_hook(lambda g: g * 0.5)
    layer(paddle.to_tensor(X)).sum().backward()
    return layer.weight.grad, layer.bias.grad


@scenario
def an_error_in_a_hook():
    x = leaf()

    def hook(g):
        raise KeyError("here")

    y = x * 2
    y.register_hook(hook)
    return raised(y.sum().backward)
