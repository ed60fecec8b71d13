"""`clear_grad` leaves zeros, as in Paddle 2.6.2: a parameter without a gradient in the next loss is
still updated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn

# The weight after a first step with a gradient of ones, and a second one whose loss does not depend
# on it: real Paddle 2.6.2.
KINDS = {
    "SGD": ({}, 0.9, 0.9),
    "Momentum": ({}, 0.81, 0.9),
    "Adam": ({}, 0.8329944, 0.9),
    "AdamW": ({"weight_decay": 0.1}, 0.8140944, 0.89),
}


def weight_after(name: str, settings: dict[str, Any], **cleared: bool) -> float:
    used, unused = nn.Linear(1, 1), nn.Linear(1, 1)
    for parameter in used.parameters() + unused.parameters():
        parameter.set_value(np.ones(parameter.shape, np.float32))
    parameters = used.parameters() + unused.parameters()
    optimizer = getattr(paddle.optimizer, name)(0.1, parameters=parameters, **settings)
    x = paddle.ones([1, 1])
    for loss in (lambda: used(x) + unused(x), lambda: used(x)):
        loss().sum().backward()
        optimizer.step()
        optimizer.clear_grad(**cleared)
    assert (unused.weight.grad is None) == (cleared == {"set_to_zero": False})
    return float(unused.weight)


@pytest.mark.parametrize("name", KINDS)
def test_parameter_with_cleared_gradient_is_updated(name: str) -> None:
    settings, zeros, forgotten = KINDS[name]
    assert weight_after(name, settings) == pytest.approx(zeros, rel=1e-5)
    assert weight_after(name, settings, set_to_zero=True) == pytest.approx(zeros, rel=1e-5)
    assert weight_after(name, settings, set_to_zero=False) == pytest.approx(forgotten, rel=1e-5)


@pytest.mark.parametrize("converted", [False, True])
@pytest.mark.parametrize("change", ["none", "item", "set_value", "in place", "cleared again"])
def test_changed_cleared_gradient_accumulates(change: str, converted: bool) -> None:
    layer = nn.Linear(2, 1)
    if converted:
        paddle.jit.to_static(layer)
    layer(paddle.ones([1, 2])).sum().backward()
    layer.clear_gradients()
    gradient = layer.weight.grad
    if change == "item":
        gradient[0] = 5.0
    elif change == "set_value":
        gradient.set_value(np.full([2, 1], 5.0, np.float32))
    elif change == "in place":
        gradient.add_(paddle.full([2, 1], 5.0))
    elif change == "cleared again":
        gradient.add_(paddle.full([2, 1], 5.0))
        layer.clear_gradients()
        gradient = layer.weight.grad
    before = gradient.numpy()
    layer(paddle.ones([1, 2])).sum().backward()
    np.testing.assert_array_equal(layer.weight.grad.numpy(), before + 1)
    layer(paddle.ones([1, 2])).sum().backward()
    np.testing.assert_array_equal(layer.weight.grad.numpy(), before + 2)
