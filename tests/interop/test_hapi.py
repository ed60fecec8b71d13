"""Model, callbacks, summary and flops do what real Paddle's do, run by the very same code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock

sys.path.insert(0, str(Path(__file__).parent))
import hapi_cases

sys.path.pop(0)
pytestmark = pytest.mark.paddle


@pytest.fixture(scope="session")
def theirs(paddle: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, str]]:
    path = str(tmp_path_factory.mktemp("hapi") / "paddle.npz")
    errors = paddle.ask("hapi", path=path)
    with np.load(path) as held:
        return {name: held[name] for name in held.files}, errors


@pytest.mark.parametrize("case", list(hapi_cases.CASES))
def test_equal(case: str, theirs: tuple[dict[str, Any], dict[str, str]]) -> None:
    arrays, errors = theirs
    assert case not in errors, f"real Paddle: {errors.get(case)}"
    wanted = {name.removeprefix(f"{case}/"): a for name, a in arrays.items() if name.startswith(f"{case}/")}
    found = {name: np.asarray(a) for name, a in hapi_cases.CASES[case](oarlock).items()}
    assert found.keys() == wanted.keys()
    for name, array in found.items():
        if array.dtype.kind == "f":
            assert array.shape == wanted[name].shape, name
            np.testing.assert_allclose(array, wanted[name], rtol=2e-5, atol=2e-6, err_msg=name)
        else:
            assert array.tolist() == wanted[name].tolist(), name
