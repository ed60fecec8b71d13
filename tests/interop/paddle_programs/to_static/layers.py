"""Layers: sublayers, containers, parameters, buffers, hooks, copies, several forwards, modes."""

# ruff: noqa - Python as its users write it

import copy

import numpy as np

from ..table import (
    BOTH,
    NEGATIVE,
    POSITIVE,
    call_with_gradients,
    f32,
    fill,
    paddle,
    program,
    scenario,
)

nn = paddle.nn


def sum_of_squares(x):
    return (x * x).sum()


IMAGE = (np.cos(np.arange(2 * 1 * 6 * 6)).reshape(2, 1, 6, 6).astype("float32"),)


class Mlp(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.act = nn.ReLU()
        self.fc2 = nn.Linear(4, 2, bias_attr=False)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


program(Mlp)


class SmallConvNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 2, 3), nn.BatchNorm2D(2), nn.ReLU(), nn.MaxPool2D(2, 2)
        )
        self.fc = nn.Linear(8, 3)

    def forward(self, x):
        x = self.features(x)
        x = paddle.flatten(x, 1)
        return nn.functional.softmax(self.fc(x))


program(SmallConvNet, IMAGE)


class ContainersOfLayers(nn.Layer):
    def __init__(self):
        super().__init__()
        self.list = nn.LayerList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.dict = nn.LayerDict({"a": nn.Linear(3, 3), "b": nn.Tanh()})
        self.sequential = nn.Sequential(("one", nn.Linear(3, 3)), ("two", nn.Sigmoid()))

    def forward(self, x):
        for i, layer in enumerate(self.list):
            x = layer(x) + i
        for key in self.dict:
            x = self.dict[key](x)
        x = self.sequential(x)
        return x + self.list[0](x) + len(self.list)


program(ContainersOfLayers)


class ListsOfParameters(nn.Layer):
    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList([self.create_parameter([3, 3]) for _ in range(2)])
        self.add_parameter("extra", self.create_parameter([3]))
        self.plain = [self.create_parameter([3])]

    def forward(self, x):
        for w in self.weights:
            x = paddle.matmul(x, w)
        return x * self.extra


program(ListsOfParameters)


class CountsCallsInABuffer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", paddle.zeros([1]))

    def forward(self, x):
        self.count += 1
        return x * self.count


program(CountsCallsInABuffer, *BOTH)


