"""Devices: CPUPlace, CUDAPlace and the default device."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

from . import cuda
from .errors import OarlockError, append_user_line

_SELECTED_GPUS_VARIABLE = "FLAGS_selected_gpus"  # environment variable set by launchers


class Place:
    """A device. kind: 'cpu' or 'gpu'; index: its number."""

    kind = "cpu"

    def __init__(self, index: int = 0) -> None:
        self.index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and (self.kind, self.index) == (other.kind, other.index)

    def __hash__(self) -> int:
        return hash((self.kind, self.index))

    def is_cpu_place(self) -> bool:
        """Return whether the place is the CPU."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """Return whether the place is a CUDA device."""
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        """Return False: pinned memory is not supported."""
        return False

    def _equals(self, other: Any) -> bool:
        """Return whether another place is the same device."""
        return self == other

    def get_device_id(self) -> int:
        """Return the number of the device, such as 1 for 'gpu:1'."""
        return self.index

    gpu_device_id = get_device_id

    def __repr__(self) -> str:
        return f"Place({self.kind if self.kind == 'cpu' else f'{self.kind}:{self.index}'})"


PlaceLike: TypeAlias = Place | str


class CPUPlace(Place):
    """The CPU as a device.

    Examples
    --------
    >>> paddle.CPUPlace()
    Place(cpu)
    >>> paddle.to_tensor([1.0], place=paddle.CPUPlace()).place
    Place(cpu)
    """

    def __init__(self) -> None:
        super().__init__(0)


class CUDAPlace(Place):
    """A CUDA GPU as a device.

    Parameters
    ----------
    index : int, default 0
        Number of the GPU.

    Examples
    --------
    >>> paddle.CUDAPlace(1)
    Place(gpu:1)
    >>> paddle.CUDAPlace(1).get_device_id()
    1
    """

    kind = "gpu"


class CUDAPinnedPlace(CPUPlace):
    """The CPU as a device; pinned memory is not supported.

    Examples
    --------
    >>> paddle.CUDAPinnedPlace()
    Place(cpu)
    """


def place_of_array(array: Any) -> Place:
    """Return the Place of the device that holds an array."""
    index = cuda.gpu_index_of(array)
    return CPUPlace() if index is None else CUDAPlace(index)


def parse_place(device: Any, caller_name: str) -> Place:
    """Return the Place for the description of a device: a Place, 'cpu', 'gpu:1' or 'cuda:1'. 'gpu'
    is the device that a launcher selected, or device 0.

    Raises OarlockError for other names.
    """
    if isinstance(device, Place):
        return device
    text = str(device).removeprefix("Place(").rstrip(")")
    kind, _, index = text.partition(":")
    if kind == "cpu" and not index:
        return CPUPlace()
    if kind in ("gpu", "cuda") and (index.isdigit() or text == kind):
        return CUDAPlace(
            int(index or os.environ.get(_SELECTED_GPUS_VARIABLE, "").split(",")[0] or 0)
        )
    raise OarlockError(
        append_user_line(
            f"{caller_name}: {device!r} is not one of 'cpu', 'gpu', 'gpu:N'; eager ops run there"
        )
    )


def require_usable_gpu_index_unless_cpu(place: Place, caller_name: str) -> int | None:
    """Return the number of the GPU for a Place; None for the CPU.

    Raises OarlockError for a GPU that cannot be used.
    """
    if not place.is_gpu_place():
        return None
    cuda.require_gpu_and_enable_cupy(place.index, caller_name)
    return place.index


def set_device(device: PlaceLike) -> Place:
    """Set the device on which new tensors are created.

    Parameters
    ----------
    device : str or Place
        "cpu", "gpu", "gpu:1" and so on, or a Place. "gpu" is the GPU that a launcher selected in
        the environment variable FLAGS_selected_gpus, otherwise GPU 0.

    Returns
    -------
    Place

    Raises
    ------
    OarlockError
        If the device is unknown, or the GPU or CuPy is missing.

    Notes
    -----
    The default is the CPU, also if a GPU is present.

    Examples
    --------
    >>> paddle.set_device("cpu")
    Place(cpu)
    """
    place = parse_place(device, "set_device")
    index = require_usable_gpu_index_unless_cpu(
        place, f"set_device: {cuda.format_device(place.index if place.is_gpu_place() else None)!r}"
    )
    if index is not None:
        cuda.cupy_state.cupy.cuda.Device(index).use()
    cuda.cupy_state.default_index = index
    return place


def get_device() -> str:
    """Return the name of the device on which new tensors are created.

    Returns
    -------
    str
        "cpu", "gpu:0", "gpu:1" and so on.

    Examples
    --------
    >>> device = paddle.set_device("cpu")
    >>> paddle.get_device()
    'cpu'
    """
    return cuda.format_device(cuda.cupy_state.default_index)
