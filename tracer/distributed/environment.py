"""Rank, number of ranks and addresses from environment variables."""

from __future__ import annotations

import os

from ..core.communicator import process_groups

RANK_VARIABLE, SIZE_VARIABLE, ENDPOINT_VARIABLE, ENDPOINTS_VARIABLE = (
    "PADDLE_TRAINER_ID",
    "PADDLE_TRAINERS_NUM",
    "PADDLE_CURRENT_ENDPOINT",
    "PADDLE_TRAINER_ENDPOINTS",
)
_DEVICE_VARIABLES = ("FLAGS_selected_gpus", "FLAGS_selected_accelerators")
# Names of the environment variables (rank, size) that the launchers of MPICH, Open MPI and PMIx
# set.
_LAUNCHER_VARIABLES = (
    ("PMI_RANK", "PMI_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMIX_RANK", ""),
)


def _read_int_env_or_default(name: str, default: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else default


def find_mpi_rank_and_size() -> tuple[int, int] | None:
    """Return the rank of this process and the number of ranks, from the variables that MPI's
    launcher sets; None if the launcher did not start this process.
    """
    for rank, size in _LAUNCHER_VARIABLES:
        if rank in os.environ:
            return _read_int_env_or_default(rank, 0), _read_int_env_or_default(size, 1)
    return None


class ParallelEnv:
    """Rank, number of ranks, device and address of this process.

    The values are read when the object is created: after `init_parallel_env` from the group of all
    ranks, before from the environment variables of the launcher (PADDLE_TRAINER_ID,
    PADDLE_TRAINERS_NUM, ...) or of MPI.

    Notes
    -----
    `local_rank`, `nranks` and `dev_id` are Paddle 1.x's names of `rank`, `world_size` and
    `device_id`.

    Examples
    --------
    In a program that runs as a single process:

    >>> env = paddle.distributed.ParallelEnv()
    >>> env.rank, env.world_size
    (0, 1)
    """

    def __init__(self) -> None:
        mpi_rank, mpi_size = find_mpi_rank_and_size() or (0, 1)
        group = process_groups.global_communicator if process_groups.is_initialized else None
        self._rank = group.rank if group else _read_int_env_or_default(RANK_VARIABLE, mpi_rank)
        self._world_size = (
            group.size if group else _read_int_env_or_default(SIZE_VARIABLE, mpi_size)
        )
        selected = next((os.environ[n] for n in _DEVICE_VARIABLES if os.environ.get(n)), "0")
        self._device_id = int(selected.split(",")[0])
        self._current_endpoint = os.environ.get(ENDPOINT_VARIABLE, "")
        self._trainer_endpoints = os.environ.get(ENDPOINTS_VARIABLE, "").split(",")

    @property
    def rank(self) -> int:
        """The rank of this process, an int from 0.

        Examples
        --------
        >>> paddle.distributed.ParallelEnv().rank
        0
        """
        return self._rank

    @property
    def world_size(self) -> int:
        """The number of processes, an int.

        Examples
        --------
        >>> paddle.distributed.ParallelEnv().world_size
        1
        """
        return self._world_size

    @property
    def device_id(self) -> int:
        """The index of the GPU of this process, an int; 0 without a launcher.

        It is the first number in FLAGS_selected_gpus, or else in FLAGS_selected_accelerators.

        Examples
        --------
        >>> paddle.distributed.ParallelEnv().device_id
        0
        """
        return self._device_id

    @property
    def device_type(self) -> str:
        """The type of device: always "cpu", also on a GPU.

        Examples
        --------
        >>> paddle.distributed.ParallelEnv().device_type
        'cpu'
        """
        return "cpu"

    @property
    def current_endpoint(self) -> str:
        """The address "host:port" of this process in the launcher's list; "" without a launcher.

        Examples
        --------
        >>> paddle.distributed.ParallelEnv().current_endpoint
        ''
        """
        return self._current_endpoint

    @property
    def trainer_endpoints(self) -> list[str]:
        """The addresses "host:port" of all processes, a list of str; [""] without a launcher.

        Examples
        --------
        >>> paddle.distributed.ParallelEnv().trainer_endpoints
        ['']
        """
        return self._trainer_endpoints

    @property
    def nrings(self) -> int:
        """The number of NCCL rings: always 1.

        Examples
        --------
        >>> paddle.distributed.ParallelEnv().nrings
        1
        """
        return 1

    local_rank, nranks, dev_id = rank, world_size, device_id
