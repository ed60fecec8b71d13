"""Saved programs with control flow return Python's results in real Paddle."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock

from ..jit.program_rows import ROWS, check, made, results, specs

pytestmark = pytest.mark.paddle


@pytest.mark.parametrize("name", ROWS)
def test_real_paddle_runs_saved_programs(name: str, paddle: Any, tmp_path: Path) -> None:
    row = ROWS[name]
    if row.files or row.real:
        pytest.xfail(row.files or row.real)
    prefix = tmp_path / "m"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "m: there are no parameters")
        oarlock.jit.save(made(row), prefix, input_spec=specs(row))
    for i, (call, want) in enumerate(zip(row.calls, results(made(row), row), strict=True)):
        inputs = tmp_path / f"in{i}.npz"
        np.savez(inputs, *call)
        found = paddle.run(prefix, inputs, f"call{i}", ("jit",))
        check([found["jit"]], [want])
