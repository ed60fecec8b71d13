"""The processes that train together, as layers, samplers and ops ask for them.

One process is the only one of its world until `distributed.init_parallel_env` says otherwise;
`distributed/` has the engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

SUM, MAX, MIN, PROD, AVG = range(5)  # the numbers of Paddle's ReduceOp
REDUCE_OP_NAMES = ("SUM", "MAX", "MIN", "PROD", "AVG")


Messages = Sequence[tuple[int, Any]]  # ranks, each with an array


class Work(Protocol):
    """Something that ranks do together and that was begun."""

    def is_completed(self) -> bool:
        """Whether it is done; lets the engine go on with it."""
        ...

    def wait(self) -> None:
        """Come back when it is done."""
        ...


class CompletedWork:
    """Work that is done."""

    def is_completed(self) -> bool:
        """Yes."""
        return True

    def wait(self) -> None:
        """At once."""


class Communicator(Protocol):
    """Some ranks that exchange arrays.   All of them call the same methods in the same order.

    Arrays are contiguous.  Each method begins its work and gives it back; arrays may be touched
    again when it is done. Lists have one array per rank.
    """

    rank: int
    size: int
    ranks: tuple[int, ...]  # by their numbers in the world

    def broadcast(self, array: Any, root: int) -> Work:
        """Make `array` that of `root`."""
        ...

    def all_reduce(self, array: Any, op: int) -> Work:
        """Make `array` the sum, or the like, of those of all ranks."""
        ...

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """The same for `root` alone; what others hold then is not said."""
        ...

    def all_gather(self, array: Any, into: Any) -> Work:
        """Put the arrays of all ranks into `into` [size, *]."""
        ...

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Put part number `rank` of `arrays` [size, *], which `root` has and others give None for,
        into `into`.
        """
        ...

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Send part number i of `arrays` [size, *] to rank i; `into` [size, *] gets what
        they sent.
        """
        ...

    def send(self, array: Any, to: int) -> Work:
        """Send to rank `to`, which receives."""
        ...

    def recv(self, array: Any, source: int) -> Work:
        """Receive what rank `source` sends."""
        ...

    def exchange(self, sent: Messages, got: Messages) -> Work:
        """Send and receive at once, each with the rank that it goes to or comes from: none waits
        for another.
        """
        ...

    def barrier(self) -> Work:
        """Wait for all."""
        ...

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Some of these as a world of their own, None where this one is not among them.

        All call it.
        """
        ...


class SingleProcess:
    """The world of one process."""

    rank, size = 0, 1
    ranks: tuple[int, ...] = (0,)

    def broadcast(self, array: Any, root: int) -> Work:
        """Nothing to do."""
        return CompletedWork()

    def all_reduce(self, array: Any, op: int) -> Work:
        """Nothing to do."""
        return CompletedWork()

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Nothing to do."""
        return CompletedWork()

    def all_gather(self, array: Any, into: Any) -> Work:
        """The only part."""
        into[0] = array
        return CompletedWork()

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """The only part."""
        into[...] = arrays[0]
        return CompletedWork()

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """The only part."""
        into[0] = arrays[0]
        return CompletedWork()

    def send(self, array: Any, to: int) -> Work:
        """Nobody is there.   Raises RuntimeError."""
        raise RuntimeError("there is no other process")

    recv = send

    def exchange(self, sent: Messages, got: Messages) -> Work:
        """Nobody is there."""
        return CompletedWork()

    def barrier(self) -> Work:
        """Nobody to wait for."""
        return CompletedWork()

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Itself."""
        return self


class World:
    """The groups of ranks of this process by Paddle's `ring_id`; 0 is everybody."""

    def __init__(self) -> None:
        self.groups: dict[int, Communicator] = {0: SingleProcess()}
        self.initialized = False

    @property
    def everybody(self) -> Communicator:
        """All ranks."""
        return self.groups[0]


world = World()
