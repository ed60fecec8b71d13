"""Transforms of pictures give what real Paddle's give, run by the very same code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock

sys.path.insert(0, str(Path(__file__).parent))
import transform_cases

sys.path.pop(0)
pytestmark = pytest.mark.paddle


@pytest.fixture(scope="session")
def theirs(paddle: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, str]]:
    path = str(tmp_path_factory.mktemp("transforms") / "paddle.npz")
    errors = paddle.ask("transforms", path=path)
    with np.load(path) as held:
        return {name: held[name] for name in held.files}, errors


@pytest.mark.parametrize("case", list(transform_cases.CASES))
def test_equal(case: str, theirs: tuple[dict[str, Any], dict[str, str]]) -> None:
    arrays, errors = theirs
    assert case not in errors, f"real Paddle: {errors.get(case)}"
    found, wanted = transform_cases.run(oarlock, case), arrays[case]
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found.astype(float), wanted.astype(float), rtol=1e-5, atol=1e-5)
