"""Worker processes of a DataLoader: shared memory, streams, errors, and release of resources."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import oarlock as paddle
from oarlock.io import DataLoader, Dataset, IterableDataset, get_worker_info, shared_memory
from oarlock.io.workers import WorkerBatchIterator

MEMORY = Path("/dev/shm")


class LargeImages(Dataset):
    """Large samples; one of them may raise, or end its process."""

    def __init__(self, count: int = 12, bad: int = -1, deadly: int = -1) -> None:
        self.count, self.bad, self.deadly = count, bad, deadly

    def __getitem__(self, index: int) -> Any:
        if index == self.bad:
            raise KeyError("no such picture")
        if index == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"x": np.full((100, 100), index, "float32"), "y": (index, "name")}

    def __len__(self) -> int:
        return self.count


RAISES = LargeImages.__getitem__.__code__.co_firstlineno + 2


def remaining_segments() -> list[str]:
    """The shared memory of this process's loaders."""
    return [p.name for p in MEMORY.glob(f"oar{os.getpid():x}_*")]


def alive_processes(workers: list[Any]) -> list[Any]:
    return [p for p in workers if p.is_alive()]


@pytest.mark.parametrize("use", [True, False])
def test_large_arrays_are_transferred(use: bool) -> None:
    loader = DataLoader(LargeImages(), batch_size=3, num_workers=2, use_shared_memory=use)
    batches = list(loader)
    assert [b["x"].numpy().mean((1, 2)).tolist() for b in batches] == [
        [3 * k, 3 * k + 1, 3 * k + 2] for k in range(4)
    ]
    assert batches[1]["y"][1] == ["name"] * 3
    assert remaining_segments() == []


def test_large_arrays_use_shared_memory() -> None:
    large, small = np.arange(LARGE_COUNT, dtype="float32"), np.arange(3)
    lent = shared_memory.copy_large_arrays_to_shared_memory(
        [(large, small, "text"), {"t": paddle.to_tensor(large)}], f"oar{os.getpid():x}_test_"
    )
    assert isinstance(lent[0][0], shared_memory.SharedArray)
    assert lent[0][1:] == (small, "text")
    assert len(remaining_segments()) == 2
    taken = shared_memory.copy_and_unlink_shared_arrays(lent)
    np.testing.assert_array_equal(taken[0][0], large)
    np.testing.assert_array_equal(taken[1]["t"], large)
    assert remaining_segments() == []


def test_named_tuples_are_transferred() -> None:
    class Sample(NamedTuple):
        image: Any
        label: int

    large, prefix = np.arange(LARGE_COUNT, dtype="float32"), f"oar{os.getpid():x}_test_"
    lent = shared_memory.copy_large_arrays_to_shared_memory(Sample(large, 3), prefix)
    assert isinstance(lent.image, shared_memory.SharedArray)
    taken = shared_memory.copy_and_unlink_shared_arrays(lent)
    assert isinstance(taken, Sample)
    assert taken.label == 3
    np.testing.assert_array_equal(taken.image, large)


def test_unlinking_continues_after_a_missing_segment() -> None:
    large, prefix = np.zeros(LARGE_COUNT, "float32"), f"oar{os.getpid():x}_test_"
    lent = shared_memory.copy_large_arrays_to_shared_memory([large, large, large], prefix)
    shared_memory.copy_and_unlink_shared_arrays(lent[:1])
    shared_memory.unlink_segments_of_prefix(prefix)
    assert remaining_segments() == []


LARGE_COUNT = shared_memory.MIN_BYTES // 4


def test_full_shared_memory_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        shared_memory, "_available_shared_memory_bytes", lambda: shared_memory.MIN_BYTES
    )
    large = np.zeros(LARGE_COUNT, "float32")
    assert shared_memory.copy_large_arrays_to_shared_memory([large], "oar_none_")[0] is large


def test_abandoned_pass_frees_resources() -> None:
    workers = WorkerBatchIterator(
        DataLoader(LargeImages(40), batch_size=1, num_workers=2, prefetch_factor=4),
        iter([[k] for k in range(40)]),
    )
    processes = workers._processes
    next(workers)
    assert len(alive_processes(processes)) == 2
    del workers
    gc.collect()
    assert alive_processes(processes) == []
    assert remaining_segments() == []


def test_leaving_a_loop_stops_workers() -> None:
    for _ in DataLoader(LargeImages(40), batch_size=1, num_workers=2):
        break
    gc.collect()
    assert remaining_segments() == []


def test_worker_error_names_its_line_and_frees_memory() -> None:
    with pytest.raises(paddle.OarlockError) as caught:
        list(DataLoader(LargeImages(bad=7), batch_size=1, num_workers=2))
    first = str(caught.value).split("\n")[0]
    assert first.startswith("DataLoader: a worker failed: KeyError: 'no such picture' (")
    assert first.endswith(f'test_workers.py:{RAISES}: raise KeyError("no such picture"))')
    assert "Traceback" in str(caught.value)
    assert remaining_segments() == []


def test_dead_worker_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(paddle.OarlockError, match="a worker died or timed out"):
        list(DataLoader(LargeImages(deadly=3), batch_size=1, num_workers=1, timeout=2))
    assert remaining_segments() == []


def test_worker_init_error_is_reported() -> None:
    def start(worker: int) -> None:
        raise RuntimeError(f"worker {worker} does not start")

    with pytest.raises(paddle.OarlockError, match=r"RuntimeError: worker \d does not start"):
        list(DataLoader(LargeImages(), num_workers=2, worker_init_fn=start))


class ShardedStream(IterableDataset):
    """Each worker yields its part of 0 ... 6."""

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, 7, step))


def test_stream_is_sharded_by_worker_info() -> None:
    assert get_worker_info() is None
    assert [b.tolist() for b in DataLoader(ShardedStream(), batch_size=2, num_workers=2)] == [
        [0, 2],
        [1, 3],
        [4, 6],
        [5],
    ]
    assert [
        b.tolist() for b in DataLoader(ShardedStream(), batch_size=2, num_workers=3, drop_last=True)
    ] == [
        [0, 3],
        [1, 4],
        [2, 5],
    ]
    assert [b.tolist() for b in DataLoader(ShardedStream(), batch_size=4)] == [
        [0, 1, 2, 3],
        [4, 5, 6],
    ]


class WorkerInfoDataset(Dataset):
    """What each worker knows of itself."""

    def __getitem__(self, index: int) -> Any:
        info = get_worker_info()
        assert info is not None
        return np.array([info.id, info.num_workers, info.seed, len(info.dataset)])

    def __len__(self) -> int:
        return 20


def test_get_worker_info() -> None:
    rows = np.concatenate(
        [b.numpy() for b in DataLoader(WorkerInfoDataset(), batch_size=1, num_workers=2)]
    )
    assert set(rows[:, 0]) <= {0, 1}
    assert set(map(tuple, rows[:, [1, 3]])) == {(2, 20)}
    assert len({tuple(r) for r in rows[:, [0, 2]]}) == len(set(rows[:, 0]))


def test_sample_may_be_any_string() -> None:
    class Strings(IterableDataset):
        def __iter__(self) -> Iterator[Any]:
            return iter(["first", "end of stream", "last"])

    found = list(DataLoader(Strings(), batch_size=None, num_workers=1))
    assert found == ["first", "end of stream", "last"]
