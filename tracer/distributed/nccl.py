"""Ranks whose arrays are on GPUs, which NCCL connects, through CuPy.

MPI brings them together: it carries NCCL's identity of a group.

NCCL works on a stream of its own, behind what the stream of the kernels has been given so far.
Nobody blocks inside it: work is over when an event says so, and waiting for it is as with MPI: with
an end, and known to the launcher.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core import cuda
from ..core.communicator import AVG, REDUCE_OP_NAMES, Communicator, Messages, Work
from ..core.dtype import is_half
from ..core.errors import OarlockError, OpError, with_user_line
from .kinds import check_op
from .mpi import Mpi
from .waiting import wait_for

_IDENTITY = 128  # bytes
# How NCCL calls dtypes; complex numbers are twice as many of their parts.
_TYPES = {
    "int8": "INT8",
    "uint8": "UINT8",
    "int32": "INT32",
    "uint32": "UINT32",
    "int64": "INT64",
    "uint64": "UINT64",
    "float32": "FLOAT32",
    "float64": "FLOAT64",
    "complex64": "FLOAT32",
    "complex128": "FLOAT64",
}


class Launched:
    """Work that NCCL was given.

    held: arrays that have to stay until it is over; done: what is left to do then.
    """

    def __init__(
        self,
        event: Any,
        what: str,
        ranks: tuple[int, ...],
        held: Any,
        done: Callable[[], None] | None,
    ) -> None:
        self._event, self._what, self._ranks, self._held, self._done = (
            event,
            what,
            ranks,
            held,
            done,
        )

    def is_completed(self) -> bool:
        """Take part in the collective operation."""
        if self._event is not None and self._event.done:
            self._event = self._held = None
            if self._done is not None:
                self._done()
        return self._event is None

    def wait(self) -> None:
        """Take part in the collective operation."""
        wait_for(self.is_completed, self._what, self._ranks)


class Nccl:
    """A communicator of NCCL, of the ranks of one of MPI.

    See core.communicator.Communicator for the methods; arrays are on this rank's GPU.

    Half precision is added up as float32, as with MPI.  What a message holds is not compared by
    `recv`: NCCL's messages carry bytes only.
    """

    def __init__(self, mpi: Mpi, index: int) -> None:
        self._nccl, self._mpi, self._index = library(), mpi, index
        self.rank, self.size, self.ranks = mpi.rank, mpi.size, mpi.ranks
        identity = np.zeros(_IDENTITY, np.int8)
        if self.rank == 0:
            identity[...] = self._nccl.get_unique_id()
        mpi.broadcast(identity, 0).wait()
        with cuda.use_device(index):
            try:
                self._comm = self._nccl.NcclCommunicator(
                    self.size, tuple(map(int, identity)), self.rank
                )
            except RuntimeError as error:  # for example two ranks with one GPU
                why = (
                    f"distributed: NCCL does not connect ranks "
                    f"{', '.join(map(str, self.ranks))}: {error} (this one has gpu:{index})"
                )
                raise OarlockError(with_user_line(why)) from None
            self._stream = cuda.cupy_state.cupy.cuda.Stream(non_blocking=True)

    def broadcast(self, array: Any, root: int) -> Work:
        """Perform broadcast among the ranks of the group."""
        flat = _bytes(array)
        return self._launched(
            "broadcast",
            array,
            lambda s: self._comm.bcast(flat.data.ptr, *self._sized(flat), root, s),
        )

    def all_reduce(self, array: Any, op: int) -> Work:
        """Perform all reduce among the ranks of the group."""
        held, how, done = self._summable(array, op)
        at = held.data.ptr
        return self._launched(
            "all_reduce",
            held,
            lambda s: self._comm.allReduce(at, at, *self._sized(held), how, s),
            done,
        )

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Perform reduce among the ranks of the group."""
        held, how, done = self._summable(array, op)
        at = held.data.ptr
        call = lambda s: self._comm.reduce(at, at, *self._sized(held), how, root, s)  # noqa: E731
        return self._launched("reduce", held, call, done if self.rank == root else None)

    def all_gather(self, array: Any, into: Any) -> Work:
        """Perform all gather among the ranks of the group."""
        flat = _bytes(array)
        call = lambda s: self._comm.allGather(flat.data.ptr, into.data.ptr, *self._sized(flat), s)  # noqa: E731
        return self._launched("all_gather", (array, into), call)

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Perform scatter among the ranks of the group."""
        sent = enumerate(arrays) if self.rank == root else ()
        return self._exchanged("scatter", [(to, part) for to, part in sent], [(root, into)])

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Perform all to all among the ranks of the group."""
        return self._exchanged("alltoall", list(enumerate(arrays)), list(enumerate(into)))

    def send(self, array: Any, to: int) -> Work:
        """Perform send among the ranks of the group."""
        return self._exchanged("send", [(to, array)], [], (self.ranks[to],))

    def recv(self, array: Any, source: int) -> Work:
        """Perform recv among the ranks of the group."""
        return self._exchanged("recv", [], [(source, array)], (self.ranks[source],))

    def exchange(self, sent: Messages, got: Messages) -> Work:
        """Perform exchange among the ranks of the group."""
        return self._exchanged("exchange", sent, got)

    def barrier(self) -> Work:
        """See Communicator.   Of processes; what kernels are still at work on is not waited for."""
        return self._mpi.barrier()

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Perform split among the ranks of the group."""
        made = self._mpi.split(ranks)
        return Nccl(made, self._index) if isinstance(made, Mpi) else None

    def abort(self) -> None:
        """Give up what is under way."""
        self._comm.abort()

    def _exchanged(
        self, what: str, sent: Any, got: Any, ranks: tuple[int, ...] | None = None
    ) -> Work:
        """Messages to and from several ranks at once: one that waited for another would wait for
        ever.
        """
        flat = [(to, _bytes(a)) for to, a in sent], [(source, _bytes(a)) for source, a in got]

        def call(stream: int) -> None:
            self._nccl.groupStart()
            for to, array in flat[0]:
                self._comm.send(array.data.ptr, *self._sized(array), to, stream)
            for source, array in flat[1]:
                self._comm.recv(array.data.ptr, *self._sized(array), source, stream)
            self._nccl.groupEnd()

        return self._launched(what, flat, call, ranks=ranks)

    def _launched(
        self,
        what: str,
        held: Any,
        call: Callable[[int], None],
        done: Callable[[], None] | None = None,
        ranks: Any = None,
    ) -> Work:
        """Give NCCL something to do, behind what kernels were given so far."""
        cupy = cuda.cupy_state.cupy
        with cuda.use_device(self._index):
            ready, event = (
                cupy.cuda.Event(disable_timing=True),
                cupy.cuda.Event(disable_timing=True),
            )
            ready.record(cupy.cuda.get_current_stream())
            self._stream.wait_event(ready)
            call(self._stream.ptr)
            event.record(self._stream)
        return Launched(event, what, ranks or self.ranks, held, done)

    def _sized(self, array: Any) -> tuple[int, int]:
        """How many elements of which kind NCCL is told of."""
        return array.size * (2 if array.dtype.kind == "c" else 1), getattr(
            self._nccl, f"NCCL_{_TYPES[array.dtype.name]}"
        )

    def _summable(self, array: Any, op: int) -> tuple[Any, Any, Callable[[], None] | None]:
        """`array` or a copy that NCCL can add up, NCCL's name for how, and what makes the result of
        it.
        """
        check_op(array, op)
        if array.dtype.kind == "c" and REDUCE_OP_NAMES[op] == "PROD":
            raise OpError(with_user_line(f"distributed: NCCL has no PROD of {array.dtype}"))
        half, name = is_half(array.dtype), array.dtype.name
        wide = {"bool": "uint8", "int16": "int32"}.get(name, "float32" if half else name)
        held = array.view(np.uint8) if name == "bool" else array.astype(wide, copy=False)

        def done() -> None:
            if op == AVG:
                held[...] = held / self.size
            if held.dtype != array.dtype and name != "bool":
                array[...] = held.astype(array.dtype)

        return (
            held,
            getattr(self._nccl, f"NCCL_{'SUM' if op == AVG else REDUCE_OP_NAMES[op]}"),
            done,
        )


def _bytes(array: Any) -> Any:
    """What NCCL moves without asking what it means."""
    return array.reshape(-1).view(np.uint8)


def library() -> Any:
    """CuPy's part for NCCL.   Raises OarlockError where it, or NCCL itself, is not there."""
    cuda.require_cupy("distributed: NCCL")
    try:
        found = importlib.import_module("cupy.cuda.nccl")
    except (ImportError, AttributeError) as error:
        raise OarlockError(with_user_line(_missing(str(error)))) from None
    if not getattr(found, "available", True):
        raise OarlockError(with_user_line(_missing("CuPy was built without it")))
    return found


def _missing(why: str) -> str:
    return (
        f"distributed: tensors on GPUs travel by NCCL, which is not there ({why}): pip "
        f"install oarlock[gpu-train]"
    )
