"""DataLoader: batches of a dataset, made here or by worker processes."""

from __future__ import annotations

import multiprocessing
import random
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.errors import OarlockError, OpError
from ..core.tensor import Tensor
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler

Collate = Callable[[list[Any]], Any]


def default_collate_fn(batch: Sequence[Any]) -> Any:
    """Samples stacked field by field: arrays, tensors and numbers to ndarrays [N, *]; dicts and tuples stay what they are."""
    first = batch[0]
    if isinstance(first, np.ndarray | np.generic):
        return np.stack(batch)
    if isinstance(first, Tensor):
        return np.stack([t.array for t in batch])
    if isinstance(first, int | float | bool):
        return np.array(batch, np.float32 if isinstance(first, float) else None)
    if isinstance(first, str | bytes):
        return list(batch)
    if isinstance(first, dict):
        return {key: default_collate_fn([s[key] for s in batch]) for key in first}
    if isinstance(first, list | tuple):
        return [default_collate_fn(list(fields)) for fields in zip(*batch, strict=True)]
    raise OpError(f"DataLoader: a sample holds {type(first).__name__}; give a collate_fn that makes a batch of it")


def as_tensors(batch: Any) -> Any:
    """A batch with its arrays as tensors."""
    if isinstance(batch, np.ndarray | np.generic):
        return Tensor(np.asarray(batch))
    if isinstance(batch, dict):
        return {key: as_tensors(value) for key, value in batch.items()}
    if isinstance(batch, list | tuple):
        return [as_tensors(value) for value in batch]
    return batch


class DataLoader:
    """Batches of a dataset, as lists of Tensors.

    num_workers: processes that read samples, 0 for none; collate_fn: makes a batch of a list of samples;
    batch_sampler: decides the batches in place of batch_size, shuffle and drop_last; worker_init_fn(id) starts each worker.
    An error in a worker is raised here, with the worker's own lines.
    """

    def __init__(
        self, dataset: Dataset, feed_list: Any = None, places: Any = None, return_list: bool = True, batch_sampler: Any = None,
        batch_size: int | None = 1, shuffle: bool = False, drop_last: bool = False, collate_fn: Collate | None = None,
        num_workers: int = 0, use_buffer_reader: bool = True, prefetch_factor: int = 2, use_shared_memory: bool = True,
        timeout: int = 0, worker_init_fn: Callable[[int], Any] | None = None, persistent_workers: bool = False,
    ) -> None:  # fmt: skip
        self.dataset = dataset
        self.collate_fn = collate_fn or default_collate_fn
        self.num_workers, self.prefetch_factor, self.timeout = num_workers, prefetch_factor, timeout
        self.worker_init_fn = worker_init_fn
        self.batch_size, self.drop_last = batch_size, drop_last
        self.batch_sampler = batch_sampler
        if isinstance(dataset, IterableDataset):
            if shuffle or batch_sampler is not None:
                raise OpError(
                    "DataLoader: an IterableDataset comes in its own order; shuffle and batch_sampler do not apply"
                )
        elif batch_sampler is None and batch_size is not None:
            self.batch_sampler = BatchSampler(dataset, shuffle=shuffle, batch_size=batch_size, drop_last=drop_last)

    def __len__(self) -> int:
        if self.batch_sampler is None:
            return len(self.dataset)
        return len(self.batch_sampler)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            return map(as_tensors, self._stream())
        batches = self.batch_sampler if self.batch_sampler is not None else ([i] for i in range(len(self.dataset)))
        if self.num_workers > 0:
            return map(as_tensors, _Workers(self, batches))
        return (as_tensors(self._batch(indices)) for indices in batches)

    def _batch(self, indices: Sequence[int]) -> Any:
        if self.batch_sampler is None:
            return self.dataset[indices[0]]
        return self.collate_fn([self.dataset[i] for i in indices])

    def _stream(self) -> Iterator[Any]:
        rows: list[Any] = []
        for sample in self.dataset:  # type: ignore[attr-defined]
            if self.batch_size is None:
                yield sample
                continue
            rows.append(sample)
            if len(rows) == self.batch_size:
                yield self.collate_fn(rows)
                rows = []
        if rows and not self.drop_last:
            yield self.collate_fn(rows)


def _serve(loader: DataLoader, worker: int, seed: int, tasks: Any, results: Any) -> None:
    """What a worker does: a task is (number, indices); a result is (number, batch, text of an error).

    seed: of this pass; what a data set draws from NumPy or `random` differs from worker to worker and from pass to pass.
    """
    try:
        np.random.seed((seed + worker * 7919) % 2**32)
        random.seed(seed + worker * 7919)
        if loader.worker_init_fn is not None:
            loader.worker_init_fn(worker)
    except Exception:
        results.put((-1, None, traceback.format_exc()))
        return
    for number, indices in iter(tasks.get, None):
        try:
            results.put((number, loader._batch(indices), None))
        except Exception:
            results.put((number, None, traceback.format_exc()))


class _Workers:
    """The batches of one pass, in order, made by worker processes that end with it."""

    def __init__(self, loader: DataLoader, batches: Any) -> None:
        self._loader, self._batches = loader, iter(batches)
        context = multiprocessing.get_context("fork")
        self._tasks, self._results = context.Queue(), context.Queue()
        seed = int(np.random.randint(2**31))
        self._processes = [
            context.Process(target=_serve, args=(loader, i, seed, self._tasks, self._results), daemon=True)
            for i in range(loader.num_workers)
        ]
        for process in self._processes:
            process.start()
        self._asked = self._given = 0
        self._done: dict[int, Any] = {}
        for _ in range(loader.num_workers * loader.prefetch_factor):
            self._ask()

    def _ask(self) -> None:
        indices = next(self._batches, None)
        if indices is not None:
            self._tasks.put((self._asked, indices))
            self._asked += 1

    def __iter__(self) -> _Workers:
        return self

    def __next__(self) -> Any:
        if self._given == self._asked:
            self.close()
            raise StopIteration
        while self._given not in self._done:
            self._receive()
        batch = self._done.pop(self._given)
        self._given += 1
        self._ask()
        return batch

    def _receive(self) -> None:
        try:
            number, batch, error = self._results.get(timeout=self._loader.timeout or 5)
        except Exception:
            if self._loader.timeout or not all(p.is_alive() for p in self._processes):
                self._fail("a worker died or gave nothing in time")
            return
        if error is not None:
            self._fail(f"a worker failed:\n{error}")
        self._done[number] = batch

    def _fail(self, why: str) -> None:
        self.close()
        raise OarlockError(f"DataLoader: {why}")

    def close(self) -> None:
        """End the workers."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join()
        self._processes = []
        for queue in (self._tasks, self._results):
            queue.cancel_join_thread()
            queue.close()

    def __del__(self) -> None:
        if self._processes:
            self.close()
