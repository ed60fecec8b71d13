"""Run a program of programs/ in several processes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
HAS_MPI = importlib.util.find_spec("mpi4py") is not None


def launch(
    program: Path,
    ranks: int,
    logs: Path,
    *arguments: object,
    options: tuple[str, ...] = (),
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Run the launcher and return its result."""
    command = [
        sys.executable,
        "-m",
        "oarlock.distributed.launch",
        "--nproc_per_node",
        str(ranks),
        "--log_dir",
        str(logs),
        *options,
    ]
    return subprocess.run(
        [*command, str(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1", **variables},
    )
