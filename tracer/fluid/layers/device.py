"""get_places, which ParallelDo of Paddle 0.x used and tests of 2.4 still call."""

from __future__ import annotations

from typing import Any

from ...static import cpu_places

__all__ = ["get_places"]


def get_places(device_count: int | None = None, device_type: Any = None) -> list[Any]:
    """Return `device_count` places on the CPU, by default one."""
    places: list[Any] = cpu_places(device_count or 1)
    return places
