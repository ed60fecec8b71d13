"""`paddle.grad` in recorded functions: gradients as results, and as parts of a loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OarlockError, TraceError
from oarlock.jit import load, save, to_static
from oarlock.static import InputSpec

X = np.asarray([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]], np.float32)


class Penalty(nn.Layer):
    """The size of a gradient, which is trained: a gradient of a gradient."""

    def __init__(self) -> None:
        super().__init__()
        paddle.seed(7)
        self.one, self.two = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x: Any) -> Any:
        x.stop_gradient = False
        y = self.two(paddle.tanh(self.one(x)))
        (slope,) = paddle.grad([y.sum()], [x], create_graph=True)
        return (slope * slope).sum() + y.mean()


def gradients(static: bool) -> tuple[float, list[Any]]:
    net = to_static(Penalty()) if static else Penalty()
    loss = net(paddle.to_tensor(X))
    loss.backward()
    return loss.item(), [None if p.grad is None else p.grad.numpy() for p in net.parameters()]


def test_gradient_penalty_training() -> None:
    (loss, eager), (found, static) = gradients(False), gradients(True)
    assert found == pytest.approx(loss, rel=1e-5)
    for one, two in zip(eager, static, strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-4, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*the model runs op by op, slower")
def test_gradient_is_saved_as_ops(tmp_path: Path) -> None:
    net = Penalty()
    # rules have ops that the engine has not
    with pytest.warns(UserWarning, match="by the interpreter"):
        save(net, tmp_path / "m", input_spec=[InputSpec([None, 3])])
    for rows in (1, 2):
        x = paddle.to_tensor(X[:rows])
        np.testing.assert_allclose(load(tmp_path / "m")(x).numpy(), net(x).numpy(), rtol=1e-5)


def test_gradient_without_create_graph_is_constant() -> None:
    def product(x: Any, w: Any) -> Any:
        (slope,) = paddle.grad([(x * w * x).sum()], [x])
        return (slope * w).sum()

    for function in (product, to_static(product)):
        x, w = (paddle.to_tensor(X, stop_gradient=False) for _ in range(2))
        function(x, w).backward()
        assert x.grad is None or not x.grad.numpy().any()
        np.testing.assert_allclose(w.grad.numpy(), 2 * X * X, rtol=1e-5)


def test_unused_inputs() -> None:
    def unused(x: Any, z: Any, allow: bool) -> Any:
        found = paddle.grad([x * 2], [x, z], allow_unused=allow)
        return found[0], found[1] is None

    x, z = paddle.to_tensor(X, stop_gradient=False), paddle.to_tensor(X, stop_gradient=False)
    slope, none = to_static(unused)(x, z, True)
    assert none
    assert (slope.numpy() == 2).all()
    with pytest.raises(OarlockError, match="the outputs do not depend on an input"):
        to_static(unused)(x, z, False)


def test_grad_inside_a_branch_is_rejected() -> None:
    def chosen(x: Any) -> Any:
        y = x * x
        if x.sum() > 0:
            y = paddle.grad([y], [x])[0]
        return y

    with pytest.raises(TraceError, match="grad: is not supported inside a branch or loop"):
        to_static(chosen)(paddle.to_tensor(X, stop_gradient=False))


def detached(x: Any) -> Any:
    w = (x * 2).detach()
    w.stop_gradient = False
    (slope,) = paddle.grad([(w * w).sum()], [w])
    return (w - slope * 0.25) * x


def made_under_no_grad(x: Any) -> Any:
    with paddle.no_grad():
        w = x * 2
    w.stop_gradient = False
    return w * x if x.sum() > 0 else w + x


def set_to_a_value(x: Any) -> Any:
    w = paddle.zeros([2, 3])
    w.set_value(x * 2)
    return w * x


@pytest.mark.parametrize("function", [detached, made_under_no_grad, set_to_a_value])
def test_detached_values_have_no_gradient(function: Any) -> None:
    found = []
    for called in (function, to_static(function)):
        x = paddle.to_tensor(X, stop_gradient=False)
        called(x).sum().backward()
        found.append(x.grad.numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)


def slope_of_a_branch(x: Any) -> Any:
    x = x * 1
    x.stop_gradient = False
    y = x * 2 if x.sum() > 0 else x * x
    (slope,) = paddle.grad(y.sum(), x)
    return slope


@pytest.mark.filterwarnings(
    "ignore:.*the model runs op by op, slower", "ignore:.*there are no parameters"
)
def test_gradient_through_a_branch_is_saved(tmp_path: Path) -> None:
    program = to_static(slope_of_a_branch, [InputSpec([None], "float32", "x")])
    with pytest.warns(
        UserWarning,
        match="by the interpreter, because the engine does not have all ops: conditional_block_grad",
    ):
        save(program, tmp_path / "m")
    for values in ([1.0, 2.0], [-1.0, -2.0, -3.0]):
        x = paddle.to_tensor(np.asarray(values, np.float32))
        want = slope_of_a_branch(x).numpy()
        np.testing.assert_allclose(program(x).numpy(), want)
        np.testing.assert_allclose(load(tmp_path / "m")(x).numpy(), want)
