"""Second-order gradients of programs equal finite differences, or the unsupported op is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.capture.control import array_read, array_write, create_array
from oarlock.core.errors import OpError

Build = Callable[[Any], Any]


def cube(x: Any) -> Any:
    return x * x * x


def beside_a_linear_branch(x: Any) -> Any:
    return static.nn.cond(x.sum() > 0, lambda: x * 2.0, lambda: x) + cube(x)


def beside_a_linear_list(x: Any) -> Any:
    held = create_array("float64")
    array_write(x * 2.0, paddle.zeros([1], "int64"), held)
    return array_read(held, paddle.zeros([1], "int64")) + cube(x)


def branch(x: Any) -> Any:
    return static.nn.cond(x.sum() > 0, lambda: cube(x), lambda: paddle.exp(x))


def loop(x: Any) -> Any:
    i = paddle.zeros([1], "int64")
    return static.nn.while_loop(
        lambda i, s: i < 3, lambda i, s: [i + 1, paddle.tanh(s * x)], [i, x * 1.0]
    )[1]


def chosen_then_squared(x: Any) -> Any:
    made = static.nn.cond(x.sum() > 0, lambda: x * 2.0, lambda: x)
    return made * made


def listed(x: Any) -> Any:
    held = create_array("float64")
    array_write(x * x, paddle.zeros([1], "int64"), held)
    return array_read(held, paddle.zeros([1], "int64")) * x


def sizes_of_a_run(x: Any) -> Any:
    """The gradient needs dynamic sizes and is an op `vjp`."""
    return paddle.kron(static.data("z", [None], "float64"), x * x)


def second_order_gradient(build: Build) -> tuple[Any, Any]:
    """The gradient, and that of the sum of its squares."""
    paddle.set_default_dtype("float64")
    try:
        x = static.data("x", [3], "float64")
        x.stop_gradient = False
        (first,) = static.gradients([build(x).sum()], [x])
        return first, static.gradients([(first * first).sum()], [x])[0]
    finally:
        paddle.set_default_dtype("float32")


@pytest.mark.parametrize("build", [cube, beside_a_linear_branch, beside_a_linear_list])
def test_second_order_equals_finite_differences(build: Build, static_mode: Any) -> None:
    first, second = second_order_gradient(build)
    exe, at, step = static.Executor(), np.array([0.5, 0.3, 0.9]), 1e-6

    def value(point: Any) -> float:
        return float((exe.run(feed={"x": point}, fetch_list=[first])[0] ** 2).sum())

    slopes = [(value(at + step * e) - value(at - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(exe.run(feed={"x": at}, fetch_list=[second])[0], slopes, rtol=1e-6)


@pytest.mark.parametrize(
    ("build", "op"),
    [
        (branch, "conditional_block_grad"),
        (loop, "while_grad"),
        (chosen_then_squared, "conditional_block_grad"),
        (listed, "write_to_array_grad"),
        (sizes_of_a_run, "vjp"),
    ],
)
def test_unsupported_op_is_named(build: Build, op: str, static_mode: Any) -> None:
    with pytest.raises(OpError, match=f"{op}: the second-order gradient is not implemented"):
        second_order_gradient(build)
