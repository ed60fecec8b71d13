"""The GPU benchmark script on the stand-in: it runs, and it detects differences."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import oarlock
from oarlock.core import place

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gpu_eager.py"


@pytest.fixture
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_networks(
    cupy: ModuleType, script: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert script["main"](["--nets", "--steps", "1", "--batch", "2"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "lenet",
        "resnet",
    ]


def test_differences_are_detected(cupy: ModuleType, script: dict[str, Any]) -> None:
    place.set_device("cpu")
    one = oarlock.to_tensor([1.0, float("nan")])
    assert script["max_difference"](one, one) == 0
    assert script["max_difference"](one + 0.5, one) == 0.5
    assert script["max_difference"](oarlock.to_tensor([1.0, 2.0]), one) == float("inf")
    assert script["max_difference"](one.astype("float64"), one) == float("inf")


def test_missing_cupy_is_reported(script: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    with pytest.raises(oarlock.OarlockError, match="gpu_eager needs CuPy"):
        script["main"]([])
