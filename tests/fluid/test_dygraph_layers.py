"""Layers without parameters return in dygraph mode the recorded results of Paddle 1.8.5 programs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock import fluid

GOLDEN = Path(__file__).parent / "golden"
TOPICS = ("losses", "metrics", "pick", "pictures", "shapes", "tensors", "unary")
BUILDS = {
    (topic, name): built
    for topic in TOPICS
    for name, built in importlib.import_module(f".cases.{topic}", __package__).BUILDS.items()
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("topic", "name"), BUILDS)
def test_dygraph_equals_program(topic: str, name: str) -> None:
    build: Any
    build, feed = BUILDS[topic, name]
    with fluid.dygraph.guard():
        made = build(
            fluid.layers, {key: fluid.dygraph.to_variable(array) for key, array in feed.items()}
        )
    listed = made if isinstance(made, list | tuple) else [made]
    with np.load(GOLDEN / f"{topic}.npz") as kept:
        wanted = [kept[f"{name}/{i}"] for i in range(len(listed))]
    for got, want in zip(listed, wanted, strict=True):
        assert got.numpy().shape == want.shape
        assert got.numpy().dtype == want.dtype
        np.testing.assert_allclose(got.numpy(), want, rtol=2e-5, atol=2e-6)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_learning_rate_schedules_in_dygraph_mode() -> None:
    layers = fluid.layers
    with fluid.dygraph.guard():
        made = [
            layers.piecewise_decay([2, 4], [1.0, 0.5, 0.25]), layers.noam_decay(64, 10, 2.0), layers.exponential_decay(0.5, 2, 0.5, True),
            layers.natural_exp_decay(0.5, 2, 0.5), layers.inverse_time_decay(0.5, 2, 0.5), layers.polynomial_decay(0.5, 4, 0.1, 2.0),
            layers.cosine_decay(0.5, 2, 10), layers.linear_lr_warmup(0.5, 4, 0.0, 0.4),
        ]  # fmt: skip
        found = [[float(np.asarray(s()).reshape(())) for _ in range(3)] for s in made]
    assert found[0] == [1.0, 1.0, 0.5]
    np.testing.assert_allclose(
        found[1], [2.0 * 64**-0.5 * n * 10**-1.5 for n in (1, 2, 3)], rtol=1e-5
    )
    assert all(np.isfinite(f).all() for f in found)
