"""`paddle.device.cuda`: queries of the GPUs that CuPy finds."""

from __future__ import annotations

from typing import Any

from ..core import cuda
from ..core.errors import OarlockError, append_user_line
from ..core.place import Place, parse_place

__all__ = [
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "synchronize",
]

_max_bytes = {"used": 0, "reserved": 0}  # maxima over all queries


def device_count() -> int:
    """Return the number of GPUs; 0 without CuPy or a driver."""
    return cuda.device_count()


def empty_cache() -> None:
    """Free the unused memory in CuPy's memory pool of the GPU."""
    if cuda.cupy_state.cupy is not None:
        cuda.cupy_state.cupy.get_default_memory_pool().free_all_blocks()


def _find_cupy_memory_pool(device: int | str | Place | None, function: str) -> Any:
    """Return CuPy's memory pool of a GPU; None if no GPU was used. function: the API called."""
    if cuda.cupy_state.cupy is None:
        return None
    with cuda.use_device(_device_index(device, function)):
        return cuda.cupy_state.cupy.get_default_memory_pool()


def _query_pool_bytes_and_update_max(device: int | str | Place | None, counter: str) -> int:
    pool = _find_cupy_memory_pool(
        device, "memory_allocated" if counter == "used" else "memory_reserved"
    )
    num_bytes = (
        0 if pool is None else int(pool.used_bytes() if counter == "used" else pool.total_bytes())
    )
    _max_bytes[counter] = max(_max_bytes[counter], num_bytes)
    return num_bytes


def memory_allocated(device: int | str | Place | None = None) -> int:
    """Return the number of bytes of a GPU that arrays occupy."""
    return _query_pool_bytes_and_update_max(device, "used")


def memory_reserved(device: int | str | Place | None = None) -> int:
    """Return the number of bytes that the memory pool of a GPU has reserved, whether arrays occupy
    them or not.
    """
    return _query_pool_bytes_and_update_max(device, "reserved")


def max_memory_allocated(device: int | str | Place | None = None) -> int:
    """Return the largest number of occupied bytes that any query so far returned, for any GPU. CuPy
    itself does not record the peak of its memory use.
    """
    return max(memory_allocated(device), _max_bytes["used"])


def max_memory_reserved(device: int | str | Place | None = None) -> int:
    """Return the largest number of reserved bytes that any query so far returned, for any GPU."""
    return max(memory_reserved(device), _max_bytes["reserved"])


def synchronize(device: int | str | Place | None = None) -> None:
    """Wait until the ops of a GPU are done.

    Raises OarlockError if it does not exist.
    """
    _require_cupy_with_gpu(device, "synchronize").cuda.Device(
        _device_index(device, "synchronize")
    ).synchronize()


def get_device_properties(device: int | str | Place | None = None) -> Any:
    """Return `name`, `major`, `minor`, `total_memory` and `multi_processor_count` of a GPU.

    Raises OarlockError if it does not exist.
    """
    properties = _require_cupy_with_gpu(
        device, "get_device_properties"
    ).cuda.runtime.getDeviceProperties(_device_index(device, "get_device_properties"))
    return Properties(properties)


class Properties:
    """Properties of a GPU."""

    def __init__(self, properties: dict[str, Any]) -> None:
        name = properties["name"]
        self.name: str = name.decode() if isinstance(name, bytes) else name
        self.major, self.minor = int(properties["major"]), int(properties["minor"])
        self.total_memory = int(properties["totalGlobalMem"])
        self.multi_processor_count = int(properties["multiProcessorCount"])

    def __repr__(self) -> str:
        return (
            f"_gpuDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory >> 20}MB, "
            f"multi_processor_count={self.multi_processor_count})"
        )


def get_device_name(device: int | str | Place | None = None) -> str:
    """Return the name of a GPU.

    Raises OarlockError if it does not exist.
    """
    return str(get_device_properties(device).name)


def get_device_capability(device: int | str | Place | None = None) -> tuple[int, int]:
    """Return the compute capability of a GPU.

    Raises OarlockError if it does not exist.
    """
    properties = get_device_properties(device)
    return properties.major, properties.minor


def _device_index(device: int | str | Place | None, function: str) -> int:
    """Return the index of a GPU given as Place, string or number; the current one for None."""
    if device is None:
        return cuda.cupy_state.default_index or 0
    place: Place | int = (
        device if isinstance(device, int) else parse_place(device, f"device.cuda.{function}")
    )
    return place if isinstance(place, int) else place.index


def _require_cupy_with_gpu(device: int | str | Place | None, function: str) -> Any:
    if not device_count():
        raise OarlockError(append_user_line(f"device.cuda.{function}: no GPU is available"))
    return cuda.require_gpu_and_enable_cupy(
        _device_index(device, function), f"device.cuda.{function}"
    )
