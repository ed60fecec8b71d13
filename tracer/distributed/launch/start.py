"""Start the processes of a job on this machine with MPI's launcher."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...core.errors import OarlockError
from ..wait_status import RUN_FOLDER_VARIABLE

_RANK_SUPERVISOR = Path(__file__).with_name("rank_supervisor.py")
_THREADS_VARIABLE = "OMP_NUM_THREADS"
_TERMINATE_SECONDS = 8.0  # in which a job must end after a signal; its ranks have 3 seconds


@dataclass(frozen=True)
class JobConfig:
    """Configuration of a job.

    count: number of processes.
    devices: GPU indices, the same number for each process.
    logs: the folder of workerlog.N.
    extra: more environment variables.
    """

    count: int
    host: str
    port: int
    devices: list[str]
    logs: Path
    command: list[str]
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def endpoints(self) -> list[str]:
        """The addresses of all ranks, the value of the environment variable
        PADDLE_TRAINER_ENDPOINTS.
        """
        return [f"{self.host}:{self.port + n}" for n in range(self.count)]

    def common_environment(self) -> dict[str, str]:
        """Return the environment variables that have the same values for all ranks;
        rank_supervisor.py sets the variables that differ.
        """
        variables = {
            "PADDLE_TRAINERS_NUM": str(self.count),
            "PADDLE_TRAINER_ENDPOINTS": ",".join(self.endpoints),
            "OARLOCK_RANK_DEVICES": ";".join(self.devices_of_rank(n) for n in range(self.count)),
            "OARLOCK_LOG_FOLDER": str(self.logs.absolute()),
        }
        if _THREADS_VARIABLE not in os.environ:
            variables[_THREADS_VARIABLE] = str(max(1, len(os.sched_getaffinity(0)) // self.count))
        return variables | self.extra

    def devices_of_rank(self, rank: int) -> str:
        """Return the indices of the GPUs that a rank uses, separated by commas."""
        num_devices = len(self.devices) // self.count
        return ",".join(self.devices[rank * num_devices : (rank + 1) * num_devices])


@dataclass
class Job:
    """A running job.  process: MPI's launcher; folder: of the ranks' status files"""

    config: JobConfig
    process: subprocess.Popen[bytes]
    folder: Path

    def send_signal(self, number: int) -> None:
        """Send a signal to all ranks."""
        for rank in range(self.config.count):
            with contextlib.suppress(OSError, ValueError):
                os.kill(int((self.folder / f"rank.{rank}.pid").read_text()), number)

    def terminate(self, number: int = signal.SIGTERM) -> None:
        """Send a signal to all ranks; kill the processes that do not end in time."""
        self.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_TERMINATE_SECONDS)
            return
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def require_mpiexec() -> str:
    """Return the path of mpiexec in the folder of this Python or in PATH.

    Raises OarlockError if it is missing.
    """
    local = Path(sys.executable).with_name("mpiexec")
    path = str(local) if local.exists() else shutil.which("mpiexec")
    if path is None:
        raise OarlockError("launch: mpiexec is missing (pip install 'oarlock[dist]')")
    return path


@contextlib.contextmanager
def running_job(config: JobConfig) -> Iterator[Job]:
    """Context manager that starts a job, and terminates it when the context exits."""
    try:
        config.logs.mkdir(parents=True, exist_ok=True)
        for old_log in config.logs.glob("workerlog.*"):
            old_log.unlink()
    except OSError as error:
        raise OarlockError(f"launch: cannot create the folder for logs: {error}") from None
    with (
        tempfile.TemporaryDirectory(prefix="oarlock-launch-") as folder,
        open(Path(folder, "launcher"), "w") as lock,
    ):
        # The lock tells rank_supervisor.py that the launcher runs: the operating system releases
        # the lock when this process ends, even by SIGKILL.
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = [
            require_mpiexec(),
            "-n",
            str(config.count),
            sys.executable,
            "-I",
            str(_RANK_SUPERVISOR),
            *config.command,
        ]
        process = subprocess.Popen(
            command,
            env={**os.environ, **config.common_environment(), RUN_FOLDER_VARIABLE: folder},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        job = Job(config, process, Path(folder))
        try:
            yield job
        finally:
            if process.poll() is None:
                job.terminate()
