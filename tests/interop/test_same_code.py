"""Layers, losses, optimizers and functions return Paddle's results for the same code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock

sys.path.insert(0, str(Path(__file__).parent))
import same_code

CASES = same_code.all_cases()
sys.path.pop(0)
pytestmark = pytest.mark.paddle
# The share of pixels that may come from a neighbor: the coefficients of a perspective are a
# solution of linear equations, whose last digits depend on the version of NumPy and the processor,
# and pixels are rounded to the nearest one.
NEIGHBORS = {"transforms.picture RandomPerspective": 0.02}


@pytest.fixture(scope="session")
def theirs(
    paddle: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], dict[str, str]]:
    path = str(tmp_path_factory.mktemp("same") / "paddle.npz")
    errors = paddle.ask("same_code", path=path)
    with np.load(path) as held:
        return {name: held[name] for name in held.files}, errors


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize("case", list(CASES))
def test_results_equal_paddle(case: str, theirs: tuple[dict[str, Any], dict[str, str]]) -> None:
    arrays, errors = theirs
    assert case not in errors, f"real Paddle: {errors.get(case)}"
    wanted = {
        name.removeprefix(f"{case}/"): a
        for name, a in arrays.items()
        if name.startswith(f"{case}/")
    }
    found = {name: np.asarray(a) for name, a in CASES[case](oarlock).items()}
    assert found.keys() == wanted.keys()
    for name, array in found.items():
        assert array.shape == wanted[name].shape, name
        if array.dtype.kind in "fc":
            assert array.dtype == wanted[name].dtype, name
            rtol = 2e-3 if array.dtype == np.float16 else 3e-5
            np.testing.assert_allclose(array, wanted[name], rtol=rtol, atol=3e-6, err_msg=name)
        elif case in NEIGHBORS:
            assert np.mean(array != wanted[name]) <= NEIGHBORS[case], name
        else:
            assert array.tolist() == wanted[name].tolist(), name
