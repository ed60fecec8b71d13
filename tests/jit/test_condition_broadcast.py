"""Programs broadcast a condition in the dtype of the other operand: Paddle runs `broadcast_tensors`
on one dtype only.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.static import InputSpec


def put(x: Any) -> Any:
    held = x * 1
    held[x > 1] = 0.5
    counted = paddle.zeros(x.shape, "int32")
    counted[x > 0] = paddle.to_tensor(3, "int32")
    return held, counted


CASES = {
    "where": lambda x: paddle.where(x[:, :1] > 0, x, x + 1),
    "masked_fill": lambda x: paddle.masked_fill(x, x[:1] > 0, 2.0),
    "put": put,
}


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
@pytest.mark.parametrize("case", CASES)
def test_broadcast_operands_have_one_dtype(case: str, tmp_path: Path) -> None:
    function: Any = CASES[case]
    paddle.jit.save(
        paddle.jit.to_static(function, input_spec=[InputSpec([None, 3], "float32", "x")]),
        str(tmp_path / "m"),
    )
    loaded = paddle.jit.load(str(tmp_path / "m"))
    block = loaded.program().global_block()
    seen = [op for op in block.ops if op.type == "broadcast_tensors"]
    for op in seen:
        assert len({str(block.var(name).dtype) for name in op.input_arg_names}) == 1
    assert seen
    x = paddle.to_tensor(np.array([[1.5, -1.0, 0.5], [-2.0, 3.0, 0.0]], "float32"))
    for found, wanted in zip(
        paddle.utils.flatten(loaded(x)), paddle.utils.flatten(function(x)), strict=True
    ):
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())
