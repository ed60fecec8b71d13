"""Devices, as programs ask for them: there is one, the processor."""

from __future__ import annotations

from ..core.compiled import (
    get_cudnn_version,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_custom_device,
    is_compiled_with_distribute,
    is_compiled_with_ipu,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
)
from ..core.place import get_device, set_device
from . import cuda


def get_all_device_type() -> list[str]:
    """The kinds of device that ops run on."""
    return ["cpu"]


def get_available_device() -> list[str]:
    """The devices that ops run on."""
    return ["cpu"]


def get_all_custom_device_type() -> list[str]:
    """The kinds of device that plug-ins bring: none."""
    return []


def get_available_custom_device() -> list[str]:
    """The devices that plug-ins bring: none."""
    return []


def synchronize(device: object = None) -> None:
    """Wait until ops are done: on the processor they are."""


__all__ = [
    "cuda", "get_all_custom_device_type", "get_all_device_type", "get_available_custom_device", "get_available_device", "get_cudnn_version",
    "get_device", "is_compiled_with_cinn", "is_compiled_with_cuda", "is_compiled_with_custom_device", "is_compiled_with_distribute",
    "is_compiled_with_ipu", "is_compiled_with_rocm", "is_compiled_with_xpu", "set_device", "synchronize",
]  # fmt: skip
