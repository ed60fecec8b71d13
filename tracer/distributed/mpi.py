"""The communicator that uses MPI through mpi4py, on one or several machines."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.communicator import AVG, REDUCE_OP_NAMES, Communicator, RankArrayPairs, Work
from ..core.dtype import is_half
from ..core.errors import OpError, append_user_line
from .reduce_op import check_reduce_op_supports_dtype
from .wait_status import wait_for

_MAX_TAG = 0x7FFF  # the largest tag that every MPI implementation supports


class MpiWork:
    """A started MPI operation.  on_completion: called once when it is finished"""

    def __init__(
        self,
        request: Any,
        name: str,
        ranks: tuple[int, ...],
        on_completion: Callable[[], None] | None = None,
    ) -> None:
        self._request, self._name, self._ranks = request, name, ranks
        self._on_completion = on_completion

    def is_completed(self) -> bool:
        """Return whether the operation is finished. A call also makes progress on the operation."""
        if self._request is not None and self._request.Test():
            self._request = None
            if self._on_completion is not None:
                self._on_completion()
        return self._request is None

    def wait(self) -> None:
        """Wait until the operation is finished."""
        wait_for(self.is_completed, self._name, self._ranks)


class RecvWork:
    """The operation of receiving one message.

    The message is probed first: another shape or dtype raises OpError.
    """

    def __init__(self, mpi: MpiCommunicator, array: Any, source: int) -> None:
        self._mpi, self._array, self._source = mpi, array, source
        self._request: Any = None

    def is_completed(self) -> bool:
        """Return whether the message has arrived. A call also makes progress on receiving it.

        Raises OpError for a message of another shape or dtype.
        """
        if self._array is None:
            return True
        if self._request is None:
            probed = self._mpi.match_arrived_message(self._source)
            if probed is None:
                return False
            message, tag = probed
            if tag != shape_dtype_tag(self._array):
                meta = f"{self._array.dtype}{list(self._array.shape)}"
                sender = self._mpi.ranks[self._source]
                raise OpError(
                    append_user_line(
                        f"distributed.recv: the message of rank {sender} has another shape or "
                        f"dtype than the tensor ({meta})"
                    )
                )
            self._request = message.Irecv(_as_bytes(self._array))
        if self._request.Test():
            self._array = None
        return self._array is None

    def wait(self) -> None:
        """Wait until the operation is finished."""
        wait_for(self.is_completed, "recv", (self._mpi.ranks[self._source],))


class CombinedWork:
    """Several MPI operations that are waited for as one."""

    def __init__(self, work: Sequence[Work]) -> None:
        self._work = work

    def is_completed(self) -> bool:
        """Return whether the operation is finished. A call also makes progress on the operation."""
        # Test every request, even if an earlier one is pending, because each test lets MPI make
        # progress.
        pending = [w for w in self._work if not w.is_completed()]
        return not pending

    def wait(self) -> None:
        """Wait until the operation is finished."""
        for work in self._work:
            work.wait()


class MpiCommunicator:
    """Implements core.communicator.Communicator with MPI.

    It uses nonblocking calls only, so that signals are handled, timeouts work and the launcher can
    report what a rank waits for. Half precision is sent as bytes and reduced as float32.
    """

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI  # noqa: PLC0415 - an extra

        self._comm, self._mpi = comm, MPI
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        world = MPI.COMM_WORLD.Get_group()
        self.ranks = tuple(comm.Get_group().Translate_ranks(range(self.size), world))

    def broadcast(self, array: Any, root: int) -> Work:
        """Copy `array` of rank `root` to `array` of all other ranks."""
        return self._wrap_request(self._comm.Ibcast(_as_bytes(array), root), "broadcast")

    def all_reduce(self, array: Any, op: int) -> Work:
        """Reduce the arrays of all ranks, and store the result in `array` of every rank."""
        buffer, mpi_op, store_reduced_result = self._make_reduce_buffer_op_and_callback(array, op)
        request = self._comm.Iallreduce(self._mpi.IN_PLACE, buffer, mpi_op)
        return self._wrap_request(request, "all_reduce", store_reduced_result)

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Reduce the arrays of all ranks, and store the result in `array` of rank `root`."""
        buffer, mpi_op, store_reduced_result = self._make_reduce_buffer_op_and_callback(array, op)
        is_root = self.rank == root
        buffers = (self._mpi.IN_PLACE, buffer) if is_root else (buffer, None)
        request = self._comm.Ireduce(*buffers, mpi_op, root)
        return self._wrap_request(request, "reduce", store_reduced_result if is_root else None)

    def all_gather(self, array: Any, into: Any) -> Work:
        """Gather `array` of every rank into `into` [size, *] of every rank."""
        return self._wrap_request(
            self._comm.Iallgather(_as_bytes(array), _as_bytes(into)), "all_gather"
        )

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Copy element i of `arrays` [size, *] of rank `root` to `into` of rank i."""
        buffer = _as_bytes(arrays) if self.rank == root else None
        return self._wrap_request(self._comm.Iscatter(buffer, _as_bytes(into), root), "scatter")

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Send element i of `arrays` [size, *] to rank i, and store the element received from rank
        i in element i of `into` [size, *].
        """
        return self._wrap_request(
            self._comm.Ialltoall(_as_bytes(arrays), _as_bytes(into)), "alltoall"
        )

    def send(self, array: Any, to: int) -> Work:
        """Start to send `array` to rank `to`."""
        return MpiWork(
            self._comm.Isend(_as_bytes(array), to, shape_dtype_tag(array)),
            "send",
            (self.ranks[to],),
        )

    def recv(self, array: Any, source: int) -> Work:
        """Start to receive `array` from rank `source`."""
        return RecvWork(self, array, source)

    def batch_send_recv(self, sent: RankArrayPairs, got: RankArrayPairs) -> Work:
        """Send and receive several arrays at once without deadlock."""
        return CombinedWork(
            [
                *(self.recv(array, source) for source, array in got),
                *(self.send(array, to) for to, array in sent),
            ]
        )

    def match_arrived_message(self, source: int) -> Any:
        """Return a message from rank `source` that has arrived, and its tag. Return None if no
        message has arrived.
        """
        status = self._mpi.Status()
        message = self._comm.Improbe(source, self._mpi.ANY_TAG, status)
        return None if message is None else (message, status.Get_tag())

    def barrier(self) -> Work:
        """Wait for all ranks."""
        return self._wrap_request(self._comm.Ibarrier(), "barrier")

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Create a communicator of some ranks; return None if this rank is not one of these
        ranks.
        """
        is_member = self.rank in ranks
        # Wait first until all ranks have called this method, because MPI's Split blocks and cannot
        # be interrupted.
        self._wrap_request(self._comm.Ibarrier(), "new_group").wait()
        color, key = (0, list(ranks).index(self.rank)) if is_member else (self._mpi.UNDEFINED, 0)
        comm = self._comm.Split(color, key)
        return MpiCommunicator(comm) if is_member else None

    def abort(self) -> None:
        """Terminate all ranks of the job."""
        self._mpi.COMM_WORLD.Abort(1)

    def _wrap_request(
        self, request: Any, name: str, on_completion: Callable[[], None] | None = None
    ) -> MpiWork:
        return MpiWork(request, name, self.ranks, on_completion)

    def _make_reduce_buffer_op_and_callback(
        self, array: Any, op: int
    ) -> tuple[Any, Any, Callable[[], None] | None]:
        """Return three values for the reduction of `array`: a buffer in a dtype that MPI can
        reduce, the MPI operation, and a callback that stores the result in `array`. The callback is
        None if the buffer is a view of `array`.
        """
        check_reduce_op_supports_dtype(array, op)
        mpi_op = getattr(self._mpi, "SUM" if op == AVG else REDUCE_OP_NAMES[op])
        half = is_half(array.dtype)
        buffer = (
            array.astype(np.float32)
            if half
            else array.view(np.uint8)
            if array.dtype == bool
            else array
        )

        def store_reduced_result() -> None:
            if op == AVG:
                np.divide(buffer, self.size, out=buffer)
            if half:
                array[...] = buffer

        return buffer, mpi_op, store_reduced_result if half or op == AVG else None


def shape_dtype_tag(array: Any) -> int:
    """Return a hash of the shape and dtype of an array. The hash of shape and dtype is sent as MPI
    tag, so that the receiver can check the shape and dtype.
    """
    return zlib.crc32(f"{array.dtype}{array.shape}".encode()) & _MAX_TAG


def _as_bytes(array: Any) -> Any:
    """Return the array as a flat array of bytes."""
    return array.reshape(-1).view(np.uint8) if array.size else np.empty(0, np.uint8)


def create_world_communicator() -> MpiCommunicator:
    """Initialize MPI and return the communicator of all ranks."""
    import mpi4py  # noqa: PLC0415 - an extra

    mpi4py.rc.initialize = mpi4py.rc.finalize = False
    from mpi4py import MPI  # noqa: PLC0415

    if not MPI.Is_initialized():
        MPI.Init_thread(MPI.THREAD_MULTIPLE)
    return MpiCommunicator(MPI.COMM_WORLD.Dup())
