"""Optional GPU support through CuPy: the device of an array, and copies between devices.

CuPy is imported when a GPU is first requested. Until then every function here only tests
`cupy_state`.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from . import arrays
from .errors import OarlockError, append_user_line


class _CupyState:
    """The process-wide state of GPU support.

    cupy: the CuPy module; None until a GPU is requested.
    array_type: cupy.ndarray; () until a GPU is requested.
    default_index: the device of new tensors; None for the CPU.
    """

    cupy: Any = None
    array_type: Any = ()  # isinstance(x, ()) is False
    default_index: int | None = None


cupy_state = _CupyState()
_NULL_CONTEXT = nullcontext()
_first_use_callbacks: list[Callable[[], None]] = []


def call_on_first_gpu_use(then: Callable[[], None]) -> None:
    """Register `then` to be called when a GPU is first requested; call it at once if a GPU was
    requested before.
    """
    _first_use_callbacks.append(then)
    if cupy_state.cupy is not None:
        then()


def require_and_enable_cupy(caller_name: str) -> Any:
    """Return the module CuPy. The first call stores CuPy in `cupy_state`, makes array creation
    functions use the device of the running kernel, and runs the callbacks of
    `call_on_first_gpu_use`.

    caller_name: the name for the message.

    Raises OarlockError if CuPy is missing.
    """
    if cupy_state.cupy is None:
        cupy = _import_cupy_or_raise(caller_name)
        cupy_state.cupy, cupy_state.array_type = cupy, cupy.ndarray
        arrays.install_creation_function_dispatch()
        for then in _first_use_callbacks:
            then()
    return cupy_state.cupy


def _import_cupy_or_raise(caller_name: str) -> Any:
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        hint = "" if load_driver() else "; no driver of NVIDIA is installed, use the device 'cpu'"
        problem = f"{caller_name} needs CuPy ({error}): pip install 'oarlock[gpu-train]'{hint}"
        raise OarlockError(append_user_line(problem)) from None


def load_driver() -> ctypes.CDLL | None:
    """Return the library of the NVIDIA driver; None if it is not installed."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def cupyx_special_function(name: str) -> Any:
    """Return the function of `cupyx.scipy.special` with this name, which takes arrays on a GPU."""
    return getattr(importlib.import_module("cupyx.scipy.special"), name)


def device_count() -> int:
    """The number of GPUs that eager ops can use; 0 without CuPy or driver. A call does not enable
    GPU support.
    """
    try:
        return int(importlib.import_module("cupy").cuda.runtime.getDeviceCount())
    except Exception:  # CuPy is missing, or its driver is missing or too old
        return 0


def require_gpu_and_enable_cupy(index: int, caller_name: str) -> Any:
    """Enable CuPy and return the module if GPU number `index` exists.

    Raises OarlockError otherwise and changes no state.
    """
    cupy = _import_cupy_or_raise(caller_name)
    try:
        num_devices, why = int(cupy.cuda.runtime.getDeviceCount()), "the driver shows none"
    except Exception as error:  # the class is CuPy's CUDARuntimeError
        num_devices, why = 0, str(error).splitlines()[0]
    if not num_devices:
        raise OarlockError(append_user_line(f"{caller_name}: no CUDA device is visible ({why})"))
    if not 0 <= index < num_devices:
        raise OarlockError(
            append_user_line(
                f"{caller_name}: there is no CUDA device {index}; {num_devices} are visible, "
                "from 0 on"
            )
        )
    return require_and_enable_cupy(caller_name)


def gpu_index_of(array: Any) -> int | None:
    """Return the number of the GPU that holds an array; None for an array in CPU memory."""
    return int(array.device.id) if isinstance(array, cupy_state.array_type) else None


def to_host(array: Any) -> Any:
    """Return an array in CPU memory. An array on a GPU is copied, and an array on the CPU is
    returned as it is.
    """
    return array.get() if isinstance(array, cupy_state.array_type) else array


def use_device(index: int | None) -> Any:
    """Context manager that makes GPU number `index` the current one. For None, which stands for the
    CPU, `use_device` has no effect.
    """
    return _NULL_CONTEXT if index is None else cupy_state.cupy.cuda.Device(index)


def to_device(array: Any, index: int | None) -> Any:
    """Return an array on GPU number `index`, or on the CPU if `index` is None. The array is copied
    if it is on another device.
    """
    if gpu_index_of(array) == index:
        return array
    if index is None:
        return to_host(array)
    with use_device(index):
        return cupy_state.cupy.asarray(array)


def to_default_device(array: Any) -> Any:
    """Return a CPU array on the device of new tensors; the array is copied if that device is a
    GPU.
    """
    return array if cupy_state.default_index is None else to_device(array, cupy_state.default_index)


@contextmanager
def use_as_default_device(index: int | None) -> Iterator[None]:
    """Context manager that sets the device on which new tensors are created; None is the CPU."""
    before, cupy_state.default_index = cupy_state.default_index, index
    try:
        yield
    finally:
        cupy_state.default_index = before


def copy_array(array: Any) -> Any:
    """A copy of an array on the same device."""
    if not isinstance(array, cupy_state.array_type):
        return np.array(array)
    with use_device(gpu_index_of(array)):
        return array.copy()


def contiguous_copy(array: Any) -> Any:
    """A C-contiguous copy of an array on the same device."""
    if not isinstance(array, cupy_state.array_type):
        return np.array(array, order="C")
    with use_device(gpu_index_of(array)):
        return array.copy(order="C")


def copy_with_dtype_and_device_of(array: Any, like: Any) -> Any:
    """A copy of an array with the device and dtype of `like`."""
    index = gpu_index_of(like)
    if index is None:
        return np.array(to_host(array), dtype=like.dtype)
    with use_device(index):
        return to_device(array, index).astype(like.dtype, copy=True)


def zeros_like(array: Any) -> Any:
    """Zeros with the shape, dtype and device of an array."""
    if cupy_state.cupy is None:
        # several times faster than np.zeros_like for small arrays
        return np.zeros(array.shape, array.dtype)
    with use_device(gpu_index_of(array)):
        return np.zeros_like(array)


def ones_like(array: Any) -> Any:
    """Ones with the shape, dtype and device of an array."""
    if cupy_state.cupy is None:
        return np.ones_like(array)
    with use_device(gpu_index_of(array)):
        return np.ones_like(array)


def format_device(index: int | None) -> str:
    """Return the name of a device: cpu, gpu:0."""
    return "cpu" if index is None else f"gpu:{index}"
