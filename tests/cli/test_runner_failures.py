"""Failures around `oarlock-runner` (signals, full disks, little memory): one error line, exit code,
no partial files.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import oarlock
from oarlock.cli.demo import runner_path

from ..loader.system_failures import LIMIT, endless, endless_feeds, model_of
from ..ops.rows import Row

WAIT = 120  # seconds until a process counts as hung
MLP = Path(__file__).parents[1] / "fixtures" / "mlp"


def runner(
    *words: str, before: Callable[[], None] | None = None, out: int = subprocess.PIPE
) -> tuple[int, str]:
    """Exit code and stderr."""
    done = subprocess.run(
        [runner_path(), *words],
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
        timeout=WAIT,
        check=False,
        preexec_fn=before,
    )
    return done.returncode, done.stderr


def has_signal_handler(pid: int, number: int) -> bool:
    """Whether a process has a handler for a signal."""
    caught = next(
        line
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("SigCgt:")
    )
    return bool(int(caught.split()[1], 16) >> number - 1 & 1)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGINT, ["run", "--output", "out.npz"]),
        (signal.SIGINT, ["bench"]),
        (signal.SIGTERM, ["run", "--output", "out.npz"]),
    ],
    ids=["run", "bench", "terminated"],
)
def test_signal_stops_the_runner(number: int, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "m.pdmodel").write_bytes(endless())
    np.savez(tmp_path / "in.npz", **{f"in{k}": x for k, x in enumerate(endless_feeds())})
    command = [runner_path(), words[0], "m", "--input", "in.npz", *words[1:]]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not has_signal_handler(process.pid, number):
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.5)  # into the run
    process.send_signal(number)
    assert process.wait(timeout=WAIT) == 128 + number
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.npz", "m.pdmodel"]


def test_stdout_on_full_disk() -> None:
    with open("/dev/full", "w") as full:
        code, said = runner("inspect", str(MLP), out=full.fileno())
    assert code == 1
    assert said == "oarlock-runner: stdout: cannot be written: No space left on device\n"


def test_output_to_a_device_is_rejected() -> None:
    code, said = runner("run", str(MLP), "--input", f"{MLP}.in.npz", "--output", "/dev/full")
    assert code == 1
    assert (
        said
        == "oarlock-runner: full: exists already and is not a regular file, so it is not replaced\n"
    )


def test_full_disk_leaves_no_output(tmp_path: Path) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    out = tmp_path / "out.npz"
    code, said = runner(
        "run", str(MLP), "--input", f"{MLP}.in.npz", "--output", str(out), before=small_files
    )
    assert code == 1
    assert said == "oarlock-runner: out.npz: cannot be written: File too large\n"
    assert list(tmp_path.iterdir()) == []


def test_folder_as_output_or_input_is_rejected(tmp_path: Path) -> None:
    code, said = runner("run", str(MLP), "--input", f"{MLP}.in.npz", "--output", str(tmp_path))
    assert code == 1
    assert "exists already and is not a regular file, so it is not replaced" in said
    code, said = runner(
        "run", str(MLP), "--input", str(tmp_path), "--output", str(tmp_path / "out.npz")
    )
    assert code == 1
    assert "is not a regular file" in said


def test_out_of_memory_is_reported(tmp_path: Path) -> None:
    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))

    row = Row("expand_v2", [np.ones((1, 1), "f")], {"shape": [40000, 40000]})
    (tmp_path / "m.pdmodel").write_bytes(model_of(row))
    np.savez(tmp_path / "in.npz", in0=np.ones((1, 1), "f"))
    words = [
        "run",
        str(tmp_path / "m"),
        "--input",
        str(tmp_path / "in.npz"),
        "--output",
        str(tmp_path / "out.npz"),
    ]
    code, said = runner(*words, "--threads", "1", before=little)
    assert code == 1
    assert said.startswith("oarlock-runner: engine: out of memory: ")
    assert not os.path.exists(tmp_path / "out.npz")


def test_many_processes_fill_one_cache_folder(tmp_path: Path) -> None:
    # Weights that are kept in a file of their own, whatever layout the processor wants them in.
    oarlock.jit.save(
        oarlock.nn.Linear(64, 64),
        str(tmp_path / "m"),
        [oarlock.static.InputSpec([None, 64], "float32", "x")],
    )
    np.savez(tmp_path / "in.npz", x=np.ones([2, 64], "float32"))
    words = [
        *(runner_path(), "run", str(tmp_path / "m"), "--input", str(tmp_path / "in.npz")),
        *("--cache-dir", str(tmp_path / "cache")),
    ]
    outs = [tmp_path / f"{k}.npz" for k in range(5)]
    processes = [
        subprocess.Popen([*words, "--output", str(out)], stdout=subprocess.DEVNULL) for out in outs
    ]
    assert [process.wait(timeout=WAIT) for process in processes] == [0] * len(outs)
    assert (
        subprocess.run([*words, "--output", str(tmp_path / "after.npz")], check=False).returncode
        == 0
    )
    with np.load(tmp_path / "after.npz") as wanted:
        for out in outs:
            with np.load(out) as found:
                assert all(np.array_equal(found[name], wanted[name]) for name in wanted.files)
    assert sum(p.suffix == ".weights" for p in (tmp_path / "cache").iterdir()) == 1


LOADED = "import sys, numpy, oarlock; oarlock.jit.load(sys.argv[1])(numpy.load(sys.argv[2])['x'])"


@pytest.mark.parametrize("program", ["runner", "python"])
def test_engine_writes_no_telemetry(program: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", x=np.load(f"{MLP}.in.npz")["x"])
    home = tmp_path / "home"
    home.mkdir()
    unset = {"ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "OARLOCK_CACHE_DIR"}
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    words = {
        "runner": [runner_path(), "run", str(MLP), "--input", "in.npz", "--output", "out.npz"],
        "python": [sys.executable, "-B", "-c", LOADED, str(MLP), "in.npz"],
    }[program]
    subprocess.run(words, cwd=tmp_path, env=kept | {"HOME": str(home)}, check=True, timeout=WAIT)
    assert list(home.iterdir()) == []


def test_parameter_names_outside_of_the_folder_are_rejected(tmp_path: Path) -> None:
    """A copy of the shared file per name would use the memory of a thousand files."""
    program = MLP.with_suffix(".pdmodel").read_bytes()
    for odd in (b"./linear_0.b", b"a//ear_0.b_0", b"../ear_0.b_0", b"/inear_0.b_0"):
        (tmp_path / "__model__").write_bytes(program.replace(b"linear_0.b_0", odd))
        code, said = runner("inspect", str(tmp_path))
        assert (code, said.count("\n")) == (1, 1)
        assert f"a value is named '{odd.decode()}', which is not a file in it" in said
