"""Several ranks with a GPU each; a stand-in on MPI replaces NCCL."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from oarlock.core.errors import OarlockError
from oarlock.distributed import mpi_or_nccl_communicator, nccl

from ..distributed.launched import PROGRAMS, launch

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "programs" / "cards.py"


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["", "nccl", "mpi"])
def test_collectives_and_training(backend: str, tmp_path: Path) -> None:
    found = os.pathsep.join([str(ROOT), str(PROGRAMS)])
    done = launch(PROGRAM, 2, tmp_path, OARLOCK_DISTRIBUTED_BACKEND=backend, PYTHONPATH=found)
    logs = [(tmp_path / f"workerlog.{rank}").read_text() for rank in range(2)]
    assert done.returncode == 0, done.stdout + done.stderr + "".join(logs)
    assert all(log.endswith("fine\n") for log in logs)


def test_missing_nccl_is_reported(cupy: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", None)
    with pytest.raises(
        OarlockError,
        match=r"require NCCL, which is not available \(.*\): pip install 'oarlock\[gpu-train\]'",
    ):
        nccl.import_nccl()


def test_requested_backend_must_be_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setenv(mpi_or_nccl_communicator.BACKEND_VARIABLE, "nccl")
    with pytest.raises(
        OarlockError, match=r"distributed: NCCL needs CuPy .*pip install 'oarlock\[gpu-train\]'"
    ):
        mpi_or_nccl_communicator.check_backend()
    monkeypatch.setenv(mpi_or_nccl_communicator.BACKEND_VARIABLE, "gloo")
    with pytest.raises(OarlockError, match="'gloo' is neither 'mpi' nor 'nccl'"):
        mpi_or_nccl_communicator.check_backend()
