"""The process group of distributed training, which layers, samplers and ops use to exchange arrays.

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
        """Return whether the communication operation is finished. A call of `is_completed` also
        makes progress on the operation.
        """
        ...

    def wait(self) -> None:
        """Wait until the communication operation is finished."""
        ...


class CompletedWork:
    """A communication operation that is finished already."""

    def is_completed(self) -> bool:
        """Return True, because the operation is finished."""
        return True

    def wait(self) -> None:
        """Return at once, because the operation is finished."""


class Communicator(Protocol):
    """A group of processes (ranks) that exchange arrays. All ranks must call the same methods in
    the same order.

    Arrays are contiguous. Each method starts an operation and returns it; the arrays must not be
    used until it is finished. Lists have one array per rank.
    """

    rank: int
    size: int
    ranks: tuple[int, ...]  # the global ranks of the members

    def broadcast(self, array: Any, root: int) -> Work:
        """Copy `array` of rank `root` to `array` of all other ranks."""
        ...

    def all_reduce(self, array: Any, op: int) -> Work:
        """Reduce the arrays of all ranks, and store the result in `array` of every rank."""
        ...

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Reduce the arrays of all ranks, and store the result in `array` of rank `root`. The
        arrays of the other ranks are undefined afterwards.
        """
        ...

    def all_gather(self, array: Any, into: Any) -> Work:
        """Gather `array` of every rank into `into` [size, *] of every rank."""
        ...

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Copy element i of `arrays` [size, *] of rank `root` to `into` of rank i; the other ranks
        pass None for `arrays`.
        """
        ...

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Send element i of `arrays` to rank i, and store the element received from rank i in
        element i of `into`.
        """
        ...

    def send(self, array: Any, to: int) -> Work:
        """Start to send `array` to rank `to`."""
        ...

    def recv(self, array: Any, source: int) -> Work:
        """Start to receive `array` from rank `source`."""
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
        """Create a group that contains only the given ranks. All ranks must call `split`; ranks
        that are not in `ranks` get None.
        """
        ...


class SingleProcessCommunicator:
    """The process group of a program that runs as a single process."""

    rank, size = 0, 1
    ranks: tuple[int, ...] = (0,)

    def broadcast(self, array: Any, root: int) -> Work:
        """Do nothing: a group of one process has nothing to exchange."""
        return CompletedWork()

    def all_reduce(self, array: Any, op: int) -> Work:
        """Do nothing: a group of one process has nothing to exchange."""
        return CompletedWork()

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Do nothing: a group of one process has nothing to exchange."""
        return CompletedWork()

    def all_gather(self, array: Any, into: Any) -> Work:
        """Copy the array of this process, the only one of the group, to `into`."""
        into[0] = array
        return CompletedWork()

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Copy the array of this process, the only one of the group, to `into`."""
        into[...] = arrays[0]
        return CompletedWork()

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Copy the array of this process, the only one of the group, to `into`."""
        into[0] = arrays[0]
        return CompletedWork()

    def send(self, array: Any, to: int) -> Work:
        """Raise RuntimeError, because a group of one process has no rank to exchange arrays
        with.
        """
        raise RuntimeError("there is no other process")

    recv = send

    def batch_send_recv(self, sent: RankArrayPairs, got: RankArrayPairs) -> Work:
        """Do nothing: a group of one process has no other rank, so `sent` and `got` must be
        empty.
        """
        return CompletedWork()

    def barrier(self) -> Work:
        """Do nothing: a group of one process has nothing to exchange."""
        return CompletedWork()

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Return this communicator itself, because `ranks` can only contain the one process."""
        return self


class CommunicatorsByRingId:
    """The process groups of which this process is a member, by Paddle's `ring_id`. The group with
    `ring_id` 0 contains all ranks.
    """

    def __init__(self) -> None:
        self.groups: dict[int, Communicator] = {0: SingleProcessCommunicator()}
        self.is_initialized = False

    @property
    def global_communicator(self) -> Communicator:
        """The process group of all ranks, which has the `ring_id` 0."""
        return self.groups[0]


process_groups = CommunicatorsByRingId()
