"""Readers for training in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...distributed.environment import ParallelEnv

__all__ = ["distributed_batch_reader"]


def distributed_batch_reader(batch_reader: Callable[[], Any]) -> Callable[[], Iterator[Any]]:
    """A reader of the batches of this process: of every `world_size` batches in a row, number
    `rank`; an incomplete row is left out.
    """

    def mine() -> Iterator[Any]:
        world = ParallelEnv()
        row: list[Any] = []
        for batch in batch_reader():
            row.append(batch)
            if len(row) == world.world_size:
                yield row[world.rank]
                row = []

    return mine
