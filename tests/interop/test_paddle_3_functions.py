"""Programs that real Paddle 3.3 exports for single functions return Paddle's results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock

from .paddle_3_functions import CASES, STATIC_ONLY

pytestmark = [pytest.mark.paddle, pytest.mark.slow]

UNSUPPORTED = {
    **dict.fromkeys(
        ("fused_ln", "frac_pool", "gammainc", "gammaincc", "lp_pool", "lshift", "rshift"),
        "the operation has no equivalent",
    ),
    "histogramdd": "the engine needs a constant minlength of bincount",
    "median_min": "only the mode avg of median has an equivalent",
    **dict.fromkeys(("rank", "rank_tol"), "Paddle 3.3 returns int64, Paddle 2.6 and 3.0 int32"),
}
NAMES = [*CASES, *(f"{name}_dynamic" for name in CASES if name not in STATIC_ONLY)]


@pytest.fixture(scope="session")
def exported(paddle3: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the programs of all cases."""
    folder = tmp_path_factory.mktemp("functions")
    paddle3.ask("export_functions", folder=str(folder))
    return folder


@pytest.mark.filterwarnings("ignore:.*the engine does not have")
@pytest.mark.parametrize("paddle3", ["3.3.1"], indirect=True)
@pytest.mark.parametrize("name", NAMES)
def test_function(name: str, exported: Path, request: pytest.FixtureRequest) -> None:
    case = name.removesuffix("_dynamic")
    if case in UNSUPPORTED:
        request.applymarker(pytest.mark.xfail(reason=UNSUPPORTED[case], strict=True))
    layer = oarlock.jit.load(exported / name)
    layer.eval()
    outputs = layer(*map(oarlock.to_tensor, CASES[case][1]))
    flat = outputs if isinstance(outputs, list | tuple) else [outputs]
    with np.load(exported / f"{name}.out.npz") as saved:
        expected = [saved[key] for key in saved.files]
    for output, array in zip(flat, expected, strict=True):
        assert (output.numpy().dtype, output.numpy().shape) == (array.dtype, array.shape)
        np.testing.assert_allclose(output.numpy(), array, rtol=2e-4, atol=2e-5)
