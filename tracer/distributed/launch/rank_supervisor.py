"""The parent process of one rank: sets its environment, writes its log and records its exit code.

MPI's launcher runs this file with the command of the rank as arguments. It uses only the standard
library.
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

_KILL_SECONDS = 3.0  # between the first signal and SIGKILL
# Seconds for which the supervisor (this process) of a failed rank stays alive. When the supervisor
# exits, MPI's launcher kills the other ranks, and Oarlock's launcher must read the status of these
# ranks before.
_LINGER_SECONDS = 15.0


def mpi_rank_or_zero() -> int:
    """Return the rank that MPI's launcher assigned to this process, or 0 if MPI's launcher did not
    start this process.
    """
    for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"):
        if name in os.environ:
            return int(os.environ[name])
    return 0


def rank_environment(rank: int) -> dict[str, str]:
    """Return the environment variables that differ between ranks, with Paddle's names."""
    variables = {
        "PADDLE_TRAINER_ID": str(rank),
        "PADDLE_CURRENT_ENDPOINT": os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")[rank],
        "PADDLE_RANK_IN_NODE": str(rank),
    }
    devices = os.environ["OARLOCK_RANK_DEVICES"].split(";")[rank]
    if devices:
        # FLAGS_selected_gpus holds indices into the visible devices, so they count from 0.
        variables["CUDA_VISIBLE_DEVICES"] = devices
        variables["FLAGS_selected_gpus"] = ",".join(str(n) for n in range(len(devices.split(","))))
    return variables


def has_launcher_exited(folder: Path) -> bool:
    """Return whether Oarlock's launcher process has ended. Oarlock's launcher holds a lock on a
    file while it runs.
    """
    try:
        with open(folder / "launcher") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def become_subreaper() -> None:
    """Make this process the parent of orphaned descendants of the rank (Linux only), so that it can
    kill them.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def child_process_ids(process: int) -> list[int]:
    """Return the ids of the child processes of a process."""
    children = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == process:
                children.append(int(folder.name))
    return children


def _set_process_group_and_death_signal() -> None:
    os.setpgid(0, 0)  # so that a signal reaches its child processes too
    if sys.platform == "linux":
        # PR_SET_PDEATHSIG: the rank is killed when this process ends
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class RankProcess:
    """The process that runs the user's command as one rank."""

    def __init__(self, command: list[str], rank: int, log: Any, folder: Path) -> None:
        self._folder = folder
        self._kill_time = float("inf")
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **rank_environment(rank)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            # The rank inherits all file descriptors, because MPI communicates with its launcher
            # through them.
            close_fds=False,
            preexec_fn=_set_process_group_and_death_signal,  # noqa: PLW1509 - there are no threads here
        )

    def terminate(self, number: int, frame: Any = None) -> None:
        """Forward a signal to the rank. SIGKILL follows if the rank does not end in time."""
        self._kill_time = min(self._kill_time, time.monotonic() + _KILL_SECONDS)
        self.send_signal_to_group(number)

    def send_signal_to_group(self, number: int) -> None:
        """Send a signal to the process group of the rank."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, number)

    def kill_all_descendants(self) -> None:
        """Kill all descendants of the rank, also those in other sessions."""
        self.send_signal_to_group(signal.SIGKILL)
        while children := child_process_ids(os.getpid()):
            for child in children:
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            for child in children:
                with contextlib.suppress(OSError):
                    os.waitpid(child, 0)

    def wait(self) -> int:
        """Wait for the rank. Returns the exit code of the rank, or minus the number of the signal
        that ended it.
        """
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(0.1)
            if not self.is_terminating and has_launcher_exited(self._folder):
                self.terminate(signal.SIGTERM)
            if time.monotonic() > self._kill_time:
                self.send_signal_to_group(signal.SIGKILL)

    @property
    def is_terminating(self) -> bool:
        """Whether `terminate` was called."""
        return self._kill_time < float("inf")


def main() -> int:
    """Run the command. Returns the exit code of the command, or 128 plus the signal number if a
    signal ended the command.
    """
    rank, folder = mpi_rank_or_zero(), Path(os.environ["OARLOCK_RUN_FOLDER"])
    become_subreaper()
    with open(Path(os.environ["OARLOCK_LOG_FOLDER"], f"workerlog.{rank}"), "wb") as log:
        process = RankProcess(sys.argv[1:], rank, log, folder)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, process.terminate)
    (folder / f"rank.{rank}.pid").write_text(str(os.getpid()))
    code = process.wait()
    process.kill_all_descendants()
    temporary = folder / f"rank.{rank}.tmp"
    temporary.write_text(str(code))
    temporary.rename(folder / f"rank.{rank}.exit")
    deadline = time.monotonic() + _LINGER_SECONDS
    while code and not process.is_terminating and time.monotonic() < deadline:
        time.sleep(0.05)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
