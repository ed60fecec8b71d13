"""Which files of a folder `read_model` and `load_inference_model` read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import FileError
from oarlock.loader.model_files import read_model

FACTORS = {"inference": 1.0, "other": 2.0, "third": 3.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Models that multiply by a factor: inference.*, other.*, and the parameters of a third."""
    for name, factor in FACTORS.items():
        net = nn.Linear(1, 1, weight_attr=paddle.ParamAttr("w"), bias_attr=False)
        net.weight.set_value(np.array([[factor]], "float32"))
        spec = [paddle.static.InputSpec([None, 1], "float32", "x")]
        paddle.jit.save(net, str(tmp_path / name), input_spec=spec)
    (tmp_path / "third.pdmodel").unlink()
    return tmp_path


@pytest.mark.parametrize(
    ("model", "params", "factor"),
    [
        (None, None, 1.0),
        ("inference.pdmodel", None, 1.0),
        ("inference.pdmodel", "inference.pdiparams", 1.0),
        (None, "inference.pdiparams", 1.0),
        ("other.pdmodel", "other.pdiparams", 2.0),
        ("inference.pdmodel", "third.pdiparams", 3.0),
    ],
)
def test_named_files_are_read(
    model: str | None, params: str | None, factor: float, folder: Path
) -> None:
    assert np.asarray(read_model(folder, model, params).values["w"]) == factor
    paddle.enable_static()
    try:
        executor = paddle.static.Executor()
        program, names, outputs = paddle.static.load_inference_model(
            str(folder), executor, model_filename=model, params_filename=params
        )
        feed = {names[0]: np.ones((1, 1), "float32")}
        assert executor.run(program, feed=feed, fetch_list=outputs)[0] == factor
    finally:
        paddle.disable_static()


def test_missing_named_files(folder: Path) -> None:
    with pytest.raises(FileError, match="holds neither absent.pdmodel"):
        read_model(folder, "absent.pdmodel", "other.pdiparams")
    with pytest.raises((FileError, OSError), match="absent"):
        read_model(folder, "other.pdmodel", "absent.pdiparams")
