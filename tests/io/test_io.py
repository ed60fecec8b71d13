"""Datasets, samplers and DataLoader, with and without workers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.io import (
    BatchSampler,
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)


class Squares(Dataset):
    def __init__(self, size: int = 10, bad: int = -1) -> None:
        self.size, self.bad = size, bad

    def __getitem__(self, index: int) -> Any:
        if index == self.bad:
            raise ValueError(f"no sample {index}")
        return np.float32([index, index**2]), index

    def __len__(self) -> int:
        return self.size


class Count(IterableDataset):
    def __iter__(self) -> Iterator[Any]:
        return iter(range(5))


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_come_in_order(workers: int) -> None:
    loader = DataLoader(Squares(), batch_size=4, num_workers=workers)
    batches = list(loader)
    assert len(loader) == len(batches) == 3
    x, y = batches[2]
    assert isinstance(x, paddle.Tensor)
    assert x.tolist() == [[8, 64], [9, 81]]
    assert (y.tolist(), y.dtype.name) == ([8, 9], "int64")
    assert len(list(DataLoader(Squares(), batch_size=4, drop_last=True, num_workers=workers))) == 2


@pytest.mark.parametrize("workers", [0, 2])
def test_shuffle_depends_on_the_seed(workers: int) -> None:
    def order() -> list[int]:
        paddle.seed(3)
        return [
            i
            for _, y in DataLoader(Squares(), batch_size=3, shuffle=True, num_workers=workers)
            for i in y.tolist()
        ]

    assert order() == order()
    assert sorted(order()) == list(range(10)) != order()


def test_workers_use_new_random_numbers_per_pass() -> None:
    class Draws(Squares):
        def __getitem__(self, index: int) -> Any:
            return np.array([random.random(), np.random.random()])

    def passes() -> list[Any]:
        np.random.seed(4)
        loader = DataLoader(
            Draws(), batch_size=1, num_workers=2, worker_init_fn=lambda worker: None
        )
        return [np.sort(np.concatenate([b.numpy() for b in loader]).reshape(-1)) for _ in range(2)]

    first, second = passes()
    assert len(np.unique([*first, *second])) == len(first) + len(second)


def test_worker_error_is_raised_with_its_line() -> None:
    with pytest.raises(paddle.OarlockError, match="(?s)a worker failed.*no sample 5"):
        list(DataLoader(Squares(bad=5), batch_size=2, num_workers=2))
    with pytest.raises(ValueError, match="no sample 5"):
        list(DataLoader(Squares(bad=5), batch_size=2))


def test_default_collate() -> None:
    class Mixed(Squares):
        def __getitem__(self, index: int) -> Any:
            return {"a": 1.5, "b": (index, "text"), "c": paddle.ones([2])}

    (batch,) = DataLoader(Mixed(2), batch_size=2)
    assert (batch["a"].dtype.name, batch["b"][1], batch["c"].shape) == (
        "float64",
        ["text", "text"],
        [2, 2],
    )
    (whole,) = DataLoader(Squares(2), batch_size=2, collate_fn=len)
    assert whole == 2

    class Odd(Squares):
        def __getitem__(self, index: int) -> Any:
            return object()

    with pytest.raises(paddle.OpError, match="a sample contains object"):
        list(DataLoader(Odd()))


def test_iterable_datasets() -> None:
    assert [b.tolist() for b in DataLoader(Count(), batch_size=2)] == [[0, 1], [2, 3], [4]]
    assert [b.tolist() for b in DataLoader(ChainDataset([Count(), Count()]), batch_size=5)] == [
        [0, 1, 2, 3, 4]
    ] * 2
    with pytest.raises(paddle.OpError, match="has its own order"):
        DataLoader(Count(), shuffle=True)


def test_dataset_wrappers() -> None:
    a, b = Squares(3), Squares(4)
    assert len(ConcatDataset([a, b])) == 7
    assert ConcatDataset([a, b])[4][1] == ConcatDataset([a, b])[-3][1] == 1
    for index in (-8, 7):
        with pytest.raises(IndexError, match=f"index {index} is out of range of 7 samples"):
            ConcatDataset([a, b])[index]
    assert len(ComposeDataset([a, a])[1]) == 4
    assert Subset(b, [3, 1])[0][1] == 3
    parts = random_split(b, [1, 3])
    assert sorted(parts[0].indices + parts[1].indices) == [0, 1, 2, 3]  # type: ignore[operator]
    with pytest.raises(paddle.OpError, match="do not sum to 4"):
        random_split(b, [1, 1])
    with pytest.raises(paddle.OpError, match="rows"):
        TensorDataset([np.ones(2), np.ones(3)])
    assert TensorDataset([paddle.ones([3, 2]), np.arange(3)])[1][1] == 1


def test_custom_batch_sampler() -> None:
    sampler = BatchSampler(Squares(6), batch_size=4)
    assert list(sampler) == [[0, 1, 2, 3], [4, 5]]
    assert [y.tolist() for _, y in DataLoader(Squares(6), batch_sampler=[[5, 0], [1]])] == [
        [5, 0],
        [1],
    ]
    with pytest.raises(paddle.OpError, match="batch_size=0 is not a positive"):
        BatchSampler(Squares(), batch_size=0)


def test_calling_a_loader_iterates() -> None:
    loader = DataLoader(Squares(4), batch_size=2)
    assert [x.tolist() for x, _ in loader()] == [x.tolist() for x, _ in loader]
