"""Ranks that MPI connects, through mpi4py: on one machine or on many."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.communicator import AVG, REDUCE_OP_NAMES, Communicator, Messages, Work
from ..core.dtype import is_half
from ..core.errors import OpError, with_user_line
from .kinds import check_op
from .waiting import wait_for

_TAGS = 0x7FFF  # the numbers that every MPI has for tags


class Asked:
    """Work that MPI has begun.   done: what is left to do when it is over."""

    def __init__(
        self,
        request: Any,
        what: str,
        ranks: tuple[int, ...],
        done: Callable[[], None] | None = None,
    ) -> None:
        self._request, self._what, self._ranks, self._done = request, what, ranks, done

    def is_completed(self) -> bool:
        """Take part in the collective operation."""
        if self._request is not None and self._request.Test():
            self._request = None
            if self._done is not None:
                self._done()
        return self._request is None

    def wait(self) -> None:
        """Take part in the collective operation."""
        wait_for(self.is_completed, self._what, self._ranks)


class Arriving:
    """A message that is expected.

    It is looked at before it is taken: one of another shape or dtype is refused.
    """

    def __init__(self, mpi: Mpi, array: Any, source: int) -> None:
        self._mpi, self._array, self._source = mpi, array, source
        self._request: Any = None

    def is_completed(self) -> bool:
        """See Work.   Raises OpError for a message that does not fit."""
        if self._array is None:
            return True
        if self._request is None:
            found = self._mpi.arrived(self._source)
            if found is None:
                return False
            if found[1] != tag_of(self._array):
                kind = f"{self._array.dtype}{list(self._array.shape)}"
                sender = self._mpi.ranks[self._source]
                raise OpError(with_user_line(f"distributed.recv: rank {sender} sends no {kind}"))
            self._request = found[0].Irecv(_bytes(self._array))
        if self._request.Test():
            self._array = None
        return self._array is None

    def wait(self) -> None:
        """Take part in the collective operation."""
        wait_for(self.is_completed, "recv", (self._mpi.ranks[self._source],))


class All:
    """Several pieces of work as one."""

    def __init__(self, work: Sequence[Work]) -> None:
        self._work = work

    def is_completed(self) -> bool:
        """Take part in the collective operation."""
        # Poll each request: that lets MPI make progress.
        left = [w for w in self._work if not w.is_completed()]
        return not left

    def wait(self) -> None:
        """Take part in the collective operation."""
        for work in self._work:
            work.wait()


class Mpi:
    """A communicator of MPI.   See core.communicator.Communicator for the methods.

    Nothing here blocks inside MPI: so signals arrive, waiting has an end, and who waits can say for
    what. Half precision travels as its bytes, and is added up as float32.
    """

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI  # noqa: PLC0415 - an extra

        self._comm, self._mpi = comm, MPI
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        world = MPI.COMM_WORLD.Get_group()
        self.ranks = tuple(comm.Get_group().Translate_ranks(range(self.size), world))

    def broadcast(self, array: Any, root: int) -> Work:
        """Perform broadcast among the ranks of the group."""
        return self._asked(self._comm.Ibcast(_bytes(array), root), "broadcast")

    def all_reduce(self, array: Any, op: int) -> Work:
        """Perform all reduce among the ranks of the group."""
        held, how, done = self._summable(array, op)
        return self._asked(self._comm.Iallreduce(self._mpi.IN_PLACE, held, how), "all_reduce", done)

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Perform reduce among the ranks of the group."""
        held, how, done = self._summable(array, op)
        here = self.rank == root
        given = (self._mpi.IN_PLACE, held) if here else (held, None)
        return self._asked(self._comm.Ireduce(*given, how, root), "reduce", done if here else None)

    def all_gather(self, array: Any, into: Any) -> Work:
        """Perform all gather among the ranks of the group."""
        return self._asked(self._comm.Iallgather(_bytes(array), _bytes(into)), "all_gather")

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Perform scatter among the ranks of the group."""
        given = _bytes(arrays) if self.rank == root else None
        return self._asked(self._comm.Iscatter(given, _bytes(into), root), "scatter")

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Perform all to all among the ranks of the group."""
        return self._asked(self._comm.Ialltoall(_bytes(arrays), _bytes(into)), "alltoall")

    def send(self, array: Any, to: int) -> Work:
        """Perform send among the ranks of the group."""
        return Asked(self._comm.Isend(_bytes(array), to, tag_of(array)), "send", (self.ranks[to],))

    def recv(self, array: Any, source: int) -> Work:
        """Perform recv among the ranks of the group."""
        return Arriving(self, array, source)

    def exchange(self, sent: Messages, got: Messages) -> Work:
        """Perform exchange among the ranks of the group."""
        return All(
            [
                *(self.recv(array, source) for source, array in got),
                *(self.send(array, to) for to, array in sent),
            ]
        )

    def arrived(self, source: int) -> Any:
        """A message that rank `source` has sent and its tag, None while there is none."""
        status = self._mpi.Status()
        message = self._comm.Improbe(source, self._mpi.ANY_TAG, status)
        return None if message is None else (message, status.Get_tag())

    def barrier(self) -> Work:
        """Perform barrier among the ranks of the group."""
        return self._asked(self._comm.Ibarrier(), "barrier")

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Perform split among the ranks of the group."""
        mine = self.rank in ranks
        # making one blocks, which nobody could wake us from
        self._asked(self._comm.Ibarrier(), "new_group").wait()
        color, key = (0, list(ranks).index(self.rank)) if mine else (self._mpi.UNDEFINED, 0)
        made = self._comm.Split(color, key)
        return Mpi(made) if mine else None

    def abort(self) -> None:
        """End all ranks of the world."""
        self._mpi.COMM_WORLD.Abort(1)

    def _asked(self, request: Any, what: str, done: Callable[[], None] | None = None) -> Asked:
        return Asked(request, what, self.ranks, done)

    def _summable(self, array: Any, op: int) -> tuple[Any, Any, Callable[[], None] | None]:
        """`array` or a copy that MPI can add up, MPI's name for how, and what makes the result of
        it.
        """
        check_op(array, op)
        how = getattr(self._mpi, "SUM" if op == AVG else REDUCE_OP_NAMES[op])
        half = is_half(array.dtype)
        held = (
            array.astype(np.float32)
            if half
            else array.view(np.uint8)
            if array.dtype == bool
            else array
        )

        def done() -> None:
            if op == AVG:
                np.divide(held, self.size, out=held)
            if half:
                array[...] = held

        return held, how, done if half or op == AVG else None


def tag_of(array: Any) -> int:
    """A number that stands for shape and dtype: what MPI lets a message carry besides its bytes."""
    return zlib.crc32(f"{array.dtype}{array.shape}".encode()) & _TAGS


def _bytes(array: Any) -> Any:
    """What MPI moves without asking what it means."""
    return array.reshape(-1).view(np.uint8) if array.size else np.empty(0, np.uint8)


def started() -> Mpi:
    """All ranks that MPI's launcher started."""
    import mpi4py  # noqa: PLC0415 - an extra

    mpi4py.rc.initialize = mpi4py.rc.finalize = False
    from mpi4py import MPI  # noqa: PLC0415

    if not MPI.Is_initialized():
        MPI.Init_thread(MPI.THREAD_MULTIPLE)
    return Mpi(MPI.COMM_WORLD.Dup())
