"""Random samplers: frequencies and rejected arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.io import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedBatchSampler,
    IterableDataset,
    RandomSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)


def test_weighted_sampler_frequencies() -> None:
    paddle.seed(2)
    sampler = WeightedRandomSampler([1.0, 0.0, 3.0], 8000)
    drawn = list(sampler)
    assert len(sampler) == len(drawn) == 8000
    np.testing.assert_allclose(np.bincount(drawn) / 8000, [0.25, 0, 0.75], atol=0.02)


def test_sampling_without_replacement() -> None:
    assert sorted(WeightedRandomSampler(np.array([0.5, 0.0, 0.2, 0.3]), 3, replacement=False)) == [
        0,
        2,
        3,
    ]


def test_subset_random_sampler() -> None:
    sampler = SubsetRandomSampler(range(10, 40))
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(10, 40))
    assert first != second
    assert len(list(BatchSampler(sampler=sampler, batch_size=7))) == 5


def test_random_sampler_takes_indices_from_generator() -> None:
    sampler = RandomSampler(range(5), generator=iter([3, 3, 1, 2, 0, 1, 4]))
    assert [list(sampler), list(sampler)] == [[3, 3, 1, 2, 0], [1, 4]]
    sampler = RandomSampler(range(5), True, 2, generator=iter([3, 3, 1]))
    assert list(sampler) == [3, 3] and len(sampler) == 2


def test_random_sampler_without_replacement_has_at_most_all_samples() -> None:
    sampler = RandomSampler(range(5), num_samples=9)
    assert len(sampler) == len(list(sampler)) == 5


@pytest.mark.parametrize(("samples", "ranks"), [(1, 4), (2, 8), (3, 8), (0, 2), (5, 2)])
def test_distributed_batch_sampler_repeats_samples(samples: int, ranks: int) -> None:
    samplers = [DistributedBatchSampler(range(samples), 1, ranks, k) for k in range(ranks)]
    batches = [list(s) for s in samplers]
    assert [len(b) for b in batches] == [len(s) for s in samplers]
    assert [b[0] for b in batches if b] == [[k % samples] for k in range(ranks if samples else 0)]


@pytest.mark.parametrize(
    ("attempt", "why"),
    [
        (lambda: WeightedRandomSampler([0.5, -0.1], 1), "must be a vector of non-negative numbers"),
        (lambda: WeightedRandomSampler([0.0, 0.0], 1), "must be a vector of non-negative numbers"),
        (lambda: WeightedRandomSampler([[0.5]], 1), "must be a vector of non-negative numbers"),
        (lambda: WeightedRandomSampler([0.5], 0), "num_samples=0"),
        (lambda: WeightedRandomSampler([0.5, 0.0], 2, False), "num_samples=2 of 1 indices"),
        (lambda: SubsetRandomSampler([]), "indices must not be empty"),
        (lambda: DistributedBatchSampler(range(4), 2, 2, 2), r"rank=2 is not in \[0, 2"),
        (lambda: DataLoader(Dataset(), batch_size=None, num_workers=-1), "num_workers=-1"),
        (lambda: DataLoader(IterableDataset(), batch_size=0), "batch_size=0"),
        (lambda: DataLoader(IterableDataset(), timeout=-1), "timeout=-1"),
        (lambda: DataLoader(IterableDataset(), prefetch_factor=0), "prefetch_factor=0"),
        (lambda: paddle.metric.Auc("PR"), "is not 'ROC'"),
        (lambda: paddle.metric.Auc().update(np.ones(3), np.ones(3)), "probabilities"),
        (
            lambda: paddle.metric.Auc().update(np.full((3, 2), 1.5), np.ones(3)),
            "not between 0 and 1",
        ),
        (lambda: paddle.metric.Recall().update(np.ones(2), np.ones(3)), "2 predictions, 3 labels"),
    ],
)
def test_invalid_arguments_are_rejected(attempt: Callable[[], Any], why: str) -> None:
    with pytest.raises(paddle.OpError, match=why):
        attempt()
