"""Folders and files of PaddlePaddle 1.8.5 return its results in engine, interpreter and runner
(`tests/fixtures/make_old_files.py`).
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.cli.demo import runner_path
from oarlock.compiler.unsupported_ops import UnsupportedOpsError
from oarlock.core.op import OPS

with np.load(Path(__file__).parents[1] / "fixtures" / "old_files.npz") as _held:
    HELD = {key: _held[key] for key in _held.files}
X = HELD["fc.in.x"]
PROGRAMS = sorted({key.partition(".")[0] for key in HELD} - {"state"})


def held(prefix: str) -> dict[str, Any]:
    return {
        key.removeprefix(prefix): value for key, value in HELD.items() if key.startswith(prefix)
    }


def written(prefix: str, folder: Path) -> Path:
    """The files, where they were."""
    for name, data in held(prefix).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data.tobytes())
    return folder


def names(folder: Path) -> dict[str, str]:
    return (
        {"model_filename": "model", "params_filename": "params"}
        if (folder / "model").exists()
        else {}
    )


def check(found: list[Any], name: str) -> None:
    want = held(f"{name}.out")
    assert len(found) == len(want)
    for i, got in enumerate(found):
        expected = want[str(i)]
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape), i
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5, err_msg=str(i))


@pytest.fixture
def programs() -> Iterator[None]:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("name", PROGRAMS)
def test_interpreter(name: str, tmp_path: Path, programs: None) -> None:
    folder = written(f"{name}.file.", tmp_path)
    exe = static.Executor()
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(folder), exe, **names(folder))
        feed = held(f"{name}.in.")
        assert sorted(feeds) == sorted(feed)
        try:
            found = exe.run(program, feed=feed, fetch_list=fetches)
        except UnsupportedOpsError as error:
            missing = [
                op
                for op in re.findall(r"^ *(\w+): no such op", str(error), re.MULTILINE)
                if op not in OPS
            ]
            assert missing, error
            pytest.xfail(f"kernels are missing: {missing}")
        check(found, name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_engine(name: str, tmp_path: Path) -> None:
    folder = written(f"{name}.file.", tmp_path)
    layer = paddle.jit.load(str(folder), **names(folder))
    feed = held(f"{name}.in.")
    found = layer(*(paddle.to_tensor(feed[spec.name]) for spec in layer._input_spec()))
    check([t.numpy() for t in (found if isinstance(found, list | tuple) else [found])], name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_runner(name: str, tmp_path: Path) -> None:
    folder = written(f"{name}.file.", tmp_path / "m")
    np.savez(tmp_path / "in.npz", **held(f"{name}.in."))
    model = [str(folder / part) for part in names(folder).values()] or [str(folder)]
    ran = subprocess.run(
        [
            runner_path(),
            "run",
            *model,
            "--input",
            str(tmp_path / "in.npz"),
            "--output",
            str(tmp_path / "out.npz"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    with np.load(tmp_path / "out.npz") as out:
        check([out[key] for key in out.files], name)


def test_runner_names_missing_file(tmp_path: Path) -> None:
    folder = written("fc.file.", tmp_path / "m")
    (folder / "fc_0.b_0").unlink()
    ran = subprocess.run(
        [runner_path(), "inspect", str(folder)], capture_output=True, text=True, check=False
    )
    assert ran.returncode != 0 and "fc_0.b_0: cannot be opened" in ran.stderr


def test_runner_converts_folder_to_onnx(tmp_path: Path) -> None:
    folder = written("fc.file.", tmp_path / "m")
    command = [runner_path(), "export", str(folder), "--output", str(tmp_path / "m.onnx")]
    rejected = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (
        rejected.returncode != 0
        and "use --inline" in rejected.stderr
        and not (tmp_path / "m.onnx").exists()
    )
    subprocess.run([*command, "--inline"], check=True, capture_output=True)
    assert (tmp_path / "m.onnx").stat().st_size > 200


def run_oarlock(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "oarlock", *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_commands_read_folder_with_file_per_parameter(tmp_path: Path) -> None:
    folder = written("fc.file.", tmp_path / "m")
    feed, result = tmp_path / "in.npz", tmp_path / "out.npz"
    np.savez(feed, **held("fc.in."))
    commands: list[list[str | Path]] = [
        ["inspect", folder],
        ["verify", folder],
        ["run", folder, "--input", feed, "--output", result],
        ["bench", folder, "--repeat", "3"],
        ["export", folder, "--output", tmp_path / "m.onnx", "--inline"],
        ["export", folder, "--output", tmp_path / "m.ort", "--to", "ort"],
        ["quantize", folder, "--method", "weight-only", "--output", tmp_path / "m_int8"],
    ]
    for command in commands:
        ran = run_oarlock(*command)
        assert ran.returncode in ((0, 3) if command[0] == "quantize" else (0,)), ran.stderr
    with np.load(result) as out:
        check([out[key] for key in out.files], "fc")
    rejected = run_oarlock("export", folder, "--output", folder / "m.onnx")
    assert rejected.returncode == 1 and "use --inline" in rejected.stderr
    assert not (folder / "m.onnx").exists()
