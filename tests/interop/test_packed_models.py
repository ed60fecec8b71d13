"""LoD models of real Paddle return Paddle's results, however they are run."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import inference
from oarlock.core.errors import OpError
from oarlock.loader.engine import Engine

pytestmark = pytest.mark.paddle

NAMES = ("tagger", "sentiment", "reader")


@pytest.fixture(scope="module")
def models(paddle: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    assert paddle.ask("packed_models", folder=str(folder)) == list(NAMES)
    return folder


def read(folder: Path, name: str) -> tuple[dict[str, Any], list[Any], list[Any]]:
    """Inputs by name, answers, and the offsets of each."""
    with np.load(folder / f"{name}.npz") as held:
        arrays = {key: held[key] for key in held.files}
    answers = [arrays.pop(f"out{i}") for i in range(sum(key.startswith("out") for key in arrays))]
    lods = [arrays.pop(f"lod{i}").tolist() for i in range(len(answers))]
    return arrays, answers, lods


def check(found: list[Any], wanted: list[Any]) -> None:
    for got, want in zip(found, wanted, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def engine(folder: Path, name: str) -> Engine:
    return Engine(
        (folder / f"{name}.pdmodel").read_bytes(), str(folder / f"{name}.pdiparams"), name
    )


@pytest.mark.parametrize("name", NAMES)
def test_engine_equals_paddle(name: str, models: Path) -> None:
    inputs, answers, _ = read(models, name)
    made = engine(models, name)
    assert [spec[0] for spec in made.inputs] == list(inputs)
    check(made.run(inputs), answers)


@pytest.mark.parametrize("name", NAMES)
def test_loaded_layer_with_lod_input(name: str, models: Path) -> None:
    inputs, answers, _ = read(models, name)
    found = oarlock.jit.load(str(models / name))(*inputs.values())
    check([x.numpy() for x in (found if isinstance(found, list) else [found])], answers)


@pytest.mark.parametrize("name", NAMES)
def test_lod_of_input_handles(name: str, models: Path) -> None:
    inputs, answers, lods = read(models, name)
    predictor = inference.create_predictor(inference.Config(str(models / name)))
    (key,) = predictor.get_input_names()
    handle = predictor.get_input_handle(key)
    handle.copy_from_cpu(inputs[key])
    cut = [inputs[f"{key}.lod"].tolist()] if f"{key}.lod" in inputs else []
    handle.set_lod(cut)
    assert handle.lod() == cut
    predictor.run()
    found = [predictor.get_output_handle(out) for out in predictor.get_output_names()]
    check([handle.copy_to_cpu() for handle in found], answers)
    assert [handle.lod() for handle in found] == lods
    if not cut:
        check([x.numpy() for x in predictor.run(list(inputs.values()))], answers)


def test_invalid_lod_of_handle(models: Path) -> None:
    predictor = inference.create_predictor(inference.Config(str(models / "tagger")))
    handle = predictor.get_input_handle("words")
    with pytest.raises(OpError, match="one level of LoD, not 2"):
        handle.set_lod([[0, 1], [0, 3]])
    handle.copy_from_cpu(np.zeros((3, 1), "int64"))
    with pytest.raises(OpError, match="the LoD of 'words' is missing; call set_lod"):
        predictor.run()


@pytest.mark.parametrize("offsets", [[], [0], [0, 3], [1, 15], [0, 16], [0, 9, 4, 15], [0, -1, 15]])
def test_invalid_lod_is_rejected(offsets: list[int], models: Path) -> None:
    inputs, _, _ = read(models, "tagger")
    with pytest.raises(
        OpError,
        match="'words.lod' must begin with 0, not fall, and end with the 15 rows of 'words'",
    ):
        engine(models, "tagger").run({**inputs, "words.lod": np.array(offsets, "int64")})


def test_single_sequence_equals_batch(models: Path) -> None:
    inputs, answers, _ = read(models, "tagger")
    made = engine(models, "tagger")
    cut = inputs["words.lod"]
    for first, last in pairwise(cut):
        alone = made.run(
            {"words": inputs["words"][first:last], "words.lod": np.array([0, last - first])}
        )
        check(alone, [answer[first:last] for answer in answers])
