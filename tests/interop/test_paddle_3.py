"""Programs that Oarlock writes for Paddle 3 return Oarlock's results in real Paddle 3.0 and 3.3."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock.static import InputSpec

from ..jit.program_rows import ROWS, check, made, results, specs
from .test_layers import CASES, in_order

pytestmark = [pytest.mark.paddle, pytest.mark.slow]

# What Paddle 3 does not run, by row.
XFAILS: dict[str, str] = {}


def save(layer: Any, prefix: Path, input_spec: list[InputSpec]) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*there are no parameters")
        oarlock.jit.save(layer, prefix, input_spec=input_spec, format="paddle3")


@pytest.mark.parametrize("case", list(CASES))
def test_layers(case: str, paddle3: Any, tmp_path: Path) -> None:
    create, inputs, shapes = CASES[case]
    layer = create()
    layer.eval()
    save(layer, tmp_path / "m", [InputSpec(s, x.dtype) for s, x in zip(shapes, inputs, strict=True)])
    expected = layer(*map(oarlock.to_tensor, inputs))
    flat = [expected] if isinstance(expected, oarlock.Tensor) else in_order(expected)
    np.savez(tmp_path / "in.npz", *inputs)
    for loader, outputs in paddle3.run(
        tmp_path / "m", tmp_path / "in.npz", "out", ("jit", "predictor")
    ).items():
        assert len(outputs) == len(flat), loader
        for output, tensor in zip(outputs, flat, strict=True):
            assert output.shape == tuple(tensor.shape), loader
            np.testing.assert_allclose(output, tensor.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ROWS)
def test_control_flow(name: str, paddle3: Any, tmp_path: Path) -> None:
    row = ROWS[name]
    if row.files or row.real or name in XFAILS:
        pytest.xfail(row.files or row.real or XFAILS[name])
    save(made(row), tmp_path / "m", specs(row))
    for i, (call, expected) in enumerate(zip(row.calls, results(made(row), row), strict=True)):
        inputs = tmp_path / f"in{i}.npz"
        np.savez(inputs, *call)
        outputs = paddle3.run(tmp_path / "m", inputs, f"call{i}", ("jit",))
        check([outputs["jit"]], [expected])
