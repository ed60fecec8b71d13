"""CuPy, if it is there and wanted: which arrays are on which GPU, and how they get there and back.

Nothing imports CuPy before somebody asks for a GPU.  Until then every question here is answered by
one look at `found`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from . import arrays
from .errors import OarlockError, with_user_line


class _CupyState:
    """cupy: the module, None as long as nobody wanted a GPU; index: where new tensors go, None for
    the processor.
    """

    cupy: Any = None
    array: Any = ()  # isinstance(x, ()) is False
    index: int | None = None


cupy_state = _CupyState()
_NO_DEVICE = nullcontext()
_first_use_callbacks: list[
    Callable[[], None]
] = []  # what is to be done when the first GPU is asked for


def on_first_gpu_use(then: Callable[[], None]) -> None:
    """Call `then` as soon as a GPU is asked for, which for most programs is never."""
    _first_use_callbacks.append(then)
    if cupy_state.cupy is not None:
        then()


def require_cupy(asker: str) -> Any:
    """CuPy.   Raises OarlockError where there is none; asker: who wants it, for the error."""
    if cupy_state.cupy is None:
        cupy = _import_cupy(asker)
        cupy_state.cupy, cupy_state.array = cupy, cupy.ndarray
        arrays.enable_dispatch()
        for then in _first_use_callbacks:
            then()
    return cupy_state.cupy


def _import_cupy(asker: str) -> Any:
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise OarlockError(
            with_user_line(f"{asker} needs CuPy ({error}): pip install oarlock[gpu-train]")
        ) from None


def scipy_special(name: str) -> Any:
    """A function of arrays on a GPU that NumPy does not have, of those that SciPy has."""
    return getattr(importlib.import_module("cupyx.scipy.special"), name)


def device_count() -> int:
    """How many GPUs eager ops can run on; 0 without CuPy, or without a driver.

    Asking changes nothing.
    """
    try:
        return int(importlib.import_module("cupy").cuda.runtime.getDeviceCount())
    except (
        Exception
    ):  # no CuPy, no driver, one that is too old: CuPy has an error of its own for each
        return 0


def check_device(index: int, asker: str) -> Any:
    """CuPy, if GPU number `index` is there.

    Raises OarlockError otherwise, and then nothing has changed.
    """
    cupy = _import_cupy(asker)
    try:
        there, why = int(cupy.cuda.runtime.getDeviceCount()), "the driver shows none"
    except Exception as error:  # CUDARuntimeError, which only CuPy can name
        there, why = 0, str(error).splitlines()[0]
    if not there:
        raise OarlockError(with_user_line(f"{asker}: no CUDA device is visible ({why})"))
    if not 0 <= index < there:
        raise OarlockError(
            with_user_line(
                f"{asker}: there is no CUDA device {index}; {there} are visible, from 0 on"
            )
        )
    return require_cupy(asker)


def index_of(array: Any) -> int | None:
    """The number of the GPU that holds an array, None for the processor."""
    return int(array.device.id) if isinstance(array, cupy_state.array) else None


def to_host(array: Any) -> Any:
    """The array in the processor's memory: itself, or a copy of one on a GPU."""
    return array.get() if isinstance(array, cupy_state.array) else array


def use_device(index: int | None) -> Any:
    """A context in which CUDA works on one GPU; nothing to do for the processor."""
    return _NO_DEVICE if index is None else cupy_state.cupy.cuda.Device(index)


def to_device(array: Any, index: int | None) -> Any:
    """The array on a GPU, or on the processor for None; itself where it is there already."""
    if index_of(array) == index:
        return array
    if index is None:
        return to_host(array)
    with use_device(index):
        return cupy_state.cupy.asarray(array)


def to_default_device(array: Any) -> Any:
    """A new array of the processor where new tensors go."""
    return array if cupy_state.index is None else to_device(array, cupy_state.index)


@contextmanager
def use_default_device(index: int | None) -> Iterator[None]:
    """In the body, new tensors go to one device."""
    before, cupy_state.index = cupy_state.index, index
    try:
        yield
    finally:
        cupy_state.index = before


def copy_array(array: Any) -> Any:
    """A copy of an array, where it is."""
    return array.copy() if isinstance(array, cupy_state.array) else np.array(array)


def contiguous_copy(array: Any) -> Any:
    """A copy of an array, where it is, whose elements lie one behind the other."""
    if not isinstance(array, cupy_state.array):
        return np.array(array, order="C")
    with use_device(index_of(array)):
        return array.copy(order="C")


def copy_like(array: Any, like: Any) -> Any:
    """A copy of an array where another one is, and of its dtype."""
    index = index_of(like)
    if index is None:
        return np.array(to_host(array), dtype=like.dtype)
    with use_device(index):
        return to_device(array, index).astype(like.dtype, copy=True)


def zeros_like(array: Any) -> Any:
    """Zeros in the shape and dtype of an array, where it is."""
    if cupy_state.cupy is None:
        # several times faster than zeros_like for small arrays
        return np.zeros(array.shape, array.dtype)
    with use_device(index_of(array)):
        return np.zeros_like(array)


def ones_like(array: Any) -> Any:
    """Ones likewise."""
    if cupy_state.cupy is None:
        return np.ones_like(array)
    with use_device(index_of(array)):
        return np.ones_like(array)


def device_name(index: int | None) -> str:
    """As errors name it: cpu, gpu:0."""
    return "cpu" if index is None else f"gpu:{index}"
