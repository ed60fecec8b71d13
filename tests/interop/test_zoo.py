"""Models of the benchmarks, exported by real Paddle, return Paddle Inference's results in the
engine.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from oarlock import inference

pytestmark = [pytest.mark.paddle, pytest.mark.slow]

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SCRIPTS = sorted(BENCHMARKS.glob("zoo*.py"))
ALL = BENCHMARKS / "zoo_sizes.py"  # has the models of the others, too
MADE = re.compile(r"^def (\w+)\(\) -> tuple\[Any, Inputs\]", re.M)
CLASSES = re.compile(r"models\.(\w+),")
# The classes that say something new; others of their kind are measured only.
NAMES = sorted(
    {
        *(name for script in SCRIPTS for name in MADE.findall(script.read_text())),
        "resnet18",
        "mobilenet_v3_small",
        "shufflenet_v2_x1_0",
        "squeezenet1_1",
        "lenet",
    }
)


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the exported models."""
    return tmp_path_factory.mktemp("zoo")


def test_zoo_covers_every_model_class() -> None:
    text = (BENCHMARKS / "zoo.py").read_text()
    assert {"resnet18", "mobilenet_v3_small", "shufflenet_v2_x1_0", "squeezenet1_1"} <= set(
        CLASSES.findall(text)
    )


@pytest.mark.parametrize("name", NAMES)
def test_engine_equals_paddle_inference(name: str, zoo: Path) -> None:
    command = [os.environ["OARLOCK_PADDLE"], str(ALL), str(zoo), f"={name}", "--answers"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GLOG_minloglevel": "3"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    predictor = inference.create_predictor(inference.Config(str(zoo / name)))
    with np.load(zoo / f"{name}.npz") as given:
        for key in predictor.get_input_names():
            predictor.get_input_handle(key).copy_from_cpu(given[key])
    predictor.run()
    found = [predictor.get_output_handle(key).copy_to_cpu() for key in predictor.get_output_names()]
    with np.load(zoo / f"{name}.out.npz") as answers:
        wanted = [answers[f"out{i}"] for i in range(len(answers.files))]
    for got, want in zip(found, wanted, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        scale = max(1.0, float(np.abs(want).max(initial=0)))
        np.testing.assert_allclose(got / scale, want / scale, rtol=1e-3, atol=1e-4)
