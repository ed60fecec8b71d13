"""Random ops: global and op seeds, and the distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core import rng
from oarlock.core.op import OPS

MANY = [4000]
DRAWN: list[tuple[str, dict[str, Any]]] = [
    ("uniform_random", {"shape": MANY}),
    ("gaussian_random", {"shape": MANY}),
    ("truncated_gaussian_random", {"shape": MANY}),
    ("randint", {"shape": MANY, "low": 0, "high": 100}),
    ("randperm", {"n": 4000}),
]


def draw(type: str, *args: Any, **attrs: Any) -> Any:
    return OPS[type].kernel(*args, **attrs)


@pytest.mark.parametrize(("type", "attrs"), DRAWN)
def test_global_seed(type: str, attrs: dict[str, Any]) -> None:
    rng.seed(7)
    first, second = draw(type, **attrs), draw(type, **attrs)
    rng.seed(7)
    again = draw(type, **attrs)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(("type", "attrs"), [d for d in DRAWN if "seed" in OPS[d[0]].attrs])
def test_op_seed_does_not_change_the_global_generator(type: str, attrs: dict[str, Any]) -> None:
    rng.seed(7)
    before = rng.get_rng_state()
    first = draw(type, seed=3, **attrs)
    assert np.array_equal(first, draw(type, seed=3, **attrs))
    assert not np.array_equal(first, draw(type, seed=4, **attrs))
    assert rng.get_rng_state() == before


def test_uniform_range() -> None:
    found = draw("uniform_random", shape=MANY, min=-2.0, max=3.0, seed=1)
    assert found.dtype == np.float32
    assert -2 <= found.min() < -1.9
    assert 2.9 < found.max() <= 3


def test_gaussian_mean_and_deviation() -> None:
    found = draw("gaussian_random", shape=MANY, mean=2.0, std=3.0, seed=1)
    assert abs(found.mean() - 2) < 0.2
    assert abs(found.std() - 3) < 0.2
    assert found.max() > 2 + 2 * 3


def test_truncated_gaussian_range() -> None:
    found = draw("truncated_gaussian_random", shape=MANY, mean=2.0, std=3.0, seed=1)
    assert found.dtype == np.float32
    assert np.abs(found - 2).max() <= 6
    assert found.std() > 2


def test_randint_range() -> None:
    found = draw("randint", shape=MANY, low=-3, high=4, seed=1, dtype=2)
    assert found.dtype == np.int32
    assert set(found.tolist()) == set(range(-3, 4))


def test_count_as_tensor() -> None:
    count = paddle.ones([5]).numel()
    assert sorted(paddle.randperm(count, dtype="int32").tolist()) == [0, 1, 2, 3, 4]
    assert paddle.nn.functional.one_hot(paddle.to_tensor([1]), count).tolist() == [[0, 1, 0, 0, 0]]


def test_randperm_is_a_permutation() -> None:
    assert sorted(draw("randperm", n=100).tolist()) == list(range(100))


def test_bernoulli_probability() -> None:
    rng.seed(7)
    found = draw("bernoulli", np.full(MANY, 0.3, np.float32))
    assert set(found.tolist()) == {0.0, 1.0}
    assert abs(found.mean() - 0.3) < 0.05


def test_sample_logits_with_seed() -> None:
    logits, labels = np.zeros((2, 100), np.float32), np.array([[3], [7]])
    rng.seed(7)
    first = draw("sample_logits", logits, labels, num_samples=5, seed=3)[2]
    assert np.array_equal(first, draw("sample_logits", logits, labels, num_samples=5, seed=3)[2])
    assert not np.array_equal(first, draw("sample_logits", logits, labels, num_samples=5)[2])
