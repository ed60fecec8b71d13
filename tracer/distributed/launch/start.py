"""The processes of a world on this machine, started through MPI's own launcher."""

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
from ..waiting import FOLDER

_WORKER = Path(__file__).with_name("worker.py")
_THREADS = "OMP_NUM_THREADS"
_GRACE = 8.0  # seconds that a world has to end by itself; its ranks have 3


@dataclass(frozen=True)
class Plan:
    """How many processes run what.

    devices: cards, the same number for each; logs: the folder of workerlog.N
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
        """The addresses that ranks are listed by."""
        return [f"{self.host}:{self.port + n}" for n in range(self.count)]

    def variables(self) -> dict[str, str]:
        """What every rank finds in its environment; {N} stands for what is each rank's own, see
        worker.py.
        """
        found = {
            "PADDLE_TRAINERS_NUM": str(self.count),
            "PADDLE_TRAINER_ENDPOINTS": ",".join(self.endpoints),
            "OARLOCK_RANK_DEVICES": ";".join(self.devices_of(n) for n in range(self.count)),
            "OARLOCK_LOG_FOLDER": str(self.logs.absolute()),
        }
        if _THREADS not in os.environ:
            found[_THREADS] = str(max(1, len(os.sched_getaffinity(0)) // self.count))
        return found | self.extra

    def devices_of(self, rank: int) -> str:
        """The cards of a rank."""
        each = len(self.devices) // self.count
        return ",".join(self.devices[rank * each : (rank + 1) * each])


@dataclass
class World:
    """Processes that run.   folder: where they say how they are"""

    plan: Plan
    process: subprocess.Popen[bytes]
    folder: Path

    def tell(self, number: int) -> None:
        """Send a signal to all ranks."""
        for rank in range(self.plan.count):
            with contextlib.suppress(OSError, ValueError):
                os.kill(int((self.folder / f"rank.{rank}.pid").read_text()), number)

    def end(self, number: int = signal.SIGTERM) -> None:
        """End all ranks, patiently at first."""
        self.tell(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE)
            return
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def mpiexec() -> str:
    """MPI's launcher: the one beside this Python, or on the path.

    Raises OarlockError where there is none.
    """
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise OarlockError("launch: there is no mpiexec; pip install 'oarlock[dist]' brings one")
    return found


@contextlib.contextmanager
def start(plan: Plan) -> Iterator[World]:
    """A running world, which ends with the body."""
    try:
        plan.logs.mkdir(parents=True, exist_ok=True)
        for left in plan.logs.glob("workerlog.*"):
            left.unlink()
    except OSError as error:
        raise OarlockError(f"launch: no folder for logs: {error}") from None
    with (
        tempfile.TemporaryDirectory(prefix="oarlock-launch-") as folder,
        open(Path(folder, "launcher"), "w") as alive,
    ):
        # free when this process is gone, however it went: see worker.py
        fcntl.flock(alive, fcntl.LOCK_EX)
        command = [
            mpiexec(),
            "-n",
            str(plan.count),
            sys.executable,
            "-I",
            str(_WORKER),
            *plan.command,
        ]
        process = subprocess.Popen(
            command,
            env={**os.environ, **plan.variables(), FOLDER: folder},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        world = World(plan, process, Path(folder))
        try:
            yield world
        finally:
            if process.poll() is None:
                world.end()
