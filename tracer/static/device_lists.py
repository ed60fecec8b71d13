"""Lists of places for `ParallelExecutor` and other multi-device APIs of Paddle."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NoReturn

from ..core.errors import OarlockError, append_user_line
from ..core.place import CPUPlace, CUDAPlace, Place

IPU_MESSAGE = "Graphcore devices are not supported"


def cpu_places(device_count: int | None = None) -> list[Place]:
    """Return `device_count` places on the CPU; by default the environment's CPU_NUM, else 1."""
    count = int(os.environ.get("CPU_NUM", "1")) if device_count is None else device_count
    return [CPUPlace() for _ in range(count)]


def cuda_places(device_ids: Sequence[int] | int | None = None) -> list[Place]:
    """Return the GPU places with these indices; an empty list by default. Programs run on the CPU,
    whatever the place is.
    """
    ids = [device_ids] if isinstance(device_ids, int) else device_ids or ()
    return [CUDAPlace(i) for i in ids]


def xpu_places(device_ids: Sequence[int] | int | None = None) -> NoReturn:
    """Not supported: raises OarlockError."""
    raise OarlockError(append_user_line("xpu_places: XPUs are not supported"))


def ipu_shard_guard(index: int = -1, stage: int = -1) -> NoReturn:
    """Not supported: raises OarlockError."""
    raise OarlockError(append_user_line(f"ipu_shard_guard: {IPU_MESSAGE}"))


def set_ipu_shard(call_func: Any, index: int = -1, stage: int = -1) -> NoReturn:
    """Not supported: raises OarlockError."""
    raise OarlockError(append_user_line(f"set_ipu_shard: {IPU_MESSAGE}"))
