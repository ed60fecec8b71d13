"""GPUs, as programs ask for them: those that CuPy sees."""

from __future__ import annotations

from typing import Any

from ..core import cuda as held
from ..core.errors import OarlockError, with_user_line
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

_most = {"used": 0, "held": 0}  # the result of the first query


def device_count() -> int:
    """How many GPUs there are for ops; 0 without CuPy or a driver."""
    return held.device_count()


def empty_cache() -> None:
    """Give unused memory back."""
    if held.cupy_state.cupy is not None:
        held.cupy_state.cupy.get_default_memory_pool().free_all_blocks()


def _pool(device: Any) -> Any:
    """The memory of one GPU, None where nothing was put on one."""
    if held.cupy_state.cupy is None:
        return None
    with held.use_device(_index(device, "memory_allocated")):
        return held.cupy_state.cupy.get_default_memory_pool()


def _bytes(device: Any, kind: str) -> int:
    pool = _pool(device)
    now = 0 if pool is None else int(pool.used_bytes() if kind == "used" else pool.total_bytes())
    _most[kind] = max(_most[kind], now)
    return now


def memory_allocated(device: Any = None) -> int:
    """Bytes in use."""
    return _bytes(device, "used")


def memory_reserved(device: Any = None) -> int:
    """Bytes held, in use or not."""
    return _bytes(device, "held")


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes in use of all times that somebody asked: CuPy keeps no record of its own."""
    return max(memory_allocated(device), _most["used"])


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes held, likewise."""
    return max(memory_reserved(device), _most["held"])


def synchronize(device: Any = None) -> None:
    """Wait until a GPU has done what it was given.

    Raises OarlockError where there is none.
    """
    _cupy(device, "synchronize").cuda.Device(_index(device, "synchronize")).synchronize()


def get_device_properties(device: Any = None) -> Any:
    """What CUDA says of a GPU: `name`, `major`, `minor`, `total_memory`, `multi_processor_count`.

    Raises OarlockError where there is none.
    """
    found = _cupy(device, "get_device_properties").cuda.runtime.getDeviceProperties(
        _index(device, "properties")
    )
    return Properties(found)


class Properties:
    """A GPU."""

    def __init__(self, found: dict[str, Any]) -> None:
        name = found["name"]
        self.name: str = name.decode() if isinstance(name, bytes) else name
        self.major, self.minor = int(found["major"]), int(found["minor"])
        self.total_memory = int(found["totalGlobalMem"])
        self.multi_processor_count = int(found["multiProcessorCount"])

    def __repr__(self) -> str:
        return (
            f"_gpuDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory >> 20}MB, "
            f"multi_processor_count={self.multi_processor_count})"
        )


def get_device_name(device: Any = None) -> str:
    """What a GPU is called.

    Raises OarlockError where there is none.
    """
    return str(get_device_properties(device).name)


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The version of what a GPU can do.

    Raises OarlockError where there is none.
    """
    found = get_device_properties(device)
    return found.major, found.minor


def _index(device: Any, what: str) -> int:
    """The number of a GPU: of a Place, a string, a number; the current one for None."""
    if device is None:
        return held.cupy_state.index or 0
    place: Place | int = (
        device if isinstance(device, int) else parse_place(device, f"device.cuda.{what}")
    )
    return place if isinstance(place, int) else place.index


def _cupy(device: Any, what: str) -> Any:
    if not device_count():
        raise OarlockError(with_user_line(f"device.cuda.{what}: there is no GPU to ask"))
    return held.check_device(_index(device, what), f"device.cuda.{what}")
