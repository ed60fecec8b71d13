"""Datasets, samplers and the loader that makes batches of them."""

from .dataloader import DataLoader, default_collate_fn
from .dataset import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .sampler import BatchSampler, RandomSampler, Sampler, SequenceSampler

__all__ = [
    "BatchSampler", "ChainDataset", "ComposeDataset", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler",
    "Sampler", "SequenceSampler", "Subset", "TensorDataset", "default_collate_fn", "random_split",
]  # fmt: skip
