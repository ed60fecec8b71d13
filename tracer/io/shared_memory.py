"""Pass large arrays between processes through shared memory, which is faster than a pipe."""

from __future__ import annotations

import glob
import itertools
import os
from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import numpy as np

from ..core import cuda, pytree
from ..core.tensor import Tensor

MIN_BYTES = 1 << 16  # smaller arrays are as fast in a pipe
SHARED_MEMORY_FOLDER = "/dev/shm"  # does not exist on other systems than Linux


@dataclass(frozen=True)
class SharedArray:
    """Reference to an array in a shared memory segment, which is sent between processes in place of
    the array.
    """

    name: str
    shape: tuple[int, ...]
    dtype: Any


def _available_shared_memory_bytes() -> int:
    """Return the number of free bytes of the shared memory file system. Writing more bytes than are
    free would kill the process.
    """
    try:
        stats = os.statvfs(SHARED_MEMORY_FOLDER)
    except OSError:
        return 0
    return stats.f_bavail * stats.f_frsize


def copy_large_arrays_to_shared_memory(batch: Any, prefix: str) -> Any:
    """Copy each array or tensor of a batch that has at least MIN_BYTES to shared memory, and
    replace it by a SharedArray. The segments are named `prefix`0, `prefix`1, ... (hexadecimal). An
    array that would take a quarter or more of the free shared memory is not copied to it.
    """
    names = itertools.count()

    def share_if_large(value: Any) -> Any:
        array = cuda.to_host(value.array) if isinstance(value, Tensor) else value
        if (
            not isinstance(array, np.ndarray)
            or array.dtype.hasobject
            or not MIN_BYTES <= array.nbytes < _available_shared_memory_bytes() // 4
        ):
            return value
        memory = SharedMemory(f"{prefix}{next(names):x}", create=True, size=array.nbytes)
        np.ndarray(array.shape, array.dtype, memory.buf)[...] = array
        memory.close()
        return SharedArray(memory.name, array.shape, array.dtype)

    return pytree.map(share_if_large, batch)


def copy_and_unlink_shared_arrays(batch: Any) -> Any:
    """Copy shared arrays to private ones and unlink the segments."""

    def copy(value: Any) -> Any:
        if not isinstance(value, SharedArray):
            return value
        memory = SharedMemory(value.name)
        array = np.array(np.ndarray(value.shape, value.dtype, memory.buf))
        memory.close()
        memory.unlink()
        return array

    return pytree.map(copy, batch)


def unlink_segments_of_prefix(prefix: str) -> None:
    """Unlink the segments with this name prefix that the main process did not receive. Another
    process may unlink a segment at the same time.
    """
    for name in glob.glob(f"{prefix}*", root_dir=SHARED_MEMORY_FOLDER):
        try:
            memory = SharedMemory(name)
        except FileNotFoundError:
            continue  # another thread has received the segment since
        memory.close()
        memory.unlink()
