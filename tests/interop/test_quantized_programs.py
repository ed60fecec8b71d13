"""Real Paddle runs the files of `oarlock quantize` with equal results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock.loader.model_files import read_model
from oarlock.quantization.programs.calibration_data import CalibrationData
from oarlock.quantization.programs.quantize import QuantizationSettings, quantize_model
from oarlock.quantization.programs.write import write_model
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
    ("ptq", "float", False),
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


@pytest.mark.parametrize(("method", "weights", "is_symmetric"), METHODS)
@pytest.mark.parametrize("network", NETWORKS)
def test_paddle_returns_the_same(
    method: str, weights: str, is_symmetric: bool, network: str, paddle: Any, tmp_path: Path
) -> None:
    """By jit.load, the executor and the inference predictor."""
    make_model, make_feeds = NETWORKS[network]
    prefix, feeds = make_model(tmp_path), make_feeds()
    settings = QuantizationSettings(
        method, weights=weights, is_symmetric=is_symmetric, selects_by_speed=False
    )
    data = CalibrationData({"x": feeds[:1]}, [{"x": feeds}])
    files = read_model(prefix)
    result = quantize_model(files, data, settings, lambda *_: None)
    target = tmp_path / "q"
    write_model(files, result.model, target, {"x": feeds[:1]})
    np.savez(f"{target}.npz", feeds)
    layer = oarlock.jit.load(str(target))
    layer.train()  # the interpreter, which rounds as Paddle does
    expected = layer(oarlock.to_tensor(feeds)).numpy()
    found = paddle.run(target, Path(f"{target}.npz"), "out", ("jit", "static", "predictor"))
    for loader, (actual,) in found.items():
        error = np.abs(actual - expected).max()
        assert error <= 1e-2 * np.abs(expected).max(), loader
        # values half-way between two levels may round differently, most values do not
        assert np.median(np.abs(actual - expected)) <= 1e-5 * np.abs(expected).max(), loader
