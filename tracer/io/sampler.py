"""Samplers: the order of samples, and batches of indices."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

import numpy as np

from ..core import rng
from ..core.communicator import process_groups
from ..core.errors import ArgumentAssertionError, OpError, append_user_line
from ..core.type_aliases import Array


class Sampler:
    """Base class of samplers: iterables over indices of samples.

    Subclasses implement ``__iter__()``, and ``__len__()`` if it is not the size of `data_source`.

    Parameters
    ----------
    data_source : Dataset, optional

    Examples
    --------
    >>> class Backwards(paddle.io.Sampler):
    ...     def __iter__(self):
    ...         return iter(range(len(self.data_source) - 1, -1, -1))
    >>> list(paddle.io.BatchSampler(sampler=Backwards(range(5)), batch_size=2))
    [[4, 3], [2, 1], [0]]
    """

    def __init__(self, data_source: Sized | None = None) -> None:
        self.data_source: Any = data_source

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.data_source) if self.data_source is not None else 0


class SequenceSampler(Sampler):
    """Sampler that yields all indices in ascending order.

    Parameters
    ----------
    data_source : Dataset

    Examples
    --------
    >>> list(paddle.io.SequenceSampler(range(3)))
    [0, 1, 2]
    """

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))


class RandomSampler(Sampler):
    """Sampler that yields indices in random order, with or without replacement.

    Parameters
    ----------
    data_source : Dataset
    replacement : bool, default False
        Draw independent indices; else each index at most once.
    num_samples : int, optional
        Number of indices per epoch. Default: the size of the dataset, which is the most without
        replacement.
    generator : iterator, optional
        Yields the indices instead of the random choice; an epoch takes `num_samples` of them, or
        fewer if it ends.

    Examples
    --------
    >>> sorted(paddle.io.RandomSampler(range(4)))
    [0, 1, 2, 3]
    >>> len(paddle.io.RandomSampler(range(4), replacement=True, num_samples=10))
    10
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Iterator[int] | None = None,
    ) -> None:
        super().__init__(data_source)
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator

    @property
    def num_samples(self) -> int:
        """The number of indices that the sampler yields per epoch, an int.

        Examples
        --------
        >>> paddle.io.RandomSampler(range(4), num_samples=10).num_samples
        4
        """
        size = len(self.data_source)
        if self._num_samples is None:
            return size
        if self.replacement or self.generator is not None:
            return self._num_samples
        return min(self._num_samples, size)

    def __iter__(self) -> Iterator[int]:
        if self.generator is not None:
            return itertools.islice(self.generator, self.num_samples)
        generator, size = rng.generator(), len(self.data_source)
        if self.replacement:
            return iter(generator.integers(0, size, self.num_samples).tolist())
        return iter(generator.permutation(size)[: self.num_samples].tolist())

    def __len__(self) -> int:
        return self.num_samples


class WeightedRandomSampler(Sampler):
    """Sampler that draws indices with probabilities proportional to weights.

    Parameters
    ----------
    weights : ndarray or list [N]
        Not negative, not all 0. Index i has the probability weights[i] / sum(weights).
    num_samples : int
        Number of indices per epoch, positive.
    replacement : bool, default True
        False: each index at most once.

    Raises
    ------
    OpError
        If the weights are invalid, or if `num_samples` is not positive or, without replacement,
        exceeds the number of positive weights.

    Examples
    --------
    >>> list(paddle.io.WeightedRandomSampler([0.0, 1.0, 0.0], num_samples=3))
    [1, 1, 1]
    """

    def __init__(
        self, weights: Sequence[float] | Array, num_samples: int, replacement: bool = True
    ) -> None:
        super().__init__()
        self.weights = np.asarray(weights, np.float64)
        self.num_samples, self.replacement = num_samples, replacement
        num_nonzero = int(np.count_nonzero(self.weights > 0))
        if self.weights.ndim != 1 or (self.weights < 0).any() or not num_nonzero:
            raise OpError(
                append_user_line(
                    f"WeightedRandomSampler: weights must be a vector of non-negative numbers "
                    f"(weights={list(self.weights.shape)})"
                )
            )
        if num_samples < 1 or (not replacement and num_nonzero < num_samples):
            raise OpError(
                append_user_line(
                    f"WeightedRandomSampler: cannot draw num_samples={num_samples} of "
                    f"{num_nonzero} indices "
                    f"with replacement={replacement}"
                )
            )

    def __iter__(self) -> Iterator[int]:
        probs = self.weights / self.weights.sum()
        return iter(
            rng.generator().choice(len(probs), self.num_samples, self.replacement, probs).tolist()
        )

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Sampler that yields given indices in random order.

    Parameters
    ----------
    indices : list of int
        Not empty.

    Raises
    ------
    OpError
        If `indices` is empty.

    Examples
    --------
    >>> sorted(paddle.io.SubsetRandomSampler([3, 5, 8]))
    [3, 5, 8]
    """

    def __init__(self, indices: Sequence[int]) -> None:
        super().__init__()
        if not len(indices):
            raise OpError(append_user_line("SubsetRandomSampler: indices must not be empty"))
        self.indices = indices

    def __iter__(self) -> Iterator[int]:
        return (self.indices[k] for k in rng.generator().permutation(len(self.indices)).tolist())

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler):
    """Sampler that yields lists of indices, each for one batch.

    Parameters
    ----------
    dataset : Dataset, optional
        Either `dataset` or `sampler` is given.
    sampler : iterable of int, optional
        The indices in order.
    shuffle : bool, default False
        Random order; only with `dataset`.
    batch_size : int, default 1
    drop_last : bool, default False
        Leave out a last list that is shorter than `batch_size`.

    Raises
    ------
    OpError
        If `dataset`, `sampler` and `shuffle` exclude each other, or if another argument is invalid.

    Examples
    --------
    >>> list(paddle.io.BatchSampler(range(5), batch_size=2))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Sized | None = None,
        sampler: Iterable[int] | None = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
    ) -> None:
        if (dataset is None) == (sampler is None) or (sampler is not None and shuffle):
            raise ArgumentAssertionError(
                append_user_line(
                    "BatchSampler: specify either a dataset, or a sampler without shuffle"
                )
            )
        if not isinstance(shuffle, bool) or not isinstance(drop_last, bool):
            raise ArgumentAssertionError(
                append_user_line(
                    f"BatchSampler: shuffle={shuffle!r} and drop_last={drop_last!r} should be bool"
                )
            )
        if not isinstance(batch_size, int | np.integer) or batch_size < 1:
            raise ArgumentAssertionError(
                append_user_line(f"BatchSampler: batch_size={batch_size} is not a positive int")
            )
        super().__init__(dataset)
        self.sampler: Any = sampler
        if dataset is not None:
            self.sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        num_samples = len(self.sampler)
        return (
            num_samples // self.batch_size if self.drop_last else -(-num_samples // self.batch_size)
        )


