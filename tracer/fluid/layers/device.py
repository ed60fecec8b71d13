"""get_places: what ParallelDo of Paddle 0.x was given, and tests of 2.4 still name."""

from __future__ import annotations

from typing import Any

from ...static import cpu_places

__all__ = ["get_places"]


def get_places(device_count: int | None = None, device_type: Any = None) -> list[Any]:
    """The processor, as often as asked for: once unless told otherwise."""
    found: list[Any] = cpu_places(device_count or 1)
    return found
