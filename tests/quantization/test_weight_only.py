"""Matrix multiplications with weights of 8 or 4 bits beside NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.nn.quant import (
    llm_int8_linear,
    weight_dequantize,
    weight_only_linear,
    weight_quantize,
)

RNG = np.random.default_rng(0)
WEIGHT = RNG.standard_normal((64, 32)).astype("f")
X = RNG.standard_normal((2, 3, 64)).astype("f")
BIAS = RNG.standard_normal(32).astype("f")
LEVELS = {"weight_only_int8": 127, "weight_only_int4": 7, "llm.int8": 127}


def reference(weight: Any, most: int) -> tuple[Any, Any]:
    """Levels [columns, rows] and scales."""
    scale = np.abs(weight).max(0) / np.float32(most)
    levels = weight / scale
    return (np.trunc(levels + np.copysign(0.5, levels))).astype(int).T, scale


def unpacked(packed: Any) -> Any:
    """Levels of the 4-bit pairs, by bit operations."""
    halves = [(packed.view("uint8") & 15), packed.view("uint8") >> 4]
    rows = np.stack(halves, 1).reshape(-1, packed.shape[1]).astype(int)
    return np.where(rows > 7, rows - 16, rows)


@pytest.mark.parametrize("algo", LEVELS)
def test_quantize_and_dequantize(algo: str) -> None:
    out, scale = weight_quantize(paddle.to_tensor(WEIGHT), algo)
    levels, scales = reference(WEIGHT, LEVELS[algo])
    assert out.dtype == paddle.int8
    assert out.shape == [16 if algo.endswith("4") else 32, 64]
    found = unpacked(out.numpy()) if algo.endswith("4") else out.numpy()
    assert np.array_equal(found, levels)
    np.testing.assert_allclose(scale.numpy(), scales, rtol=1e-6)
    back = weight_dequantize(out, scale, algo, "float32").numpy()
    np.testing.assert_allclose(back, (levels * scales[:, None]).T, rtol=1e-6)


@pytest.mark.parametrize("weight_dtype", ["int8", "int4"])
def test_weight_only_linear(weight_dtype: str) -> None:
    algo = f"weight_only_{weight_dtype}"
    out, scale = weight_quantize(paddle.to_tensor(WEIGHT), algo)
    levels, scales = reference(WEIGHT, LEVELS[algo])
    found = weight_only_linear(
        paddle.to_tensor(X), out, paddle.to_tensor(BIAS), scale, weight_dtype
    )
    np.testing.assert_allclose(
        found.numpy(), X @ (levels * scales[:, None]).T + BIAS, rtol=1e-4, atol=1e-4
    )


def test_llm_int8_linear() -> None:
    x = X.copy()
    x[0, 1, 5] = 40.0  # an outlier: its column is not quantized
    out, scale = weight_quantize(paddle.to_tensor(WEIGHT), "llm.int8")
    found = llm_int8_linear(paddle.to_tensor(x), out, paddle.to_tensor(BIAS), scale).numpy()
    weight = out.numpy().astype("f") * scale.numpy()[:, None]
    is_outlier = np.abs(x).max((0, 1)) > 6
    rest = np.where(is_outlier, 0, x)
    row_scale = np.abs(rest).max(-1, keepdims=True) / 127
    levels = np.trunc(rest / row_scale + np.copysign(0.5, rest))
    wanted = (levels * row_scale) @ weight.T + np.where(is_outlier, x, 0) @ weight.T + BIAS
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)
    assert np.abs(found - (x @ weight.T + BIAS)).max() < 0.3  # the outlier costs no precision


def test_half_precision() -> None:
    weight = paddle.to_tensor(WEIGHT).astype("float16")
    out, scale = weight_quantize(weight, arch=80)
    assert scale.dtype == paddle.float16
    back = weight_dequantize(out, scale)
    assert back.dtype == paddle.float16
    assert abs(back - weight).max() < 0.02
    y = weight_only_linear(paddle.to_tensor(X).astype("float16"), out, None, scale)
    assert y.dtype == paddle.float16


def test_column_of_zeros() -> None:
    weight = WEIGHT.copy()
    weight[:, 3] = 0
    out, scale = weight_quantize(paddle.to_tensor(weight))
    assert scale.numpy()[3] == 0
    assert not out.numpy()[3].any()


def test_saved_program(tmp_path: Path) -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            for name, value in zip(
                ("weight", "scale"),
                weight_quantize(paddle.to_tensor(WEIGHT), "weight_only_int4"),
                strict=True,
            ):
                self.register_buffer(name, value)

        def forward(self, x: Any) -> Any:
            return weight_only_linear(x, self.weight, None, self.scale, "int4")

    net = Net()
    spec = [paddle.static.InputSpec([None, 64], "float32", "x")]
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=spec)
    found = paddle.jit.load(str(tmp_path / "net"))(X[0])
    np.testing.assert_allclose(
        found.numpy(), net(paddle.to_tensor(X[0])).numpy(), rtol=1e-4, atol=1e-4
    )


def test_invalid_input() -> None:
    w, x = paddle.to_tensor(WEIGHT), paddle.to_tensor(X)
    out, scale = weight_quantize(w)
    for call, words in (
        (lambda: weight_quantize(w, "int8"), "algo='int8' is none of"),
        (lambda: weight_quantize(w, arch=90), "arch=90"),
        (lambda: weight_quantize(x), "x is not a matrix"),
        (lambda: weight_quantize(out), "x is not of float16"),
        (lambda: weight_quantize(WEIGHT), "not a Tensor|is not a tensor|ndarray"),
        (lambda: weight_quantize(paddle.ones([4, 3]), "weight_only_int4"), "3 columns cannot be packed"),
        (lambda: weight_dequantize(w, scale), "x is not of int8"),
        (lambda: weight_dequantize(out, scale[:3]), "not one number per column"),
        (lambda: weight_dequantize(out, scale, out_dtype="int8"), "out_dtype=int8"),
        (lambda: weight_only_linear(x, out, None, scale, "int2"), "weight_dtype='int2'"),
        (lambda: weight_only_linear(x, out), "weight_scale is missing"),
        (lambda: weight_only_linear(x[:, :, :3], out, None, scale), "the last axis of x does not match"),
        (lambda: llm_int8_linear(x, w, None, scale), "weight is not of int8"),
    ):  # fmt: skip
        with pytest.raises(paddle.OpError, match=words):
            call()
