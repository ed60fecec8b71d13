"""Layer: members, state, hooks and repr."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(2, 3)
        self.blocks = nn.LayerList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.free = self.create_parameter([2], default_initializer=nn.initializer.Constant(1.5))
        self.register_buffer("seen", paddle.zeros([1]))
        self.register_buffer("scratch", paddle.zeros([1]), persistable=False)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        for block in self.blocks:
            x = block(nn.functional.relu(self.a(x)))
        return x


def test_traversal_and_names() -> None:
    net = Net()
    assert [n for n, _ in net.named_parameters()] == [
        "free",
        "a.weight",
        "a.bias",
        *(f"blocks.{i}.{p}" for i in "01" for p in ("weight", "bias")),
    ]
    assert [n for n, _ in net.named_buffers()] == ["seen", "scratch"]
    assert [n for n, _ in net.named_sublayers()] == ["a", "blocks", "blocks.0", "blocks.1"]
    assert "scratch" not in net.state_dict()
    assert "seen" in net.state_dict()
    assert len(net.sublayers(include_self=True)) == 5
    assert net.full_name().startswith("net_")


def test_shared_parameters_are_listed_once() -> None:
    net = Net()
    net.blocks[1].weight = net.blocks[0].weight
    assert len(net.parameters()) == 6
    assert net.state_dict()["blocks.1.weight"] is net.state_dict()["blocks.0.weight"]


def test_state_dict_round_trip() -> None:
    one, two = Net(), Net()
    missing, unexpected = two.set_state_dict(
        {**{k: v.numpy() for k, v in one.state_dict().items()}, "more": np.ones(1)}
    )
    assert (missing, unexpected) == ([], ["more"])
    np.testing.assert_array_equal(one.a.weight.numpy(), two.a.weight.numpy())
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert two.set_state_dict({"a.weight": np.ones((9, 9))})[0][:2] == ["free", "seen"]
    assert any("a.weight receives a shape [9, 9]" in str(w.message) for w in seen)


def test_train_and_eval_reach_all_sublayers() -> None:
    net = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.BatchNorm1D(2)))
    assert net.eval() is net
    assert not any(layer.training for layer in net.sublayers(include_self=True))
    x = paddle.ones([100, 2])
    assert net[0](x).numpy().min() == 1
    net.train()
    dropped = net[0](x).numpy()
    assert set(np.unique(dropped)) == {0.0, 2.0}


def test_hooks() -> None:
    layer = nn.Linear(2, 2)
    seen: list[str] = []
    pre = layer.register_forward_pre_hook(lambda _, inputs: (inputs[0] * 2,))
    layer.register_forward_post_hook(lambda _, inputs, out: seen.append("post") or out + 1)  # type: ignore[func-returns-value]
    x = paddle.ones([1, 2])
    np.testing.assert_allclose(layer(x).numpy(), (layer.forward(x * 2) + 1).numpy(), rtol=1e-6)
    pre.remove()
    np.testing.assert_allclose(layer(x).numpy(), (layer.forward(x) + 1).numpy(), rtol=1e-6)
    assert seen == ["post", "post"]


def test_attribute_assignment() -> None:
    net = Net()
    with pytest.raises(paddle.OpError, match="cannot become int"):
        net.a = 5  # type: ignore[assignment]
    net.a = nn.Linear(2, 3, bias_attr=False)
    assert net.a.bias is None
    del net.free
    assert "free" not in dict(net.named_parameters())
    net.seen = paddle.ones([1])
    assert net.state_dict()["seen"].item() == 1

    class Early(nn.Layer):
        def __init__(self) -> None:
            self.fc = nn.Linear(1, 1)
            super().__init__()

    with pytest.raises(paddle.OpError, match=r"call super\(\).__init__\(\) before"):
        Early()
    with pytest.raises(NotImplementedError, match="has no method forward"):
        nn.Layer()(1)


def test_printing() -> None:
    assert repr(nn.Sequential(nn.Linear(2, 3), nn.ReLU())) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, dtype=float32)\n  (1): ReLU()\n)"
    )


def test_containers() -> None:
    layers = nn.LayerList([nn.ReLU()])
    layers.append(nn.Tanh()).insert(0, nn.Sigmoid())
    assert [type(layer).__name__ for layer in layers] == ["Sigmoid", "ReLU", "Tanh"]
    del layers[1]
    assert (len(layers), type(layers[-1]).__name__) == (2, "Tanh")
    with pytest.raises(IndexError):
        layers[5]
    named = nn.LayerDict({"a": nn.ReLU(), "b": nn.Tanh()})
    assert list(named) == ["a", "b"]
    assert "b" in named
    parameters = nn.ParameterList([net.free for net in (Net(), Net())])
    assert len(parameters) == len(parameters.parameters()) == 2
    ordered = nn.Sequential(("x", nn.ReLU()), ("y", nn.Tanh()))
    assert [n for n, _ in ordered.named_children()] == ["x", "y"]
    assert len(ordered[:1]) == 1


@pytest.mark.parametrize(
    ("start", "low", "high", "deviation"),
    [
        (nn.initializer.Uniform(-2, 2), -2, 2, 4 / 12**0.5),
        (nn.initializer.Normal(0, 3), -20, 20, 3),
        (nn.initializer.TruncatedNormal(0, 1), -2, 2, 0.88),
        (nn.initializer.XavierUniform(), -0.1, 0.1, 0.1 / 3**0.5),
        (nn.initializer.XavierNormal(), -1, 1, (2 / 600) ** 0.5),
        (nn.initializer.KaimingUniform(), -0.13, 0.13, (2 / 400) ** 0.5),
        (nn.initializer.KaimingNormal(), -1, 1, (2 / 400) ** 0.5),
        (nn.initializer.Constant(2.0), 2, 2, 0),
    ],
)
def test_initializers(
    start: nn.initializer.Initializer, low: float, high: float, deviation: float
) -> None:
    paddle.seed(0)
    values = nn.Linear(400, 200, weight_attr=start).weight.numpy()
    assert values.dtype == np.float32
    assert low <= values.min() <= values.max() <= high
    assert values.std() == pytest.approx(deviation, rel=0.03)


def test_param_attr() -> None:
    layer = nn.Linear(
        2,
        2,
        weight_attr=paddle.ParamAttr(name="w", learning_rate=0.5, trainable=False),
        bias_attr=nn.initializer.Assign([1.0, 2.0]),
    )
    assert (
        layer.weight.name,
        layer.weight.stop_gradient,
        layer.weight.optimize_attr["learning_rate"],
    ) == (
        "w",
        True,
        0.5,
    )
    assert layer.bias.tolist() == [1, 2]
    with pytest.raises(paddle.OpError, match="one of None, False"):
        nn.Linear(2, 2, bias_attr=3)


def test_layer_to_dtype() -> None:
    layer = nn.Linear(2, 2).to(dtype="float64")
    assert layer(paddle.ones([1, 2], "float64")).dtype == paddle.float64


def test_layers_use_default_dtype() -> None:
    before = paddle.get_default_dtype()
    try:
        paddle.set_default_dtype("float64")
        layers = [
            nn.Linear(2, 2),
            nn.Conv2D(2, 2, 3),
            nn.BatchNorm2D(2),
            nn.LSTM(2, 2),
            nn.Embedding(3, 2),
            nn.Layer(),
        ]
        layers[-1].weight = layers[-1].create_parameter([2])
        assert {p.dtype for layer in layers for p in layer.parameters()} == {paddle.float64}
        # These two say float32 themselves, as in Paddle.
        assert {
            p.dtype
            for layer in (nn.BatchNorm(2), nn.SpectralNorm([2, 2]))
            for p in layer.parameters()
        } == {paddle.float32}
        paddle.set_default_dtype("float16")
        assert nn.Linear(2, 2).weight.dtype == paddle.float16
        assert nn.BatchNorm2D(2).weight.dtype == paddle.float32
    finally:
        paddle.set_default_dtype(before)


def test_layer_list_copy_with_none() -> None:
    # of such HRNet's ways between branches are made
    found = nn.LayerList([nn.ReLU(), None, nn.Linear(2, 2)])
    assert [type(layer).__name__ for layer in found] == ["ReLU", "NoneType", "Linear"]
    again = nn.LayerList(found)
    assert (
        len(again) == 3 and again[1] is None and list(again.state_dict()) == ["2.weight", "2.bias"]
    )


def test_hooks_by_id_can_be_removed() -> None:
    layer, x = nn.Linear(2, 2), paddle.ones([1, 2])
    first = layer.register_forward_pre_hook(lambda _, inputs: inputs[0] * 2)
    layer.register_forward_pre_hook(lambda _, inputs: inputs[0] + 1)
    layer.register_forward_post_hook(lambda _, inputs, output: output * 3)
    traced = paddle.jit.to_static(layer)
    plain = lambda at: x @ layer.weight * at + layer.bias
    for call in (layer, traced):
        np.testing.assert_allclose(call(x).numpy(), (plain(3) * 3).numpy(), rtol=1e-6)
    (number, _), _ = layer._forward_pre_hooks.items()
    del layer._forward_pre_hooks[number]
    assert not first.remove()
    for call in (layer, traced):
        np.testing.assert_allclose(call(x).numpy(), (plain(2) * 3).numpy(), rtol=1e-6)
    layer._forward_post_hooks.clear()
    for call in (layer, traced):
        np.testing.assert_allclose(call(x).numpy(), plain(2).numpy(), rtol=1e-6)


def test_a_buffer_cannot_take_the_name_of_a_parameter_or_layer() -> None:
    net = Net()
    for name in ("free", "a"):
        with pytest.raises(ValueError, match=f"{name} is the name of a parameter or layer"):
            net.register_buffer(name, paddle.zeros([2]))
    net.register_buffer("seen", paddle.ones([1]))
    assert net.seen.tolist() == [1.0]
