"""Data-parallel training: collectives of Tensors over MPI or NCCL, and `DataParallel`, which
averages gradients over all ranks.

Start a program with `python -m oarlock.distributed.launch --nproc_per_node 2 train.py` or with
`mpiexec`. A program that is started without a launcher is rank 0 of 1.
"""

from __future__ import annotations

import os

from ..core.place import get_device
from . import fleet, io
from .collective import (
    all_gather,
    all_reduce,
    alltoall,
    alltoall_single,
    barrier,
    broadcast,
    gather,
    irecv,
    isend,
    recv,
    reduce,
    reduce_scatter,
    scatter,
    send,
    wait,
)
from .environment import ParallelEnv
from .group import Group, get_group, new_group
from .object_collectives import all_gather_object, broadcast_object_list, scatter_object_list
from .parallel import DataParallel, ParallelMode
from .process_group import (
    destroy_process_group,
    get_rank,
    get_world_size,
    init_parallel_env,
    is_available,
    is_initialized,
)
from .reduce_op import ReduceOp
from .spawn import spawn

__all__ = [
    "DataParallel",
    "Group",
    "ParallelEnv",
    "ParallelMode",
    "ReduceOp",
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "alltoall",
    "alltoall_single",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "fleet",
    "gather",
    "get_backend",
    "get_group",
    "get_rank",
    "get_world_size",
    "init_parallel_env",
    "io",
    "irecv",
    "is_available",
    "is_initialized",
    "isend",
    "new_group",
    "recv",
    "reduce",
    "reduce_scatter",
    "scatter",
    "scatter_object_list",
    "send",
    "spawn",
    "wait",
]


def get_backend(group: Group | None = None) -> str:
    """Return the name of the library that sends tensors: "NCCL" or "MPI".

    Parameters
    ----------
    group : Group, optional
        Not used.

    Returns
    -------
    str
        "NCCL" if the default device is a GPU and the environment variable
        OARLOCK_DISTRIBUTED_BACKEND is not "mpi", else "MPI".

    Examples
    --------
    >>> paddle.distributed.get_backend() in ("MPI", "NCCL")
    True
    """
    return (
        "NCCL"
        if get_device() != "cpu" and os.environ.get("OARLOCK_DISTRIBUTED_BACKEND") != "mpi"
        else "MPI"
    )
