"""The launcher: variables, output, logs, reports of failed ranks, and no processes left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from oarlock.core.errors import OarlockError
from oarlock.distributed.launch.command import (
    build_parser,
    make_job_config,
    override_options_from_environment,
)
from oarlock.distributed.launch.monitor import _describe_ranks_not_in_collective, _is_deadlocked
from oarlock.distributed.launch.start import Job, JobConfig

from .launched import PROGRAMS, launch

pytestmark = pytest.mark.slow

VARIABLES = """
import json, os
names = ["PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_CURRENT_ENDPOINT", "PADDLE_TRAINER_ENDPOINTS", "FLAGS_selected_gpus", "CUDA_VISIBLE_DEVICES"]
print(json.dumps({n: os.environ.get(n) for n in names}))
"""
COLLECTIVES = [
    "all_reduce",
    "reduce",
    "broadcast",
    "all_gather",
    "all_gather_object",
    "scatter",
    "alltoall",
    "recv",
    "barrier",
    "backward",
]


def write_program(folder: Path, text: str) -> Path:
    path = folder / "program.py"
    path.write_text(text)
    return path


def test_ranks_get_paddle_environment_variables(tmp_path: Path) -> None:
    done = launch(
        write_program(tmp_path, VARIABLES),
        2,
        tmp_path / "log",
        options=("--gpus", "4,5,6,7", "--started_port", "7000"),
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads((tmp_path / "log" / f"workerlog.{n}").read_text()) for n in range(2)]
    assert found[1] == {
        "PADDLE_TRAINER_ID": "1",
        "PADDLE_TRAINERS_NUM": "2",
        "PADDLE_CURRENT_ENDPOINT": "127.0.0.1:7001",
        "PADDLE_TRAINER_ENDPOINTS": "127.0.0.1:7000,127.0.0.1:7001",
        "FLAGS_selected_gpus": "0,1",
        "CUDA_VISIBLE_DEVICES": "6,7",
    }
    assert found[0]["CUDA_VISIBLE_DEVICES"] == "4,5" and found[0]["PADDLE_TRAINER_ID"] == "0"


def test_launcher_prints_configuration_and_rank_0(tmp_path: Path) -> None:
    done = launch(
        write_program(
            tmp_path, "import os, sys; print('I am', os.environ['PADDLE_TRAINER_ID'], sys.argv[1:])"
        ),
        2,
        tmp_path,
        "a",
        "--b",
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "-----------  Configuration FlattenedArguments -----------"
    assert "nproc_per_node: 2" in lines and "training_script_args: ['a', '--b']" in lines
    assert (
        "trainers_endpoints: 127.0.0.1:6170,127.0.0.1:6171 , node_id: 0 , current_node_ip: 127.0.0.1 , num_nodes: 1"
        in done.stdout
    )
    assert lines[-1] == "I am 0 ['a', '--b']"
    assert (tmp_path / "workerlog.1").read_text() == "I am 1 ['a', '--b']\n"


@pytest.mark.slow
@pytest.mark.parametrize("where", COLLECTIVES)
def test_failed_rank_is_reported_with_traceback_and_waiting_ranks(
    where: str, tmp_path: Path
) -> None:
    started = time.monotonic()
    done = launch(PROGRAMS / "failing_rank.py", 2, tmp_path, "raise", where)
    assert time.monotonic() - started < 30
    assert done.returncode == 1
    assert (
        "launch: rank 1 ended with exit code 1" in done.stderr
        and "ValueError: the reason" in done.stderr
    )
    assert "rank 0 was waiting in " in done.stderr and "failing_rank.py:" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "code", "words"),
    [
        ("kill", 137, "rank 1 was killed by SIGKILL"),
        ("code", 7, "rank 1 ended with exit code 7"),
        ("sys", 3, "rank 1 ended with exit code 3"),
        ("raised", 3, "rank 1 ended with exit code 3"),
        ("zero", 1, "rank 1 ended with exit code 0 before the end of its program"),
        ("caught", 1, "rank 1 has reached the end of its program, but rank 0 waits for it"),
        ("exit", 1, "rank 1 has reached the end of its program, but rank 0 waits for it"),
    ],
)
def test_exit_codes_of_failed_ranks(how: str, code: int, words: str, tmp_path: Path) -> None:
    done = launch(PROGRAMS / "failing_rank.py", 3, tmp_path, how, "all_reduce")
    assert done.returncode == code and words in done.stderr, done.stderr
    assert "rank 2 was waiting in all_reduce of ranks 0, 1, 2, failing_rank.py:" in done.stderr
    said = (tmp_path / "workerlog.1").read_text()
    assert "rank 1 has something to say" in said and "Exception in thread" not in said


@pytest.mark.slow
def test_hanging_rank_times_out(tmp_path: Path) -> None:
    done = launch(
        PROGRAMS / "failing_rank.py",
        2,
        tmp_path,
        "hang",
        "all_reduce",
        OARLOCK_DISTRIBUTED_TIMEOUT="1.5",
    )
    assert done.returncode == 1
    assert (
        "distributed.all_reduce: waited 2 s for the other ranks" in done.stderr
        and "dist.all_reduce(x)" in done.stderr
    )
    assert (
        f"rank 1 did not take part in all_reduce of ranks 0, 1; its log is {tmp_path}/workerlog.1"
        in done.stderr
    )


@pytest.mark.slow
def test_rank_that_exits_before_init_is_reported(tmp_path: Path) -> None:
    program = write_program(
        tmp_path,
        "import os, oarlock.distributed as d\nif os.environ['PADDLE_TRAINER_ID'] == '0': d.init_parallel_env()\n",
    )
    done = launch(program, 2, tmp_path / "log")
    assert done.returncode == 1
    assert "rank 1 has reached the end of its program, but rank 0 waits for it" in done.stderr
    assert "rank 0 was waiting in init_parallel_env of ranks 0, 1, program.py:2" in done.stderr


def job_with_status_files(folder: Path, *notes: tuple[str, float]) -> Any:
    """Return a job whose ranks wrote these status files some seconds ago."""
    for rank, (text, ago) in enumerate(notes):
        path = folder / f"rank.{rank}.status"
        path.write_bytes(text.encode() + b"\0")
        os.utime(path, (time.time() - ago,) * 2)
    return Job(JobConfig(len(notes), "", 0, [], folder, []), None, folder)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("notes", "gone", "lines"),
    [
        (
            ["all_reduce of ranks 0, 1, 2\na.py:1", "", "all_reduce of ranks 0, 1, 2\na.py:1"],
            None,
            ["1 all_reduce"],
        ),
        (["all_reduce of ranks 0, 1, 2\na.py:1", "", "all_reduce of ranks 0, 1, 2\na.py:1"], 1, []),
        (["all_reduce of ranks 0, 1, 2\na.py:1", "", ""], 0, ["1 all_reduce", "2 all_reduce"]),
        (
            ["all_reduce of ranks 0, 1\na.py:1", "barrier of ranks 0, 1\na.py:2"],
            None,
            ["1 all_reduce", "0 barrier"],
        ),
        (["recv of ranks 1\na.py:1", "exit"], None, ["1 recv"]),
        (["", "exit"], None, []),
    ],
)
def test_ranks_missing_in_a_collective(
    notes: list[str], gone: int | None, lines: list[str], tmp_path: Path
) -> None:
    found = _describe_ranks_not_in_collective(
        job_with_status_files(tmp_path, *((note, 1) for note in notes)), gone
    )
    assert [f"{line.split()[1]} {line.split()[7]}" for line in found] == lines


@pytest.mark.parametrize(
    ("notes", "crossed"),
    [
        (
            [("all_reduce of ranks 0, 1\na.py:1", 40), ("all_reduce of ranks 0, 1\na.py:2", 40)],
            True,
        ),
        (
            [("all_reduce of ranks 0, 1\na.py:1", 40), ("all_reduce of ranks 0, 1\na.py:1", 40)],
            False,
        ),
        (
            [("all_reduce of ranks 0, 1\na.py:1", 40), ("all_reduce of ranks 0, 1\na.py:2", 4)],
            False,
        ),
        ([("all_reduce of ranks 0, 1\na.py:1", 40), ("", 40)], False),
        ([("send of ranks 1\na.py:1", 40), ("recv of ranks 0\na.py:2", 40)], False),
    ],
)
def test_deadlock_detection(notes: list[tuple[str, float]], crossed: bool, tmp_path: Path) -> None:
    assert _is_deadlocked(job_with_status_files(tmp_path, *notes)) == crossed


@pytest.mark.parametrize(
    "options",
    [
        ["--use_paddlecloud", "--selected_gpus", "0,1", "--started_port", "7000"],  # 1.8
        ["--gpus", "0,1", "--ips", "127.0.0.1", "--http_port", "8000"],  # 2.0
        [
            "--devices",
            "0,1",
            "--host",
            "127.0.0.1",
            "--start_port",
            "7000",
            "--max_restart",
            "3",
            "--log_overwrite",
            "1",
            "--nnodes",
            "1",
        ],
    ],
)
def test_launch_options_of_each_paddle_version(options: list[str]) -> None:
    config = make_job_config(build_parser().parse_args([*options, "train.py", "--gpus", "9"]))
    assert config.count == 2 and config.command[-3:] == ["train.py", "--gpus", "9"]


def processes_with(word: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in text:
            found.append(text)
    return found


def all_processes_ended(word: str) -> bool:
    end = time.monotonic() + 10
    while processes_with(word) and time.monotonic() < end:
        time.sleep(0.1)
    return not processes_with(word)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("how", ["children", "session"])
def test_failed_job_leaves_no_processes(how: str, tmp_path: Path) -> None:
    word = f"left-{tmp_path.name}"
    done = launch(PROGRAMS / "failing_rank.py", 2, tmp_path, how, "all_reduce", word)
    assert done.returncode == 1 and all_processes_ended(word)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_stopped_launcher_stops_all_ranks(number: int, code: int, tmp_path: Path) -> None:
    word = f"stopped-{tmp_path.name}"
    program = PROGRAMS / "failing_rank.py"
    command = [
        sys.executable,
        "-m",
        "oarlock.distributed.launch",
        "--nproc_per_node",
        "2",
        "--log_dir",
        str(tmp_path),
    ]
    process = subprocess.Popen(
        [*command, str(program), "hang", "all_reduce", word],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while (
        not (tmp_path / "workerlog.1").exists()
        or b"say" not in (tmp_path / "workerlog.1").read_bytes()
    ):
        assert time.monotonic() < end
        time.sleep(0.1)
    os.kill(process.pid, number)
    process.communicate(timeout=30)
    assert process.returncode == code and all_processes_ended(word)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--ips", "10.0.0.1,10.0.0.2"), "mpiexec -hosts 10.0.0.1,10.0.0.2 -n 4 python"),
        (("--gpus", "0,1,2"), "3 devices (0,1,2) for 2 processes"),
        (("--nproc_per_node", "0"), "--nproc_per_node must be in [1, 1024], not 0"),
        (("--nproc_per_node", "1000000"), "--nproc_per_node must be in [1, 1024], not 1000000"),
        (("--started_port", "65535"), "--started_port must be in [1, 65534], not 65535"),
        (("--started_port", "-5"), "--started_port must be in [1, 65534], not -5"),
    ],
)
def test_invalid_options_are_rejected(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = launch(write_program(tmp_path, ""), 2, tmp_path, options=options)
    assert done.returncode == 2 and words in done.stderr


def test_missing_program_is_reported(tmp_path: Path) -> None:
    done = launch(tmp_path / "none.py", 2, tmp_path)
    assert done.returncode == 2 and "launch: there is no file" in done.stderr


@pytest.mark.slow
def test_mpiexec_starts_a_program(tmp_path: Path) -> None:
    from oarlock.distributed.launch.start import require_mpiexec

    program = write_program(
        tmp_path,
        "import oarlock.distributed as d; d.init_parallel_env(); d.barrier(); import sys; sys.stdout.write(f'rank {d.get_rank()} {d.get_world_size()}\\n')",
    )
    done = subprocess.run(
        [require_mpiexec(), "-n", "2", sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert sorted(done.stdout.splitlines()) == ["rank 0 2", "rank 1 2"]


@pytest.mark.slow
def test_error_under_mpiexec_ends_all_ranks(tmp_path: Path) -> None:
    from oarlock.distributed.launch.start import require_mpiexec

    done = subprocess.run(
        [
            require_mpiexec(),
            "-n",
            "2",
            sys.executable,
            str(PROGRAMS / "failing_rank.py"),
            "raise",
            "all_reduce",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0 and "ValueError: the reason" in done.stderr


def test_environment_variables_override_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = build_parser().parse_args(["--nproc_per_node", "4", "--log_dir", "one", "train.py"])
    for name, value in {
        "PADDLE_NPROC_PER_NODE": "2",
        "PADDLE_LOG_DIR": "two",
        "PADDLE_START_PORT": "7000",
        "POD_IP": "10.0.0.1",
        "PADDLE_DEVICES": "2,3",
    }.items():
        monkeypatch.setenv(name, value)
    override_options_from_environment(given)
    config = make_job_config(given)
    assert (config.count, config.logs, config.devices) == (2, Path("two"), ["2", "3"])
    assert config.endpoints == ["10.0.0.1:7000", "10.0.0.1:7001"]
    assert "launch: PADDLE_NPROC_PER_NODE=2 overrides --nproc_per_node" in capsys.readouterr().err
    monkeypatch.setenv("PADDLE_NPROC_PER_NODE", "many")
    with pytest.raises(OarlockError, match="PADDLE_NPROC_PER_NODE='many' is not a number"):
        override_options_from_environment(given)
