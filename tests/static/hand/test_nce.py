"""static.nn.nce: noise-contrastive estimation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn, static


@pytest.fixture(autouse=True)
def static_mode() -> Iterator[None]:
    paddle.enable_static()
    with static.program_guard(static.Program(), static.Program()):
        yield
    paddle.disable_static()


@pytest.mark.parametrize("sampler", ["uniform", "custom_dist"])
def test_cost_with_zero_weights(sampler: str) -> None:
    """All scores are 0, so sigmoid is 1/2, whatever classes are sampled; 5 of 20 equally likely
    classes give noise 1/4.
    """
    x, label = static.data("x", [3, 4]), static.data("label", [3, 1], "int64")
    zeros = nn.initializer.Constant(0.0)
    cost = static.nn.nce(
        x,
        label,
        20,
        num_neg_samples=5,
        sampler=sampler,
        custom_dist=[0.05] * 20 if sampler == "custom_dist" else None,
        param_attr=zeros,
        bias_attr=zeros,
    )
    executor = static.Executor()
    executor.run(static.default_startup_program())
    found = executor.run(
        feed={"x": np.ones((3, 4), "f"), "label": np.array([[1], [2], [3]])}, fetch_list=[cost]
    )[0]
    want = -(np.log(2 / 3) + 5 * np.log(1 / 3)) / 6
    np.testing.assert_allclose(found, np.full((3, 1), want), rtol=1e-5)


def test_training() -> None:
    x, label = static.data("x", [4, 4]), static.data("label", [4, 1], "int64")
    loss = static.nn.nce(x, label, 8, num_neg_samples=4, sampler="log_uniform").mean()
    paddle.optimizer.Adam(0.2).minimize(loss)
    executor = static.Executor()
    executor.run(static.default_startup_program())
    feed = {"x": np.eye(4, dtype="f"), "label": np.arange(4)[:, None]}
    losses = [float(executor.run(feed=feed, fetch_list=[loss])[0].item()) for _ in range(60)]
    assert np.mean(losses[-10:]) < 0.7 * np.mean(losses[:5])


def test_unknown_sampler_is_rejected() -> None:
    with pytest.raises(paddle.OpError, match="sampler='normal' is not one of"):
        static.nn.nce(
            static.data("x", [3, 4]), static.data("label", [3, 1], "int64"), 20, sampler="normal"
        )
