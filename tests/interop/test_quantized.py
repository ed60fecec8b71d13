"""Models of real Paddle's quantizers run here with equal results, and are exported to ONNX with
quantized tensors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import oarlock
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions, open_session, write_onnx

pytestmark = pytest.mark.paddle

WAYS = [
    "aware", "aware_by_channel", "aware_onnx", "afterwards", "newer_aware", "newer_afterwards",
    "file_hist", "file_avg_whole", "file_kl_onnx", "file_mse_onnx_whole",
]  # fmt: skip


@pytest.fixture(scope="module", params=WAYS)
def model(
    request: pytest.FixtureRequest, paddle: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Any]:
    """Return the prefix of a quantizer's model, and real Paddle's results."""
    prefix = tmp_path_factory.mktemp("quantized") / request.param
    paddle.ask("quantize", way=request.param, prefix=str(prefix))
    return prefix, paddle.run(prefix, Path(f"{prefix}.npz"), "out", ("static",))["static"][0]


def given(prefix: Path) -> Any:
    with np.load(f"{prefix}.npz") as held:
        return held["arr_0"]


def test_engine_equals_paddle(model: tuple[Path, Any]) -> None:
    prefix, wanted = model
    found = oarlock.jit.load(str(prefix))(given(prefix))
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-3, atol=1e-5)


def test_export_to_quantize_dequantize(model: tuple[Path, Any]) -> None:
    prefix, wanted = model
    output = prefix.with_suffix(".onnx")
    write_onnx(read_model(str(prefix)), output, ExportOptions(inline=True))
    ops = [node.op_type for node in onnx.load(output).graph.node]
    assert {"QuantizeLinear", "DequantizeLinear"} <= set(ops)
    (found,) = open_session(output).run(None, {"x": given(prefix)})
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)
