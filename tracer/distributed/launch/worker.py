"""What stands over one rank: sets its variables, keeps its log, and writes down how it ended.

Run by path, by MPI's launcher, with the command of the rank as arguments.  It needs nothing but the
standard library.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_GRACE = 3.0  # seconds between the wish to end and the end
# seconds in which the launcher may look at the others before MPI's launcher ends them
_LINGER = 15.0


def rank_here() -> int:
    """The number that MPI's launcher gave this process."""
    for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"):
        if name in os.environ:
            return int(os.environ[name])
    return 0


def variables_of(rank: int) -> dict[str, str]:
    """What is each rank's own, named as Paddle's launcher names it."""
    found = {
        "PADDLE_TRAINER_ID": str(rank),
        "PADDLE_CURRENT_ENDPOINT": os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")[rank],
        "PADDLE_RANK_IN_NODE": str(rank),
    }
    devices = os.environ["OARLOCK_RANK_DEVICES"].split(";")[rank]
    if devices:
        # Cards are numbered anew among those that a process sees.
        found["CUDA_VISIBLE_DEVICES"] = devices
        found["FLAGS_selected_gpus"] = ",".join(str(n) for n in range(len(devices.split(","))))
    return found


def launcher_is_gone(folder: Path) -> bool:
    """Whether nobody watches any more: its lock is free."""
    try:
        with open(folder / "launcher") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def adopt() -> None:
    """Become the parent of what the rank leaves behind, however far it has gone; where the system
    can do that.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def children_of(process: int) -> list[int]:
    """The processes that have this one as their parent now."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            behind_name = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(behind_name[1]) == process:
                found.append(int(folder.name))
    return found


def _before() -> None:
    os.setpgid(0, 0)  # so that its child processes can be ended with it
    if sys.platform == "linux":
        # PR_SET_PDEATHSIG: it does not outlive this process
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Rank:
    """The process of one rank, and the wish to end it."""

    def __init__(self, command: list[str], rank: int, log: Any, folder: Path) -> None:
        self._folder = folder
        self._end_at = float("inf")
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **variables_of(rank)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            # MPI talks to its launcher through files that were opened for this process
            close_fds=False,
            preexec_fn=_before,  # noqa: PLW1509 - there are no threads here
        )

    def end(self, number: int, frame: Any = None) -> None:
        """Pass a signal on; what does not end by it is killed."""
        self._end_at = min(self._end_at, time.monotonic() + _GRACE)
        self.kill(number)

    def kill(self, number: int) -> None:
        """Send a signal to the rank and to what it has started."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, number)

    def kill_all(self) -> None:
        """Kill all that the rank has started, also what has taken a session of its own."""
        self.kill(signal.SIGKILL)
        while found := children_of(os.getpid()):
            for child in found:
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            for child in found:
                with contextlib.suppress(OSError):
                    os.waitpid(child, 0)

    def wait(self) -> int:
        """Its exit code, minus the signal's number where one ended it."""
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(0.1)
            if not self.is_to_end and launcher_is_gone(self._folder):
                self.end(signal.SIGTERM)
            if time.monotonic() > self._end_at:
                self.kill(signal.SIGKILL)

    @property
    def is_to_end(self) -> bool:
        """Whether somebody wants it to end."""
        return self._end_at < float("inf")


def main() -> int:
    """Run the command.   Gives its exit code, 128 and the signal's number where one ended it."""
    rank, folder = rank_here(), Path(os.environ["OARLOCK_RUN_FOLDER"])
    adopt()
    with open(Path(os.environ["OARLOCK_LOG_FOLDER"], f"workerlog.{rank}"), "wb") as log:
        process = Rank(sys.argv[1:], rank, log, folder)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, process.end)
    (folder / f"rank.{rank}.pid").write_text(str(os.getpid()))
    code = process.wait()
    process.kill_all()
    half = folder / f"rank.{rank}.half"
    half.write_text(str(code))
    half.rename(folder / f"rank.{rank}.end")
    until = time.monotonic() + _LINGER
    while code and not process.is_to_end and time.monotonic() < until:
        time.sleep(0.05)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
