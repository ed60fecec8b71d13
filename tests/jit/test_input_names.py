"""Errors of jit.save for names and results that a program cannot have."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.static import InputSpec


class Difference(nn.Layer):
    def forward(self, x: Any, y: Any) -> Any:
        return x - y


class OfDict(nn.Layer):
    def forward(self, d: Any) -> Any:
        return d["a"] - d["b"]


def spec(name: str | None = "x") -> InputSpec:
    return InputSpec([2], "float32", name)


def saved(net: nn.Layer, specs: Any, tmp_path: Path) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        paddle.jit.save(net, str(tmp_path / "m"), specs)
    said = [str(w.message) for w in seen if "no parameters" not in str(w.message)]
    return paddle.jit.load(str(tmp_path / "m")), said


@pytest.mark.parametrize(
    ("net", "specs", "names"),
    [
        (Difference, [spec(), spec()], ["x", "x_1"]),
        (Difference, [spec("y"), spec("y")], ["y", "y_1"]),
        (OfDict, [{"a": spec(), "b": spec()}], ["x", "x_1"]),
    ],
)
def test_duplicate_input_names_warn(net: Any, specs: Any, names: list[str], tmp_path: Path) -> None:
    layer, said = saved(net(), specs, tmp_path)
    assert any(f"two inputs are named '{names[0]}'" in text and names[1] in text for text in said)
    assert [s.name for s in layer._input_spec()] == names
    # not one for both
    assert layer(paddle.full([2], 5.0), paddle.ones([2])).numpy().tolist() == [4, 4]


@pytest.mark.parametrize(
    "specs", [[spec("y"), spec("x")], [spec("x"), spec(None)], [spec(None), spec(None)]]
)
def test_distinct_input_names_do_not_warn(specs: Any, tmp_path: Path) -> None:
    assert saved(Difference(), specs, tmp_path)[1] == []


class Array(nn.Layer):
    def __init__(self, nested: bool) -> None:
        super().__init__()
        self.nested = nested

    def forward(self, x: Any) -> Any:
        return {"out": [(x * 2).numpy()]} if self.nested else (x * 2).numpy()


@pytest.mark.parametrize("nested", [False, True])
def test_ndarray_result_warns(nested: bool, tmp_path: Path) -> None:
    layer, said = saved(Array(nested), [spec()], tmp_path)
    assert [text for text in said if "returns an ndarray" in text]
    found = layer(np.full(2, 3, np.float32))
    found = found["out"][0] if nested else found
    assert found.numpy().tolist() == [6, 6]
