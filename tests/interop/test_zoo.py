"""Models of the zoo return the results of Paddle Inference: those that real Paddle 2.6 and 3.3
export, in the engine, and those that Oarlock writes for Paddle 3, in Paddle 3.0 and 3.3.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock import inference
from oarlock.jit.paddle_format_conversion import convert_paddle_format

pytestmark = [pytest.mark.paddle, pytest.mark.slow]

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SCRIPTS = sorted(BENCHMARKS.glob("zoo_*.py"))
ALL = BENCHMARKS / "zoo_all.py"
MADE = re.compile(r"^def (\w+)\(\) -> tuple\[Any, Inputs\]", re.M)
CLASSES = re.compile(r"models\.(\w+),")
# The classes that say something new; others of their kind are measured only.
OF_PADDLE_VISION = {
    "resnet18",
    "mobilenet_v3_small",
    "shufflenet_v2_x1_0",
    "squeezenet1_1",
    "lenet",
}
NAMES = sorted(
    {
        *(name for script in SCRIPTS for name in MADE.findall(script.read_text())),
        *MADE.findall((BENCHMARKS / "zoo.py").read_text()),
        *OF_PADDLE_VISION,
    }
)
# What Paddle 3 cannot export.
NOT_IN_3 = {
    "early_returns": "Paddle 3 rejects a branch that returns nothing",
    "quantized": "Paddle 3 fails to create the quantized layer",
    "quantized_weights": "Paddle 3 fails to create the quantized layer",
}
# Models with control flow, suppression or of current architectures: others are covered by
# the layers of test_paddle_3.py.
WRITTEN = sorted(
    {
        "branches",
        "greedy_decoder",
        "resnet18",
        *(
            name
            for script in ("zoo_detection.py", "zoo_encoders.py", "zoo_ocr.py")
            for name in MADE.findall((BENCHMARKS / script).read_text())
        ),
    }
)


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for exported models."""
    return tmp_path_factory.mktemp("zoo")


def run_script(command: Sequence[str | Path]) -> None:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GLOG_minloglevel": "3"},
    )
    assert done.returncode == 0, done.stderr[-2000:]


def outputs_of_engine(prefix: Path) -> list[Any]:
    predictor = inference.create_predictor(inference.Config(str(prefix)))
    with np.load(f"{prefix}.npz") as given:
        for key in predictor.get_input_names():
            predictor.get_input_handle(key).copy_from_cpu(given[key])
    predictor.run()
    return [predictor.get_output_handle(key).copy_to_cpu() for key in predictor.get_output_names()]


def saved_outputs(path: Path) -> list[Any]:
    with np.load(path) as saved:
        return [saved[f"out{i}"] for i in range(len(saved.files))]


def assert_close(found: list[Any], expected: list[Any]) -> None:
    for got, want in zip(found, expected, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        scale = max(1.0, float(np.abs(want).max(initial=0)))
        np.testing.assert_allclose(got / scale, want / scale, rtol=1e-3, atol=1e-4)


def test_zoo_covers_every_model_class() -> None:
    text = (BENCHMARKS / "zoo.py").read_text()
    assert OF_PADDLE_VISION - {"lenet"} <= set(CLASSES.findall(text))


@pytest.mark.parametrize("name", NAMES)
def test_engine_equals_paddle_inference(name: str, zoo: Path) -> None:
    run_script([os.environ["OARLOCK_PADDLE"], ALL, zoo, f"={name}", "--answers"])
    assert_close(outputs_of_engine(zoo / name), saved_outputs(zoo / f"{name}.out.npz"))


@pytest.mark.one_in(3, 1)
@pytest.mark.parametrize("paddle3", ["3.3.1"], indirect=True)
@pytest.mark.parametrize("name", NAMES)
def test_engine_equals_paddle_3(name: str, paddle3: Any, tmp_path: Path) -> None:
    if name in NOT_IN_3:
        pytest.xfail(NOT_IN_3[name])
    run_script([paddle3.python, ALL, tmp_path, f"={name}", "--answers"])
    assert_close(outputs_of_engine(tmp_path / name), saved_outputs(tmp_path / f"{name}.out.npz"))


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with models that Oarlock saved, by name and format."""
    return tmp_path_factory.mktemp("written")


def write_with_oarlock(name: str, folder: Path) -> Path:
    """Save a model in both formats, with the engine's results; return its prefix."""
    prefix = folder / name
    if not prefix.with_suffix(".json").exists():
        run_script(
            [sys.executable, "-m", "oarlock", "run-script", ALL, folder, f"={name}", "--answers"]
        )
        convert_paddle_format(prefix, prefix, "paddle3")
    return prefix


def assert_same_results(prefix: Path, paddle3: Any, loaders: tuple[str, ...]) -> None:
    expected = saved_outputs(Path(f"{prefix}.out.npz"))
    for loader, outputs in paddle3.run(prefix, f"{prefix}.npz", "run", loaders).items():
        assert len(outputs) == len(expected), loader
        assert_close(outputs, expected)


@pytest.mark.one_in(3, 2)
@pytest.mark.parametrize("name", WRITTEN)
def test_paddle_3_runs_written_model(name: str, paddle3: Any, written: Path) -> None:
    assert_same_results(write_with_oarlock(name, written), paddle3, ("jit", "predictor"))


@pytest.mark.parametrize("paddle3", ["3.3.1 without PIR"], indirect=True)
@pytest.mark.parametrize("name", WRITTEN)
def test_paddle_3_runs_written_pdmodel(name: str, paddle3: Any, written: Path) -> None:
    assert_same_results(write_with_oarlock(name, written), paddle3, ("jit",))
