"""append_op with op types of Paddle 1.x or of its executors, which other ops implement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static

X = np.random.default_rng(0).random((2, 3), np.float32)
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], Any]] = {
    "reshape": ({"X": X}, {"shape": [3, 2]}, X.reshape(3, 2)),
    "transpose": ({"X": X}, {"axis": [1, 0]}, X.T),
    "squeeze": ({"X": X[None]}, {"axes": [0]}, X),
    "unsqueeze": ({"X": X}, {"axes": [0]}, X[None]),
    "minus": ({"X": X, "Y": X * 3}, {}, X * -2),
    "memcpy": ({"X": X}, {"dst_place_type": 0}, X),
    "memcpy_h2d": ({"X": X}, {"dst_place_type": 0}, X),
    "memcpy_d2h": ({"X": X}, {"dst_place_type": 0}, X),
    "set_value with one attribute per dtype": (
        {"Input": X},
        {"axes": [0], "starts": [1], "ends": [2], "steps": [1], "shape": [1]}
        | {"bool_values": [], "fp32_values": [7.0]},
        np.stack([X[0], np.full(3, 7, np.float32)]),
    ),
    "linear_interp": (
        {"X": np.array([[[0, 3]]], np.float32)},
        {"out_w": 4, "align_corners": True, "align_mode": 1, "interp_method": "linear"},
        np.array([[[0, 1, 2, 3]]], np.float32),
    ),
    "linear_interp with a scale": (
        {"X": np.array([[[0, 3]]], np.float32)},
        {"scale": 2.0, "align_corners": True, "align_mode": 1, "interp_method": "linear"},
        np.array([[[0, 1, 2, 3]]], np.float32),
    ),
    "trilinear_interp with a scale": (
        {"X": np.array([[[[[0, 3]]]]], np.float32)},
        {"scale": 2.0, "align_corners": True, "align_mode": 1, "interp_method": "trilinear"},
        np.broadcast_to(np.array([0, 1, 2, 3], np.float32), [1, 1, 2, 2, 4]),
    ),
}


@pytest.fixture
def mode() -> Iterator[None]:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("case", CASES)
def test_older_op_type_equals_current_op(mode: None, case: str) -> None:
    feeds, attrs, wanted = CASES[case]
    main = static.Program()
    with static.program_guard(main):
        inputs = {}
        for slot, array in feeds.items():
            inputs[slot] = [static.data(slot, list(array.shape))]
        block = main.global_block()
        out = block.create_var(name="out", dtype="float32")
        block.append_op(
            type=case.partition(" ")[0], inputs=inputs, outputs={"Out": [out]}, attrs=attrs
        )
    (found,) = static.Executor().run(main, feed=feeds, fetch_list=[out])
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_interpolation_without_a_size_is_rejected() -> None:
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main):
            x = static.data("x", [1, 1, 4, 4])
            out = main.global_block().create_var(name="o", dtype="float32", shape=[1, 1, -1, -1])
            with pytest.raises(paddle.OarlockError, match=r"sizes \[-1, -1\]"):
                main.global_block().append_op(
                    type="nearest_interp_v2",
                    inputs={"X": [x], "SizeTensor": []},
                    outputs={"Out": [out]},
                    attrs={"out_h": -1, "out_w": -1, "data_layout": "NCHW", "scale": []},
                )
    finally:
        paddle.disable_static()