class RunningMeanByAssignment(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", paddle.zeros([3]))

    def forward(self, x):
        with paddle.no_grad():
            self.mean.set_value(
                self.mean * 0.5 + x.detach().mean(0) * 0.5
            ) if paddle.in_dynamic_mode() else None
        return x - self.mean


program(RunningMeanByAssignment, *BOTH)


class BufferIsReplaced(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", paddle.ones([3]))

    def forward(self, x):
        self.state = self.state * 2
        return x + self.state


program(BufferIsReplaced, *BOTH)


class BufferByAssign(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", paddle.ones([3]))

    def forward(self, x):
        paddle.assign(self.state + x.detach().sum(0), self.state)
        return x + self.state


program(BufferByAssign, *BOTH)


class BatchNormInTraining(nn.Layer):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1D(3)

    def forward(self, x):
        return self.bn(x)


program(BatchNormInTraining, *BOTH)


class ForwardOfSeveralForwards(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def encode(self, x):
        return self.fc(x)

    def decode(self, x):
        return x - self.fc.bias

    def forward(self, x):
        return self.decode(self.encode(x)) + self.fc.forward(x)


program(ForwardOfSeveralForwards)


class CallsTheSameLayerTwice(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(self.fc(x))


program(CallsTheSameLayerTwice)


class SharedWeights(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = nn.Linear(3, 3)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


program(SharedWeights)


class Base(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x)


class CallsSuperForward(Base):
    def forward(self, x):
        y = super().forward(x)
        if y.sum() > 0:
            return y * 2
        return y


program(CallsSuperForward)


class WithHooks(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.fc.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 2,))
        self.fc.register_forward_post_hook(lambda layer, inputs, output: output + 1)

    def forward(self, x):
        return self.fc(x)


program(WithHooks)


class WithAFrozenPart(nn.Layer):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(3, 3)
        self.two = nn.Linear(3, 3)
        for p in self.one.parameters():
            p.stop_gradient = True

    def forward(self, x):
        return self.two(self.one(x))


program(WithAFrozenPart)


class WithAnUnusedParameter(nn.Layer):
    def __init__(self):
        super().__init__()
        self.used = nn.Linear(3, 3)
        self.unused = nn.Linear(3, 3)

    def forward(self, x):
        return self.used(x)


program(WithAnUnusedParameter)


class Recurrent(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4)
        self.gru = nn.GRU(4, 2)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        out, last = self.gru(out)
        return out, h, c, last


program(Recurrent, (f32(np.cos(np.arange(24)).reshape(2, 4, 3)),))


class Embeds(nn.Layer):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 3)
        self.norm = nn.LayerNorm(3)

    def forward(self, ids):
        return self.norm(self.table(ids))


program(Embeds, (np.array([[1, 2, 0]], "int64"),))


class Attends(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)

    def forward(self, x):
        return self.layer(x)


program(Attends, (f32(np.cos(np.arange(24)).reshape(1, 6, 4)),))


class ReadsItsMode(nn.Layer):
    def forward(self, x):
        if self.training:
            return x * 2
        return x


program(ReadsItsMode)


class CreatesALayerInForward(nn.Layer):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(x) + nn.Sigmoid()(x) + nn.functional.relu(x)


program(CreatesALayerInForward)


class KeepsPythonState(nn.Layer):
    def __init__(self):
        super().__init__()
        self.scales = [1.0, 2.0]
        self.names = {"gain": 3.0}

    def forward(self, x):
        for s in self.scales:
            x = x * s
        return x + self.names["gain"]


program(KeepsPythonState)


class IteratesNamedParameters(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        penalty = 0.0
        for name, p in self.named_parameters():
            penalty = penalty + p.square().sum()
        return self.fc(x) + penalty


program(IteratesNamedParameters)


class RecomputesPart(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return paddle.distributed.fleet.utils.recompute(self.fc, x) * 2


program(RecomputesPart)


@scenario
def train_and_eval_of_dropout(to_static):
    layer = to_static(nn.Dropout(0.5))
    x = paddle.ones([100])
    layer.train()
    trained = layer(x).numpy()
    layer.eval()
    return sorted(set(trained.tolist())), layer(x).numpy().tolist()[:3], layer.training


@scenario
def modes_of_the_decorated_forward(to_static):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.bn = nn.BatchNorm1D(3)

        @to_static
        def forward(self, x):
            return self.bn(x)

    net = fill(Net())
    x = paddle.to_tensor(POSITIVE)
    a = net(x)
    net.eval()
    b = net(x)
    net.train()
    return a, b, net(x), net.bn._mean


@scenario
def a_copy_of_a_converted_layer(to_static):
    net = to_static(fill(nn.Sequential(nn.Linear(3, 2))))
    x = paddle.to_tensor(POSITIVE)
    first = net(x)
    other = copy.deepcopy(net)
    for p in other.parameters():
        p.set_value(p * 0)
    return first, other(x), net(x)


@scenario
def a_layer_whose_methods_are_converted(to_static):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 2)

        @to_static
        def forward(self, x):
            return self.fc(x)

        @to_static
        def double(self, x):
            return self.fc(x) * 2

    net = fill(Net())
    x = paddle.to_tensor(POSITIVE)
    return net(x), net.double(x), net.forward(x)


@scenario
def a_sublayer_is_converted(to_static):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = to_static(nn.Linear(3, 2))

        def forward(self, x):
            return self.inner(x) * 2

    net = fill(Net())
    result = call_with_gradients(net, (POSITIVE,), net.parameters())
    outer = to_static(net)
    return result, call_with_gradients(outer, (NEGATIVE,), net.parameters())


@scenario
def a_container_is_converted(to_static):
    net = fill(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))
    net = to_static(net)
    return call_with_gradients(net, (POSITIVE,), net.parameters()), len(net), type(net).__name__


@scenario
def set_state_dict_after_conversion(to_static):
    one, two = to_static(fill(nn.Linear(3, 2))), nn.Linear(3, 2)
    x = paddle.to_tensor(POSITIVE)
    before = one(x)
    for p in two.parameters():
        p.set_value(paddle.ones(p.shape))
    one.set_state_dict(two.state_dict())
    return before, one(x)


@scenario
def hooks_on_the_converted_layer(to_static):
    seen = []
    net = fill(nn.Linear(3, 2))
    net.register_forward_pre_hook(lambda layer, inputs: seen.append("pre"))
    handle = net.register_forward_post_hook(lambda layer, inputs, output: output * 3)
    net = to_static(net)
    x = paddle.to_tensor(POSITIVE)
    first = net(x)
    handle.remove()
    return first, net(x), seen


@scenario
def parameters_added_after_conversion(to_static):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.items = nn.LayerList([nn.Linear(3, 3)])

        def forward(self, x):
            for item in self.items:
                x = item(x)
            return x

    net = to_static(fill(Net()))
    x = paddle.to_tensor(POSITIVE)
    first = net(x)
    second = fill(nn.Linear(3, 3))
    net.items.append(second)
    return first, [p.shape for p in net.parameters()]


@scenario
def hook_on_a_parameter(to_static):
    net = fill(nn.Linear(3, 2))
    net.weight.register_hook(lambda g: g * 2)
    net = to_static(net)
    net(paddle.to_tensor(POSITIVE)).sum().backward()
    return net.weight.grad, net.bias.grad


@scenario
def hook_on_an_input(to_static):
    f = to_static(sum_of_squares)
    x = paddle.to_tensor(POSITIVE, stop_gradient=False)
    x.register_hook(lambda g: g * 10)
    f(x).backward()
    return x.grad


@scenario
def hook_on_a_value_inside(to_static):
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 10)
        return y.sum()

    x = paddle.to_tensor(POSITIVE, stop_gradient=False)
    to_static(f)(x).backward()
    return x.grad
