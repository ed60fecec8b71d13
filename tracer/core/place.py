"""Where a tensor lives."""

from __future__ import annotations

import os
from typing import Any

from . import cuda
from .errors import OarlockError, with_user_line

_SELECTED = "FLAGS_selected_gpus"  # what launchers set


class Place:
    """A device.   kind: 'cpu' or 'gpu'; index: which one."""

    kind = "cpu"

    def __init__(self, index: int = 0) -> None:
        self.index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and (self.kind, self.index) == (other.kind, other.index)

    def __hash__(self) -> int:
        return hash((self.kind, self.index))

    def is_cpu_place(self) -> bool:
        """Whether it is the processor."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """Whether it is a CUDA device."""
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        """False: no memory is pinned here."""
        return False

    def _equals(self, other: Any) -> bool:
        """Whether another one is the same."""
        return self == other

    def get_device_id(self) -> int:
        """Which one of its kind."""
        return self.index

    gpu_device_id = get_device_id

    def __repr__(self) -> str:
        return f"Place({self.kind if self.kind == 'cpu' else f'{self.kind}:{self.index}'})"


class CPUPlace(Place):
    """The processor."""

    def __init__(self) -> None:
        super().__init__(0)


class CUDAPlace(Place):
    """One CUDA device."""

    kind = "gpu"


class CUDAPinnedPlace(CPUPlace):
    """The processor: no memory is pinned here."""


def place_of(array: Any) -> Place:
    """Where an array is."""
    index = cuda.index_of(array)
    return CPUPlace() if index is None else CUDAPlace(index)


def parse_place(device: Any, asker: str) -> Place:
    """The Place of what users name devices by: a Place, 'cpu', 'gpu:1', 'cuda:1'; 'gpu' is the one
    that a launcher chose, or 0.

    Raises OarlockError for others.
    """
    if isinstance(device, Place):
        return device
    text = str(device).removeprefix("Place(").rstrip(")")
    kind, _, index = text.partition(":")
    if kind == "cpu" and not index:
        return CPUPlace()
    if kind in ("gpu", "cuda") and (index.isdigit() or text == kind):
        return CUDAPlace(int(index or os.environ.get(_SELECTED, "").split(",")[0] or 0))
    raise OarlockError(
        with_user_line(f"{asker}: {device!r} is none of 'cpu', 'gpu', 'gpu:N'; eager ops run there")
    )


def check_gpu_index(place: Place, asker: str) -> int | None:
    """The number of a GPU, None for the processor.

    Raises OarlockError for a GPU that cannot be used.
    """
    if not place.is_gpu_place():
        return None
    cuda.check_device(place.index, asker)
    return place.index


def set_device(device: Any) -> Place:
    """Choose where new tensors go, and so where eager ops run: 'cpu', 'gpu', 'gpu:1', or a Place.

    Raises OarlockError without CuPy or a device.
    """
    place = parse_place(device, "set_device")
    index = check_gpu_index(
        place, f"set_device: {cuda.device_name(place.index if place.is_gpu_place() else None)!r}"
    )
    if index is not None:
        cuda.cupy_state.cupy.cuda.Device(index).use()
    cuda.cupy_state.index = index
    return place


def get_device() -> str:
    """The device that new tensors go to."""
    return cuda.device_name(cuda.cupy_state.index)
