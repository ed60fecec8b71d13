"""Readers that read in threads and processes."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from queue import Queue
from typing import Any

from ..core.errors import OpError, append_user_line

__all__ = ["buffered", "multiprocess_reader", "xmap_readers"]

Reader = Callable[[], Iterator[Any]]


class _EndOfSamples:
    """Object in a queue that marks the end of the samples.

    error: exception that ended a thread
    """

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def _run_in_thread(work: Callable[[], None], on_error: Callable[[_EndOfSamples], None]) -> None:
    """Run `work` in a daemon thread. If `work` raises an exception, pass an _EndOfSamples with the
    exception to `on_error`.
    """

    def run() -> None:
        try:
            work()
        except BaseException as error:
            on_error(_EndOfSamples(error))

    threading.Thread(target=run, daemon=True).start()


def buffered(reader: Reader, size: int) -> Reader:
    """Return a reader that reads up to `size` samples ahead in a thread."""

    def read_ahead() -> Iterator[Any]:
        queue: Queue[Any] = Queue(maxsize=size)

        def fill() -> None:
            for sample in reader():
                queue.put(sample)
            queue.put(_EndOfSamples())

        _run_in_thread(fill, queue.put)
        while not isinstance(sample := queue.get(), _EndOfSamples):
            yield sample
        if sample.error is not None:
            raise sample.error

    return read_ahead


def xmap_readers(
    mapper: Callable[[Any], Any],
    reader: Reader,
    process_num: int,
    buffer_size: int,
    order: bool = False,
) -> Reader:
    """Return a reader that yields mapper(sample), computed by process_num threads.

    order: keep the order of the samples
    """

    def mapped() -> Iterator[Any]:
        tasks: Queue[Any] = Queue(buffer_size)
        results_queue: Queue[Any] = Queue(buffer_size)

        def fill() -> None:
            for task in enumerate(reader()):
                tasks.put(task)
            for _ in range(process_num):
                tasks.put(_EndOfSamples())

        def work() -> None:
            while not isinstance(task := tasks.get(), _EndOfSamples):
                results_queue.put((task[0], mapper(task[1])))
            results_queue.put(_EndOfSamples())

        for job in [fill, *[work] * process_num]:
            _run_in_thread(job, results_queue.put)
        results = _iter_results_until_all_end(results_queue, process_num)
        yield from _iter_in_number_order(results) if order else (value for _, value in results)

    return mapped


def _iter_results_until_all_end(results_queue: Queue[Any], num_workers: int) -> Iterator[Any]:
    """Yield the values in the queue until all workers have ended."""
    while num_workers:
        result = results_queue.get()
        if not isinstance(result, _EndOfSamples):
            yield result
        elif result.error is not None:
            raise result.error
        else:
            num_workers -= 1


def _iter_in_number_order(results: Iterator[Any]) -> Iterator[Any]:
    """Yield the values of (number, value) pairs in the order of their numbers."""
    pending: dict[int, Any] = {}
    next_number = 0
    for number, value in results:
        pending[number] = value
        while next_number in pending:
            yield pending.pop(next_number)
            next_number += 1


def multiprocess_reader(
    readers: list[Reader], use_pipe: bool = True, queue_size: int = 1000
) -> Reader:
    """Return a reader of the samples of several readers, each of which runs in its own process.

    use_pipe: a pipe for each reader; the samples of the readers alternate. Otherwise one queue of
    queue_size samples, in the order of arrival. Raises OpError if a reader raises or yields None.
    """
    if not isinstance(readers, list) or not readers:
        raise AssertionError("multiprocess_reader: readers must be a non-empty list")
    context = multiprocessing.get_context(
        "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    )

    def through_queue() -> Iterator[Any]:
        queue: Any = context.Queue(queue_size)
        for reader in readers:
            context.Process(target=_send_all_samples, args=(reader, queue.put), daemon=True).start()
        num_running = len(readers)
        while num_running:
            message_type, sample = queue.get()
            num_running -= message_type == "end"
            yield from _iter_sample_or_raise_reader_error(message_type, sample)

    def through_pipes() -> Iterator[Any]:
        receivers = []
        for reader in readers:
            receiver, sender = context.Pipe()
            receivers.append(receiver)
            context.Process(
                target=_send_all_samples, args=(reader, sender.send), daemon=True
            ).start()
            sender.close()
        while receivers:
            for receiver in list(receivers):
                message_type, sample = receiver.recv()
                if message_type == "end":
                    receivers.remove(receiver)
                yield from _iter_sample_or_raise_reader_error(message_type, sample)

    return through_pipes if use_pipe else through_queue


def _send_all_samples(reader: Reader, send: Callable[[Any], None]) -> None:
    """Main function of a reader's process: read all samples and send them to the parent process."""
    try:
        for sample in reader():
            if sample is None:
                raise ValueError("sample has None")
            send(("sample", sample))
        send(("end", None))
    except BaseException as error:
        send(("error", f"{type(error).__name__}: {error}"))
        raise


def _iter_sample_or_raise_reader_error(message_type: str, sample: Any) -> Iterator[Any]:
    if message_type == "error":
        raise OpError(append_user_line(f"multiprocess_reader: a reader raised {sample}"))
    if message_type == "sample":
        yield sample
