"""The process group of distributed training; layers, samplers and ops use it.

The group has one process until `distributed.init_parallel_env` is called. `distributed/` contains
the implementations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

SUM, MAX, MIN, PROD, AVG = range(5)  # values of Paddle's ReduceOp
REDUCE_OP_NAMES = ("SUM", "MAX", "MIN", "PROD", "AVG")


RankArrayPairs = Sequence[tuple[int, Any]]  # pairs of rank and array


class Work(Protocol):
    """An asynchronous collective operation."""

    def is_completed(self) -> bool:
        """Whether the operation is finished. A call also makes progress on it."""
        ...

    def wait(self) -> None:
        """Wait until it is finished."""
        ...


class CompletedWork:
    """A finished operation."""

    def is_completed(self) -> bool:
        """True."""
        return True

    def wait(self) -> None:
        """Return at once."""


class Communicator(Protocol):
    """A group of ranks that exchange arrays. All ranks call the same methods in the same order.

    Arrays are contiguous. Each method starts an operation and returns it; the arrays must not be
    used until it is finished. Lists have one array per rank.
    """

    rank: int
    size: int
    ranks: tuple[int, ...]  # global ranks

    def broadcast(self, array: Any, root: int) -> Work:
        """Copy the array of rank `root` to `array`."""
        ...

    def all_reduce(self, array: Any, op: int) -> Work:
        """Reduce the arrays of all ranks into `array`."""
        ...

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Reduce the arrays of all ranks into the array of rank `root`; the other arrays are
        undefined afterwards.
        """
        ...

    def all_gather(self, array: Any, into: Any) -> Work:
        """Gather the arrays of all ranks into `into` [size, *]."""
        ...

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Copy element `rank` of the `arrays` [size, *] of `root` to `into`; other ranks pass
        None.
        """
        ...

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Send element i of `arrays` [size, *] to rank i; `into` [size, *] receives their
        elements.
        """
        ...

    def send(self, array: Any, to: int) -> Work:
        """Send to rank `to`."""
        ...

    def recv(self, array: Any, source: int) -> Work:
        """Receive from rank `source`."""
        ...

    def batch_send_recv(self, sent: RankArrayPairs, got: RankArrayPairs) -> Work:
        """Send and receive several arrays at once, without deadlock.

        sent, got: pairs of rank and array.
        """
        ...

    def barrier(self) -> Work:
        """Wait for all ranks."""
        ...

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Create a group of some of the ranks. All ranks must call it; ranks outside of the
        group get None.
        """
        ...


class SingleProcessCommunicator:
    """The group of one process."""

    rank, size = 0, 1
    ranks: tuple[int, ...] = (0,)

    def broadcast(self, array: Any, root: int) -> Work:
        """No-op."""
        return CompletedWork()

    def all_reduce(self, array: Any, op: int) -> Work:
        """No-op."""
        return CompletedWork()

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """No-op."""
        return CompletedWork()

    def all_gather(self, array: Any, into: Any) -> Work:
        """Copy the only array to `into`."""
        into[0] = array
        return CompletedWork()

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Copy the only array to `into`."""
        into[...] = arrays[0]
        return CompletedWork()

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Copy the only array to `into`."""
        into[0] = arrays[0]
        return CompletedWork()

    def send(self, array: Any, to: int) -> Work:
        """Raises RuntimeError: there is no other process."""
        raise RuntimeError("there is no other process")

    recv = send

    def batch_send_recv(self, sent: RankArrayPairs, got: RankArrayPairs) -> Work:
        """No-op: there is no other rank, so `sent` and `got` must be empty."""
        return CompletedWork()

    def barrier(self) -> Work:
        """No-op."""
        return CompletedWork()

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """This group."""
        return self


class CommunicatorsByRingId:
    """The groups of this process, by Paddle's `ring_id`. Group 0 has all ranks."""

    def __init__(self) -> None:
        self.groups: dict[int, Communicator] = {0: SingleProcessCommunicator()}
        self.is_initialized = False

    @property
    def global_communicator(self) -> Communicator:
        """The group of all ranks."""
        return self.groups[0]


process_groups = CommunicatorsByRingId()
