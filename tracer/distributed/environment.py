"""Which of how many processes this is, as variables of the environment say."""

from __future__ import annotations

import os

from ..core.communicator import world

RANK, SIZE, HERE, ALL = (
    "PADDLE_TRAINER_ID",
    "PADDLE_TRAINERS_NUM",
    "PADDLE_CURRENT_ENDPOINT",
    "PADDLE_TRAINER_ENDPOINTS",
)
_SELECTED = ("FLAGS_selected_gpus", "FLAGS_selected_accelerators")
# How the launchers of MPICH and Open MPI, and a batch system, number their processes.
_STARTED = (
    ("PMI_RANK", "PMI_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMIX_RANK", ""),
)


def _number(name: str, otherwise: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else otherwise


def mpi_ranks() -> tuple[int, int] | None:
    """The rank of this process and how many there are, as MPI's launcher says; None where it did
    not start this one.
    """
    for rank, size in _STARTED:
        if rank in os.environ:
            return _number(rank, 0), _number(size, 1)
    return None


class ParallelEnv:
    """Which of how many processes this is, and where: `rank`, `world_size`, `device_id`,
    `current_endpoint`, `trainer_endpoints`.

    `local_rank`, `nranks` and `dev_id` are the names of Paddle 1.x for the first three.
    """

    def __init__(self) -> None:
        started = mpi_ranks() or (0, 1)
        everybody = world.everybody if world.initialized else None
        self._rank = everybody.rank if everybody else _number(RANK, started[0])
        self._world_size = everybody.size if everybody else _number(SIZE, started[1])
        selected = next((os.environ[n] for n in _SELECTED if os.environ.get(n)), "0")
        self._device_id = int(selected.split(",")[0])
        self._current_endpoint = os.environ.get(HERE, "")
        self._trainer_endpoints = os.environ.get(ALL, "").split(",")

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""
        return self._rank

    @property
    def world_size(self) -> int:
        """How many processes there are."""
        return self._world_size

    @property
    def device_id(self) -> int:
        """The card that this process uses."""
        return self._device_id

    @property
    def device_type(self) -> str:
        """What computes."""
        return "cpu"

    @property
    def current_endpoint(self) -> str:
        """The address under which the launcher lists this process."""
        return self._current_endpoint

    @property
    def trainer_endpoints(self) -> list[str]:
        """The addresses of all."""
        return self._trainer_endpoints

    @property
    def nrings(self) -> int:
        """Over how many rings gradients travel."""
        return 1

    local_rank, nranks, dev_id = rank, world_size, device_id
