"""Recorded functions and layers return equal results in real Paddle: the shared cases, saved here
and run there.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock.static import InputSpec

sys.path.insert(0, str(Path(__file__).parent))
import same_code

CASES = {name: case for name, case in same_code.all_cases().items() if hasattr(case, "make")}
sys.path.pop(0)
pytestmark = pytest.mark.paddle
FAILS = {
    "linalg.lu_unpack": "real Paddle leaves results out that are not asked for, and cannot fetch them then"
}


def cases() -> list[Any]:
    """The cases, those that real Paddle is known to fail on marked so."""
    marks = {name: [pytest.mark.xfail(reason=why, strict=True)] for name, why in FAILS.items()}
    return [pytest.param(name, marks=marks.get(name, [])) for name in CASES]


@pytest.fixture(scope="module")
def found(paddle: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Return a folder with the expected results as `<number>.npz` and Paddle's as
    `<number>.found.npz`, and the errors by case.
    """
    folder, errors = tmp_path_factory.mktemp("functions"), {}
    for number, case in enumerate(CASES.values()):
        layer = case.make(oarlock)
        layer.eval()
        tensors = [oarlock.to_tensor(x) for x in case.inputs]
        np.savez(folder / f"{number}.npz", *[t.numpy() for t in same_code.flat([layer(*tensors)])])
        np.savez(folder / f"{number}.in.npz", *case.inputs)
        specs = [InputSpec(list(t.shape), t.dtype) for t in tensors]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*there are no parameters")
            oarlock.jit.save(layer, folder / str(number), input_spec=specs, verify=False)
    for number, error in paddle.ask("run_all_of", folder=str(folder), count=len(CASES)).items():
        errors[list(CASES)[int(number)]] = error
    return folder, errors


@pytest.mark.parametrize("case", cases())
def test_recorded_function_equals_paddle(case: str, found: tuple[Path, dict[str, str]]) -> None:
    folder, errors = found
    assert case not in errors, errors.get(case)
    number = list(CASES).index(case)
    with (
        np.load(folder / f"{number}.npz") as wanted,
        np.load(folder / f"{number}.found.npz") as got,
    ):
        assert got.files == wanted.files
        for name in wanted.files:
            assert got[name].dtype == wanted[name].dtype
            np.testing.assert_allclose(got[name], wanted[name], rtol=1e-4, atol=1e-5)
