"""DataLoader: batches of a dataset, computed in this process or by workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core import cuda
from ..core.errors import ArgumentAssertionError, OpError, append_user_line
from ..core.place import parse_place, require_usable_gpu_index_unless_cpu
from ..core.profile_events import iterate_with_events, profile_state
from ..core.tensor import Tensor
from ..core.type_aliases import PlaceLike
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler
from .workers import WorkerBatchIterator

Collate = Callable[[list[Any]], Any]


def default_collate_fn(batch: Sequence[Any]) -> Any:
    """Stack samples to a batch, field by field.

    Arrays, tensors and numbers become ndarrays [N, *]; texts become a list; dicts stay dicts; lists
    and tuples become lists.

    Parameters
    ----------
    batch : list of samples
        Samples of equal structure; arrays of equal shape.

    Returns
    -------
    ndarray, list or dict

    Raises
    ------
    OpError
        If a sample contains an object of another type.

    Examples
    --------
    >>> default_collate = paddle.io.default_collate_fn
    >>> default_collate([{"x": np.zeros(2), "y": 0}, {"x": np.ones(2), "y": 1}])
    {'x': array([[0., 0.], [1., 1.]]), 'y': array([0, 1])}
    """
    first = batch[0]
    if isinstance(first, np.ndarray | np.generic):
        return _stack(batch)
    if isinstance(first, Tensor):
        return _stack([cuda.to_host(t.array) for t in batch])
    if isinstance(first, int | float | bool):
        return np.array(batch)
    if isinstance(first, str | bytes):
        return list(batch)
    if isinstance(first, dict):
        return {key: default_collate_fn([s[key] for s in batch]) for key in first}
    if isinstance(first, list | tuple):
        return [default_collate_fn(list(fields)) for fields in zip(*batch, strict=True)]
    raise OpError(
        append_user_line(
            f"DataLoader: a sample contains {type(first).__name__}; specify a collate_fn that "
            "creates a batch of it"
        )
    )


def _stack(arrays: Sequence[Any]) -> Any:
    """Stack the arrays of the samples of a batch."""
    for position, array in enumerate(arrays):
        if np.shape(array) != np.shape(arrays[0]):
            raise OpError(
                append_user_line(
                    "DataLoader: samples of a batch have different shapes, "
                    f"{list(np.shape(arrays[0]))} for the first and {list(np.shape(array))} for "
                    f"number {position}; return samples of one shape, or specify a collate_fn"
                )
            )
    return np.stack(arrays)


def as_tensors(batch: Any, place: Any = None) -> Any:
    """Convert the arrays of a batch to tensors on a device (None: the default device)."""
    if isinstance(batch, np.ndarray | np.generic):
        array = np.asarray(batch)
        return Tensor(
            cuda.to_default_device(array)
            if place is None
            else cuda.to_device(array, require_usable_gpu_index_unless_cpu(place, "DataLoader"))
        )
    if isinstance(batch, dict):
        return {key: as_tensors(value, place) for key, value in batch.items()}
    if isinstance(batch, list | tuple):
        return [as_tensors(value, place) for value in batch]
    return batch


def _place_of_batches(places: Any) -> Any:
    """Return the device on which the batches are created, given the argument `places`.

    Raises OpError for several: each training process has one.
    """
    if not isinstance(places, list | tuple):
        return None if places is None else parse_place(places, "DataLoader")
    if len(places) > 1:
        raise OpError(
            append_user_line(
                f"DataLoader: supports one place, got {len(places)}; start a process for each GPU"
            )
        )
    return parse_place(places[0], "DataLoader") if places else None


class DataLoader:
    """Iterable over the batches of a dataset, computed in this process or by workers.

    Each iteration is an epoch. A batch is what `collate_fn` returns, with Tensors for its arrays.
    If it returns a tuple or list, the batch is a list.

    Parameters
    ----------
    dataset : Dataset or IterableDataset
    feed_list : list of Variable, optional
        With ``return_list=False``, variables of a program: batches are lists of one dict from names
        to Tensors, for `Executor.run`.
    places : Place, str, or list with one of them, optional
        The device of the batches. Default: the current one.
    return_list : bool, default True
        See `feed_list`.
    batch_sampler : BatchSampler or iterable of lists of int, optional
        Replaces `batch_size`, `shuffle` and `drop_last`.
    batch_size : int or None, default 1
        None: single samples, without `collate_fn`.
    shuffle : bool, default False
        A new random order in each epoch; `paddle.seed` makes it reproducible.
    drop_last : bool, default False
        Leave out a last batch with fewer samples.
    collate_fn : callable, optional
        ``collate_fn(list of samples)`` returns a batch of arrays. Default: `default_collate_fn`.
    num_workers : int, default 0
        Number of worker processes; 0: this process computes the batches.
    use_buffer_reader : bool, default True
        Not used.
    prefetch_factor : int, default 2
        Number of batches per worker that are computed ahead.
    use_shared_memory : bool, default True
        Workers pass large arrays through shared memory.
    timeout : int, default 0
        Seconds to wait for a worker; 0: no limit.
    worker_init_fn : callable, optional
        ``worker_init_fn(id)`` is called at the start of each worker.
    persistent_workers : bool, default False
        Not used: workers end with the epoch.

    Raises
    ------
    OpError
        If arguments are out of range or exclude each other, if `shuffle` or `batch_sampler` is
        given for an IterableDataset, or if there are several places.
    OarlockError
        During iteration, if a worker fails, dies or exceeds `timeout`. The message has the line and
        the traceback of the worker.

    Notes
    -----
    ``len(loader)`` is the number of batches. Every worker iterates over the whole IterableDataset;
    it selects its part by `get_worker_info`. Workers end at the end of the epoch, after an error,
    or when the iterator is deleted.

    Examples
    --------
    >>> dataset = paddle.io.TensorDataset([paddle.rand([10, 3]), paddle.arange(10)])
    >>> loader = paddle.io.DataLoader(dataset, batch_size=4)
    >>> for x, y in loader:
    ...     print(x.shape, y.tolist())
    [4, 3] [0, 1, 2, 3]
    [4, 3] [4, 5, 6, 7]
    [2, 3] [8, 9]
    """

    def __init__(
        self,
        dataset: Dataset,
        feed_list: Sequence[Tensor] | None = None,
        places: PlaceLike | Sequence[PlaceLike] | None = None,
        return_list: bool = True,
        batch_sampler: Iterable[Sequence[int]] | None = None,
        batch_size: int | None = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Collate | None = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        prefetch_factor: int = 2,
        use_shared_memory: bool = True,
        timeout: int = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        persistent_workers: bool = False,
    ) -> None:
        for name, value, least in (
            ("batch_size", batch_size, 1),
            ("num_workers", num_workers, 0),
            ("prefetch_factor", prefetch_factor, 1),
            ("timeout", timeout, 0),
        ):
            if value is not None and value < least:
                raise ArgumentAssertionError(
                    append_user_line(f"DataLoader: {name}={value} is less than {least}")
                )
        self.dataset = dataset
        self._to_tensors = partial(as_tensors, place=_place_of_batches(places))
        self._feed_names = None if return_list or feed_list is None else [v.name for v in feed_list]
        self.collate_fn = collate_fn or default_collate_fn
        self.num_workers, self.prefetch_factor, self.timeout = num_workers, prefetch_factor, timeout
        self.worker_init_fn, self.use_shared_memory = worker_init_fn, use_shared_memory
        self.is_iterable_dataset = isinstance(dataset, IterableDataset)
        self.batch_size, self.drop_last = batch_size, drop_last
        if batch_sampler is not None and (batch_size != 1 or shuffle or drop_last):
            raise ArgumentAssertionError(
                append_user_line(
                    "DataLoader: batch_sampler is exclusive with batch_size, shuffle and drop_last"
                )
            )
        self.batch_sampler: Any = batch_sampler
        if self.is_iterable_dataset:
            if shuffle or batch_sampler is not None:
                raise OpError(
                    append_user_line(
                        "DataLoader: an IterableDataset has its own order; shuffle and "
                        "batch_sampler are not supported"
                    )
                )
        elif batch_sampler is None and batch_size is not None:
            self.batch_sampler = BatchSampler(
                dataset, shuffle=shuffle, batch_size=batch_size, drop_last=drop_last
            )

    def __len__(self) -> int:
        if self.batch_sampler is None:
            return len(self.dataset)
        return len(self.batch_sampler)

    def __iter__(self) -> Iterator[Any]:
        batches = self._make_tensor_batch_iterator()
        if profile_state.recorder is not None:
            batches = iterate_with_events(batches, "DataLoader", "Dataloader")
        return batches if self._feed_names is None else map(self._to_feed_dicts, batches)

    def __call__(self) -> Iterator[Any]:
        """Return an iterator over the batches of an epoch."""
        return iter(self)

    def _to_feed_dicts(self, batch: Sequence[Any]) -> list[dict[str, Any]]:
        """Return a batch in the form that Executor.run takes: a list of one dict from input names
        to arrays.
        """
        assert self._feed_names is not None
        return [dict(zip(self._feed_names, batch, strict=True))]

    def _make_tensor_batch_iterator(self) -> Iterator[Any]:
        if self.is_iterable_dataset:
            return map(
                self._to_tensors,
                WorkerBatchIterator(self, iter(()))
                if self.num_workers
                else self._iterate_iterable_dataset(),
            )
        batches = (
            self.batch_sampler
            if self.batch_sampler is not None
            else ([i] for i in range(len(self.dataset)))
        )
        if self.num_workers > 0:
            return map(self._to_tensors, WorkerBatchIterator(self, iter(batches)))
        return (self._to_tensors(self._load_batch(indices)) for indices in batches)

    def _load_batch(self, indices: Sequence[int]) -> Any:
        if self.batch_sampler is None:
            return self.dataset[indices[0]]
        return self.collate_fn([self.dataset[i] for i in indices])

    def _iterate_iterable_dataset(self) -> Iterator[Any]:
        samples: list[Any] = []
        for sample in self.dataset:  # type: ignore[attr-defined]
            if self.batch_size is None:
                yield sample
                continue
            samples.append(sample)
            if len(samples) == self.batch_size:
                yield self.collate_fn(samples)
                samples = []
        if samples and not self.drop_last:
            yield self.collate_fn(samples)
