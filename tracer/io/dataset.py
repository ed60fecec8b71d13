"""Datasets, which return samples by index or iterate over them."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from ..core import cuda, rng
from ..core.errors import ArgumentAssertionError, IndexRangeError, OpError
from ..core.tensor import Tensor


class Dataset:
    """Base of datasets with samples by index; subclasses implement __getitem__ and __len__."""

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no __len__")


class IterableDataset(Dataset):
    """Base of iterable datasets; subclasses implement __iter__."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")

    def __getitem__(self, index: int) -> Any:
        raise OpError(f"{type(self).__name__}: an IterableDataset has no samples by index")

    def __len__(self) -> int:
        raise TypeError(f"{type(self).__name__}: an IterableDataset has no length")


class TensorDataset(Dataset):
    """Dataset of tensors: sample i consists of row i of every tensor.

    tensors: [N, *] each
    """

    def __init__(self, tensors: Sequence[Any]) -> None:
        if len({t.shape[0] for t in tensors}) > 1:
            raise ArgumentAssertionError(
                f"TensorDataset: the tensors have {[t.shape[0] for t in tensors]} rows"
            )
        self.tensors = list(tensors)

    def __getitem__(self, index: int) -> Any:
        return tuple(
            Tensor(cuda.to_host(t.array[index])) if isinstance(t, Tensor) else t[index]
            for t in self.tensors
        )

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class Subset(Dataset):
    """Dataset of those samples of another dataset that have the given indices."""

    def __init__(self, dataset: Dataset, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """Concatenation of datasets."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ArgumentAssertionError("ConcatDataset: datasets must not be empty")
        self.cumulative_sizes = list(accumulate(len(d) for d in self.datasets))

    def __getitem__(self, index: int) -> Any:
        size = len(self)
        if not -size <= index < size:
            raise IndexRangeError(f"ConcatDataset: index {index} is out of range of {size} samples")
        index = index + size if index < 0 else index
        dataset_index = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[dataset_index][
            index - (self.cumulative_sizes[dataset_index - 1] if dataset_index else 0)
        ]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1] if self.cumulative_sizes else 0


class ComposeDataset(Dataset):
    """Dataset of several datasets: sample i consists of the fields of sample i of every dataset."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        if not len(datasets):
            raise ArgumentAssertionError("ComposeDataset: datasets must not be empty")
        if len({len(d) for d in datasets}) > 1:
            raise ArgumentAssertionError(
                f"ComposeDataset: the datasets have {[len(d) for d in datasets]} samples"
            )
        self.datasets = list(datasets)

    def __getitem__(self, index: int) -> Any:
        samples = [d[index] for d in self.datasets]
        return tuple(f for s in samples for f in (s if isinstance(s, list | tuple) else (s,)))

    def __len__(self) -> int:
        return len(self.datasets[0])


class ChainDataset(IterableDataset):
    """Concatenation of iterable datasets."""

    def __init__(self, datasets: Sequence[IterableDataset]) -> None:
        self.datasets = list(datasets)

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            yield from dataset


def random_split(dataset: Dataset, lengths: Sequence[int], generator: Any = None) -> list[Subset]:
    """Split a dataset at random into subsets of the given sizes.

    Raises OpError if they do not sum to its size.
    """
    if sum(lengths) != len(dataset):
        raise OpError(f"random_split: lengths {list(lengths)} do not sum to {len(dataset)} samples")
    order = rng.generator().permutation(len(dataset)).tolist()
    ends = list(accumulate(lengths))
    return [Subset(dataset, order[end - n : end]) for n, end in zip(lengths, ends, strict=True)]
