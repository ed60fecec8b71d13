"""Devices: the CPU, and the GPUs that CuPy finds."""

from __future__ import annotations

from ..core.compiled_features import (
    get_cudnn_version,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_custom_device,
    is_compiled_with_distribute,
    is_compiled_with_ipu,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
)
from ..core.place import get_device, parse_place, set_device
from . import cuda


def get_all_device_type() -> list[str]:
    """Return the types of devices that ops can run on.

    Returns
    -------
    list of str
        "cpu", and "gpu" if CuPy finds one.

    Examples
    --------
    >>> "cpu" in paddle.device.get_all_device_type()
    True
    """
    return ["cpu", "gpu"] if cuda.device_count() else ["cpu"]


def get_available_device() -> list[str]:
    """Return the devices that ops can run on.

    Returns
    -------
    list of str
        "cpu", and "gpu:0", "gpu:1" and so on for the GPUs that CuPy finds.

    Examples
    --------
    >>> paddle.device.get_available_device()[0]
    'cpu'
    """
    return ["cpu", *(f"gpu:{index}" for index in range(cuda.device_count()))]


def get_all_custom_device_type() -> list[str]:
    """Return the types of plug-in devices: an empty list, because Oarlock supports none.

    Returns
    -------
    list of str

    Examples
    --------
    >>> paddle.device.get_all_custom_device_type()
    []
    """
    return []


def get_available_custom_device() -> list[str]:
    """Return the plug-in devices: an empty list, because Oarlock supports none.

    Returns
    -------
    list of str

    Examples
    --------
    >>> paddle.device.get_available_custom_device()
    []
    """
    return []


def synchronize(device: object = None) -> None:
    """Wait until all ops on a device are finished; CPU ops are synchronous.

    Parameters
    ----------
    device : str or Place, optional
        "cpu", "gpu" or "gpu:N"; by default the current device.

    Raises
    ------
    OarlockError
        If ops cannot run on `device`.

    Examples
    --------
    >>> y = paddle.ones([2]) + 1
    >>> paddle.device.synchronize()
    """
    place = parse_place(get_device() if device is None else device, "synchronize")
    if place.is_gpu_place():
        cuda.synchronize(place)


__all__ = [
    "cuda",
    "get_all_custom_device_type",
    "get_all_device_type",
    "get_available_custom_device",
    "get_available_device",
    "get_cudnn_version",
    "get_device",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_custom_device",
    "is_compiled_with_distribute",
    "is_compiled_with_ipu",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "set_device",
    "synchronize",
]
