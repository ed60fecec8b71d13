"""GPUs, as programs ask for them: none that ops run on, and so nothing of their memory is in use."""

from __future__ import annotations

from typing import Any

from ..core.errors import OarlockError, with_user_line

__all__ = [
    "device_count", "empty_cache", "get_device_capability", "get_device_name", "get_device_properties", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "synchronize",
]  # fmt: skip


def device_count() -> int:
    """How many GPUs there are for ops: 0."""
    return 0


def empty_cache() -> None:
    """Give unused memory back: there is none."""


def memory_allocated(device: Any = None) -> int:
    """Bytes in use: 0."""
    return 0


def memory_reserved(device: Any = None) -> int:
    """Bytes held: 0."""
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that were in use: 0."""
    return 0


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that were held: 0."""
    return 0


def synchronize(device: Any = None) -> None:
    """Raise OarlockError: there is no GPU to wait for."""
    _none("synchronize")


def get_device_properties(device: Any = None) -> Any:
    """Raise OarlockError: there is no GPU to describe."""
    _none("get_device_properties")


def get_device_name(device: Any = None) -> str:
    """Raise OarlockError: there is no GPU to name."""
    _none("get_device_name")
    return ""


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Raise OarlockError: there is no GPU to ask."""
    _none("get_device_capability")
    return 0, 0


def _none(what: str) -> None:
    raise OarlockError(with_user_line(f"device.cuda.{what}: ops run on the processor only, and there is no GPU to ask"))