class DistributedBatchSampler(BatchSampler):
    """Sampler of the batches of one of several processes.

    All processes get the same number of samples, for which some samples may be repeated.

    Parameters
    ----------
    dataset : Dataset
    batch_size : int
        Of one process.
    num_replicas, rank : int, optional
        Number of processes, and the number of this one, from 0. Default: those of
        `distributed.init_parallel_env`.
    shuffle : bool, default False
        Random order, which depends only on the epoch, so that it is the same in all processes.
    drop_last : bool, default False
        Leave out a last list that is shorter than `batch_size`.

    Raises
    ------
    OpError
        If `rank` is not in [0, num_replicas) or `batch_size` is not positive.

    Examples
    --------
    >>> for rank in range(2):
    ...     print(list(paddle.io.DistributedBatchSampler(range(7), 2, num_replicas=2, rank=rank)))
    [[0, 1], [4, 5]]
    [[2, 3], [6, 0]]
    """

    def __init__(
        self,
        dataset: Sized,
        batch_size: int,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = False,
        drop_last: bool = False,
    ) -> None:
        super().__init__(dataset, None, False, batch_size, drop_last)
        self.dataset, self.shuffle, self.epoch = dataset, shuffle, 0
        group = process_groups.global_communicator
        self.nranks = group.size if num_replicas is None else num_replicas
        self.local_rank = group.rank if rank is None else rank
        if not 0 <= self.local_rank < self.nranks:
            raise ArgumentAssertionError(
                append_user_line(
                    f"DistributedBatchSampler: rank={rank} is not in [0, {self.nranks})"
                )
            )
        self.num_samples = -(-len(dataset) // self.nranks)
        self.total_size = self.num_samples * self.nranks

    def __iter__(self) -> Iterator[list[int]]:
        order = list(range(len(self.dataset)))
        if order:
            order = list(itertools.islice(itertools.cycle(order), self.total_size))
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(order)
            self.epoch += 1
        indices = self._indices_of_this_process(order)
        batches = [
            indices[k : k + self.batch_size] for k in range(0, len(indices), self.batch_size)
        ]
        return iter(
            batch for batch in batches if len(batch) == self.batch_size or not self.drop_last
        )

    def _indices_of_this_process(self, order: list[int]) -> list[int]:
        """Return those of the sample indices `order` that this process reads. The processes get
        full batches in turn, then an equal part of the remaining indices.
        """
        num_left = self.num_samples % self.batch_size
        num_in_batches = len(order) - num_left * self.nranks
        size, rank = self.batch_size, self.local_rank
        indices = [
            i
            for k in range(rank * size, num_in_batches, self.nranks * size)
            for i in order[k : k + size]
        ]
        return (
            indices
            + order[num_in_batches + rank * num_left : num_in_batches + (rank + 1) * num_left]
        )

    def __len__(self) -> int:
        num_full, num_left = divmod(self.num_samples, self.batch_size)
        return num_full + (num_left > 0 and not self.drop_last)

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the epoch, which seeds the shuffling. Each iteration increases it by 1.

        Parameters
        ----------
        epoch : int

        Examples
        --------
        >>> sampler = paddle.io.DistributedBatchSampler(range(8), 8, 1, 0, shuffle=True)
        >>> first, second = list(sampler), list(sampler)
        >>> sampler.set_epoch(0)
        >>> list(sampler) == first
        True
        """
        self.epoch = epoch
