"""Layers without parameters give in dygraph mode what they give in a program: the numbers that are kept of real Paddle 1.8.5."""

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
def test_dygraph_gives_what_a_program_gives(topic: str, name: str) -> None:
    build: Any
    build, feed = BUILDS[topic, name]
    with fluid.dygraph.guard():
        made = build(fluid.layers, {key: fluid.dygraph.to_variable(array) for key, array in feed.items()})
    listed = made if isinstance(made, list | tuple) else [made]
    with np.load(GOLDEN / f"{topic}.npz") as kept:
        wanted = [kept[f"{name}/{i}"] for i in range(len(listed))]
    for got, want in zip(listed, wanted, strict=True):
        assert got.numpy().shape == want.shape
        assert got.numpy().dtype == want.dtype
        np.testing.assert_allclose(got.numpy(), want, rtol=2e-5, atol=2e-6)
