"""The engine that fits an array: NCCL for those on a GPU, MPI for all others; or what the
environment says.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..core import cuda
from ..core.communicator import Communicator, Messages, Work
from ..core.errors import OarlockError, with_user_line
from .mpi import Mpi
from .nccl import Nccl, library

BACKEND = "OARLOCK_DISTRIBUTED_BACKEND"
_WORDS = ("", "mpi", "nccl")


def check_backend() -> None:
    """Raise OarlockError where the environment asks for an engine that nobody knows, or that is not
    there.
    """
    said = os.environ.get(BACKEND, "")
    if said not in _WORDS:
        raise OarlockError(
            with_user_line(f"init_parallel_env: {BACKEND}={said!r} is neither 'mpi' nor 'nccl'")
        )
    if said == "nccl":
        library()


class Staged:
    """Work on copies in the processor's memory.

    back: arrays of a GPU, each with the copy that it gets in the end
    """

    def __init__(self, work: Work, back: list[tuple[Any, Any]]) -> None:
        self._work, self._back = work, back

    def is_completed(self) -> bool:
        """Take part in the collective operation."""
        if not self._work.is_completed():
            return False
        back, self._back = self._back, []
        for array, copy in back:
            array[...] = cuda.to_device(copy, cuda.index_of(array))
        return True

    def wait(self) -> None:
        """Take part in the collective operation."""
        self._work.wait()
        self.is_completed()


class ByPlace:
    """Ranks that exchange arrays of the processor by MPI, and arrays of a GPU by NCCL; see
    core.communicator.Communicator.

    NCCL's own communicator is made when the first array of a GPU comes by, which is at the same
    call on all ranks.  With OARLOCK_DISTRIBUTED_BACKEND=mpi arrays of a GPU go over the processor.
    """

    def __init__(self, mpi: Mpi) -> None:
        self._mpi = mpi
        self._nccl: Nccl | None = None
        self.rank, self.size, self.ranks = mpi.rank, mpi.size, mpi.ranks

    def broadcast(self, array: Any, root: int) -> Work:
        """Perform broadcast among the ranks of the group."""
        return self._by("broadcast", (array,), (0,), root)

    def all_reduce(self, array: Any, op: int) -> Work:
        """Perform all reduce among the ranks of the group."""
        return self._by("all_reduce", (array,), (0,), op)

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Perform reduce among the ranks of the group."""
        return self._by("reduce", (array,), (0,) if self.rank == root else (), root, op)

    def all_gather(self, array: Any, into: Any) -> Work:
        """Perform all gather among the ranks of the group."""
        return self._by("all_gather", (array, into), (1,))

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Perform scatter among the ranks of the group."""
        return self._by("scatter", (arrays, into), (1,), root)

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Perform all to all among the ranks of the group."""
        return self._by("all_to_all", (arrays, into), (1,))

    def send(self, array: Any, to: int) -> Work:
        """Perform send among the ranks of the group."""
        return self._by("send", (array,), (), to)

    def recv(self, array: Any, source: int) -> Work:
        """Perform recv among the ranks of the group."""
        return self._by("recv", (array,), (0,), source)

    def exchange(self, sent: Messages, got: Messages) -> Work:
        """Perform exchange among the ranks of the group."""
        arrays = [array for _, array in (*sent, *got)]
        engine = self._engine(arrays[0]) if arrays else self._mpi
        if engine is not self._mpi or not arrays or cuda.index_of(arrays[0]) is None:
            return engine.exchange(sent, got)
        copies = [(source, cuda.to_host(array)) for source, array in got]
        work = self._mpi.exchange([(to, cuda.to_host(array)) for to, array in sent], copies)
        return Staged(
            work, [(array, copy) for (_, array), (_, copy) in zip(got, copies, strict=True)]
        )

    def barrier(self) -> Work:
        """Perform barrier among the ranks of the group."""
        return self._mpi.barrier()

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Perform split among the ranks of the group."""
        made = self._mpi.split(ranks)
        return ByPlace(made) if isinstance(made, Mpi) else None

    def abort(self) -> None:
        """End all ranks of the world."""
        self._mpi.abort()

    def _by(
        self, method: str, arrays: tuple[Any, ...], written: tuple[int, ...], *rest: int
    ) -> Work:
        """Call a method of the engine that fits.   written: which arrays it writes to"""
        engine = self._engine(arrays[-1])
        if engine is not self._mpi or cuda.index_of(arrays[-1]) is None:
            return getattr(engine, method)(*arrays, *rest)
        copies = [None if a is None else cuda.to_host(a) for a in arrays]
        return Staged(
            getattr(self._mpi, method)(*copies, *rest), [(arrays[i], copies[i]) for i in written]
        )

    def _engine(self, array: Any) -> Any:
        """What carries an array, as far as it is up to its place and the environment."""
        index = cuda.index_of(array)
        if index is None or os.environ.get(BACKEND) == "mpi":
            return self._mpi
        if self._nccl is None:
            self._nccl = Nccl(self._mpi, index)
        return self._nccl
