"""Operands that Paddle 1.8.5 rejects with a TypeError are rejected here, too (`make_asked.py`)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from oarlock import fluid
from oarlock.core.mode import use_mode
from oarlock.core.paddle1_compat import compat
from oarlock.static.graph.mode import StaticGraphMode

from .make_asked import FILE, rejected

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
# Rejected there for what is found further in: the dtype of a filter, a shape that is a variable.
OTHERWISE = {
    "conv3d/bool", "conv3d/int32", "crop/float32", "crop_tensor/float32", "crop_tensor/int32", "double_buffer/array", "double_buffer/int",
    "get_tensor_from_selected_rows/bool", "get_tensor_from_selected_rows/float32", "get_tensor_from_selected_rows/int32",
}  # fmt: skip


def test_rejected_operands_equal_paddle_1_8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compat, "is_paddle1", True)
    wanted = set(json.loads(Path(FILE).read_text()))
    with use_mode(StaticGraphMode()):
        found = rejected(fluid)
    assert wanted - found.keys() == OTHERWISE


def test_eager_mode_accepts_integers() -> None:
    with fluid.dygraph.guard():
        assert fluid.layers.relu(fluid.dygraph.to_variable(np.array([-1, 2]))).numpy().tolist() == [
            0,
            2,
        ]
