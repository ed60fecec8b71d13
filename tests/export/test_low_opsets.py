"""What is written for an old opset is valid there and gives what newer ones give, or is refused by
the number that it needs.
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
from oarlock.loader.engine import runtime_module

pytestmark = pytest.mark.filterwarnings("ignore:.*there are no parameters")
X = np.random.default_rng(3).standard_normal((2, 3, 12, 15)).astype("float32")


def exported(function: Callable[[Any], Any], opset: int, folder: Path) -> bytes:
    spec = [paddle.static.InputSpec([None, None, None, None], "float32", "x")]
    paddle.jit.save(paddle.jit.to_static(function), str(folder / "m"), input_spec=spec)
    made: bytes = runtime_module().to_onnx(
        (folder / "m.pdmodel").read_bytes(), None, opset=opset, inline=True
    )
    return made


def scaled(x: Any) -> Any:
    return x * 2.5 + 0.5


def clipped(x: Any) -> Any:
    return paddle.clip(x, -0.5, 0.25)


def running_max(x: Any) -> Any:
    return paddle.cummax(x, axis=-1)[0]


def how_often(x: Any) -> Any:
    return paddle.floor_divide(x, paddle.full_like(x, 0.3))


def largest_of_few(x: Any) -> Any:
    return F.max_pool2d(x, [3, 4], [2, 5], "SAME")


def mean_of_few(x: Any) -> Any:
    return F.avg_pool2d(x, [3, 4], [2, 5], "SAME")


def wrapped(x: Any) -> Any:
    return F.pad(x, [1, 1, 1, 1], mode="circular")


def larger(x: Any) -> Any:
    return paddle.maximum(x, x * 2)


def rolled(x: Any) -> Any:
    return paddle.roll(x, 20, axis=-1)


GIVEN = [
    (scaled, 7), (clipped, 7), (clipped, 8), (clipped, 10), (running_max, 12), (running_max, 15), (how_often, 11),
    (largest_of_few, 12), (mean_of_few, 12), (largest_of_few, 17), (mean_of_few, 17), (larger, 13),
]  # fmt: skip


@pytest.mark.parametrize(("function", "opset"), GIVEN)
def test_valid_and_right(function: Callable[[Any], Any], opset: int, tmp_path: Path) -> None:
    made = exported(function, opset, tmp_path)
    model = onnx.load_from_string(made)
    onnx.checker.check_model(model, full_check=True)
    assert [o.version for o in model.opset_import] == [opset]
    session = onnxruntime.InferenceSession(made, providers=["CPUExecutionProvider"])
    (got,) = session.run(None, {"x": X})
    np.testing.assert_allclose(got, function(paddle.to_tensor(X)).numpy(), rtol=1e-5, atol=1e-6)


REFUSED = [(wrapped, 10, 11), (how_often, 10, 11), (larger, 7, 8), (rolled, 11, 12)]


@pytest.mark.parametrize(("function", "opset", "needed"), REFUSED)
def test_rejected_by_number(
    function: Callable[[Any], Any], opset: int, needed: int, tmp_path: Path
) -> None:
    with pytest.raises(runtime_module().Error, match=f"opset {needed}"):
        exported(function, opset, tmp_path)


def test_bools_are_divided_as_integers() -> None:
    divide, yes = OPS["elementwise_div"], paddle.to_tensor([True, True])
    assert divide(paddle.to_tensor([True, False]), yes).numpy().tolist() == [True, False]
    with pytest.raises(OpError, match="division of integers by zero"):
        divide(yes, paddle.to_tensor([True, False]))
