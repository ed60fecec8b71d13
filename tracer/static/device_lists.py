"""Lists of places, as Paddle's programs for several devices take them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NoReturn

from ..core.errors import OarlockError, with_user_line
from ..core.place import CPUPlace, CUDAPlace, Place

IPU = "is of Graphcore's devices, which nothing here runs on"


def cpu_places(device_count: int | None = None) -> list[Place]:
    """Places on the CPU: as many as asked for, or as the environment's CPU_NUM says, else one."""
    count = int(os.environ.get("CPU_NUM", "1")) if device_count is None else device_count
    return [CPUPlace() for _ in range(count)]


def cuda_places(device_ids: Sequence[int] | int | None = None) -> list[Place]:
    """Places on the GPUs with these numbers, none unless given; programs run on the CPU all the
    same.
    """
    given = [device_ids] if isinstance(device_ids, int) else device_ids or ()
    return [CUDAPlace(i) for i in given]


def xpu_places(device_ids: Sequence[int] | int | None = None) -> NoReturn:
    """Not there: raises OarlockError."""
    raise OarlockError(with_user_line("xpu_places: there are no XPUs here"))


def ipu_shard_guard(index: int = -1, stage: int = -1) -> NoReturn:
    """Not there: raises OarlockError."""
    raise OarlockError(with_user_line(f"ipu_shard_guard: {IPU}"))


def set_ipu_shard(call_func: Any, index: int = -1, stage: int = -1) -> NoReturn:
    """Not there: raises OarlockError."""
    raise OarlockError(with_user_line(f"set_ipu_shard: {IPU}"))
