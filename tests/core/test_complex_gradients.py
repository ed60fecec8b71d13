"""Gradients of complex values in the public convention dL/dRe + i dL/dIm: leaves, hooks, PyLayers,
second order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle

Z = np.array([1 + 2j, -0.5 + 0.3j], "complex64")


def leaf(value: Any = Z) -> paddle.Tensor:
    return paddle.to_tensor(value, stop_gradient=False)


def test_gradient_of_abs() -> None:
    z = leaf()
    paddle.abs(z).sum().backward()
    np.testing.assert_allclose(z.grad.numpy(), Z / np.abs(Z), rtol=1e-6)


def test_gradients_accumulate_over_calls() -> None:
    z = leaf()
    for _ in range(2):
        paddle.imag(z * z).sum().backward()
    np.testing.assert_allclose(z.grad.numpy(), 2 * np.conj(2 * Z) * 1j, rtol=1e-6)


def test_given_gradient_is_not_conjugated() -> None:
    z, w = leaf(), np.array([0.5 - 1j, 2j], "complex64")
    (z * 3j).backward(paddle.to_tensor(w))
    np.testing.assert_allclose(z.grad.numpy(), w * np.conj(3j), rtol=1e-6)


def test_hooks_use_the_public_convention() -> None:
    z, seen = leaf(), []
    inner = z * 1j

    def hook(g: paddle.Tensor) -> paddle.Tensor:
        seen.append(g.numpy())
        return g * 2

    inner.register_hook(hook)
    paddle.imag(inner).sum().backward()
    np.testing.assert_allclose(seen[0], [1j, 1j])
    np.testing.assert_allclose(z.grad.numpy(), [2, 2])


def test_py_layer_uses_the_public_convention() -> None:
    class Turned(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, z: paddle.Tensor) -> paddle.Tensor:
            return z * 1j

        @staticmethod
        def backward(ctx: Any, g: paddle.Tensor) -> paddle.Tensor:
            return g * (-1j)

    z, again = leaf(), leaf()
    paddle.abs(Turned.apply(z) * (2 + 1j)).sum().backward()
    paddle.abs((again * 1j) * (2 + 1j)).sum().backward()
    np.testing.assert_allclose(z.grad.numpy(), again.grad.numpy(), rtol=1e-6)


@pytest.mark.parametrize("create_graph", [False, True])
def test_gradient_of_real_leaf_is_real(create_graph: bool) -> None:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = paddle.real(x * paddle.to_tensor(Z)) + paddle.imag(x * paddle.to_tensor(Z))
    (g,) = paddle.grad(y.sum(), x, create_graph=create_graph)
    assert g is not None and g.dtype == paddle.float32
    np.testing.assert_allclose(g.numpy(), Z.real + Z.imag, rtol=1e-6)


def test_second_order_gradient() -> None:
    z = leaf()
    (first,) = paddle.grad(paddle.real(z**3).sum(), z, create_graph=True)
    assert first is not None
    np.testing.assert_allclose(first.numpy(), np.conj(3 * Z**2), rtol=1e-5)
    (second,) = paddle.grad(paddle.real(first).sum(), z)
    assert second is not None
    np.testing.assert_allclose(second.numpy(), np.conj(6 * Z), rtol=1e-5)


def test_linalg_gradients_with_equal_values() -> None:
    x = paddle.to_tensor(np.eye(3, dtype="float32"), stop_gradient=False)
    (paddle.linalg.svd(x)[1].sum() + paddle.linalg.eigvalsh(x).sum()).backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.eye(3), atol=1e-6)
    y = paddle.to_tensor(np.eye(3, dtype="float32"), stop_gradient=False)
    (
        paddle.linalg.pinv(y) * paddle.to_tensor(np.arange(9, dtype="float32").reshape(3, 3))
    ).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), -np.arange(9.0).reshape(3, 3), atol=1e-5)
