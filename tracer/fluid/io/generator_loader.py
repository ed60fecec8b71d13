"""Loaders of generators: `fluid.io.DataLoader.from_generator` and PyReader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...core.dtype import parse_dtype
from ...core.errors import OpError, append_user_line
from ...core.tensor import Tensor
from ...core.top_level_functions import batch
from ...static import default_main_program
from ...static.end_of_data import EndOfData
from ...static.graph.mode import is_recording_static_graph
from ..data_feeder import DataFeeder
from ..framework import in_dygraph_mode

__all__ = ["PyReader"]


def _to_stacked_batch_reader(reader: Callable[[], Any]) -> Callable[[], Iterator[list[Any]]]:
    """Convert a reader that yields lists of samples to a reader that yields batches: a list with
    one array per field of the samples.
    """

    def batches() -> Iterator[list[Any]]:
        for rows in reader():
            samples = [row if isinstance(row, list | tuple) else (row,) for row in rows]
            yield [np.stack([np.asarray(v) for v in field]) for field in zip(*samples, strict=True)]

    return batches


class GeneratorLoader:
    """Loader of the batches of a Python generator. A batch is a list in eager mode or with
    return_list, else a dict to feed to an Executor.

    With iterable=False, call start(); then every run of the program takes a batch, and raises
    core.EOFException after the last one; then call reset().
    """

    def __init__(
        self,
        feed_list: Any = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        use_multiprocess: bool = False,
        drop_last: bool = True,
    ) -> None:
        eager = in_dygraph_mode() or not (feed_list or is_recording_static_graph())
        if not feed_list and not eager:
            raise OpError(
                append_user_line("DataLoader.from_generator: feed_list is required in a program")
            )
        self._feed_list, self._capacity = list(feed_list or ()), capacity
        self.iterable = iterable or eager
        self._eager, self._return_list = eager, return_list or eager
        self._batches: Callable[[], Any] | None = None
        self._iterator: Iterator[Any] | None = None
        if not self.iterable:
            default_main_program().feeding_readers.append(self.next_feed)

    @property
    def queue(self) -> None:
        """The queue of batches: always None, because batches are not queued."""

    # -- sources of batches
    # --------------------------------------------------------------------------------------

    def set_sample_generator(
        self, reader: Callable[[], Any], batch_size: int, drop_last: bool = True, places: Any = None
    ) -> Any:
        """Set the source to a reader that yields single samples, which are grouped into batches."""
        if batch_size <= 0:
            raise AssertionError("batch_size must be larger than 0")

        return self.set_sample_list_generator(batch(reader, batch_size, drop_last), places)

    def set_sample_list_generator(self, reader: Callable[[], Any], places: Any = None) -> Any:
        """Set the source to a reader that yields lists of samples, such as `paddle.batch`
        returns.
        """
        if not self._feed_list or self._eager:
            return self.set_batch_generator(_to_stacked_batch_reader(reader), places)
        feeder = DataFeeder(self._feed_list, None)

        def batches() -> Iterator[list[Any]]:
            for rows in reader():
                feed = feeder.feed(rows)
                yield [feed[v.name] for v in self._feed_list]

        return self.set_batch_generator(batches, places)

    def set_batch_generator(self, reader: Callable[[], Any], places: Any = None) -> Any:
        """Set the source to a reader that yields batches: lists of arrays."""
        self._batches = reader
        return self

    # -- batches
    # --------------------------------------------------------------------------

    def __call__(self) -> GeneratorLoader:
        return self

    def __iter__(self) -> Iterator[Any]:
        if not self.iterable:
            raise AssertionError("DataLoader is not iterable")
        if self._batches is None:
            raise AssertionError("Data source of DataLoader has not set yet")
        return (self._to_yielded_batch(batch) for batch in self._batches())

    def _to_yielded_batch(self, batch: Any) -> Any:
        if self._eager:
            return [v if isinstance(v, Tensor) else Tensor(np.array(v)) for v in batch]
        arrays = [
            self._to_feed_array(v, variable)
            for v, variable in zip(batch, self._feed_list, strict=True)
        ]
        return (
            arrays
            if self._return_list
            else [{v.name: a for v, a in zip(self._feed_list, arrays, strict=True)}]
        )

    @staticmethod
    def _to_feed_array(value: Any, variable: Any) -> Any:
        """Return a LoDTensor unchanged, and convert other values to arrays. Only an array of Python
        objects is cast to the dtype of the variable.
        """
        if hasattr(value, "recursive_sequence_lengths"):
            return value
        array = np.asarray(value)
        return (
            array.astype(parse_dtype(variable.raw.dtype).np) if array.dtype.kind == "O" else array
        )

    def start(self) -> None:
        """Begin an epoch: each following run of the program takes the next batch."""
        if self.iterable:
            raise AssertionError("start() cannot be called when DataLoader is iterable")
        if self._batches is None:
            raise AssertionError("Data source of DataLoader has not set yet")
        self._iterator = iter(self._batches())

    def reset(self) -> None:
        """End an epoch."""
        self._iterator = None

    def next_feed(self) -> dict[str, Any]:
        """Return the next batch as a dict that is fed to a run of the program. Raises
        core.EOFException after the last batch.
        """
        if self._iterator is None:
            return {}
        try:
            batch = next(self._iterator)
        except StopIteration:
            raise EndOfData(
                "the reader has no more batches: call reset(), and start() for another epoch"
            ) from None
        return {
            v.name: self._to_feed_array(a, v) for v, a in zip(self._feed_list, batch, strict=True)
        }


class PyReader(GeneratorLoader):
    """A GeneratorLoader whose methods that set the source have the older names decorate_*.

    The newer name is `paddle.io.DataLoader`.
    """

    def __init__(
        self,
        feed_list: Any = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
    ) -> None:
        super().__init__(feed_list, capacity, use_double_buffer, iterable, return_list)

    def decorate_sample_generator(
        self, sample_generator: Any, batch_size: int, drop_last: bool = True, places: Any = None
    ) -> None:
        """Set the source to a reader that yields single samples, which are grouped into batches."""
        self.set_sample_generator(sample_generator, batch_size, drop_last, places)

    def decorate_sample_list_generator(self, reader: Any, places: Any = None) -> None:
        """Set the source to a reader that yields lists of samples."""
        self.set_sample_list_generator(reader, places)

    def decorate_batch_generator(self, reader: Any, places: Any = None) -> None:
        """Set the source to a reader that yields batches: lists of arrays."""
        self.set_batch_generator(reader, places)

    decorate_paddle_reader = decorate_sample_list_generator
    decorate_tensor_provider = decorate_batch_generator
