"""`_repr_html_` of tensors, programs, layers and models."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.ir.program import Block, OpDesc, Program, VarDesc

MAX_LENGTH = 4000  # characters; a notebook shows many of these tables


def cells(text: str) -> list[str]:
    return re.findall(r"<t[dh]>(.*?)</t[dh]>", text)


def value_of(text: str, heading: str) -> str:
    found = cells(text)
    return found[found.index(heading) + 1]


def test_tensor() -> None:
    text = paddle.to_tensor([[1.5, 2], [3, -4]])._repr_html_()
    assert value_of(text, "type") == "float32[2,2]"
    assert value_of(text, "min, max") == "-4, 3"
    assert value_of(text, "mean") == "0.625"
    assert cells(text)[-4:] == ["1.5", "2", "3", "-4"]


def test_large_tensor_is_abbreviated() -> None:
    text = paddle.arange(2 * 30 * 40).reshape([2, 30, 40])._repr_html_()
    assert "<caption>[0, :, :]</caption>" in text
    assert cells(text)[-9:] == ["..."] * 9
    assert len(text) < MAX_LENGTH


@pytest.mark.parametrize("shape", [[0], [3, 0, 2], [], [1], [2, 3], [1, 1, 1, 1, 1]])
@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "bfloat16", "float64", "complex64"])
def test_all_dtypes_and_shapes(shape: list[int], dtype: str) -> None:
    text = paddle.zeros(shape).astype(dtype)._repr_html_()
    assert value_of(text, "type") == f"{dtype}[{','.join(map(str, shape))}]"
    assert ("mean" in text) == (dtype not in ("bool", "complex64") and 0 not in shape)


def test_values_that_are_not_finite() -> None:
    text = paddle.to_tensor([float("nan"), float("inf")])._repr_html_()
    assert cells(text)[-2:] == ["nan", "inf"]


def test_parameter() -> None:
    text = nn.Linear(2, 3).weight._repr_html_()
    assert "<caption>Parameter</caption>" in text
    assert value_of(text, "stop_gradient") == "False"


def test_a_trace_records_nothing() -> None:
    texts: list[str] = []

    class Shown(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 2)

        def forward(self, x: Any) -> Any:
            texts.extend([x._repr_html_(), self.linear.weight._repr_html_()])
            return self.linear(x)

    net = Shown()
    _, traced = paddle.jit.TracedLayer.trace(net, paddle.ones([3, 4]))
    assert not traced.guards
    types = [op.type for op in traced.program.ops()]
    assert types == ["feed", "matmul_v2", "elementwise_add", "fetch"]
    static = paddle.jit.to_static(net, input_spec=[paddle.static.InputSpec([None, 4], "float32")])
    assert len(list(static.forward.concrete_program.main_program.raw.ops())) == 2
    assert all("mean" not in text for text in texts)
    assert value_of(texts[2], "type") == "float32[?,4]"


def test_static_variable() -> None:
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            x = paddle.static.data("x", [None, 3])
            y = paddle.static.nn.fc(x, 2)
        assert value_of(x._repr_html_(), "type") == "float32[?,3]"
        assert value_of(y._repr_html_(), "name") == y.name
        assert value_of(main._repr_html_(), "parameters") == "2 arrays, 8 elements"
        assert value_of(main._repr_html_(), "ops").startswith("2: ")
        assert value_of(paddle.static.Program()._repr_html_(), "ops") == "0: "
    finally:
        paddle.disable_static()


def test_program_traced_layer_and_translated_layer(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    _, traced = paddle.jit.TracedLayer.trace(net, paddle.ones([2, 4]))
    spec = paddle.static.InputSpec([None, 4], "float32", "x")
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[spec])
    loaded = paddle.jit.load(str(tmp_path / "net"))
    for shown, caption in (
        (traced, "TracedLayer"),
        (traced.program, "Program"),
        (loaded, "TranslatedLayer, method forward"),
        (loaded.program(), "Program"),
    ):
        text = shown._repr_html_()
        assert f"<caption>{caption}</caption>" in text
        assert value_of(text, "outputs") == "out: float32[?,3]"
        assert value_of(text, "parameters") == "2 arrays, 15 elements"
        assert value_of(text, "ops") == "3: 1 matmul_v2, 1 elementwise_add, 1 relu"
        assert len(text) < MAX_LENGTH


def test_model() -> None:
    model = paddle.Model(nn.Linear(4, 3), paddle.static.InputSpec([None, 4], "float32", "x"))
    model.prepare(paddle.optimizer.Adam(parameters=model.parameters()), nn.MSELoss())
    text = model._repr_html_()
    assert value_of(text, "network") == "Linear"
    assert value_of(text, "parameters") == "2 arrays, 15 elements, 15 trainable"
    assert (value_of(text, "optimizer"), value_of(text, "loss")) == ("Adam", "MSELoss")


def test_names_are_escaped() -> None:
    name = "<img src=x onerror=alert(1)>"
    feed = OpDesc("feed", {"X": ["feed"]}, {"Out": [name]})
    program = Program([Block(vars={name: VarDesc(name, (2,))}, ops=[feed, OpDesc(name)])])
    text = program._repr_html_()
    assert "<img" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;: float32[2]" in text
    assert np.all(
        [tag in ("table", "caption", "tr", "th", "td") for tag in re.findall(r"<(\w+)", text)]
    )
