"""Real Paddle runs the files of `oarlock quantize` with equal results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock.loader.model_files import read_model
from oarlock.quantization import quant_post_dynamic, quant_post_static
from oarlock.quantization.programs.calibration_data import CalibrationData
from oarlock.quantization.programs.measure import SignalToNoiseAccumulator
from oarlock.quantization.programs.quantize import QuantizationSettings, quantize_model
from oarlock.quantization.programs.write import write_and_verify_model
from tests.quantization.programs.networks import (
    attention_model,
    images,
    residual_model,
    sequences,
    token_model,
    tokens,
)

pytestmark = pytest.mark.paddle

# fp16 is missing: Paddle 2.6 has no float16 kernels for CPUs.
METHODS = [
    ("ptq", "int8", False),
    ("ptq", "float32", False),
    ("ptq", "int8", True),
    ("dynamic", "int8", False),
    ("weight-only", "int8", False),
    ("bf16", "int8", False),
]
NETWORKS = {
    "residual": (residual_model, images),
    "attention": (attention_model, sequences),
    "token": (token_model, tokens),
}


@pytest.mark.parametrize(("method", "weight_storage", "has_symmetric_activations"), METHODS)
@pytest.mark.parametrize("network", NETWORKS)
def test_paddle_returns_the_same(
    method: str,
    weight_storage: str,
    has_symmetric_activations: bool,
    network: str,
    paddle: Any,
    tmp_path: Path,
) -> None:
    """By jit.load, the executor and the inference predictor."""
    prefix, feeds = save_network(network, tmp_path)
    settings = QuantizationSettings(
        method,
        weight_storage=weight_storage,
        has_symmetric_activations=has_symmetric_activations,
        selects_by_speed=False,
    )
    quantize(prefix, feeds, settings, tmp_path / "q")
    check_results_of_paddle(tmp_path / "q", feeds, paddle)


def save_network(network: str, folder: Path) -> tuple[str, Any]:
    """Save a network; return its prefix and inputs."""
    make_model, make_feeds = NETWORKS[network]
    return make_model(folder), make_feeds()


def quantize(prefix: str, feeds: Any, settings: QuantizationSettings, target: Path) -> None:
    data = CalibrationData({"x": feeds[:1]}, [{"x": feeds}])
    files = read_model(prefix)
    result = quantize_model(files, data, settings, lambda *_: None)
    write_and_verify_model(files, result.model, target, {"x": feeds[:1]})


@pytest.mark.parametrize(
    "settings",
    [
        QuantizationSettings(has_symmetric_activations=True, selects_by_speed=False),
        QuantizationSettings("dynamic", selects_by_speed=False),
        QuantizationSettings("weight-only"),
    ],
    ids=lambda settings: settings.method,
)
@pytest.mark.parametrize("network", ["residual", "attention"])
def test_paddle_3_runs_pdmodel(
    settings: QuantizationSettings, network: str, paddle3: Any, tmp_path: Path
) -> None:
    """With 8-bit levels; it clips those of `bit_length` 9 to 127."""
    prefix, feeds = save_network(network, tmp_path)
    quantize(prefix, feeds, settings, tmp_path / "q")
    check_results_of_paddle(tmp_path / "q", feeds, paddle3, ("predictor",))


LOADERS = ("jit", "static", "predictor")


def check_results_of_paddle(
    target: Path, feeds: Any, paddle: Any, loaders: tuple[str, ...] = LOADERS
) -> None:
    """Compare Paddle's loaders with the interpreter, which rounds as Paddle does."""
    np.savez(f"{target}.npz", feeds)
    layer = oarlock.jit.load(str(target))
    layer.train()  # the interpreter
    expected = layer(oarlock.to_tensor(feeds)).numpy()
    found = paddle.run(target, Path(f"{target}.npz"), "out", loaders)
    for loader, (actual,) in found.items():
        error = np.abs(actual - expected).max()
        assert error <= 1e-2 * np.abs(expected).max(), loader
        # values half-way between two levels may round differently, most values do not
        assert np.median(np.abs(actual - expected)) <= 1e-5 * np.abs(expected).max(), loader


@pytest.mark.parametrize("network", ["residual", "attention"])
def test_paddle_runs_files_of_quant_post(network: str, paddle: Any, tmp_path: Path) -> None:
    prefix, feeds = save_network(network, tmp_path)
    quant_post_static(None, prefix, tmp_path, data_loader=[feeds], save_model_filename="static")
    check_results_of_paddle(tmp_path / "static", feeds, paddle)
    quant_post_dynamic(prefix, tmp_path, None, None, quantizable_op_type=["conv2d", "matmul_v2"])
    check_results_of_paddle(tmp_path / "quantized_model" / "model", feeds, paddle)


@pytest.mark.parametrize("network", ["residual", "attention"])
def test_onednn_int8_of_paddle(network: str, paddle: Any, tmp_path: Path) -> None:
    """The kernels round more results than the program does, so the error is larger."""
    prefix, feeds = save_network(network, tmp_path)
    quant_post_static(None, prefix, tmp_path, data_loader=[feeds], save_model_filename="static")
    np.savez(tmp_path / "x.npz", feeds)
    (exact,) = paddle.run(Path(prefix), tmp_path / "x.npz", "out", ("predictor",))["predictor"]
    found = paddle.run(tmp_path / "static", tmp_path / "x.npz", "out", ("predictor", "onednn_int8"))
    ratios = {}
    for loader, (actual,) in found.items():
        total = SignalToNoiseAccumulator()
        total.add(exact, actual)
        ratios[loader] = total.decibels()
    assert 15 < ratios["onednn_int8"] < ratios["predictor"] - 3, ratios


def test_onednn_int8_of_paddle_needs_symmetric_levels(paddle: Any, tmp_path: Path) -> None:
    prefix, feeds = save_network("residual", tmp_path)
    quantize(prefix, feeds, QuantizationSettings(selects_by_speed=False), tmp_path / "q")
    np.savez(tmp_path / "x.npz", feeds)
    with pytest.raises(AssertionError, match="Unsupported number quantization bits: 9"):
        paddle.run(tmp_path / "q", tmp_path / "x.npz", "out", ("onednn_int8",))
