"""The start and the end of a world of several ranks."""

from __future__ import annotations

import atexit
import builtins
import importlib.util
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

from ..core.communicator import SingleProcess, world
from ..core.errors import OarlockError, with_user_line
from .environment import RANK, SIZE, ParallelEnv, mpi_ranks
from .group import group_of
from .waiting import FOLDER, note, noted


def init_parallel_env() -> Any:
    """Join the other processes, which a launcher started; in a world of one there is nobody to
    join.

    Gives the group of all.

    Start them by `python -m oarlock.distributed.launch --nproc_per_node 2 train.py`, or by MPI's
    own `mpiexec -n 2`. Raises OarlockError where the environment speaks of other processes and MPI
    knows of none.
    """
    if not world.initialized:
        _join()
    return group_of(0)


def _join() -> None:
    wanted = int(os.environ.get(SIZE, "1") or 1)
    started = mpi_ranks()
    if started is None and wanted > 1:
        raise OarlockError(
            with_user_line(
                f"init_parallel_env: {SIZE}={wanted}, and no launcher of MPI started this "
                f"process; start all of them by "
                f"`python -m oarlock.distributed.launch --nproc_per_node {wanted} "
                f"{sys.argv[0] or 'train.py'}`, or by mpiexec"
            )
        )
    if started is not None and started[1] > 1:
        note.open(started[0])
        with noted("init_parallel_env", tuple(range(started[1]))):
            _start_mpi()
        world.initialized = True


def _start_mpi() -> None:
    if importlib.util.find_spec("mpi4py") is None:
        raise OarlockError(
            with_user_line(
                "init_parallel_env: several processes need mpi4py and an MPI library: pip "
                "install 'oarlock[dist]'"
            )
        )
    from .by_place import ByPlace, check_backend  # noqa: PLC0415 - an extra
    from .mpi import started  # noqa: PLC0415

    check_backend()
    made = ByPlace(started())
    said = os.environ.get(RANK)
    if said is not None and said != str(made.rank):
        raise OarlockError(
            with_user_line(
                f"init_parallel_env: {RANK}={said}, and MPI says that this is rank {made.rank}"
            )
        )
    world.groups[0] = made
    sys.excepthook = _ended_by
    _watch_exits()
    atexit.register(_ended)


def _ended_by(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """A rank that fails leaves at once: MPI's own farewell would wait for the others, which wait
    for it.
    """
    traceback.print_exception(kind, error, trace)
    _go(130 if issubclass(kind, KeyboardInterrupt) else 1)


def _go(code: int) -> NoReturn:
    """End this process at once."""
    sys.stdout.flush()
    sys.stderr.flush()
    if FOLDER not in os.environ and world.everybody.size > 1:
        world.everybody.abort()  # type: ignore[attr-defined]  # without our launcher nobody else would tell the others
    os._exit(code)


class _Leaving(SystemExit):
    """SystemExit, also of those who raise it by name.

    code_of_end: what the process ends with by it, None as long as somebody may catch it.
    """

    code_of_end: int | None = None

    def __del__(self) -> None:
        try:
            sys._getframe(1)  # The exception was caught, and the program continues.
        except (
            ValueError
        ):  # nobody did: Python itself is done with it, and the process is about to end
            # else this is one that was caught by then, and hung on to the last
            if _Leaving.code_of_end is None:
                _Leaving.code_of_end = (
                    self.code if isinstance(self.code, int) else int(self.code is not None)
                )


def _watch_exits() -> None:
    """Record the exit code of this process, which nothing else reports in time."""
    _Leaving.__name__, _Leaving.__qualname__, _Leaving.__module__ = (
        "SystemExit",
        "SystemExit",
        "builtins",
    )
    builtins.SystemExit = _Leaving  # type: ignore[misc]
    sys.exit = _leave
    threading.excepthook = _silent_about_exits(threading.excepthook)


def _leave(status: Any = None, /) -> NoReturn:
    """`sys.exit`, which is written in C and knows one SystemExit only."""
    raise _Leaving(status)


def _silent_about_exits(before: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A hook for threads whose functions raise: that one of them ends itself is nothing to be
    printed.
    """
    return lambda given: None if issubclass(given.exc_type, SystemExit) else before(given)


def _ended() -> None:
    """Wait for the others, so that messages on their way arrive; not with a code that says that
    something went wrong.
    """
    if _Leaving.code_of_end:
        _go(_Leaving.code_of_end & 0xFF)
    from mpi4py import MPI  # noqa: PLC0415 - an extra

    if world.initialized and isinstance(sys.exc_info()[1], type(None)):
        note.write("exit")
        MPI.Finalize()


def destroy_process_group(group: Any = None) -> None:
    """Forget `group`, or all of them: then this process is alone again."""
    if group is not None and group.id:
        world.groups.pop(group.id, None)
        return
    world.groups.clear()
    world.groups[0] = SingleProcess()
    world.initialized = False


def is_initialized() -> bool:
    """Whether init_parallel_env was called."""
    return world.initialized


_is_parallel_ctx_initialized = is_initialized  # its name in Paddle's parallel_helper


def is_available() -> bool:
    """Whether several processes could talk to each other: mpi4py is there."""
    return importlib.util.find_spec("mpi4py") is not None


def get_rank(group: Any = None) -> int:
    """The number of this process, in `group` if one is given; -1 where it is not in it."""
    return ParallelEnv().rank if group is None else group.rank


def get_world_size(group: Any = None) -> int:
    """How many processes there are, in `group` if one is given; -1 where this one is not in it."""
    return (
        ParallelEnv().world_size if group is None else group.world_size if group.rank >= 0 else -1
    )
