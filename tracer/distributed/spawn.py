"""`distributed.spawn`: run a function in several processes."""

from __future__ import annotations

import multiprocessing.spawn
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..core.errors import OarlockError, append_user_line

_OPTIONS = {
    "started_port",
    "ips",
    "gpus",
    "print_config",
    "backend",
    "start_method",
    "selected_gpus",
    "nprocs",
}


class FinishedSpawnContext:
    """The result of `spawn`; all processes are finished, because `spawn` waits for them."""

    def join(self, timeout: float | None = None) -> bool:
        """Return True, because all processes are finished."""
        return True


def spawn(
    func: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = -1,
    join: bool = True,
    daemon: bool = False,
    **options: Any,
) -> FinishedSpawnContext:
    """Call ``func(*args)`` in several new processes that form one group, and wait for them.

    Parameters
    ----------
    func : callable
        A function that can be pickled: defined at the top of a module.
    args : tuple, default ()
        Arguments that can be pickled.
    nprocs : int, default -1
        Number of processes. For 1 and -1 `func` is called in this process.
    join : bool, default True
        Not used; the call waits for the processes also if it is False.
    daemon : bool, default False
        Not used.
    **options
        ``started_port`` (int, default 6170) is the first port of the processes. ``ips``, ``gpus``,
        ``selected_gpus``, ``print_config``, ``backend`` and ``start_method`` are accepted without
        effect.

    Returns
    -------
    FinishedSpawnContext
        Its method `join` returns True.

    Raises
    ------
    OarlockError
        If a process fails, `nprocs` is 0 or less than -1, or an option is unknown.

    Notes
    -----
    The calling script needs ``if __name__ == "__main__":``, as with multiprocessing.

    Examples
    --------
    >>> context = paddle.distributed.spawn(print, args=("trained",), nprocs=1)
    trained
    >>> context.join()
    True
    """
    unknown = options.keys() - _OPTIONS
    if unknown:
        raise OarlockError(append_user_line(f"spawn: unknown options {', '.join(sorted(unknown))}"))
    if nprocs in (-1, 1):
        func(*args)
        return FinishedSpawnContext()
    if nprocs < 1:
        raise OarlockError(append_user_line(f"spawn: nprocs must be -1 or positive, not {nprocs}"))
    code = _run_in_processes_and_return_exit_code(
        pickle.dumps((func, args)), nprocs, int(options.get("started_port") or 6170)
    )
    if code:
        raise OarlockError(
            append_user_line(f"spawn: a process failed (exit code {code}); its output is above")
        )
    return FinishedSpawnContext()


def _run_in_processes_and_return_exit_code(call: bytes, count: int, port: int) -> int:
    from .launch.monitor import monitor  # noqa: PLC0415
    from .launch.start import JobConfig, running_job  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="oarlock-spawn-") as folder:
        path = Path(folder, "call")
        preparation = multiprocessing.spawn.get_preparation_data("spawned")
        del preparation["authkey"]  # a secret, which must not be in a file and is not needed
        path.write_bytes(pickle.dumps((preparation, call)))
        command = [sys.executable, "-u", "-m", f"{__package__}.spawn_worker", str(path)]
        config = JobConfig(
            count,
            "127.0.0.1",
            port,
            [],
            Path(folder),
            command,
            {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        with running_job(config) as job:
            return monitor(job)
