"""Export for old opsets is valid and returns the results of newer ones, or the error names the
required opset.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import oarlock as paddle
import oarlock.nn.functional as F
from oarlock.core.errors import OpError
from oarlock.core.op import OPS
from oarlock.loader.runtime import runtime_module

pytestmark = pytest.mark.filterwarnings("ignore:.*there are no parameters")
X = np.random.default_rng(3).standard_normal((2, 3, 12, 15)).astype("float32")


def export_model(function: Callable[[Any], Any], opset: int, folder: Path) -> bytes:
    spec = [paddle.static.InputSpec([None, None, None, None], "float32", "x")]
    paddle.jit.save(paddle.jit.to_static(function), str(folder / "m"), input_spec=spec)
    made: bytes = runtime_module().to_onnx(
        (folder / "m.pdmodel").read_bytes(), None, opset=opset, inline=True
    )
    return made


def scale(x: Any) -> Any:
    return x * 2.5 + 0.5


def clip(x: Any) -> Any:
    return paddle.clip(x, -0.5, 0.25)


def running_max(x: Any) -> Any:
    return paddle.cummax(x, axis=-1)[0]


def floor_divide(x: Any) -> Any:
    return paddle.floor_divide(x, paddle.full_like(x, 0.3))


def max_pool_same(x: Any) -> Any:
    return F.max_pool2d(x, [3, 4], [2, 5], "SAME")


def avg_pool_same(x: Any) -> Any:
    return F.avg_pool2d(x, [3, 4], [2, 5], "SAME")


def circular_pad(x: Any) -> Any:
    return F.pad(x, [1, 1, 1, 1], mode="circular")


def maximum(x: Any) -> Any:
    return paddle.maximum(x, x * 2)


def roll(x: Any) -> Any:
    return paddle.roll(x, 20, axis=-1)


SUPPORTED = [
    (scale, 7), (clip, 7), (clip, 8), (clip, 10), (running_max, 12), (running_max, 15), (floor_divide, 11),
    (max_pool_same, 12), (avg_pool_same, 12), (max_pool_same, 17), (avg_pool_same, 17), (maximum, 13),
]  # fmt: skip


@pytest.mark.parametrize(("function", "opset"), SUPPORTED)
def test_export_for_low_opset(function: Callable[[Any], Any], opset: int, tmp_path: Path) -> None:
    made = export_model(function, opset, tmp_path)
    model = onnx.load_from_string(made)
    onnx.checker.check_model(model, full_check=True)
    assert [o.version for o in model.opset_import] == [opset]
    session = onnxruntime.InferenceSession(made, providers=["CPUExecutionProvider"])
    (got,) = session.run(None, {"x": X})
    np.testing.assert_allclose(got, function(paddle.to_tensor(X)).numpy(), rtol=1e-5, atol=1e-6)


UNSUPPORTED = [(circular_pad, 10, 11), (floor_divide, 10, 11), (maximum, 7, 8), (roll, 11, 12)]


@pytest.mark.parametrize(("function", "opset", "needed"), UNSUPPORTED)
def test_error_names_required_opset(
    function: Callable[[Any], Any], opset: int, needed: int, tmp_path: Path
) -> None:
    with pytest.raises(runtime_module().Error, match=f"opset {needed}"):
        export_model(function, opset, tmp_path)


def test_bool_division() -> None:
    divide, yes = OPS["elementwise_div"], paddle.to_tensor([True, True])
    assert divide(paddle.to_tensor([True, False]), yes).numpy().tolist() == [True, False]
    with pytest.raises(OpError, match="division of integers by zero"):
        divide(yes, paddle.to_tensor([True, False]))
