"""The processes that make batches for a DataLoader, and what they know of themselves."""

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
from ..core.errors import OarlockError
from . import shared

_END = "there is no more"
_passes = itertools.count()
_info: WorkerInfo | None = None


class WorkerInfo(NamedTuple):
    """A worker.

    id: its number; num_workers: how many there are; dataset: its copy; seed: of what it draws
    """

    id: int
    num_workers: int
    dataset: Any
    seed: int


def get_worker_info() -> WorkerInfo | None:
    """What a worker process of a DataLoader is; None in every other process."""
    return _info


class _Failure(NamedTuple):
    """An error in a worker: in one line with its place, and as a traceback."""

    line: str
    text: str


def _failure(error: Exception) -> _Failure:
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = f"{type(error).__name__}: {error} ({last.filename}:{last.lineno}: {last.line})"
    return _Failure(line, traceback.format_exc())


def _start(loader: Any, info: WorkerInfo) -> None:
    """Take up the seed, and run worker_init_fn.

    Nothing is made on a GPU here: CUDA does not live on in a fork.
    """
    global _info
    _info, cuda.cupy_state.index = info, None
    np.random.seed(info.seed % 2**32)
    random.seed(info.seed)
    if loader.worker_init_fn is not None:
        loader.worker_init_fn(info.id)


def _serve(loader: Any, info: WorkerInfo, prefix: str, tasks: Any, results: Any) -> None:
    """What a worker does: a task is (number, indices), None for the next batch of a stream; a
    result is (number, batch or failure).
    """
    try:
        _start(loader, info)
        stream = loader._stream() if loader.streams else None
    except Exception as error:
        results.send((-1, _failure(error)))
        return
    for number, indices in iter(tasks.get, None):
        try:
            batch = next(stream, _END) if stream is not None else loader._batch(indices)
            results.send(
                (
                    number,
                    shared.lend(batch, f"{prefix}{number:x}_")
                    if loader.use_shared_memory
                    else batch,
                )
            )
        except Exception as error:
            results.send((number, _failure(error)))


class Workers:
    """The batches of one pass, in order, made by worker processes that end with it.

    All take tasks from one queue; with a stream each has its own, and batches come from one after
    the other.
    """

    def __init__(self, loader: Any, batches: Iterator[Any]) -> None:
        self._processes: list[Any] = []
        self._loader, self._batches = loader, batches
        context = multiprocessing.get_context("fork")
        # One tracker for all processes, so that they agree on leaked segments.
        resource_tracker.ensure_running()
        self._tasks = [context.Queue() for _ in range(loader.num_workers if loader.streams else 1)]
        self._turns = itertools.cycle(range(loader.num_workers))
        self._ended: set[int] = set()
        self._owner: dict[int, int] = {}
        self._asked = self._given = 0
        self._done: dict[int, Any] = {}
        # Each worker has a pipe whose write end only it holds: if it dies, even inside of a batch,
        # the pipe ends.
        self._results: list[Any] = []
        self._prefix = f"oar{os.getpid():x}_{next(_passes):x}_"
        self._fork(context)
        for _ in range(loader.num_workers * loader.prefetch_factor):
            self._ask()

    def _fork(self, context: Any) -> None:
        seed, count = int(np.random.randint(2**31)), self._loader.num_workers
        for i in range(count):
            info = WorkerInfo(i, count, self._loader.dataset, seed + i * 7919)
            tasks = self._tasks[i % len(self._tasks)]
            reader, writer = context.Pipe(duplex=False)
            process = context.Process(
                target=_serve, args=(self._loader, info, self._prefix, tasks, writer), daemon=True
            )
            process.start()
            writer.close()
            self._results.append(reader)
            self._processes.append(process)

    def _ask(self) -> None:
        if self._loader.streams:
            if len(self._ended) == self._loader.num_workers:
                return
            worker = next(i for i in self._turns if i not in self._ended)
            self._owner[self._asked] = worker
            self._tasks[worker].put((self._asked, None))
        else:
            indices = next(self._batches, None)
            if indices is None:
                return
            self._tasks[0].put((self._asked, indices))
        self._asked += 1

    def __iter__(self) -> Workers:
        return self

    def __next__(self) -> Any:
        while self._given < self._asked:
            while self._given not in self._done:
                self._receive()
            batch = self._done.pop(self._given)
            owner = self._owner.pop(self._given, 0)
            self._given += 1
            if isinstance(batch, str) and batch == _END:
                self._ended.add(owner)
                continue
            self._ask()
            return batch
        self.close()
        raise StopIteration

    def _receive(self) -> None:
        ready: list[Any] = wait(self._results, self._loader.timeout or 5)
        if not ready and (self._loader.timeout or not all(p.is_alive() for p in self._processes)):
            self._fail("a worker died or gave nothing in time")
        for reader in ready:
            try:
                self._take(*reader.recv())
            except (EOFError, OSError):
                self._fail("a worker died or gave nothing in time")

    def _take(self, number: int, batch: Any) -> None:
        if isinstance(batch, _Failure):
            self._fail(f"a worker failed: {batch.line}\n{batch.text}")
        self._done[number] = shared.take(batch)

    def _fail(self, why: str) -> None:
        self.close()
        raise OarlockError(f"DataLoader: {why}")

    def close(self) -> None:
        """End the workers, and free what they lent and nobody took."""
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
        for number in set(range(self._given, self._asked)) - self._done.keys():
            shared.free(f"{self._prefix}{number:x}_")

    def __del__(self) -> None:
        self.close()
