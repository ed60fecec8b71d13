"""The communicator that uses NCCL for GPU arrays and MPI for other arrays, or MPI for all arrays if
the environment variable OARLOCK_DISTRIBUTED_BACKEND selects it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..core import cuda
from ..core.communicator import Communicator, RankArrayPairs, Work
from ..core.errors import OarlockError, append_user_line
from .mpi import MpiCommunicator
from .nccl import NcclCommunicator, import_nccl

BACKEND_VARIABLE = "OARLOCK_DISTRIBUTED_BACKEND"
_BACKENDS = ("", "mpi", "nccl")


def check_backend() -> None:
    """Raise OarlockError if the environment variable selects an unknown backend, or NCCL although
    NCCL is not installed.
    """
    backend = os.environ.get(BACKEND_VARIABLE, "")
    if backend not in _BACKENDS:
        raise OarlockError(
            append_user_line(
                f"init_parallel_env: {BACKEND_VARIABLE}={backend!r} is neither 'mpi' nor 'nccl'"
            )
        )
    if backend == "nccl":
        import_nccl()


class HostCopyWork:
    """A communication operation on host copies of GPU arrays.

    outputs: pairs of a GPU array and the host copy that it receives on completion
    """

    def __init__(self, work: Work, outputs: list[tuple[Any, Any]]) -> None:
        self._work, self._outputs = work, outputs

    def is_completed(self) -> bool:
        """Return whether the operation is finished. A call also makes progress on the operation."""
        if not self._work.is_completed():
            return False
        outputs, self._outputs = self._outputs, []
        for array, copy in outputs:
            array[...] = cuda.to_device(copy, cuda.gpu_index_of(array))
        return True

    def wait(self) -> None:
        """Wait until the operation is finished."""
        self._work.wait()
        self.is_completed()


class MpiOrNcclCommunicator:
    """Implements core.communicator.Communicator: MPI for host arrays, NCCL for GPU arrays.

    The NCCL communicator is created by the first operation on a GPU array, which is the same
    operation on all ranks. With OARLOCK_DISTRIBUTED_BACKEND=mpi, GPU arrays are copied to the host
    and sent with MPI.
    """

    def __init__(self, mpi: MpiCommunicator) -> None:
        self._mpi = mpi
        self._nccl: NcclCommunicator | None = None
        self.rank, self.size, self.ranks = mpi.rank, mpi.size, mpi.ranks

    def broadcast(self, array: Any, root: int) -> Work:
        """Copy `array` of rank `root` to `array` of all other ranks."""
        return self._call_communicator("broadcast", (array,), (0,), root)

    def all_reduce(self, array: Any, op: int) -> Work:
        """Reduce the arrays of all ranks, and store the result in `array` of every rank."""
        return self._call_communicator("all_reduce", (array,), (0,), op)

    def reduce(self, array: Any, root: int, op: int) -> Work:
        """Reduce the arrays of all ranks, and store the result in `array` of rank `root`."""
        return self._call_communicator(
            "reduce", (array,), (0,) if self.rank == root else (), root, op
        )

    def all_gather(self, array: Any, into: Any) -> Work:
        """Gather `array` of every rank into `into` [size, *] of every rank."""
        return self._call_communicator("all_gather", (array, into), (1,))

    def scatter(self, arrays: Any, into: Any, root: int) -> Work:
        """Copy element i of `arrays` [size, *] of rank `root` to `into` of rank i."""
        return self._call_communicator("scatter", (arrays, into), (1,), root)

    def all_to_all(self, arrays: Any, into: Any) -> Work:
        """Send element i of `arrays` [size, *] to rank i, and store the element received from rank
        i in element i of `into` [size, *].
        """
        return self._call_communicator("all_to_all", (arrays, into), (1,))

    def send(self, array: Any, to: int) -> Work:
        """Start to send `array` to rank `to`."""
        return self._call_communicator("send", (array,), (), to)

    def recv(self, array: Any, source: int) -> Work:
        """Start to receive `array` from rank `source`."""
        return self._call_communicator("recv", (array,), (0,), source)

    def batch_send_recv(self, sent: RankArrayPairs, got: RankArrayPairs) -> Work:
        """Send and receive several arrays at once without deadlock."""
        arrays = [array for _, array in (*sent, *got)]
        communicator = self._select_communicator(arrays[0]) if arrays else self._mpi
        if communicator is not self._mpi or not arrays or cuda.gpu_index_of(arrays[0]) is None:
            return communicator.batch_send_recv(sent, got)
        copies = [(source, cuda.to_host(array)) for source, array in got]
        work = self._mpi.batch_send_recv([(to, cuda.to_host(array)) for to, array in sent], copies)
        return HostCopyWork(
            work, [(array, copy) for (_, array), (_, copy) in zip(got, copies, strict=True)]
        )

    def barrier(self) -> Work:
        """Wait for all ranks."""
        return self._mpi.barrier()

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """Create a communicator of some ranks; return None if this rank is not one of these
        ranks.
        """
        mpi = self._mpi.split(ranks)
        return MpiOrNcclCommunicator(mpi) if isinstance(mpi, MpiCommunicator) else None

    def abort(self) -> None:
        """Terminate all ranks of the job."""
        self._mpi.abort()

    def _call_communicator(
        self, method: str, arrays: tuple[Any, ...], outputs: tuple[int, ...], *args: int
    ) -> Work:
        """Call a method of the communicator (MPI or NCCL) that the device of the array selects.
        outputs: indices of the written arrays
        """
        communicator = self._select_communicator(arrays[-1])
        if communicator is not self._mpi or cuda.gpu_index_of(arrays[-1]) is None:
            return getattr(communicator, method)(*arrays, *args)
        copies = [None if a is None else cuda.to_host(a) for a in arrays]
        return HostCopyWork(
            getattr(self._mpi, method)(*copies, *args), [(arrays[i], copies[i]) for i in outputs]
        )

    def _select_communicator(self, array: Any) -> Any:
        """Return the communicator for an array: MPI for a CPU array or if the environment variable
        selects MPI, otherwise NCCL.
        """
        index = cuda.gpu_index_of(array)
        if index is None or os.environ.get(BACKEND_VARIABLE) == "mpi":
            return self._mpi
        if self._nccl is None:
            self._nccl = NcclCommunicator(self._mpi, index)
        return self._nccl
