"""A function in several processes."""

from __future__ import annotations

import multiprocessing.spawn
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..core.errors import OarlockError, with_user_line

_LOOKS = {
    "started_port",
    "ips",
    "gpus",
    "print_config",
    "backend",
    "start_method",
    "selected_gpus",
    "nprocs",
}


class SpawnContext:
    """Processes that run a function.

    Oarlock waits for them, so it is over when the user gets it.
    """

    def __init__(self, code: int) -> None:
        self._code = code

    def join(self, timeout: float | None = None) -> bool:
        """Nothing is left to wait for: True."""
        return True


def spawn(
    func: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = -1,
    join: bool = True,
    daemon: bool = False,
    **options: Any,
) -> SpawnContext:
    """Call func(*args) in `nprocs` processes, each a rank of one world; -1: in this one.

    func and args have to be picklable, and a program that calls this has its `if __name__ ==
    "__main__":`, as with multiprocessing.
    Comes back when all are done, whatever `join` says.
    Raises OarlockError when one fails, and says which.
    """
    left = options.keys() - _LOOKS
    if left:
        raise OarlockError(with_user_line(f"spawn: no option is called {', '.join(sorted(left))}"))
    if nprocs in (-1, 1):
        func(*args)
        return SpawnContext(0)
    if nprocs < 1:
        raise OarlockError(with_user_line(f"spawn: nprocs={nprocs}"))
    code = _run(pickle.dumps((func, args)), nprocs, int(options.get("started_port") or 6170))
    if code:
        raise OarlockError(
            with_user_line(f"spawn: a process failed (exit code {code}); what it said is above")
        )
    return SpawnContext(0)


def _run(call: bytes, count: int, port: int) -> int:
    from .launch.start import Plan, start  # noqa: PLC0415 - which training needs nothing of
    from .launch.watch import watch  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="oarlock-spawn-") as folder:
        path = Path(folder, "call")
        preparation = multiprocessing.spawn.get_preparation_data("spawned")
        del preparation["authkey"]  # which no file is to hold, and the processes have no use for
        path.write_bytes(pickle.dumps((preparation, call)))
        command = [sys.executable, "-u", "-m", f"{__package__}.spawned", str(path)]
        plan = Plan(
            count,
            "127.0.0.1",
            port,
            [],
            Path(folder),
            command,
            {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        with start(plan) as world:
            return watch(world)
