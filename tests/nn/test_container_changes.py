"""Containers that are changed, and how layers show themselves."""

import pytest

import oarlock as paddle
from oarlock import nn


def test_a_dict_of_layers_gives_them_up() -> None:
    relu, tanh = nn.ReLU(), nn.Tanh()
    layers = nn.LayerDict([("relu", relu), ("tanh", tanh)])
    assert layers.pop("relu") is relu
    assert list(layers.keys()) == ["tanh"]
    layers.clear()
    assert len(layers) == 0
    assert layers.sublayers() == []
    with pytest.raises(ValueError, match="element 1 is not a pair"):
        layers.update([("relu", relu), ("tanh", tanh, 3)])
    with pytest.raises(AssertionError, match="not int"):
        layers.update(1)


def test_pairs_may_be_lists() -> None:
    first, second = nn.Linear(4, 2), nn.Linear(2, 3)
    net = nn.Sequential(["first", first], ["second", second])
    assert net.first is first
    assert net(paddle.ones([1, 4])).shape == [1, 3]
    assert nn.Sequential(["only", first]).only is first


def test_the_usual_layout_is_not_shown() -> None:
    assert str(nn.BatchNorm2D(1)) == "BatchNorm2D(num_features=1, momentum=0.9, epsilon=1e-05)"
    assert str(nn.BatchNorm1D(1)).endswith("epsilon=1e-05, data_format=NCL)")
    assert str(nn.BatchNorm2D(1, data_format="NHWC")).endswith("data_format=NHWC)")


def test_gradients_that_are_constants_can_be_differentiated() -> None:
    x = paddle.ones([3])
    x.stop_gradient = False
    given = paddle.ones([3])
    for again in (False, True):
        (found,) = paddle.grad([x + 1], [x], [given], create_graph=again)
        assert found.stop_gradient != again
    assert given.stop_gradient


def test_none_keeps_a_place_in_a_list() -> None:
    layers = nn.LayerList([None, nn.Linear(1, 1)])
    layers.append(None)
    layers.append(nn.Linear(1, 1))
    assert [name for name, _ in layers.named_children()] == ["1", "3"]
    assert list(layers.state_dict()) == ["1.weight", "1.bias", "3.weight", "3.bias"]
    assert len(layers) == 4 and [layer is None for layer in layers] == [True, False, True, False]
    assert layers[0] is None and layers[-1] is layers[3]
    del layers[0]
    assert list(layers.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]
