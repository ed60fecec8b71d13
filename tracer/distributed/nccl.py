"""The communicator for GPU arrays, which uses NCCL through CuPy.

MPI broadcasts NCCL's unique id of a group. NCCL runs on its own stream, after the kernels that were
launched before. An event marks the end of an operation; waiting for it has a timeout and is
reported to the launcher, as with MPI.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core import cuda
from ..core.communicator import AVG, REDUCE_OP_NAMES, Communicator, RankArrayPairs, Work
from ..core.dtype import is_half
from ..core.errors import OarlockError, OpError, append_user_line
from .mpi import MpiCommunicator
from .reduce_op import check_reduce_op_supports_dtype
from .wait_status import wait_for

_UNIQUE_ID_BYTES = 128  # bytes
# Dtype -> the name of its NCCL data type. A complex number is sent as two real numbers.
_NCCL_TYPES = {
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


class NcclWork:
    """A started NCCL operation.

    arrays: kept alive until it is finished.
    on_completion: called once when it is finished.
    """

    def __init__(
        self,
        event: Any,
        name: str,
        ranks: tuple[int, ...],
        arrays: Any,
        on_completion: Callable[[], None] | None,
    ) -> None:
        self._event, self._name, self._ranks = event, name, ranks
        self._arrays, self._on_completion = arrays, on_completion

    def is_completed(self) -> bool:
        """Return whether the operation is finished. A call also makes progress on the operation."""
        if self._event is not None and self._event.done:
            self._event = self._arrays = None
            if self._on_completion is not None:
                self._on_completion()
        return self._event is None

    def wait(self) -> None:
        """Wait until the operation is finished."""
        wait_for(self.is_completed, self._name, self._ranks)


class NcclCommunicator:
    """Implements the protocol core.communicator.Communicator for arrays on the GPU of this rank.

    It has the ranks of an MPI communicator. Half precision is reduced as float32, as with MPI.
    `recv` does not check shape and dtype, because NCCL's messages have no tag.
    """

    def __init__(self, mpi: MpiCommunicator, index: int) -> None:
        self._nccl, self._mpi, self._index = import_nccl(), mpi, index
        self.rank, self.size, self.ranks = mpi.rank, mpi.size, mpi.ranks
        unique_id = np.zeros(_UNIQUE_ID_BYTES, np.int8)
        if self.rank == 0:
            unique_id[...] = self._nccl.get_unique_id()
        mpi.broadcast(unique_id, 0).wait()
        with cuda.use_device(index):
            try:
                self._comm = self._nccl.NcclCommunicator(
                    self.size, tuple(map(int, unique_id)), self.rank
                )
            except RuntimeError as error:  # for example two ranks with one GPU
                message = (
                    f"distributed: NCCL cannot connect ranks "
                    f"{', '.join(map(str, self.ranks))}: {error} (this rank uses gpu:{index})"
                )
                raise OarlockError(append_user_line(message)) from None
            self._stream = cuda.cupy_state.cupy.cuda.Stream(non_blocking=True)

    def broadcast(self, array: Any, root: int) -> Work:
        """Copy `array` of rank `root` to `array` of all other ranks."""
        flat = _as_bytes(array)
        return self._launch_on_nccl_stream(
            "broadcast",
            array,
            lambda s: self._comm.bcast(flat.data.ptr, *self._count_and_type(flat), root, s),
        )

    def all_reduce(self, array: Any, op: int) -> Work:
        """Reduce the arrays of all ranks, and store the result in `array` of every rank."""
        buffer, nccl_op, store_reduced_result = self._make_reduce_buffer_op_and_callback(array, op)
        pointer = buffer.data.ptr
        return self._launch_on_nccl_stream(
            "all_reduce",
            buffer,
            lambda s: self._comm.allReduce(
                pointer, pointer, *self._count_and_type(buffer), nccl_op, s
            ),
            store_reduced_result,
        )

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Reduce the arrays of all ranks, and store the result in `array` of rank `root`."""
        buffer, nccl_op, store_reduced_result = self._make_reduce_buffer_op_and_callback(array, op)
        pointer = buffer.data.ptr

        def call(stream: int) -> None:
            count, dtype = self._count_and_type(buffer)
            self._comm.reduce(pointer, pointer, count, dtype, nccl_op, root, stream)

        return self._launch_on_nccl_stream(
            "reduce", buffer, call, store_reduced_result if self.rank == root else None
        )

    def all_gather(self, array: Any, into: Any) -> Work:
        """Gather `array` of every rank into `into` [size, *] of every rank."""
        flat = _as_bytes(array)

        def call(stream: int) -> None:
            count, dtype = self._count_and_type(flat)
            self._comm.allGather(flat.data.ptr, into.data.ptr, count, dtype, stream)

        return self._launch_on_nccl_stream("all_gather", (array, into), call)

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Copy element i of `arrays` [size, *] of rank `root` to `into` of rank i."""
        sent = enumerate(arrays) if self.rank == root else ()
        return self._send_recv_as_group(
            "scatter", [(to, part) for to, part in sent], [(root, into)]
        )

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Send element i of `arrays` [size, *] to rank i, and store the element received from rank
        i in element i of `into` [size, *].
        """
        return self._send_recv_as_group("alltoall", list(enumerate(arrays)), list(enumerate(into)))

    def send(self, array: Any, to: int) -> Work:
        """Start to send `array` to rank `to`."""
        return self._send_recv_as_group("send", [(to, array)], [], (self.ranks[to],))

    def recv(self, array: Any, source: int) -> Work:
        """Start to receive `array` from rank `source`."""
        return self._send_recv_as_group("recv", [], [(source, array)], (self.ranks[source],))

    def batch_send_recv(self, sent: RankArrayPairs, got: RankArrayPairs) -> Work:
        """Send and receive several arrays at once without deadlock."""
        return self._send_recv_as_group("exchange", sent, got)

    def barrier(self) -> Work:
        """Wait until all processes have called `barrier`; kernels that still run on the GPU are not
        waited for.
        """
        return self._mpi.barrier()

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Create a communicator of some ranks; return None if this rank is not one of these
        ranks.
        """
        mpi = self._mpi.split(ranks)
        return NcclCommunicator(mpi, self._index) if isinstance(mpi, MpiCommunicator) else None

    def abort(self) -> None:
        """Abort running operations."""
        self._comm.abort()

    def _send_recv_as_group(
        self, name: str, sent: Any, got: Any, ranks: tuple[int, ...] | None = None
    ) -> Work:
        """Send and receive several messages as one NCCL group, because separate messages could
        deadlock.
        """
        flat = [(to, _as_bytes(a)) for to, a in sent], [(source, _as_bytes(a)) for source, a in got]

        def call(stream: int) -> None:
            self._nccl.groupStart()
            for to, array in flat[0]:
                self._comm.send(array.data.ptr, *self._count_and_type(array), to, stream)
            for source, array in flat[1]:
                self._comm.recv(array.data.ptr, *self._count_and_type(array), source, stream)
            self._nccl.groupEnd()

        return self._launch_on_nccl_stream(name, flat, call, ranks=ranks)

    def _launch_on_nccl_stream(
        self,
        name: str,
        arrays: Any,
        call: Callable[[int], None],
        on_completion: Callable[[], None] | None = None,
        ranks: Any = None,
    ) -> Work:
        """Call a function of NCCL on the stream for NCCL, after the kernels that were launched
        before.
        """
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
        return NcclWork(event, name, ranks or self.ranks, arrays, on_completion)

    def _count_and_type(self, array: Any) -> tuple[int, int]:
        """Return the element count and NCCL data type of an array."""
        return array.size * (2 if array.dtype.kind == "c" else 1), getattr(
            self._nccl, f"NCCL_{_NCCL_TYPES[array.dtype.name]}"
        )

    def _make_reduce_buffer_op_and_callback(
        self, array: Any, op: int
    ) -> tuple[Any, Any, Callable[[], None] | None]:
        """Return three values for the reduction of `array`: a buffer in a dtype that NCCL can
        reduce, the NCCL operation, and a callback that stores the result in `array`. The callback
        is None if the buffer is a view of `array`.
        """
        check_reduce_op_supports_dtype(array, op)
        if array.dtype.kind == "c" and REDUCE_OP_NAMES[op] == "PROD":
            raise OpError(append_user_line(f"distributed: NCCL has no PROD of {array.dtype}"))
        half, dtype = is_half(array.dtype), array.dtype.name
        buffer_dtype = {"bool": "uint8", "int16": "int32"}.get(dtype, "float32" if half else dtype)
        buffer = array.view(np.uint8) if dtype == "bool" else array.astype(buffer_dtype, copy=False)

        def store_reduced_result() -> None:
            if op == AVG:
                buffer[...] = buffer / self.size
            if buffer.dtype != array.dtype and dtype != "bool":
                array[...] = buffer.astype(array.dtype)

        nccl_op = getattr(self._nccl, f"NCCL_{'SUM' if op == AVG else REDUCE_OP_NAMES[op]}")
        return buffer, nccl_op, store_reduced_result


def _as_bytes(array: Any) -> Any:
    """Return the array as a flat array of bytes."""
    return array.reshape(-1).view(np.uint8)


def import_nccl() -> Any:
    """Import CuPy's NCCL module.  Raises OarlockError if CuPy or NCCL is missing."""
    cuda.require_and_enable_cupy("distributed: NCCL")
    try:
        nccl = importlib.import_module("cupy.cuda.nccl")
    except (ImportError, AttributeError) as error:
        raise OarlockError(append_user_line(_unavailable_message(str(error)))) from None
    if not getattr(nccl, "available", True):
        raise OarlockError(append_user_line(_unavailable_message("CuPy was built without it")))
    return nccl


def _unavailable_message(reason: str) -> str:
    return (
        f"distributed: tensors on GPUs require NCCL, which is not available ({reason}): "
        "pip install 'oarlock[gpu-train]'"
    )
