"""Large arrays from one process to another through shared memory, which a pipe would copy piece by
piece.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from multiprocessing.shared_memory import SharedMemory
from typing import Any, NamedTuple

import numpy as np

from ..core import cuda
from ..core.tensor import Tensor

LARGE = 1 << 16  # bytes; less is as fast in a pipe


class Lent(NamedTuple):
    """An array in shared memory."""

    name: str
    shape: tuple[int, ...]
    dtype: Any


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """The same nesting, with `function` of everything that is no dict, list or tuple."""
    if isinstance(value, dict):
        return {key: _mapped(inner, function) for key, inner in value.items()}
    if isinstance(value, list):
        return [_mapped(inner, function) for inner in value]
    if type(value) is tuple:
        return tuple(_mapped(inner, function) for inner in value)
    return function(value)


def _room() -> int:
    """The bytes that are free for shared memory: writing more would end the process."""
    try:
        held = os.statvfs("/dev/shm")
    except OSError:
        return 0
    return held.f_bavail * held.f_frsize


def lend(batch: Any, prefix: str) -> Any:
    """The batch with its large arrays in shared memory, named prefix0, prefix1, ...; as it is where
    there is little room.
    """
    names = itertools.count()

    def lent(value: Any) -> Any:
        array = cuda.to_host(value.array) if isinstance(value, Tensor) else value
        if (
            not isinstance(array, np.ndarray)
            or array.dtype.hasobject
            or not LARGE <= array.nbytes < _room() // 4
        ):
            return value
        memory = SharedMemory(f"{prefix}{next(names):x}", create=True, size=array.nbytes)
        np.ndarray(array.shape, array.dtype, memory.buf)[...] = array
        memory.close()
        return Lent(memory.name, array.shape, array.dtype)

    return _mapped(batch, lent)


def take(batch: Any) -> Any:
    """The batch with what was lent copied into arrays of its own, and given back."""

    def taken(value: Any) -> Any:
        if not isinstance(value, Lent):
            return value
        memory = SharedMemory(value.name)
        array = np.array(np.ndarray(value.shape, value.dtype, memory.buf))
        memory.close()
        memory.unlink()
        return array

    return _mapped(batch, taken)


def free(prefix: str) -> None:
    """Give back what was lent under a prefix and never taken."""
    for k in itertools.count():
        try:
            memory = SharedMemory(f"{prefix}{k:x}")
        except FileNotFoundError:
            return
        memory.close()
        memory.unlink()
