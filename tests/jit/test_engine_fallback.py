"""Programs that the engine cannot run: Oarlock's kernels run them, and a warning names the
cause.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.jit import load, save, to_static
from oarlock.loader.engine import Engine
from oarlock.loader.runtime import EngineError
from oarlock.static import InputSpec

SPEC = [InputSpec([None, 2], "float32", "x")]


def twice(x: Any) -> Any:
    return x * 2


def branch_of_two_dtypes(x: Any) -> Any:
    return paddle.static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x.astype("int32"))


def fail_to_start(*_: Any, **__: Any) -> None:
    raise EngineError("engine: the library libonnxruntime.so was not found")


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "__init__", fail_to_start)


@pytest.mark.usefixtures("no_engine")
def test_static_function_without_engine() -> None:
    made = to_static(twice)
    x = paddle.ones([1, 2])
    cause = r"to_static: the engine cannot run it \(engine: the library libonnxruntime.so was not found\); the model runs op by op"
    with pytest.warns(UserWarning, match=cause), paddle.no_grad():
        assert made(x).tolist() == [[2.0, 2.0]]
    with paddle.no_grad():  # said once
        assert made(x + 1).tolist() == [[4.0, 4.0]]


def test_loaded_model_without_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(UserWarning, match="there are no parameters"):
        save(twice, tmp_path / "m", input_spec=SPEC)
    monkeypatch.setattr(Engine, "__init__", fail_to_start)
    loaded = load(tmp_path / "m")
    with pytest.warns(
        UserWarning, match=r"m\.pdmodel: the engine cannot run it \(engine: the library"
    ):
        np.testing.assert_array_equal(
            loaded(paddle.ones([3, 2])).numpy(), np.full([3, 2], 2, "float32")
        )


def test_explicit_engine_options_disable_the_fallback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.warns(UserWarning, match="there are no parameters"):
        save(twice, tmp_path / "m", input_spec=SPEC)
    monkeypatch.setattr(Engine, "__init__", fail_to_start)
    for options in ({"device": "cpu"}, {"execution_provider": "OpenVINO"}):
        loaded = load(tmp_path / "m", **options)
        with pytest.raises(EngineError, match="was not found"):
            loaded(paddle.ones([3, 2]))


def test_other_engine_errors_are_reported() -> None:
    made = to_static(branch_of_two_dtypes)
    x = paddle.ones([1, 2])
    with (
        pytest.warns(
            UserWarning,
            match=r"to_static: the engine cannot run it \(.*dtype.*\); the model runs op by op",
        ),
        paddle.no_grad(),
    ):
        assert made(x).tolist() == [[2.0, 2.0]]
