"""Loops and branches whose bodies are `with` blocks, and branches with results of different types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.core.errors import OarlockError, OpError, TraceError

flow = static.nn.control_flow
Build = Callable[[Any], Any]


def number(value: float, dtype: str = "float32") -> Any:
    return paddle.full([1], value, dtype)


def overwriting_loop(x: Any) -> Any:
    """total becomes tanh(total * 1.5 + x) three times, with a branch in each iteration."""
    i, total, end = number(0, "int64"), x * 1.0, number(3, "int64")
    cond = paddle.less_than(i, end)
    with flow.While(cond).block():
        paddle.assign(paddle.tanh(total * 1.5 + x), output=total)
        paddle.assign(
            static.nn.cond(total.sum() > 1, lambda: total * total, lambda: total + x), output=total
        )
        paddle.increment(i)
        paddle.assign(paddle.less_than(i, end), output=cond)
    return total


def rebinding_loop(x: Any) -> Any:
    i, total, end = number(0, "int64"), paddle.zeros([3]), number(3, "int64")
    cond = paddle.less_than(i, end)
    with flow.While(cond).block():
        paddle.assign(x * x, output=total)
        paddle.increment(i)
        x = x + 1.0
        paddle.assign(paddle.less_than(i, end), output=cond)
    return total


def chosen_case(x: Any) -> Any:
    total = x * 1.0
    with flow.Switch() as switch:
        with switch.case(x.sum() > 2.0):
            paddle.assign(total * x, output=total)
        with switch.case(x.sum() > 0.0):
            paddle.assign(paddle.exp(total), output=total)
        with switch.default():
            paddle.assign(total * 3.0, output=total)
    return total * 2.0


@pytest.mark.parametrize("build", [overwriting_loop, rebinding_loop, chosen_case])
@pytest.mark.parametrize("at", [[0.5, 0.2, 0.7], [-0.5, 0.1, -0.7], [2.0, 3.0, 4.0]])
def test_gradients_equal_finite_differences(
    build: Build, at: list[float], static_mode: Any
) -> None:
    x = static.data("x", [3], "float64")
    x.stop_gradient = False
    paddle.set_default_dtype("float64")
    try:
        loss = build(x).sum()
        (gradient,) = static.gradients([loss], [x])
    finally:
        paddle.set_default_dtype("float32")
    exe = static.Executor()

    def value(point: Any) -> float:
        return float(exe.run(feed={"x": point}, fetch_list=[loss])[0])

    point, step = np.array(at), 1e-6
    slopes = [(value(point + step * e) - value(point - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(
        exe.run(feed={"x": point}, fetch_list=[gradient])[0], slopes, rtol=1e-6, atol=1e-8
    )


def test_loop_without_condition_update_is_rejected(static_mode: Any) -> None:
    cond = paddle.less_than(number(0), number(1))
    with pytest.raises(OpError, match="does not write its condition"), flow.While(cond).block():
        number(2)


def test_while_requires_a_program() -> None:
    cond = number(0) < number(1)
    with (
        pytest.raises(OarlockError, match="While: requires a program under construction"),
        flow.While(cond).block(),
    ):
        pass


def test_switch_order_is_checked(static_mode: Any) -> None:
    with pytest.raises(OpError, match="call it in the `with` body"):
        flow.Switch().case(number(0) < number(1))
    with flow.Switch() as switch, pytest.raises(OpError, match="there is no case before it"):
        switch.default()


def test_result_of_two_types_can_only_be_fetched(static_mode: Any) -> None:
    x = static.data("x", [1])
    one, two = lambda: paddle.full([2, 2], 2, "int32"), lambda: paddle.full([3], 3.0)
    found = static.nn.cond(x.sum() > 0, one, two)
    for value, shape, dtype in ((1.0, (2, 2), "int32"), (-1.0, (3,), "float32")):
        (made,) = static.Executor().run(
            feed={"x": np.array([value], "float32")}, fetch_list=[found]
        )
        assert (made.shape, made.dtype) == (shape, dtype)
    with pytest.raises(
        TraceError,
        match=r"scale: an operand has another dtype(.|\n)*int32\[2,2\] created at(.|\n)*float32\[3\]",
    ):
        found * 2
    with pytest.raises(TraceError, match="concat: an operand has another"):
        paddle.concat([found, found])


def test_two_gradients_of_one_loop(static_mode: Any) -> None:
    """Each backward pass reads other values of an iteration."""
    x, y = static.data("x", [3], "float64"), static.data("y", [3], "float64")
    x.stop_gradient = y.stop_gradient = False
    start = [paddle.zeros([1], "int64"), x * 1.0]
    _, s = static.nn.while_loop(
        lambda i, s: i < 3, lambda i, s: [i + 1, paddle.tanh(s * x) + paddle.exp(y) * s], start
    )
    exe, feed = static.Executor(), {"x": np.full(3, 0.3), "y": np.full(3, 0.2)}
    (by_y,) = static.gradients([s.sum()], [y])
    alone = exe.run(feed=feed, fetch_list=[by_y])[0]
    (by_x,) = static.gradients([s.sum()], [x])
    together = exe.run(feed=feed, fetch_list=[by_y, by_x])
    np.testing.assert_array_equal(together[0], alone)

    def value(**moved: float) -> float:
        return float(
            exe.run(
                feed=feed | {k: feed[k] + [d, 0, 0] for k, d in moved.items()}, fetch_list=[s.sum()]
            )[0]
        )

    slopes = [(value(**{k: 1e-6}) - value(**{k: -1e-6})) / 2e-6 for k in ("y", "x")]
    np.testing.assert_allclose([together[0][0], together[1][0]], slopes, rtol=1e-6)
