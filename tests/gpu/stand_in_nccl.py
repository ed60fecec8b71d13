"""A stand-in for CuPy's NCCL on MPI; each rank is a process.

It checks what the real one would crash at or hang on.
"""

from __future__ import annotations

import ctypes
from types import ModuleType
from typing import Any

import numpy as np

TYPES = {
    "INT8": "int8", "UINT8": "uint8", "INT32": "int32", "UINT32": "uint32", "INT64": "int64", "UINT64": "uint64", "FLOAT16": "float16",
    "FLOAT32": "float32", "FLOAT64": "float64",
}  # fmt: skip
OPS = ("SUM", "PROD", "MAX", "MIN")
_TAG = 77
log: list[tuple[Any, ...]] = []  # what was called, in order
_group: list[Any] | None = None


def _at(pointer: int, count: int, kind: int) -> Any:
    """The elements at a pointer, which has to be that of an array of the device."""
    from . import stand_in

    dtype = np.dtype(list(TYPES.values())[kind])
    start = next(
        a for p, a in stand_in.Memory.held.items() if p <= pointer < p + max(a._a.nbytes, 1)
    )
    assert start._a.flags.c_contiguous, "NCCL knows of no strides"
    assert pointer + count * dtype.itemsize <= start._a.ctypes.data + start._a.nbytes, (
        "beyond the end of an array"
    )
    raw = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(pointer)
    return np.frombuffer(raw, np.uint8).view(dtype)


class NcclCommunicator:
    """The ranks of one communicator id."""

    def __init__(self, size: int, identity: tuple[int, ...], rank: int) -> None:
        from mpi4py import MPI

        assert (
            isinstance(identity, tuple)
            and len(identity) == 128
            and -128 <= min(identity) <= max(identity) < 128
        )
        world, self._mpi = MPI.COMM_WORLD, MPI
        root, tag = identity[0], _TAG + identity[1]
        if rank:
            world.send((rank, world.Get_rank(), identity), root, tag)
            members = world.recv(None, root, tag)
        else:
            told = {0: world.Get_rank()}
            for _ in range(size - 1):
                number, where, theirs = world.recv(None, MPI.ANY_SOURCE, tag)
                assert theirs == identity, "ranks with other identities"
                told[number] = where
            members = [told[k] for k in range(size)]
            for where in members[1:]:
                world.send(members, where, tag)
        self._comm = world.Create_group(world.Get_group().Incl(members), tag)
        self._rank = rank

    def _op(self, op: int) -> Any:
        return getattr(self._mpi, OPS[op])

    def allReduce(self, given: int, into: int, count: int, kind: int, op: int, stream: int) -> None:
        log.append(("allReduce", count, list(TYPES)[kind], OPS[op], stream))
        self._comm.Allreduce(_at(given, count, kind).copy(), _at(into, count, kind), self._op(op))

    def reduce(
        self, given: int, into: int, count: int, kind: int, op: int, root: int, stream: int
    ) -> None:
        log.append(("reduce", count, list(TYPES)[kind], OPS[op], stream))
        self._comm.Reduce(
            _at(given, count, kind).copy(), _at(into, count, kind), self._op(op), root
        )

    def bcast(self, at: int, count: int, kind: int, root: int, stream: int) -> None:
        log.append(("bcast", count, list(TYPES)[kind], root, stream))
        self._comm.Bcast(_at(at, count, kind), root)

    def allGather(self, given: int, into: int, count: int, kind: int, stream: int) -> None:
        log.append(("allGather", count, list(TYPES)[kind], stream))
        self._comm.Allgather(
            _at(given, count, kind), _at(into, count * self._comm.Get_size(), kind)
        )

    def send(self, at: int, count: int, kind: int, to: int, stream: int) -> None:
        log.append(("send", count, list(TYPES)[kind], to, stream))
        assert _group is not None, "messages outside of a group wait for each other"
        _group.append(self._comm.Isend(_at(at, count, kind), to))

    def recv(self, at: int, count: int, kind: int, source: int, stream: int) -> None:
        log.append(("recv", count, list(TYPES)[kind], source, stream))
        assert _group is not None
        _group.append(self._comm.Irecv(_at(at, count, kind), source))

    def abort(self) -> None:
        log.append(("abort",))


_made = 0


def get_unique_id() -> tuple[int, ...]:
    """Return 128 signed bytes: the process, a counter, and some negative ones, as the real id has."""
    global _made  # noqa: PLW0603 - one count
    from mpi4py import MPI

    _made += 1
    return (MPI.COMM_WORLD.Get_rank(), _made, *range(-126, 0))


def groupStart() -> None:
    global _group  # noqa: PLW0603 - NCCL has one open group for each thread
    assert _group is None
    _group = []


def groupEnd() -> None:
    global _group  # noqa: PLW0603
    assert _group is not None
    from mpi4py import MPI

    MPI.Request.Waitall(_group)
    _group = None


def module() -> ModuleType:
    """`cupy.cuda.nccl`."""
    found = ModuleType("cupy.cuda.nccl")
    vars(found).update(
        available=True, NcclCommunicator=NcclCommunicator, get_unique_id=get_unique_id
    )
    vars(found).update(groupStart=groupStart, groupEnd=groupEnd)
    vars(found).update({f"NCCL_{name}": number for number, name in enumerate(TYPES)})
    vars(found).update({f"NCCL_{name}": number for number, name in enumerate(OPS)})
    return found
