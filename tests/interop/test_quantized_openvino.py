"""OpenVINO runs the ONNX files of `oarlock quantize` with equal results, and computes quantized
layers with integers.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.compiler.interpreter import Interpreter
from oarlock.core.tensor import Tensor
from oarlock.jit.condition_number import QuantizationLevelNoiseMode, is_explained_by_rounding
from oarlock.jit.verify import largest_relative_difference
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions, write_onnx
from oarlock.quantization.programs.calibration_data import CalibrationData
from oarlock.quantization.programs.engine_session import EngineSession
from oarlock.quantization.programs.model import ProgramWithValues
from oarlock.quantization.programs.quantize import QuantizationSettings, quantize_model
from oarlock.quantization.programs.write import model_with_temporary_parameter_file
from tests.quantization.programs.networks import (
    attention_model,
    images,
    residual_model,
    save,
    sequences,
)

from .conftest import fail_or_skip_missing_peer

DEFAULT_PYTHON = Path.home() / ".cache/oarlock/openvino-2026.4.1/bin/python"
INTEGERS = {"u8", "i8"}
# Layers with weights; MatMul has two activations.
WEIGHTED_LAYERS = {"Convolution", "Deconvolution", "FullyConnected"}


@pytest.fixture(scope="module")
def openvino() -> Path:
    """Return the Python with OpenVINO."""
    python = Path(os.environ.get("OARLOCK_OPENVINO", DEFAULT_PYTHON))
    if not python.exists():
        fail_or_skip_missing_peer(
            f"OpenVINO is not at {python}; set OARLOCK_OPENVINO to a Python that has it"
        )
    return python


def run_in_openvino(
    python: Path, model: Path, feeds: Mapping[str, Any]
) -> tuple[Any, list[tuple[str, str, list[str]]]]:
    """Return the first output, and the executed layers: type, precision, dtypes of the inputs."""
    inputs, outputs = model.with_suffix(".in.npz"), model.with_suffix(".out.npz")
    np.savez(inputs, **feeds)
    script = Path(__file__).with_name("run_in_openvino.py")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [python, script, model, inputs, outputs],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with np.load(outputs) as arrays:
        return arrays["out0"], json.loads(done.stdout)


def is_within_one_level(
    model: ProgramWithValues, feeds: Mapping[str, Any], deviation: float
) -> bool:
    """Whether rounding to neighboring levels explains a deviation, as when a model is verified."""

    def run(weights: Mapping[str, Any], inputs: Sequence[Any]) -> Sequence[Any]:
        interpreter = Interpreter(model.program, {n: Tensor(a) for n, a in weights.items()})
        found = interpreter.run({n: Tensor(a) for n, a in zip(feeds, inputs, strict=True)})
        return [t.array for t in found]

    values = {name: np.asarray(array) for name, array in model.values.items()}
    return is_explained_by_rounding(
        run,
        values,
        list(feeds.values()),
        0,
        deviation,
        largest_relative_difference,
        QuantizationLevelNoiseMode,
    )


# The numbers of layers that OpenVINO computes with integers and with floats: it does so only with
# scales that are constants.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("network", "method", "has_symmetric_activations", "num_integer", "num_float"),
    [
        ("residual", "ptq", False, 4, 0),
        ("residual", "ptq", True, 4, 0),
        ("residual", "weight-only", False, 0, 4),
        ("attention", "ptq", False, 4, 0),
        ("attention", "ptq", True, 4, 0),
        ("attention", "dynamic", False, 0, 4),
        ("attention", "weight-only", False, 0, 4),
    ],
)
def test_openvino_returns_the_same_with_integers(
    network: str,
    method: str,
    has_symmetric_activations: bool,
    num_integer: int,
    num_float: int,
    openvino: Path,
    tmp_path: Path,
) -> None:
    is_residual = network == "residual"
    prefix = (residual_model if is_residual else attention_model)(tmp_path)
    feeds = {"x": images() if is_residual else sequences()}
    files = read_model(prefix)
    result = quantize_model(
        files,
        CalibrationData({"x": feeds["x"][:1]}, [feeds]),
        QuantizationSettings(
            method, has_symmetric_activations=has_symmetric_activations, selects_by_speed=False
        ),
        lambda *_: None,
    )
    assert not [layer.reason for layer in result.report.layers if layer.reason]
    output = tmp_path / "q.onnx"
    with model_with_temporary_parameter_file(files, result.model) as written:
        write_onnx(written, output, ExportOptions(inline=True, target="openvino"))
    found, layers = run_in_openvino(openvino, output, feeds)
    (wanted,) = EngineSession(result.model).run(feeds)
    deviation = largest_relative_difference(found, wanted)
    assert deviation <= 1e-4 or is_within_one_level(result.model, feeds, deviation), deviation
    weighted = [layer for layer in layers if layer[0] in WEIGHTED_LAYERS]
    integer = [
        type
        for type, precision, dtypes in weighted
        if {precision, *dtypes[:2]} <= INTEGERS  # activation and weights
    ]
    assert (len(integer), len(weighted) - len(integer)) == (num_integer, num_float), weighted


@pytest.mark.slow
def test_openvino_pads_average_pools_with_zeros(openvino: Path, tmp_path: Path) -> None:
    paddle.seed(0)
    net = nn.Sequential(
        nn.Conv2D(3, 8, 3), nn.AvgPool2D(3, 1, padding=1, exclusive=False), nn.Conv2D(8, 4, 3)
    )
    prefix, feeds = save(net, tmp_path, [None, 3, 16, 16]), {"x": images()}
    files = read_model(prefix)
    data = CalibrationData({"x": feeds["x"][:1]}, [feeds])
    settings = QuantizationSettings(selects_by_speed=False)
    model = quantize_model(files, data, settings, lambda *_: None).model
    output = tmp_path / "q.onnx"
    with model_with_temporary_parameter_file(files, model) as written:
        write_onnx(written, output, ExportOptions(inline=True, target="openvino"))
    found, _ = run_in_openvino(openvino, output, feeds)
    (wanted,) = EngineSession(model).run(feeds)
    assert np.abs(found - wanted).max() < 0.02 * np.abs(wanted).max()
