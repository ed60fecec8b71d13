"""Tensors that change between forward and backward pass: gradients use the saved values."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle


def leaf(*values: float) -> paddle.Tensor:
    return paddle.to_tensor(list(values), stop_gradient=False)


def change_by_set_value(w: Any) -> None:
    w.set_value(w * 10)


def change_by_scale(w: Any) -> None:
    with paddle.no_grad():
        w.scale_(10.0)


def change_by_step(w: Any) -> None:
    w.grad = paddle.full(w.shape, 1.0)
    paddle.optimizer.SGD(1.0, parameters=[w]).step()
    w.clear_gradient(False)


WAYS = pytest.mark.parametrize("change", [change_by_set_value, change_by_scale, change_by_step])


def layer() -> Any:
    made = paddle.nn.Linear(1, 1, bias_attr=False)
    made.weight.set_value(paddle.full([1, 1], 2.0))
    return made


@WAYS
@pytest.mark.parametrize("static", [False, True])
def test_gradient_uses_values_of_the_forward_pass(
    change: Callable[[Any], None], static: bool
) -> None:
    b = layer()
    f = paddle.jit.to_static(b) if static else b
    x = paddle.to_tensor([[3.0]], stop_gradient=False)
    y = f(x)
    change(b.weight)
    y.sum().backward()
    assert x.gradient().item() == 2.0
    assert b.weight.gradient().item() == 3.0  # of the parameter itself, not of what it was


@WAYS
def test_second_order_gradient(change: Callable[[Any], None]) -> None:
    w = layer().weight
    x = paddle.to_tensor([[3.0]], stop_gradient=False)
    y = (w * w * x).sum()
    change(w)
    (g,) = paddle.grad(y, [w], create_graph=True)
    assert g.item() == 2 * 2.0 * 3.0
    (second,) = paddle.grad(g, [w])
    assert second.item() == 2 * 3.0


def test_constant_that_is_overwritten() -> None:
    x, y = leaf(1.0, 2.0, 3.0), leaf(1.0, -2.0, 3.0)
    t = paddle.zeros([3])
    early = t * x
    t.add_(y)
    (early * t).sum().backward()
    np.testing.assert_array_equal(x.gradient(), [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(y.gradient(), [0.0, 0.0, 0.0])


def test_accumulated_sum() -> None:
    w, h, total = leaf(1.0, 2.0, 3.0), paddle.zeros([3]), paddle.zeros([])
    for _ in range(3):
        total = total + (h * w).sum()
        h.add_(w)
    total.backward()
    np.testing.assert_array_equal(w.gradient(), [6.0, 12.0, 18.0])


@pytest.fixture
def no_garbage() -> None:
    """Delete the tape nodes that other tests left in reference cycles: values are saved as long as
    there are nodes that might need them.
    """
    gc.collect()


@pytest.mark.usefixtures("no_garbage")
def test_saved_values_are_freed_after_backward() -> None:
    x, ema = leaf(1.0), paddle.zeros([1])
    for _ in range(5):
        (x * ema).sum().backward()
        with paddle.no_grad():
            ema.scale_(0.9)
            ema.add_(x)
    assert len(ema._history) == 0


@pytest.mark.usefixtures("no_garbage")
def test_only_needed_values_are_saved() -> None:
    x, ema = leaf(1.0), paddle.zeros([1])
    pending = None
    for _ in range(20):
        was, pending = pending, (x * ema).sum()  # there is always one way back that was not gone
        if was is not None:
            was.backward()
        with paddle.no_grad():
            ema.add_(x)
    assert len(ema._history) <= 2


def test_in_place_change_under_no_grad() -> None:
    w = leaf(2.0)
    with paddle.no_grad():
        w.scale_(10.0)
        w[0] = 5.0
        w.add_(paddle.ones([1]))
    assert not w.stop_gradient
    assert w.is_leaf
    assert w.item() == 6.0
    y = w * 2
    with paddle.no_grad():
        y.scale_(10.0)
    y.sum().backward()  # as in Paddle: the change is no step of the way
    assert w.gradient().item() == 2.0
