"""Programs that are converted for Paddle 1.8 compute the same results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.fluid.io.paddle1_format import convert_to_paddle1_in_place


@pytest.fixture(autouse=True)
def _static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize(
    ("op", "shape", "attrs", "out_shape"),
    [
        ("gather", [2, 3], {"axis": -1}, [2, 2]),
        ("gather", [2, 3], {"axis": 1}, [2, 2]),
        ("flatten_contiguous_range", [], {"start_axis": 0, "stop_axis": 0}, [1]),
        ("flatten_contiguous_range", [2, 3], {"start_axis": 0, "stop_axis": 1}, [6]),
    ],
)
def test_result_is_the_same(
    op: str, shape: list[int], attrs: dict[str, int], out_shape: list[int]
) -> None:
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", shape, "float32")
        inputs = {"X": [x]}
        feed: dict[str, Any] = {"x": np.arange(int(np.prod(shape)), dtype="float32").reshape(shape)}
        if op == "gather":
            inputs["Index"] = [static.data("index", [2], "int64")]
            feed["index"] = np.array([2, 0])
        block = main.global_block()
        out = block.create_var(name="out", shape=out_shape, dtype="float32")
        outputs = {"Out": [out]}
        if op != "gather":
            outputs["XShape"] = [block.create_var(name="x_shape", shape=[0, *shape])]
        block.append_op(type=op, inputs=inputs, outputs=outputs, attrs=attrs)
    (expected,) = static.Executor().run(main, feed=feed, fetch_list=["out"])
    convert_to_paddle1_in_place(main.raw)
    feed["x"] = feed["x"].reshape(main.raw.block.vars["x"].shape)  # 1.8 has no 0-D tensors
    (actual,) = static.Executor().run(main, feed=feed, fetch_list=["out"])
    np.testing.assert_array_equal(actual, expected)
