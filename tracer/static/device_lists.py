"""Lists of places for `ParallelExecutor` and other multi-device APIs of Paddle."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NoReturn

from ..core.errors import OarlockError, append_user_line
from ..core.place import CPUPlace, CUDAPlace, Place

IPU_MESSAGE = "Graphcore devices are not supported"


def cpu_places(device_count: int | None = None) -> list[Place]:
    """Return a list of places on the CPU.

    Parameters
    ----------
    device_count : int, optional
        Default: the environment variable CPU_NUM, else 1.

    Returns
    -------
    list of CPUPlace

    Examples
    --------
    >>> paddle.static.cpu_places(2)
    [Place(cpu), Place(cpu)]
    """
    count = int(os.environ.get("CPU_NUM", "1")) if device_count is None else device_count
    return [CPUPlace() for _ in range(count)]


def cuda_places(device_ids: Sequence[int] | int | None = None) -> list[Place]:
    """Return a list of places on GPUs. Programs run on the CPU, whatever the place is.

    Parameters
    ----------
    device_ids : int or list of int, optional
        Indices of the GPUs. Default: none.

    Returns
    -------
    list of CUDAPlace

    Examples
    --------
    >>> paddle.static.cuda_places([0, 1])
    [Place(gpu:0), Place(gpu:1)]
    """
    ids = [device_ids] if isinstance(device_ids, int) else device_ids or ()
    return [CUDAPlace(i) for i in ids]


def xpu_places(device_ids: Sequence[int] | int | None = None) -> NoReturn:
    """Not supported: Oarlock does not run on XPUs.

    Parameters
    ----------
    device_ids : int or list of int, optional

    Raises
    ------
    OarlockError
        Always.

    Examples
    --------
    >>> paddle.static.xpu_places()
    Traceback (most recent call last):
    oarlock.core.errors.OarlockError: xpu_places: XPUs are not supported...
    """
    raise OarlockError(append_user_line("xpu_places: XPUs are not supported"))


def ipu_shard_guard(index: int = -1, stage: int = -1) -> NoReturn:
    """Not supported: Oarlock does not run on Graphcore IPUs.

    Parameters
    ----------
    index, stage : int, default -1

    Raises
    ------
    OarlockError
        Always.

    Examples
    --------
    >>> paddle.static.ipu_shard_guard()
    Traceback (most recent call last):
    oarlock.core.errors.OarlockError: ipu_shard_guard: Graphcore devices are not supported...
    """
    raise OarlockError(append_user_line(f"ipu_shard_guard: {IPU_MESSAGE}"))


def set_ipu_shard(call_func: object, index: int = -1, stage: int = -1) -> NoReturn:
    """Not supported: Oarlock does not run on Graphcore IPUs.

    Parameters
    ----------
    call_func : callable
    index, stage : int, default -1

    Raises
    ------
    OarlockError
        Always.

    Examples
    --------
    >>> paddle.static.set_ipu_shard(print)
    Traceback (most recent call last):
    oarlock.core.errors.OarlockError: set_ipu_shard: Graphcore devices are not supported...
    """
    raise OarlockError(append_user_line(f"set_ipu_shard: {IPU_MESSAGE}"))
