"""In which order samples are taken, and which of them make a batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

import numpy as np

from ..core import rng
from ..core.communicator import world
from ..core.errors import MisfitError, OpError


class Sampler:
    """Base of samplers: an iterator over indices."""

    def __init__(self, data_source: Sized | None = None) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.data_source) if self.data_source is not None else 0


class SequenceSampler(Sampler):
    """0, 1, 2, ..."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))


class RandomSampler(Sampler):
    """Indices at random, each once, or with replacement `num_samples` of them."""

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        super().__init__(data_source)
        self.replacement = replacement
        self._num_samples = num_samples

    @property
    def num_samples(self) -> int:
        """How many indices a pass gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[int]:
        draw, size = rng.generator(), len(self.data_source)  # type: ignore[arg-type]
        if self.replacement:
            return iter(draw.integers(0, size, self.num_samples).tolist())
        return iter(draw.permutation(size)[: self.num_samples].tolist())

    def __len__(self) -> int:
        return self.num_samples


class WeightedRandomSampler(Sampler):
    """num_samples indices, each as likely as its weight says; without replacement none of them
    twice.

    weights [N], not negative
    """

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True) -> None:
        super().__init__()
        self.weights = np.asarray(weights, np.float64)
        self.num_samples, self.replacement = num_samples, replacement
        likely = int(np.count_nonzero(self.weights > 0))
        if self.weights.ndim != 1 or (self.weights < 0).any() or not likely:
            raise OpError(
                f"WeightedRandomSampler: weights is not a row of positive numbers "
                f"(weights={list(self.weights.shape)})"
            )
        if num_samples < 1 or (not replacement and likely < num_samples):
            raise OpError(
                f"WeightedRandomSampler: num_samples={num_samples} of {likely} indices "
                f"that can be drawn, replacement={replacement}"
            )

    def __iter__(self) -> Iterator[int]:
        chances = self.weights / self.weights.sum()
        return iter(
            rng.generator()
            .choice(len(chances), self.num_samples, self.replacement, chances)
            .tolist()
        )

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given indices in random order, each once."""

    def __init__(self, indices: Sequence[int]) -> None:
        super().__init__()
        if not len(indices):
            raise OpError("SubsetRandomSampler: there are no indices")
        self.indices = indices

    def __iter__(self) -> Iterator[int]:
        return (self.indices[k] for k in rng.generator().permutation(len(self.indices)).tolist())

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler):
    """Lists of batch_size indices; the last one may be shorter unless drop_last."""

    def __init__(
        self,
        dataset: Any = None,
        sampler: Iterable[int] | None = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
    ) -> None:
        if (dataset is None) == (sampler is None) or (sampler is not None and shuffle):
            raise MisfitError("BatchSampler: takes a dataset, or a sampler, which says the order")
        if not isinstance(shuffle, bool) or not isinstance(drop_last, bool):
            raise MisfitError(
                f"BatchSampler: shuffle={shuffle!r} and drop_last={drop_last!r} should be bool"
            )
        if not isinstance(batch_size, int | np.integer) or batch_size < 1:
            raise MisfitError(f"BatchSampler: batch_size={batch_size} is less than 1, or no int")
        super().__init__(dataset)
        self.sampler: Any = (
            sampler
            if sampler is not None
            else RandomSampler(dataset)
            if shuffle
            else SequenceSampler(dataset)
        )
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
        rows = len(self.sampler)
        return rows // self.batch_size if self.drop_last else -(-rows // self.batch_size)


class DistributedBatchSampler(BatchSampler):
    """The batches of process `rank` of num_replicas: all get as many, some samples twice where that
    does not work out.

    shuffle: by a seed that is the same everywhere, the number of the pass; set_epoch sets it.
    num_replicas, rank: those of the world unless given, see `distributed.init_parallel_env`.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = False,
        drop_last: bool = False,
    ) -> None:
        super().__init__(dataset, None, False, batch_size, drop_last)
        self.dataset, self.shuffle, self.epoch = dataset, shuffle, 0
        everybody = world.everybody
        self.nranks = everybody.size if num_replicas is None else num_replicas
        self.local_rank = everybody.rank if rank is None else rank
        if not 0 <= self.local_rank < self.nranks:
            raise MisfitError(
                f"DistributedBatchSampler: rank={rank} is not one of {self.nranks} processes"
            )
        self.num_samples = -(-len(dataset) // self.nranks)
        self.total_size = self.num_samples * self.nranks

    def __iter__(self) -> Iterator[list[int]]:
        order = list(range(len(self.dataset)))
        order += order[: self.total_size - len(order)]
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(order)
            self.epoch += 1
        mine = self._part(order)
        batches = [mine[k : k + self.batch_size] for k in range(0, len(mine), self.batch_size)]
        return iter(
            batch for batch in batches if len(batch) == self.batch_size or not self.drop_last
        )

    def _part(self, order: list[int]) -> list[int]:
        """The share of this process: whole batches in turn, then an equal part of the rest."""
        rest = self.num_samples % self.batch_size
        whole = len(order) - rest * self.nranks
        size, here = self.batch_size, self.local_rank
        mine = [
            i for k in range(here * size, whole, self.nranks * size) for i in order[k : k + size]
        ]
        return mine + order[whole + here * rest : whole + (here + 1) * rest]

    def __len__(self) -> int:
        whole, rest = divmod(self.num_samples, self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def set_epoch(self, epoch: int) -> None:
        """Say which pass comes next."""
        self.epoch = epoch
