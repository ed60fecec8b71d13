"""Gradients that a function computes itself, and functions that return no tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import TraceError
from oarlock.static import InputSpec


class Penalty(nn.Layer):
    """A layer whose result contains gradients that it computes."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        x.stop_gradient = False
        y = paddle.tanh(self.linear(x)).sum()
        (dx,) = paddle.grad([y], [x], create_graph=True)
        if dx.mean() > 100:
            dx = dx * 2
        return y + (dx * dx).sum()


def test_gradients_inside_a_function_are_recorded() -> None:
    paddle.seed(3)
    layer = Penalty()
    x = paddle.to_tensor(np.random.default_rng(1).standard_normal((3, 4)).astype("float32"))
    wanted = layer(x)
    wanted.backward()
    before = [p.grad.numpy() for p in layer.parameters()]
    layer.clear_gradients()
    found = paddle.jit.to_static(layer)(x)
    found.backward()
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-6)
    for parameter, gradient in zip(layer.parameters(), before, strict=True):
        np.testing.assert_allclose(parameter.grad.numpy(), gradient, rtol=1e-5, atol=1e-7)


def test_gradients_inside_a_branch_are_rejected() -> None:
    def f(x: Any) -> Any:
        y = x * x
        if y.sum() > 0:
            return paddle.grad([y], [x])[0]
        return y

    with pytest.raises(
        TraceError, match="(?s)grad: is not supported inside a branch or loop.*paddle.grad"
    ):
        paddle.jit.to_static(f)(paddle.ones([2]))


def test_functions_without_tensor_results() -> None:
    @paddle.jit.to_static
    def f(x: Any) -> Any:
        return len(x), "word", None

    assert f(paddle.ones([3, 2])) == (3, "word", None)
    with pytest.raises(TraceError, match="the layer returns no tensor"):
        paddle.jit.save(f, "unused", input_spec=[InputSpec([3, 2])])
