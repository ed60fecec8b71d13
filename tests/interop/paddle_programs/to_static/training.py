"""Training through converted layers, mixed and pure half precision, gradients of gradients, steps
inside of functions.
"""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import NEGATIVE, POSITIVE, fill, paddle, scenario

nn = paddle.nn
F = nn.functional


def double(x):
    return x * 2


def two(x):
    return x * 2, x * 3


def square(x):
    return x * x


def cube(x):
    return x * x * x


def sum_of_squares(x):
    return (x * x).sum()


def train(net, make, steps=3, loss_of=None):
    """Losses and the parameters afterwards."""
    optimizer = make(net.parameters())
    x, label = paddle.to_tensor(POSITIVE), paddle.to_tensor([1, 0])
    losses = []
    for _ in range(steps):
        out = net(x)
        loss = loss_of(out) if loss_of else F.cross_entropy(out, label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses, net.parameters()


def mlp():
    return fill(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)))


@scenario
def with_sgd(to_static):
    return train(to_static(mlp()), lambda p: paddle.optimizer.SGD(0.1, parameters=p))


@scenario
def with_adam_and_clip(to_static):
    return train(
        to_static(mlp()),
        lambda p: paddle.optimizer.Adam(0.1, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(0.5)),
    )


@scenario
def with_a_scheduler_and_minimize(to_static):
    net = to_static(mlp())
    rate = paddle.optimizer.lr.StepDecay(0.1, 1, 0.5)
    optimizer = paddle.optimizer.Momentum(rate, 0.9, parameters=net.parameters())
    losses = []
    for _ in range(3):
        loss = net(paddle.to_tensor(POSITIVE)).square().mean()
        loss.backward()
        optimizer.minimize(loss)
        net.clear_gradients()
        rate.step()
        losses.append(float(loss))
    return losses, net.parameters()


@scenario
def the_loss_is_in_forward(to_static):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 2)

        def forward(self, x, label=None):
            out = self.fc(x)
            if label is None:
                return out
            loss = F.cross_entropy(out, label)
            return loss, out

    net = to_static(fill(Net()))
    optimizer = paddle.optimizer.SGD(0.5, parameters=net.parameters())
    found = []
    for _ in range(2):
        loss, out = net(paddle.to_tensor(POSITIVE), paddle.to_tensor([1, 0]))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        found.append((float(loss), out.stop_gradient))
    return found, net(paddle.to_tensor(POSITIVE))


@scenario
def gradients_add_up_over_two_calls(to_static):
    net = to_static(mlp())
    for v in (POSITIVE, NEGATIVE):
        net(paddle.to_tensor(v)).sum().backward()
    return [p.grad for p in net.parameters()]


@scenario
def one_output_of_two_is_used(to_static):
    net = to_static(mlp())
    f = to_static(two)
    x = paddle.to_tensor(POSITIVE, stop_gradient=False)
    a, b = f(x)
    b.sum().backward()
    return x.grad


@scenario
def backward_twice_with_retained_graph(to_static):
    f = to_static(sum_of_squares)
    x = paddle.to_tensor(POSITIVE, stop_gradient=False)
    y = f(x)
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


@scenario
def a_cotangent_is_given(to_static):
    f = to_static(square)
    x = paddle.to_tensor(POSITIVE, stop_gradient=False)
    f(x).backward(paddle.to_tensor(NEGATIVE))
    return x.grad


@scenario
def paddle_grad_of_a_converted_function(to_static):
    f = to_static(cube)
    x = paddle.to_tensor(POSITIVE, stop_gradient=False)
    (g,) = paddle.grad(f(x).sum(), x)
    return g


@scenario
def no_gradient_is_wanted(to_static):
    net = to_static(mlp())
    with paddle.no_grad():
        out = net(paddle.to_tensor(POSITIVE))
    return out.stop_gradient, out


@scenario
def inputs_without_gradient(to_static):
    f = to_static(double)
    out = f(paddle.to_tensor(POSITIVE))
    return out.stop_gradient


@scenario
def values_change_between_calls(to_static):
    net = to_static(fill(nn.Linear(3, 2)))
    x = paddle.to_tensor(POSITIVE)
    a = net(x)
    net.weight.set_value(net.weight * 2)
    b = net(x)
    net.bias.stop_gradient = True
    net(x).sum().backward()
    return a, b, net.weight.grad, net.bias.grad is None


@scenario
def a_training_step_in_a_function(to_static):
    net = mlp()
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())

    def step(x):
        loss = net(x).square().mean()
        return loss

    step = to_static(step)
    losses = []
    for _ in range(3):
        loss = step(paddle.to_tensor(POSITIVE))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses, net.parameters()


@scenario
def amp_o1_around_the_call(to_static):
    net = to_static(mlp())
    with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
        out = net(paddle.to_tensor(POSITIVE))
    return str(out.dtype)


@scenario
def amp_inside_of_the_function(to_static):
    net = mlp()

    @to_static
    def f(x):
        with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
            y = net(x)
        return y.astype("float32").sum()

    f(paddle.to_tensor(POSITIVE)).backward()
    return [str(p.grad.dtype) for p in net.parameters()], [p.grad.shape for p in net.parameters()]


@scenario
def bfloat16_parameters(to_static):
    net = mlp()
    net.bfloat16()
    net = to_static(net)
    out = net(paddle.to_tensor(POSITIVE).astype("bfloat16"))
    return str(out.dtype), [str(p.dtype) for p in net.parameters()]


@scenario
def astype_of_a_layer(to_static):
    net = mlp().astype("float64") if hasattr(nn.Layer, "astype") else mlp()
    net = to_static(net)
    return net(paddle.to_tensor(POSITIVE).astype("float64"))


@scenario
def grad_scaler(to_static):
    net = to_static(mlp())
    scaler = paddle.amp.GradScaler(enable=False)
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    loss = net(paddle.to_tensor(POSITIVE)).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return float(loss), net.parameters()


@scenario
def train_then_eval_then_train(to_static):
    net = fill(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 2)))
    net = to_static(net)
    first = train(
        net, lambda p: paddle.optimizer.SGD(0.1, parameters=p), 2, lambda out: out.square().mean()
    )
    net.eval()
    evaluated = net(paddle.to_tensor(NEGATIVE))
    net.train()
    return first[0], evaluated, net(paddle.to_tensor(NEGATIVE)), net[1]._mean, net[1]._variance


@scenario
def an_rnn_cell_in_a_loop_is_trained(to_static):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.cell = nn.GRUCell(3, 4)
            self.out = nn.Linear(4, 2)

        def forward(self, xs):
            h = paddle.zeros([2, 4])
            for t in range(xs.shape[0]):
                _, h = self.cell(xs[t], h)
            return self.out(h)

    net = to_static(fill(Net()))
    optimizer = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    xs = paddle.to_tensor(np.stack([POSITIVE, NEGATIVE]))
    losses = []
    for _ in range(3):
        loss = net(xs).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses


@scenario
def gradient_of_an_input_through_while(to_static):
    def f(x):
        i = paddle.zeros([1], "int64")
        while i < 3:
            x = paddle.tanh(x) * 2
            i += 1
        return x.sum()

    x = paddle.to_tensor(POSITIVE, stop_gradient=False)
    to_static(f)(x).backward()
    return x.grad
