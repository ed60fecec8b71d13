"""Readers for distributed training."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...distributed.environment import ParallelEnv

__all__ = ["distributed_batch_reader"]


def distributed_batch_reader(batch_reader: Callable[[], Any]) -> Callable[[], Iterator[Any]]:
    """Return a reader of the batches for this process. Of each group of `world_size` consecutive
    batches, the reader returns the batch with index `rank`. An incomplete last group is dropped.
    """

    def reader() -> Iterator[Any]:
        env = ParallelEnv()
        group: list[Any] = []
        for batch in batch_reader():
            group.append(batch)
            if len(group) == env.world_size:
                yield group[env.rank]
                group = []

    return reader
