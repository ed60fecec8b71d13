"""Training in several processes: ranks that MPI connects, collectives of Tensors, and layers whose
gradients are means over all ranks.

Start a program by `python -m oarlock.distributed.launch --nproc_per_node 2 train.py`, or by MPI's
own `mpiexec`.  One process needs none of that: it is rank 0 of 1.
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
from .group import Group, new_group
from .group import group_of as get_group
from .kinds import ReduceOp
from .objects import all_gather_object, broadcast_object_list, scatter_object_list
from .parallel import DataParallel, ParallelMode
from .spawn import spawn
from .start import (
    destroy_process_group,
    get_rank,
    get_world_size,
    init_parallel_env,
    is_available,
    is_initialized,
)

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
    """What carries messages of tensors: NCCL where new ones go to a GPU, unless the environment
    says otherwise, else MPI.
    """
    return (
        "NCCL"
        if get_device() != "cpu" and os.environ.get("OARLOCK_DISTRIBUTED_BACKEND") != "mpi"
        else "MPI"
    )
