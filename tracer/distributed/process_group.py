"""Initialization and shutdown of the group of all ranks."""

from __future__ import annotations

import atexit
import builtins
import importlib.util
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from ..core.communicator import process_groups
from ..core.errors import OarlockError, append_user_line
from .environment import RANK_VARIABLE, SIZE_VARIABLE, ParallelEnv, find_mpi_rank_and_size
from .group import Group, get_group, remove_all_groups, remove_group
from .wait_status import RUN_FOLDER_VARIABLE, reporting_wait_to_launcher, status_file


def init_parallel_env() -> Group:
    """Connect to the other processes of the job, and return the group of all ranks.

    Start a job with ``python -m oarlock.distributed.launch --nproc_per_node 2 train.py`` or
    ``mpiexec -n 2 python train.py``. Without a launcher the group has one rank.

    Returns
    -------
    Group

    Raises
    ------
    OarlockError
        If PADDLE_TRAINERS_NUM is greater than 1 but MPI did not start this process; if there are
        several processes and mpi4py is not installed; or if PADDLE_TRAINER_ID is not MPI's rank.

    Notes
    -----
    A second call has no effect.

    Examples
    --------
    In a program that runs as a single process:

    >>> group = paddle.distributed.init_parallel_env()
    >>> group.rank, group.nranks
    (0, 1)
    """
    if not process_groups.is_initialized:
        _join_world_if_launched()
    return get_group(0)


def _join_world_if_launched() -> None:
    size = int(os.environ.get(SIZE_VARIABLE, "1") or 1)
    ranks = find_mpi_rank_and_size()
    if ranks is None and size > 1:
        raise OarlockError(
            append_user_line(
                f"init_parallel_env: {SIZE_VARIABLE}={size}, but MPI did not start this process; "
                f"start all processes with "
                f"`python -m oarlock.distributed.launch --nproc_per_node {size} "
                f"{sys.argv[0] or 'train.py'}` or mpiexec"
            )
        )
    if ranks is not None and ranks[1] > 1:
        status_file.open_if_launched(ranks[0])
        with reporting_wait_to_launcher("init_parallel_env", tuple(range(ranks[1]))):
            _start_mpi()
        process_groups.is_initialized = True


def _start_mpi() -> None:
    if importlib.util.find_spec("mpi4py") is None:
        raise OarlockError(
            append_user_line(
                "init_parallel_env: several processes require mpi4py and an MPI library (pip "
                "install 'oarlock[dist]')"
            )
        )
    from .mpi import create_world_communicator  # noqa: PLC0415
    from .mpi_or_nccl_communicator import MpiOrNcclCommunicator, check_backend  # noqa: PLC0415 - an extra

    check_backend()
    communicator = MpiOrNcclCommunicator(create_world_communicator())
    rank = os.environ.get(RANK_VARIABLE)
    if rank is not None and rank != str(communicator.rank):
        raise OarlockError(
            append_user_line(
                f"init_parallel_env: {RANK_VARIABLE}={rank}, but MPI's rank is {communicator.rank}"
            )
        )
    process_groups.groups[0] = communicator
    sys.excepthook = _exit_on_uncaught_exception
    _install_exit_code_tracking()
    atexit.register(_finalize_mpi_or_exit_immediately)


def _exit_on_uncaught_exception(
    kind: type[BaseException], error: BaseException, trace: Any
) -> None:
    """Exception hook: print the error and end the process at once. The hook does not call
    MPI_Finalize, which would wait for the other ranks, while these wait for this one.
    """
    traceback.print_exception(kind, error, trace)
    _exit_immediately(130 if issubclass(kind, KeyboardInterrupt) else 1)


def _exit_immediately(code: int) -> NoReturn:
    """Flush the output and end this process at once, without calling `atexit` functions."""
    sys.stdout.flush()
    sys.stderr.flush()
    if RUN_FOLDER_VARIABLE not in os.environ and process_groups.global_communicator.size > 1:
        time.sleep(0.2)  # mpiexec loses output that it has not read when MPI_Abort is called
        process_groups.global_communicator.abort()  # type: ignore[attr-defined]  # Oarlock's launcher is missing, which would end the others
    os._exit(code)


