"""In which order samples are taken, and which of them make a batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any

from ..core import rng
from ..core.errors import OpError


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
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
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
        if batch_size < 1:
            raise OpError(f"BatchSampler: batch_size={batch_size} is less than 1")
        super().__init__(dataset)
        self.sampler: Any = (
            sampler if sampler is not None else RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
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
