"""Datasets, samplers and loaders."""

from collections.abc import Iterator

import numpy as np

import oarlock as paddle
from oarlock.io import BatchSampler, DataLoader, Dataset, IterableDataset, TensorDataset


class Squares(Dataset):
    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return np.float32(index) ** 2 * np.ones(2, "float32"), index

    def __len__(self) -> int:
        return 8


class Stream(IterableDataset):
    def __iter__(self) -> Iterator[np.ndarray]:
        yield np.zeros(3, "float32")


data = Squares()
loader = DataLoader(data, batch_size=4, shuffle=True, drop_last=False, num_workers=0)
for x, y in loader:
    print(x.shape, y.shape)
print(len(loader), len(BatchSampler(data, batch_size=2)))
print(next(iter(DataLoader(Stream(), batch_size=1))))
print(len(TensorDataset([paddle.zeros([4, 2]), paddle.ones([4])])))
