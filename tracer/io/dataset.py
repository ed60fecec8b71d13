"""Datasets, which return samples by index or iterate over them."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from ..core import cuda, rng
from ..core.errors import ArgumentAssertionError, IndexRangeError, OpError, append_user_line
from ..core.tensor import Tensor
from ..core.type_aliases import Array


class Dataset:
    """Base class of datasets with samples by index.

    Subclasses implement ``__getitem__(index)``, which returns a sample (an array, a number, or a
    tuple, list or dict of them), and ``__len__()``.

    Examples
    --------
    >>> class Squares(paddle.io.Dataset):
    ...     def __getitem__(self, index):
    ...         return np.float32(index), np.float32(index**2)
    ...     def __len__(self):
    ...         return 4
    >>> x, y = next(iter(paddle.io.DataLoader(Squares(), batch_size=4)))
    >>> y.tolist()
    [0.0, 1.0, 4.0, 9.0]
    """

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no __len__")


class IterableDataset(Dataset):
    """Base class of datasets that are iterated. Subclasses implement ``__iter__()``.

    Examples
    --------
    >>> class Squares(paddle.io.IterableDataset):
    ...     def __iter__(self):
    ...         for i in range(4):
    ...             yield np.float32(i**2)
    >>> [batch.tolist() for batch in paddle.io.DataLoader(Squares(), batch_size=3)]
    [[0.0, 1.0, 4.0], [9.0]]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")

    def __getitem__(self, index: int) -> Any:
        raise OpError(
            append_user_line(f"{type(self).__name__}: an IterableDataset has no samples by index")
        )

    def __len__(self) -> int:
        raise TypeError(f"{type(self).__name__}: an IterableDataset has no length")


class TensorDataset(Dataset):
    """Dataset of tensors: sample i is the tuple of the rows i of all tensors.

    Parameters
    ----------
    tensors : list of Tensor or ndarray, each [N, *]

    Raises
    ------
    OpError
        If the numbers of rows differ.

    Examples
    --------
    >>> dataset = paddle.io.TensorDataset([paddle.ones([4, 3]), paddle.arange(4)])
    >>> x, y = dataset[2]
    >>> x.shape, y.item(), len(dataset)
    ([3], 2, 4)
    """

    def __init__(self, tensors: Sequence[Tensor | Array]) -> None:
        if len({t.shape[0] for t in tensors}) > 1:
            raise ArgumentAssertionError(
                append_user_line(
                    f"TensorDataset: the tensors have {[t.shape[0] for t in tensors]} rows"
                )
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
    """Dataset of those samples of another dataset that have the given indices.

    Parameters
    ----------
    dataset : Dataset
    indices : list of int

    Examples
    --------
    >>> dataset = paddle.io.TensorDataset([paddle.arange(10)])
    >>> subset = paddle.io.Subset(dataset, [3, 7])
    >>> len(subset), subset[1][0].item()
    (2, 7)
    """

    def __init__(self, dataset: Dataset, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """Concatenation of datasets: the samples of each one follow those of the previous one.

    Parameters
    ----------
    datasets : list of Dataset
        At least one.

    Raises
    ------
    OpError
        If there are no datasets. An index out of range raises an OpError that is an IndexError.

    Examples
    --------
    >>> a = paddle.io.TensorDataset([paddle.arange(3)])
    >>> b = paddle.io.TensorDataset([paddle.arange(4)])
    >>> both = paddle.io.ConcatDataset([a, b])
    >>> len(both), both[3][0].item()
    (7, 0)
    """

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ArgumentAssertionError(
                append_user_line("ConcatDataset: datasets must not be empty")
            )
        self.cumulative_sizes = list(accumulate(len(d) for d in self.datasets))

    def __getitem__(self, index: int) -> Any:
        size = len(self)
        if not -size <= index < size:
            raise IndexRangeError(
                append_user_line(f"ConcatDataset: index {index} is out of range of {size} samples")
            )
        index = index + size if index < 0 else index
        dataset_index = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[dataset_index][
            index - (self.cumulative_sizes[dataset_index - 1] if dataset_index else 0)
        ]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1] if self.cumulative_sizes else 0


class ComposeDataset(Dataset):
    """Dataset whose sample i has the fields of the samples i of several datasets.

    Parameters
    ----------
    datasets : list of Dataset
        At least one; of equal length.

    Raises
    ------
    OpError
        If there are no datasets or their lengths differ.

    Examples
    --------
    >>> a = paddle.io.TensorDataset([paddle.arange(3)])
    >>> b = paddle.io.TensorDataset([paddle.ones([3]), paddle.zeros([3])])
    >>> [field.item() for field in paddle.io.ComposeDataset([a, b])[2]]
    [2, 1.0, 0.0]
    """

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        if not len(datasets):
            raise ArgumentAssertionError(
                append_user_line("ComposeDataset: datasets must not be empty")
            )
        if len({len(d) for d in datasets}) > 1:
            raise ArgumentAssertionError(
                append_user_line(
                    f"ComposeDataset: the datasets have {[len(d) for d in datasets]} samples"
                )
            )
        self.datasets = list(datasets)

    def __getitem__(self, index: int) -> Any:
        samples = [d[index] for d in self.datasets]
        return tuple(f for s in samples for f in (s if isinstance(s, list | tuple) else (s,)))

    def __len__(self) -> int:
        return len(self.datasets[0])


class ChainDataset(IterableDataset):
    """Concatenation of iterable datasets.

    Parameters
    ----------
    datasets : list of IterableDataset

    Examples
    --------
    >>> class Numbers(paddle.io.IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(2))
    >>> list(paddle.io.ChainDataset([Numbers(), Numbers()]))
    [0, 1, 0, 1]
    """

    def __init__(self, datasets: Sequence[IterableDataset]) -> None:
        self.datasets = list(datasets)

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            yield from dataset


def random_split(
    dataset: Dataset, lengths: Sequence[int], generator: object = None
) -> list[Subset]:
    """Split a dataset at random into subsets of the given sizes.

    Parameters
    ----------
    dataset : Dataset
    lengths : list of int
        The sizes; their sum is the size of the dataset.
    generator : optional
        Not used; `paddle.seed` makes the split reproducible.

    Returns
    -------
    list of Subset

    Raises
    ------
    OpError
        If the sizes do not sum to that of the dataset.

    Examples
    --------
    >>> dataset = paddle.io.TensorDataset([paddle.arange(10)])
    >>> train, test = paddle.io.random_split(dataset, [8, 2])
    >>> len(train), len(test)
    (8, 2)
    """
    if sum(lengths) != len(dataset):
        raise OpError(
            append_user_line(
                f"random_split: lengths {list(lengths)} do not sum to {len(dataset)} samples"
            )
        )
    order = rng.generator().permutation(len(dataset)).tolist()
    ends = list(accumulate(lengths))
    return [Subset(dataset, order[end - n : end]) for n, end in zip(lengths, ends, strict=True)]
