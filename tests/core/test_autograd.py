"""The tape: accumulation, hooks, release of memory, and errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import oarlock as paddle


def leaf(*values: float) -> paddle.Tensor:
    return paddle.to_tensor(list(values), stop_gradient=False)


def test_gradients_accumulate_over_calls() -> None:
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    (x * 3).sum().backward()
    np.testing.assert_array_equal(x.gradient(), [5.0, 7.0])


def test_gradient_of_a_tensor_used_twice() -> None:
    x = leaf(2.0)
    y = x * x
    (y + y * x).sum().backward()
    np.testing.assert_allclose(x.gradient(), [2 * 2 + 3 * 4])


def test_gradient_of_broadcasting() -> None:
    x, b = paddle.ones([3, 4]), leaf(1.0, 2.0, 3.0, 4.0)
    c = paddle.to_tensor(2.0, stop_gradient=False)
    (x * b * c).sum().backward()
    np.testing.assert_array_equal(b.gradient(), [6.0] * 4)
    np.testing.assert_array_equal(c.gradient(), 30.0)


def test_retain_graph() -> None:
    x = leaf(3.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    np.testing.assert_array_equal(x.gradient(), [12.0])
    with pytest.raises(
        paddle.OarlockError, match=r"(?s)freed by an earlier backward.*test_autograd.py:\d+"
    ):
        y.backward()


def test_backward_without_gradient_warns() -> None:
    with pytest.warns(
        UserWarning, match="the tensor does not depend on a tensor that requires a gradient"
    ) as said:
        paddle.ones([2]).sum().backward()
    assert said[0].filename == __file__


def test_gradient_of_wrong_shape_is_rejected() -> None:
    y = leaf(1.0, 2.0) * 2
    with pytest.raises(
        paddle.OpError,
        match=r"the gradient has another shape than the tensor \(X=float32\[2\], grad=float32\[3\]\)",
    ):
        y.backward(paddle.ones([3]))


def test_no_grad() -> None:
    x = leaf(1.0)
    with paddle.no_grad():
        assert (x * 2).stop_gradient
        with paddle.enable_grad():
            assert not (x * 2).stop_gradient

    @paddle.no_grad()
    def call() -> paddle.Tensor:
        return x * 2

    @paddle.no_grad
    def bare() -> paddle.Tensor:
        return x * 2

    assert call().stop_gradient
    assert bare().stop_gradient
    assert not (x * 2).stop_gradient
    with paddle.set_grad_enabled(False):
        assert not paddle.is_grad_enabled()


def test_detach() -> None:
    x = leaf(2.0)
    y = x.detach() * x
    y.backward()
    np.testing.assert_array_equal(x.gradient(), [2.0])
    assert x.detach().array is x.array


def test_stop_gradient_of_intermediate_tensor() -> None:
    x = leaf(2.0)
    y = x * x
    y.stop_gradient = True
    (y * x).backward()
    np.testing.assert_array_equal(x.gradient(), [4.0])


def test_hooks_replace_gradients() -> None:
    x = leaf(1.0, 1.0)
    seen = []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.numpy().tolist()))
    handle = x.register_hook(lambda g: g * 10)
    (y * 3).sum().backward()
    assert seen == [[3.0, 3.0]]
    np.testing.assert_array_equal(x.gradient(), [60.0, 60.0])
    assert handle.remove()
    assert not handle.remove()


def test_grad_of_intermediate_tensors() -> None:
    x = leaf(3.0)
    y = x * x
    z = y * 2
    dy, dx = paddle.grad(z, [y, x], retain_graph=True)
    assert dy is not None
    assert dx is not None
    assert (dy.item(), dx.item(), x.grad) == (2.0, 12.0, None)
    with pytest.raises(paddle.OarlockError, match="do not depend on an input"):
        paddle.grad(z, leaf(1.0), retain_graph=True)
    assert paddle.grad(z, leaf(1.0), allow_unused=True) == [None]


def test_third_order_gradient() -> None:
    x = leaf(2.0)
    y = x**4
    for expected in (32.0, 48.0, 48.0):
        (g,) = paddle.grad(y.sum(), x, create_graph=True)
        assert g is not None
        assert g.item() == pytest.approx(expected)
        y = g


def test_integers_stop_gradients() -> None:
    x = leaf(1.5)
    y = x.astype("int32").astype("float32") + x
    y.backward()
    np.testing.assert_array_equal(x.gradient(), [1.0])


def test_unused_results_get_zero_gradients() -> None:
    x = paddle.to_tensor(np.arange(6, dtype="float32").reshape(2, 3), stop_gradient=False)
    a, _, c = paddle.split(x, 3, 1)
    (a * 2 + c).sum().backward()
    np.testing.assert_array_equal(x.gradient(), [[2, 0, 1]] * 2)


def test_in_place_changes_do_not_affect_saved_values() -> None:
    x = leaf(1.0, 2.0, 3.0)
    y = x * 2
    z = y * y
    y[0] = 5.0
    (z.sum() + (y * paddle.to_tensor([1.0, 10.0, 100.0])).sum()).backward()
    np.testing.assert_array_equal(x.gradient(), [8.0, 16.0 + 20.0, 24.0 + 200.0])
    x.clear_gradient()
    y = x * 2
    z = y * 3
    y.add_(x)
    z.sum().backward()
    np.testing.assert_array_equal(x.gradient(), [6.0] * 3)


@pytest.mark.parametrize("made", ["text", paddle.ones([7])])
def test_invalid_hook_result_is_rejected(made: object) -> None:
    y = leaf(1.0, 2.0) * 2
    y.register_hook(lambda g: made)
    with pytest.raises(
        paddle.OpError,
        match=r"(?s)register_hook: a hook returned .* for a gradient \(X=float32\[2\]\)",
    ):
        y.sum().backward()


@pytest.mark.parametrize("made", [3.0, paddle.ones([7])])
@pytest.mark.parametrize("twice", [False, True])
def test_invalid_py_layer_gradient_is_rejected(made: object, twice: bool) -> None:
    class Bad(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx: object, x: paddle.Tensor) -> paddle.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: object, g: paddle.Tensor) -> object:
            return made

    x = leaf(1.0, 2.0)
    with pytest.raises(
        paddle.OpError,
        match=r"Bad: backward returned .* as the gradient of an input \(X=float32\[2\]\)",
    ):
        paddle.grad(Bad.apply(x).sum(), [x], create_graph=twice)


def test_invalid_learning_rate_is_rejected() -> None:
    with pytest.raises(paddle.OpError, match="SGD: learning_rate is str"):
        paddle.optimizer.SGD("fast", parameters=paddle.nn.Linear(1, 1).parameters())


def test_set_grad_enabled() -> None:
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with paddle.enable_grad():
        with paddle.set_grad_enabled(False):
            assert (x * 2).stop_gradient
        assert not (x * 2).stop_gradient
        paddle.set_grad_enabled(False)
        assert (x * 2).stop_gradient
        paddle.set_grad_enabled(True)
        assert not (x * 2).stop_gradient

        @paddle.set_grad_enabled(False)
        def double(x: paddle.Tensor) -> paddle.Tensor:
            return x * 2

        assert paddle.is_grad_enabled()
        assert double(x).stop_gradient
        assert paddle.is_grad_enabled()


def test_no_tape_in_static_mode() -> None:
    paddle.enable_static()
    try:
        assert not paddle.is_grad_enabled()
    finally:
        paddle.disable_static()


def test_no_grad_vars_may_be_a_tensor() -> None:
    x, y = (paddle.to_tensor([2.0, 0.0], stop_gradient=False) for _ in range(2))
    middle = x * 3
    (found,) = paddle.grad(middle * x * y, x, no_grad_vars=middle)
    assert np.array_equal(found.numpy(), (middle * y).numpy())


def test_matmul_with_empty_operands() -> None:
    ones = paddle.ones
    assert np.array_equal(paddle.matmul(ones([2, 3, 0]), ones([0, 4])).numpy(), np.zeros((2, 3, 4)))


class SumAndDifference(NamedTuple):
    sum: paddle.Tensor
    difference: paddle.Tensor


def test_py_layer_returns_a_named_tuple() -> None:
    class Both(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx: object, x: paddle.Tensor, y: paddle.Tensor) -> SumAndDifference:
            return SumAndDifference(x + y, x - y)

        @staticmethod
        def backward(ctx: object, s: paddle.Tensor, d: paddle.Tensor) -> object:
            return s + d, s - d

    x, y = leaf(3.0), leaf(1.0)
    result = Both.apply(x, y)
    assert isinstance(result, SumAndDifference)
    (result.sum * 2 + result.difference).backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([3.0], [1.0])
