"""Worker processes of a DataLoader."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import traceback
from collections.abc import Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import Any, NamedTuple

import numpy as np

from ..core import cuda
from ..core.errors import OarlockError, append_user_line
from . import shared_memory


class _EndOfStream:
    """A worker sends this object instead of a batch when its iterable dataset is exhausted."""


_pass_numbers = itertools.count()
_worker_info: WorkerInfo | None = None


class WorkerInfo(NamedTuple):
    """Information about a worker process of a DataLoader: its id, the number of workers, its copy
    of the dataset, and its random seed.
    """

    id: int
    num_workers: int
    dataset: Any
    seed: int


def get_worker_info() -> WorkerInfo | None:
    """Return the information about the current worker process of a DataLoader.

    Returns
    -------
    WorkerInfo, or None outside of workers
        `id` (int from 0), `num_workers`, `dataset` (the copy of the worker) and `seed`.

    Examples
    --------
    >>> class Numbers(paddle.io.IterableDataset):
    ...     def __iter__(self):
    ...         info = paddle.io.get_worker_info()
    ...         first, step = (0, 1) if info is None else (info.id, info.num_workers)
    ...         return iter(range(first, 6, step))
    >>> [batch.tolist() for batch in paddle.io.DataLoader(Numbers(), batch_size=3)]
    [[0, 1, 2], [3, 4, 5]]
    """
    return _worker_info


class _WorkerErrorReport(NamedTuple):
    """The report of an error in a worker: one line with the location of the error, and a
    traceback.
    """

    line: str
    text: str


def _make_worker_error_report(error: Exception) -> _WorkerErrorReport:
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = f"{type(error).__name__}: {error} ({last.filename}:{last.lineno}: {last.line})"
    return _WorkerErrorReport(line, traceback.format_exc())


def _seed_and_init_worker(loader: Any, info: WorkerInfo) -> None:
    """Seed the random generators of a worker process and call worker_init_fn. A worker creates its
    tensors on the CPU, because CUDA cannot be used after a fork.
    """
    global _worker_info
    _worker_info, cuda.cupy_state.default_index = info, None
    np.random.seed(info.seed % 2**32)
    random.seed(info.seed)
    if loader.worker_init_fn is not None:
        loader.worker_init_fn(info.id)


def _worker_main(loader: Any, info: WorkerInfo, prefix: str, tasks: Any, results: Any) -> None:
    """The main loop of a worker process: receive tasks from a queue, and send the batches as
    results.

    A task is (number, indices), or (number, None) for the next batch of a stream; a result is
    (number, batch or failure).
    """
    try:
        _seed_and_init_worker(loader, info)
        stream = loader._iterate_iterable_dataset() if loader.is_iterable_dataset else None
    except Exception as error:
        results.send((-1, _make_worker_error_report(error)))
        return
    for number, indices in iter(tasks.get, None):
        try:
            batch = (
                next(stream, _EndOfStream()) if stream is not None else loader._load_batch(indices)
            )
            results.send(
                (
                    number,
                    shared_memory.copy_large_arrays_to_shared_memory(batch, f"{prefix}{number:x}_")
                    if loader.use_shared_memory
                    else batch,
                )
            )
        except Exception as error:
            results.send((number, _make_worker_error_report(error)))


class WorkerBatchIterator:
    """Iterator over the batches of one epoch, which worker processes compute. The workers end with
    the iterator.

    All workers read one queue of tasks; with a stream each has its own queue, and batches are taken
    from the workers in turn.
    """

    def __init__(self, loader: Any, batches: Iterator[Any]) -> None:
        self._processes: list[Any] = []
        self._loader, self._batches = loader, batches
        context = multiprocessing.get_context("fork")
        # Start one resource tracker for all processes, so that no segment is reported as leaked.
        resource_tracker.ensure_running()
        self._tasks = [
            context.Queue() for _ in range(loader.num_workers if loader.is_iterable_dataset else 1)
        ]
        self._worker_cycle = itertools.cycle(range(loader.num_workers))
        self._ended_workers: set[int] = set()
        self._worker_by_task: dict[int, int] = {}
        self._num_sent = self._num_returned = 0
        self._results_by_number: dict[int, Any] = {}
        # Each worker has its own pipe for results and holds the only write end, so that the pipe is
        # closed if the worker dies.
        self._results: list[Any] = []
        self._segment_prefix = f"oar{os.getpid():x}_{next(_pass_numbers):x}_"
        self._fork_all_workers(context)
        for _ in range(loader.num_workers * loader.prefetch_factor):
            self._send_next_task_if_any()

    def _fork_all_workers(self, context: Any) -> None:
        seed, count = int(np.random.randint(2**31)), self._loader.num_workers
        for i in range(count):
            info = WorkerInfo(i, count, self._loader.dataset, seed + i * 7919)
            tasks = self._tasks[i % len(self._tasks)]
            reader, writer = context.Pipe(duplex=False)
            process = context.Process(
                target=_worker_main,
                args=(self._loader, info, self._segment_prefix, tasks, writer),
                daemon=True,
            )
            process.start()
            writer.close()
            self._results.append(reader)
            self._processes.append(process)

    def _send_next_task_if_any(self) -> None:
        if self._loader.is_iterable_dataset:
            if len(self._ended_workers) == self._loader.num_workers:
                return
            worker = next(i for i in self._worker_cycle if i not in self._ended_workers)
            self._worker_by_task[self._num_sent] = worker
            self._tasks[worker].put((self._num_sent, None))
        else:
            indices = next(self._batches, None)
            if indices is None:
                return
            self._tasks[0].put((self._num_sent, indices))
        self._num_sent += 1

    def __iter__(self) -> WorkerBatchIterator:
        return self

    def __next__(self) -> Any:
        while self._num_returned < self._num_sent:
            while self._num_returned not in self._results_by_number:
                self._receive_ready_results()
            batch = self._results_by_number.pop(self._num_returned)
            owner = self._worker_by_task.pop(self._num_returned, 0)
            self._num_returned += 1
            if isinstance(batch, _EndOfStream):
                self._ended_workers.add(owner)
                continue
            self._send_next_task_if_any()
            return batch
        self.close()
        raise StopIteration

    def _receive_ready_results(self) -> None:
        ready: list[Any] = wait(self._results, self._loader.timeout or 5)
        if not ready and (self._loader.timeout or not all(p.is_alive() for p in self._processes)):
            self._stop_workers_and_raise_with_message("a worker died or timed out")
        for reader in ready:
            try:
                self._store_result_or_raise(*reader.recv())
            except (EOFError, OSError):
                self._stop_workers_and_raise_with_message("a worker died or timed out")

    def _store_result_or_raise(self, number: int, batch: Any) -> None:
        if isinstance(batch, _WorkerErrorReport):
            self._stop_workers_and_raise_with_message(
                f"a worker failed: {batch.line}\n{batch.text}"
            )
        self._results_by_number[number] = shared_memory.copy_and_unlink_shared_arrays(batch)

    def _stop_workers_and_raise_with_message(self, problem: str) -> None:
        self.close()
        raise OarlockError(append_user_line(f"DataLoader: {problem}"))

    def close(self) -> None:
        """Terminate the workers, and unlink the shared memory segments that were not received."""
        processes, self._processes = self._processes, []
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        if not processes:
            return
        for queue in self._tasks:
            queue.cancel_join_thread()
            queue.close()
        for reader in self._results:
            reader.close()
        for number in (
            set(range(self._num_returned, self._num_sent)) - self._results_by_number.keys()
        ):
            shared_memory.unlink_segments_of_prefix(f"{self._segment_prefix}{number:x}_")

    def __del__(self) -> None:
        self.close()
