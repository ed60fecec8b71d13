"""GradScaler: steps with scaled gradients, and changes of the scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OarlockError, OpError


def make_layer_optimizer_scaler(scale: float = 4.0, **settings: Any) -> tuple[Any, Any, Any]:
    """Return a layer with one parameter, its optimizer and a scaler."""
    layer = nn.Linear(1, 1, bias_attr=False)
    layer.weight.set_value(np.ones((1, 1), "float32"))
    optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
    return layer, optimizer, paddle.amp.GradScaler(init_loss_scaling=scale, **settings)


def step(layer: Any, optimizer: Any, scaler: Any, factor: float = 1.0) -> None:
    scaler.scale(layer(paddle.to_tensor([[factor]])).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.clear_grad()


def test_step_uses_unscaled_gradient() -> None:
    layer, optimizer, scaler = make_layer_optimizer_scaler()
    scaled = scaler.scale(layer(paddle.to_tensor([[1.0]])).sum())
    assert float(scaled) == 4.0
    scaled.backward()
    assert layer.weight.grad.item() == 4.0
    scaler.unscale_(optimizer)
    assert layer.weight.grad.item() == 1.0
    with pytest.raises(OarlockError, match=r"unscale_\(\) was called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(OarlockError, match=r"step\(\) was called"):
        scaler.step(optimizer)
    with pytest.raises(OarlockError, match=r"step\(\) was called"):
        scaler.unscale_(optimizer)
    scaler.update()
    assert layer.weight.item() == 0.5


def test_step_with_infinite_gradients_is_skipped() -> None:
    layer, optimizer, scaler = make_layer_optimizer_scaler(decr_every_n_nan_or_inf=2)
    step(layer, optimizer, scaler, np.inf)
    assert layer.weight.item() == 1.0
    assert scaler.state_dict()["scale"] == 4.0
    step(layer, optimizer, scaler, np.nan)
    assert scaler.state_dict()["scale"] == 2.0
    step(layer, optimizer, scaler)
    assert layer.weight.item() == 0.5


def test_scale_increases_after_finite_steps() -> None:
    layer, optimizer, scaler = make_layer_optimizer_scaler(incr_every_n_steps=2, incr_ratio=3.0)
    for _ in range(3):
        step(layer, optimizer, scaler)
    assert scaler.state_dict()["scale"] == 12.0
    assert scaler.state_dict()["incr_count"] == 1


def test_minimize_steps_and_updates() -> None:
    layer, optimizer, scaler = make_layer_optimizer_scaler(incr_every_n_steps=1)
    scaled = scaler.scale(layer(paddle.to_tensor([[1.0]])).sum())
    scaled.backward()
    scaler.minimize(optimizer, scaled)
    assert layer.weight.item() == 0.5
    assert scaler.state_dict()["scale"] == 8.0
    layer.weight.grad = paddle.to_tensor([[np.inf]])
    assert scaler.minimize(optimizer, scaled) == (None, None)


def test_scale_is_constant_without_dynamic_scaling() -> None:
    layer, optimizer, scaler = make_layer_optimizer_scaler(use_dynamic_loss_scaling=False)
    step(layer, optimizer, scaler, np.inf)
    step(layer, optimizer, scaler)
    assert scaler.state_dict()["scale"] == 4.0
    assert layer.weight.item() == 0.5
    assert not scaler.is_use_dynamic_loss_scaling()


def test_disabled_scaler_does_nothing() -> None:
    layer, optimizer, scaler = make_layer_optimizer_scaler(enable=False)
    loss = layer(paddle.to_tensor([[1.0]])).sum()
    assert scaler.scale(loss) is loss
    assert scaler.state_dict() == {}
    scaler.load_state_dict({})
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.minimize(optimizer, loss)
    assert layer.weight.item() == 0.5
    assert not scaler.is_enable()


def test_state_dict_round_trip() -> None:
    layer, optimizer, scaler = make_layer_optimizer_scaler(incr_every_n_steps=5)
    step(layer, optimizer, scaler)
    other = paddle.amp.GradScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.state_dict() == scaler.state_dict()
    assert other.get_init_loss_scaling() == 4.0
    assert other.get_incr_every_n_steps() == 5
    with pytest.raises(OarlockError, match="the dict is empty"):
        other.load_state_dict({})


def test_setters_and_getters() -> None:
    scaler = paddle.amp.GradScaler()
    given = {
        "incr_ratio": 3.0,
        "decr_ratio": 0.1,
        "incr_every_n_steps": 7,
        "decr_every_n_nan_or_inf": 8,
        "init_loss_scaling": 9.0,
    }
    for name, value in given.items():
        getattr(scaler, f"set_{name}")(value)
        assert getattr(scaler, f"get_{name}")() == value
    with pytest.raises(OpError, match=r"incr_ratio=1.0 is not above 1"):
        scaler.set_incr_ratio(1.0)
    with pytest.raises(OpError, match=r"decr_ratio=1.0 is not below 1"):
        scaler.set_decr_ratio(1.0)
    with pytest.raises(OpError, match="int is not a tensor"):
        scaler.scale(3)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"scale": "a"}, "scale is 'a'"),
        ({"scale": None}, "scale is None"),
        ({"scale": []}, "scale is"),
        ({"incr_ratio": "x"}, "incr_ratio is 'x'"),
        ({"incr_count": {}}, "incr_count is"),
    ],
)
def test_malformed_states_are_rejected_without_changes(change: Any, reason: str) -> None:
    scaler = paddle.amp.GradScaler()
    before = scaler.state_dict()
    with pytest.raises(paddle.OarlockError, match=reason):
        scaler.load_state_dict({**before, "decr_ratio": 0.25, **change})
    assert scaler.state_dict() == before


@pytest.mark.parametrize("state", [{}, {"scale": 1.0}, {1: 2}, [1], 3])
def test_incomplete_states_are_rejected(state: Any) -> None:
    with pytest.raises(paddle.OarlockError, match="load_state_dict"):
        paddle.amp.GradScaler().load_state_dict(state)
