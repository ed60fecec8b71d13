"""Detectors of PaddlePaddle 1.8.5 return its results in engine and interpreter
(`tests/fixtures/make_v1_detectors.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oarlock import inference, static

with np.load(Path(__file__).parents[1] / "fixtures" / "v1_detectors.npz") as _held:
    HELD = {key: _held[key] for key in _held.files}
NAMES = sorted({key.partition(".")[0] for key in HELD})


@pytest.fixture(params=NAMES)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, dict[str, Any], list[Any]]:
    """Where its files are, its inputs, and its answers with their offsets."""
    own = {k.partition(".")[2]: v for k, v in HELD.items() if k.partition(".")[0] == request.param}
    for name in ("program", "params"):
        (tmp_path / name).write_bytes(own[name].tobytes())
    inputs = {k.removeprefix("in."): v for k, v in own.items() if k.startswith("in.")}
    count = sum(k.startswith("out") for k in own)
    return tmp_path, inputs, [(own[f"out{k}"], own.get(f"lod{k}")) for k in range(count)]


def check(got: Any, offsets: Any, wanted: tuple[Any, Any]) -> None:
    np.testing.assert_allclose(got, wanted[0], rtol=1e-4, atol=1e-4)
    if wanted[1] is not None and offsets:
        np.testing.assert_array_equal(offsets[0], wanted[1])


def test_engine_equals_paddle(model: tuple[Path, dict[str, Any], list[Any]]) -> None:
    folder, inputs, answers = model
    predictor = inference.create_predictor(
        inference.Config(str(folder / "program"), str(folder / "params"))
    )
    for name, array in inputs.items():
        predictor.get_input_handle(name).copy_from_cpu(array)
    predictor.run()
    for name, answer in zip(predictor.get_output_names(), answers, strict=True):
        handle = predictor.get_output_handle(name)
        check(handle.copy_to_cpu(), handle.lod(), answer)


def test_executor_equals_paddle(model: tuple[Path, dict[str, Any], list[Any]]) -> None:
    folder, inputs, answers = model
    executor = static.Executor(static.cpu_places()[0])
    files = {"model_filename": "program", "params_filename": "params"}
    program, _, fetches = static.load_inference_model(str(folder), executor, **files)
    found = executor.run(program, feed=inputs, fetch_list=fetches, return_numpy=False)
    for got, answer in zip(found, answers, strict=True):
        check(np.asarray(got), got.lod() if hasattr(got, "lod") else [], answer)