class _TrackedSystemExit(SystemExit):
    """Takes the place of the class SystemExit, and detects whether an exit was caught by the user's
    code.

    pending_exit_code: the exit code of the process; None while the exception may be caught
    """

    pending_exit_code: int | None = None

    def __del__(self) -> None:
        try:
            sys._getframe(1)  # a caller exists: the exception was caught and the program continues
        except ValueError:  # no caller: the interpreter is exiting because of this exception
            # unless an exit is recorded: then this one was caught before and is deleted late
            if _TrackedSystemExit.pending_exit_code is None:
                _TrackedSystemExit.pending_exit_code = (
                    self.code if isinstance(self.code, int) else int(self.code is not None)
                )


def _install_exit_code_tracking() -> None:
    """Install the classes and hooks that record the exit code of this process before `atexit`
    functions run.
    """
    _TrackedSystemExit.__name__, _TrackedSystemExit.__qualname__, _TrackedSystemExit.__module__ = (
        "SystemExit",
        "SystemExit",
        "builtins",
    )
    builtins.SystemExit = _TrackedSystemExit  # type: ignore[misc]
    sys.exit = _tracked_sys_exit
    threading.excepthook = _make_hook_ignoring_system_exit(threading.excepthook)


def _tracked_sys_exit(status: Any = None, /) -> NoReturn:
    """Replacement of `sys.exit`, whose C code raises the original SystemExit."""
    raise _TrackedSystemExit(status)


def _make_hook_ignoring_system_exit(hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap `threading.excepthook` so that the SystemExit of a thread is not printed."""
    return lambda args: None if issubclass(args.exc_type, SystemExit) else hook(args)


def _finalize_mpi_or_exit_immediately() -> None:
    """At exit: end the process at once if the exit code is not 0. If the exit code is 0, finalize
    MPI, which waits until all messages have arrived.
    """
    if _TrackedSystemExit.pending_exit_code:
        _exit_immediately(_TrackedSystemExit.pending_exit_code & 0xFF)
    from mpi4py import MPI  # noqa: PLC0415 - an extra

    if process_groups.is_initialized and isinstance(sys.exc_info()[1], type(None)):
        status_file.write("exit")
        MPI.Finalize()


def destroy_process_group(group: Group | None = None) -> None:
    """Remove a group, or all groups.

    Parameters
    ----------
    group : Group, optional
        Default, and for the group of all ranks: remove all groups, so that the process becomes a
        group of one rank.

    Examples
    --------
    >>> group = paddle.distributed.new_group([0])
    >>> paddle.distributed.destroy_process_group(group)
    """
    if group is not None and group.id:
        remove_group(group.id)
    else:
        remove_all_groups()


def is_initialized() -> bool:
    """Return whether `init_parallel_env` has connected several processes.

    Returns
    -------
    bool
        False in a program that runs as a single process, also after `init_parallel_env`.

    Examples
    --------
    >>> paddle.distributed.is_initialized()
    False
    """
    return process_groups.is_initialized


# the name of `is_initialized` in Paddle's parallel_helper
_is_parallel_ctx_initialized = is_initialized


def is_available() -> bool:
    """Return whether several processes can be connected: mpi4py is installed.

    Returns
    -------
    bool

    Examples
    --------
    >>> isinstance(paddle.distributed.is_available(), bool)
    True
    """
    return importlib.util.find_spec("mpi4py") is not None


def get_rank(group: Group | None = None) -> int:
    """Return the rank of this process.

    Parameters
    ----------
    group : Group, optional
        Default: the group of all ranks.

    Returns
    -------
    int
        -1 if this process is not in the group.

    Examples
    --------
    In a program that runs as a single process:

    >>> paddle.distributed.get_rank()
    0
    """
    return ParallelEnv().rank if group is None else group.rank


def get_world_size(group: Group | None = None) -> int:
    """Return the number of ranks in a group.

    Parameters
    ----------
    group : Group, optional
        Default: the group of all ranks.

    Returns
    -------
    int
        -1 if this process is not in the group.

    Examples
    --------
    In a program that runs as a single process:

    >>> paddle.distributed.get_world_size()
    1
    """
    return (
        ParallelEnv().world_size if group is None else group.world_size if group.rank >= 0 else -1
    )
