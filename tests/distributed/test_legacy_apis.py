"""Other APIs of data parallelism: Paddle 1.x, `spawn`, fleet and samplers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import oarlock as paddle
from oarlock.distributed import fleet
from oarlock.distributed.launch.start import require_mpiexec

from .launched import PROGRAMS

RUN = [sys.executable, "-c", "from oarlock.cli.main import app; app()", "run-script"]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "fluid"


def run_paddle1_program(ranks: int, folder: Path) -> dict[str, np.ndarray]:
    out = folder / f"{ranks}.npz"
    started = [require_mpiexec(), "-n", str(ranks), *RUN] if ranks > 1 else RUN
    done = subprocess.run(
        [*started, str(PROGRAMS / "paddle1.py"), str(out)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(out) as found:
        return dict(found)


@pytest.mark.slow
def test_paddle1_data_parallel(tmp_path: Path) -> None:
    one, two = run_paddle1_program(1, tmp_path), run_paddle1_program(2, tmp_path)
    assert one.keys() == two.keys() and not np.allclose(
        one["fc.weight"], np.arange(4.0).reshape(4, 1)
    )
    assert all(np.allclose(one[k], two[k], rtol=1e-12, atol=1e-14) for k in one)


@pytest.mark.slow
def test_paddle1_data_parallel_with_rank_dependent_graph() -> None:
    command = [require_mpiexec(), "-n", "2", *RUN, str(PROGRAMS / "paddle1_rank_dependent.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0 and done.stdout.count("fine") == 2, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("example", ["digits_cards_1_8.py", "digits_cards_2_0.py"])
def test_examples_train_in_two_processes(example: str, tmp_path: Path) -> None:
    command = [
        *RUN,
        "-m",
        "paddle.distributed.launch",
        "--nproc_per_node",
        "2",
        "--log_dir",
        str(tmp_path),
        str(EXAMPLES / example),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert any(line.startswith("accuracy: ") for line in done.stdout.splitlines())
    assert "epoch 7: loss" in (tmp_path / "workerlog.1").read_text()


def run_spawn(out: Path, how: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAMS / "spawned.py"), str(out), how]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.slow
def test_spawn_runs_a_function_in_each_process(tmp_path: Path) -> None:
    done = run_spawn(tmp_path / "out", "right")
    assert done.returncode == 0 and (tmp_path / "out").read_text() == "trained", done.stderr


@pytest.mark.slow
def test_spawn_reports_failed_process(tmp_path: Path) -> None:
    done = run_spawn(tmp_path / "out", "wrong")
    assert done.returncode == 1
    assert (
        "rank 1 ended with exit code 1" in done.stderr and "ValueError: the reason" in done.stderr
    )
    assert "spawn: a process failed (exit code 1)" in done.stderr


def test_fleet_rejects_other_parallelism() -> None:
    strategy = fleet.DistributedStrategy()
    with pytest.raises(paddle.OarlockError, match="sharding is not supported"):
        strategy.sharding = True
    with pytest.raises(paddle.OarlockError, match="mp_degree"):
        strategy.hybrid_configs = {"dp_degree": 2, "mp_degree": 2}
    with pytest.raises(paddle.OarlockError, match="parameter servers are not supported"):
        fleet.init()
    fleet.init(is_collective=True, strategy=strategy)
    layer = paddle.nn.Linear(2, 2)
    assert fleet.distributed_model(layer) is layer and fleet.worker_num() == 1
    paddle.distributed.destroy_process_group()
