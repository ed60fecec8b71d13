"""DataLoader: batches of a dataset, made here or by worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core import cuda
from ..core.errors import MisfitError, OpError
from ..core.place import check_gpu_index, parse_place
from ..core.tensor import Tensor
from .dataset import Dataset, IterableDataset
from .sampler import BatchSampler
from .workers import Workers

Collate = Callable[[list[Any]], Any]


def default_collate_fn(batch: Sequence[Any]) -> Any:
    """Samples stacked field by field: arrays, tensors and numbers to ndarrays [N, *]; dicts and
    tuples stay what they are.
    """
    first = batch[0]
    if isinstance(first, np.ndarray | np.generic):
        return np.stack(batch)
    if isinstance(first, Tensor):
        return np.stack([cuda.to_host(t.array) for t in batch])
    if isinstance(first, int | float | bool):
        return np.array(batch)
    if isinstance(first, str | bytes):
        return list(batch)
    if isinstance(first, dict):
        return {key: default_collate_fn([s[key] for s in batch]) for key in first}
    if isinstance(first, list | tuple):
        return [default_collate_fn(list(fields)) for fields in zip(*batch, strict=True)]
    raise OpError(
        f"DataLoader: a sample holds {type(first).__name__}; give a collate_fn that makes a batch "
        "of it"
    )


def as_tensors(batch: Any, place: Any = None) -> Any:
    """A batch with its arrays as tensors on one device, None for where new tensors go."""
    if isinstance(batch, np.ndarray | np.generic):
        array = np.asarray(batch)
        return Tensor(
            cuda.to_default_device(array)
            if place is None
            else cuda.to_device(array, check_gpu_index(place, "DataLoader"))
        )
    if isinstance(batch, dict):
        return {key: as_tensors(value, place) for key, value in batch.items()}
    if isinstance(batch, list | tuple):
        return [as_tensors(value, place) for value in batch]
    return batch


def _place_of(places: Any) -> Any:
    """The one device that batches go to.

    Raises OpError for several: each process of a training has one.
    """
    if not isinstance(places, list | tuple):
        return None if places is None else parse_place(places, "DataLoader")
    if len(places) > 1:
        raise OpError(
            f"DataLoader: batches go to one place, not to {len(places)}; start a process for each "
            "GPU"
        )
    return parse_place(places[0], "DataLoader") if places else None


class DataLoader:
    """Batches of a dataset, as lists of Tensors.

    num_workers: processes that read samples, 0 for none; collate_fn: makes a batch of a list of
    samples; batch_sampler: decides the batches in place of batch_size, shuffle and drop_last;
    worker_init_fn(id) starts each worker; feed_list: with return_list=False, variables of a
    program, by whose names batches come as an Executor takes them; use_shared_memory: large arrays
    come from workers through shared memory. Every worker runs through the whole of an
    IterableDataset: what is whose, it decides by get_worker_info. Workers end with the pass: at its
    end, after an error, or when nobody holds its iterator. An error in a worker is raised here,
    with the worker's own lines.
    """

    def __init__(
        self,
        dataset: Dataset,
        feed_list: Any = None,
        places: Any = None,
        return_list: bool = True,
        batch_sampler: Any = None,
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
        self.dataset = dataset
        self._tensors = partial(as_tensors, place=_place_of(places))
        self._feeds = None if return_list or feed_list is None else [v.name for v in feed_list]
        self.collate_fn = collate_fn or default_collate_fn
        self.num_workers, self.prefetch_factor, self.timeout = num_workers, prefetch_factor, timeout
        self.worker_init_fn, self.use_shared_memory = worker_init_fn, use_shared_memory
        self.streams = isinstance(dataset, IterableDataset)
        self.batch_size, self.drop_last = batch_size, drop_last
        if batch_sampler is not None and (batch_size != 1 or shuffle or drop_last):
            raise MisfitError(
                "DataLoader: batch_sampler decides the batches; batch_size, shuffle and "
                "drop_last do not apply"
            )
        self.batch_sampler = batch_sampler
        if self.streams:
            if shuffle or batch_sampler is not None:
                raise OpError(
                    "DataLoader: an IterableDataset comes in its own order; shuffle and "
                    "batch_sampler do not apply"
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
        return self._batches() if self._feeds is None else map(self._named, self._batches())

    def __call__(self) -> Iterator[Any]:
        """The batches, as iterating gives them."""
        return iter(self)

    def _named(self, batch: Sequence[Any]) -> list[dict[str, Any]]:
        """A batch as an Executor is fed: a dict for each place, which is one."""
        assert self._feeds is not None
        return [dict(zip(self._feeds, batch, strict=True))]

    def _batches(self) -> Iterator[Any]:
        if self.streams:
            return map(
                self._tensors, Workers(self, iter(())) if self.num_workers else self._stream()
            )
        batches = (
            self.batch_sampler
            if self.batch_sampler is not None
            else ([i] for i in range(len(self.dataset)))
        )
        if self.num_workers > 0:
            return map(self._tensors, Workers(self, iter(batches)))
        return (self._tensors(self._batch(indices)) for indices in batches)

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
