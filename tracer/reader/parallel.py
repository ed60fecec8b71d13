"""Readers that are read by threads and processes beside the one that wants their samples."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from queue import Queue
from typing import Any

from ..core.errors import OpError, with_user_line

__all__ = ["buffered", "multiprocess_reader", "xmap_readers"]

Reader = Callable[[], Iterator[Any]]


class _End:
    """Behind the last sample.

    error: what a thread raised, which ended it
    """

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def _thread(work: Callable[[], None], failed: Callable[[_End], None]) -> None:
    """Run `work` beside; `failed` is told what it raises."""

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed(_End(error))

    threading.Thread(target=run, daemon=True).start()


def buffered(reader: Reader, size: int) -> Reader:
    """A reader of the same samples, of which a thread reads up to `size` ahead."""

    def ahead() -> Iterator[Any]:
        queue: Queue[Any] = Queue(maxsize=size)

        def fill() -> None:
            for sample in reader():
                queue.put(sample)
            queue.put(_End())

        _thread(fill, queue.put)
        while not isinstance(sample := queue.get(), _End):
            yield sample
        if sample.error is not None:
            raise sample.error

    return ahead


def xmap_readers(
    mapper: Callable[[Any], Any],
    reader: Reader,
    process_num: int,
    buffer_size: int,
    order: bool = False,
) -> Reader:
    """A reader of mapper(sample), worked out by process_num threads.

    order: as the samples come, not as they are ready
    """

    def mapped() -> Iterator[Any]:
        tasks: Queue[Any] = Queue(buffer_size)
        done: Queue[Any] = Queue(buffer_size)

        def fill() -> None:
            for task in enumerate(reader()):
                tasks.put(task)
            for _ in range(process_num):
                tasks.put(_End())

        def work() -> None:
            while not isinstance(task := tasks.get(), _End):
                done.put((task[0], mapper(task[1])))
            done.put(_End())

        for job in [fill, *[work] * process_num]:
            _thread(job, done.put)
        results = _until_ended(done, process_num)
        yield from _in_order(results) if order else (value for _, value in results)

    return mapped


def _until_ended(done: Queue[Any], workers: int) -> Iterator[Any]:
    """What stands in the queue before the last of the workers has ended."""
    while workers:
        result = done.get()
        if not isinstance(result, _End):
            yield result
        elif result.error is not None:
            raise result.error
        else:
            workers -= 1


def _in_order(results: Iterator[Any]) -> Iterator[Any]:
    """The values of (number, value), by number."""
    waiting: dict[int, Any] = {}
    following = 0
    for number, value in results:
        waiting[number] = value
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def multiprocess_reader(
    readers: list[Reader], use_pipe: bool = True, queue_size: int = 1000
) -> Reader:
    """A reader of what the readers give, each of which a process of its own reads; in the order in
    which samples come.

    use_pipe: one pipe for each, else a queue of queue_size samples for all.
    Raises OpError where a reader raises or gives None.
    """
    if not isinstance(readers, list) or not readers:
        raise AssertionError("multiprocess_reader: readers have to be a list of one reader or more")
    context = multiprocessing.get_context(
        "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    )

    def through_queue() -> Iterator[Any]:
        queue: Any = context.Queue(queue_size)
        for reader in readers:
            context.Process(target=_send_all, args=(reader, queue.put), daemon=True).start()
        left = len(readers)
        while left:
            kind, sample = queue.get()
            left -= kind == "end"
            yield from _taken(kind, sample)

    def through_pipes() -> Iterator[Any]:
        ends = []
        for reader in readers:
            here, there = context.Pipe()
            ends.append(here)
            context.Process(target=_send_all, args=(reader, there.send), daemon=True).start()
            there.close()
        while ends:
            for end in list(ends):
                kind, sample = end.recv()
                if kind == "end":
                    ends.remove(end)
                yield from _taken(kind, sample)

    return through_pipes if use_pipe else through_queue


def _send_all(reader: Reader, send: Callable[[Any], None]) -> None:
    """Run in the process of one reader."""
    try:
        for sample in reader():
            if sample is None:
                raise ValueError("sample has None")
            send(("sample", sample))
        send(("end", None))
    except BaseException as error:
        send(("error", f"{type(error).__name__}: {error}"))
        raise


def _taken(kind: str, sample: Any) -> Iterator[Any]:
    if kind == "error":
        raise OpError(with_user_line(f"multiprocess_reader: a reader raised {sample}"))
    if kind == "sample":
        yield sample
