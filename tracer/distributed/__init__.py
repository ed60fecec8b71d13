"""Training in several processes, as programs ask for it before they start: there is one process, and it is the first."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..core.errors import OarlockError, with_user_line

__all__ = [
    "ParallelEnv",
    "barrier",
    "get_rank",
    "get_world_size",
    "init_parallel_env",
    "is_available",
    "is_initialized",
    "spawn",
]


class ParallelEnv:
    """Which of how many processes this is, as the environment says."""

    def __init__(self) -> None:
        self.rank = int(os.environ.get("PADDLE_TRAINER_ID", "0"))
        self.world_size = int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))
        self.current_endpoint = os.environ.get("PADDLE_CURRENT_ENDPOINT", "")
        self.trainer_endpoints = os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",")
        self.device_id = self.dev_id = 0
        self.local_rank, self.nranks = self.rank, self.world_size


def get_rank(group: Any = None) -> int:
    """The number of this process."""
    return ParallelEnv().rank


def get_world_size(group: Any = None) -> int:
    """How many processes there are."""
    return ParallelEnv().world_size


def init_parallel_env() -> None:
    """Nothing for one process.   Raises OarlockError for more."""
    count = get_world_size()
    if count > 1:
        _refuse("init_parallel_env", count)


def is_initialized() -> bool:
    """Whether processes talk to each other: no."""
    return False


def is_available() -> bool:
    """Whether they could: no."""
    return False


def barrier(group: Any = None) -> None:
    """Wait for the other processes: there are none."""


def spawn(
    func: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = -1, join: bool = True, daemon: bool = False, **options: Any
) -> None:  # fmt: skip
    """Call func(*args), here, for one process.   Raises OarlockError for more."""
    if nprocs not in (-1, 1):
        _refuse("spawn", nprocs)
    func(*args)


def _refuse(what: str, count: int) -> None:
    raise OarlockError(with_user_line(f"distributed.{what}: {count} processes are wanted; one trains here"))
