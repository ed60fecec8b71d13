"""Mutation and repr of layer containers."""

import pytest

import oarlock as paddle
from oarlock import nn


def test_layer_dict_pop_and_clear() -> None:
    relu, tanh = nn.ReLU(), nn.Tanh()
    layers = nn.LayerDict([("relu", relu), ("tanh", tanh)])
    assert layers.pop("relu") is relu
    assert list(layers.keys()) == ["tanh"]
    layers.clear()
    assert len(layers) == 0
    assert layers.sublayers() == []
    assert not hasattr(layers, "tanh")
    with pytest.raises(ValueError, match="element 1 is not a pair"):
        layers.update([("relu", relu), ("tanh", tanh, 3)])
    with pytest.raises(AssertionError, match="not int"):
        layers.update(1)


def test_sequential_of_lists() -> None:
    first, second = nn.Linear(4, 2), nn.Linear(2, 3)
    net = nn.Sequential(["first", first], ["second", second])
    assert net.first is first
    assert net(paddle.ones([1, 4])).shape == [1, 3]
    assert nn.Sequential(["only", first]).only is first


def test_repr_omits_default_data_format() -> None:
    assert str(nn.BatchNorm2D(1)) == "BatchNorm2D(num_features=1, momentum=0.9, epsilon=1e-05)"
    assert str(nn.BatchNorm1D(1)).endswith("epsilon=1e-05, data_format=NCL)")
    assert str(nn.BatchNorm2D(1, data_format="NHWC")).endswith("data_format=NHWC)")


def test_constant_gradients_are_differentiable() -> None:
    x = paddle.ones([3])
    x.stop_gradient = False
    given = paddle.ones([3])
    for again in (False, True):
        (found,) = paddle.grad([x + 1], [x], [given], create_graph=again)
        assert found.stop_gradient != again
    assert given.stop_gradient


def test_layer_list_with_none() -> None:
    layers = nn.LayerList([None, nn.Linear(1, 1)])
    layers.append(None)
    layers.append(nn.Linear(1, 1))
    assert [name for name, _ in layers.named_children()] == ["1", "3"]
    assert list(layers.state_dict()) == ["1.weight", "1.bias", "3.weight", "3.bias"]
    assert len(layers) == 4 and [layer is None for layer in layers] == [True, False, True, False]
    assert layers[0] is None and layers[-1] is layers[3]
    del layers[0]
    assert list(layers.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_convert_sync_batchnorm_keeps_layers_with_an_activation() -> None:
    net = nn.Sequential(nn.BatchNorm(2, act="relu"), nn.BatchNorm1D(2))
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert [type(layer) for layer in converted] == [nn.BatchNorm, nn.SyncBatchNorm]
