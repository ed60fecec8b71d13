"""Inputs of `fluid.layers.data`: as in Paddle 1.8, a run may feed another dtype or shape than the
declared one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import fluid
from oarlock.fluid import layers

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

X = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
CLASSES = np.array([[1], [0], [3]])
ONE_HOT = np.eye(4, dtype=np.float32)[CLASSES[:, 0]]


@pytest.fixture(autouse=True)
def static_programs() -> Iterator[None]:
    paddle.enable_static()
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        yield
    paddle.disable_static()


def run(fed: Any, fetches: list[Any]) -> list[Any]:
    executor = fluid.Executor()
    executor.run(fluid.default_startup_program())
    return executor.run(
        fluid.default_main_program(), feed={"x": X, "label": fed}, fetch_list=fetches
    )


def inputs(dtype: str, width: int = 1) -> tuple[Any, Any]:
    return layers.data("x", [4]), layers.data("label", [width], dtype=dtype)


LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "softmax_with_cross_entropy": layers.softmax_with_cross_entropy,
    "cross_entropy": lambda x, label: layers.cross_entropy(layers.softmax(x), label),
    "accuracy": lambda x, label: layers.accuracy(layers.softmax(x), label),
    "cast": lambda x, label: x + layers.cast(label, "float32"),
    "scale": lambda x, label: label * 2,
}


@pytest.mark.parametrize("declared", ["float32", "int32"])
@pytest.mark.parametrize("name", LOSSES)
def test_integer_labels_for_any_declared_dtype(name: str, declared: str) -> None:
    want = run(CLASSES, [LOSSES[name](*inputs("int64"))])[0]
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        found = run(CLASSES, [LOSSES[name](*inputs(declared))])[0]
    assert found.dtype == want.dtype
    assert np.array_equal(found, want)


def test_soft_labels_declared_as_integers() -> None:
    x, label = inputs("int64", 4)
    found = run(ONE_HOT, [layers.softmax_with_cross_entropy(x, label, soft_label=True)])[0]
    logs = X - np.log(np.exp(X).sum(1, keepdims=True))
    assert np.allclose(found[:, 0], -logs[range(3), CLASSES[:, 0]], atol=1e-6)


@pytest.mark.parametrize("of_probabilities", [False, True])
def test_training_with_other_label_dtype(of_probabilities: bool) -> None:
    x, label = inputs("float32")
    made = layers.fc(x, 4, act="softmax" if of_probabilities else None)
    loss = layers.mean(
        (layers.cross_entropy if of_probabilities else layers.softmax_with_cross_entropy)(
            made, label
        )
    )
    fluid.optimizer.SGD(0.5).minimize(loss)
    executor = fluid.Executor()
    executor.run(fluid.default_startup_program())
    feed = {"x": X, "label": CLASSES}
    losses = [float(executor.run(feed=feed, fetch_list=[loss])[0].item()) for _ in range(5)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize("soft", [False, True])
def test_wrong_label_dtype_is_rejected(soft: bool) -> None:
    x, label = inputs("float32", 4 if soft else 1)
    loss = layers.softmax_with_cross_entropy(x, label, soft_label=soft)
    with pytest.raises(
        paddle.OpError,
        match="Label has the wrong dtype; cast it to " + ("float32" if soft else "int64"),
    ):
        run(ONE_HOT.astype(np.int64) if soft else CLASSES.astype(np.float32), [loss])


def test_other_shapes_can_be_fed() -> None:
    _, label = inputs("float32")
    assert run(np.ones((3, 2, 2), np.float32), [layers.reduce_sum(label)])[0].item() == 12


def test_fluid_data_inputs_are_checked() -> None:
    layers.data("x", [4])
    label = fluid.data("label", [None, 1], "float32")
    with pytest.raises(paddle.OpError, match=r"'label' is float32\[\?,1\], fed int64\[3, 1\]"):
        run(CLASSES, [label * 2])


def test_cloned_program_does_not_check_feeds() -> None:
    _, label = inputs("float32")
    doubled = label * 2
    copied = fluid.default_main_program().clone()
    found = fluid.Executor().run(
        copied, feed={"x": X, "label": CLASSES}, fetch_list=[doubled.name]
    )[0]
    assert found.dtype == np.int64


@pytest.mark.parametrize(("join", "shape"), [(layers.concat, (9, 4)), (layers.stack, (3, 3, 4))])
def test_concat_and_stack_of_a_list_grown_in_a_loop(
    join: Callable[..., Any], shape: tuple[int, ...]
) -> None:
    x = layers.data("x", [3, 4], append_batch_size=False)
    x.stop_gradient = False
    at, end = layers.fill_constant([1], "int64", 0), layers.fill_constant([1], "int64", 2)
    items = layers.array_write(x * 1.0, at)
    condition = layers.less_than(at, end)
    loop = layers.While(condition)
    with loop.block():
        item = layers.array_read(items, at)
        following = layers.increment(at)
        layers.array_write(item * 2.0, following, items)
        layers.less_than(following, end, cond=condition)
    joined = join(items, axis=0)
    gradient = fluid.gradients([layers.reduce_sum(joined * joined)], [x])[0]
    executor = fluid.Executor()
    found, slope = executor.run(feed={"x": X}, fetch_list=[joined, gradient])
    assert found.shape == shape
    assert np.allclose(found.reshape(3, 3, 4), np.stack([X, 2 * X, 4 * X]))
    assert np.allclose(slope, 2 * (1 + 4 + 16) * X, rtol=1e-5)
