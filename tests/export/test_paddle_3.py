"""Programs in the format of Paddle 3: `jit.save(format="paddle3")`, conversion of saved models."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import oarlock as paddle
from oarlock.cli.main import app
from oarlock.export import pdmodel
from oarlock.jit.paddle_format_conversion import convert_paddle_format
from oarlock.loader.pdmodel import parse_program
from oarlock.loader.pir_conversion import convert_pdmodel_to_pir, convert_pir_to_pdmodel
from oarlock.loader.runtime import UnsupportedError
from oarlock.static import InputSpec

FIXTURES = Path(__file__).parents[1] / "fixtures"


class ControlFlow(paddle.nn.Layer):
    """Branches, a loop, a list whose length is known at run time, an LSTM, a nested result."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = paddle.nn.Linear(4, 3)
        self.lstm = paddle.nn.LSTM(3, 5)

    def forward(self, x: Any) -> Any:
        y = self.linear(x)
        if y.sum() > 0:
            y = y * 2
        else:
            y = y - 1
        i = paddle.zeros([1], "int64")
        while i < 3:
            y = y + 1
            i = i + 1
        sums = []
        for k in range(x.shape[0]):
            sums.append(x[k].sum())
        assert paddle.max(x) < 100
        return {"lstm": self.lstm(y)[0], "pair": (y, y), "sums": paddle.stack(sums)}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, paddle.nn.Layer]:
    paddle.seed(1)
    layer = ControlFlow()
    layer.eval()
    prefix = tmp_path_factory.mktemp("paddle3") / "m"
    spec = [InputSpec([None, 6, 4], "float32", "x")]
    paddle.jit.save(layer, prefix, input_spec=spec, format="paddle3")
    return prefix, layer


def example() -> paddle.Tensor:
    return paddle.to_tensor(np.random.default_rng(0).standard_normal((3, 6, 4)).astype("float32"))


def assert_equal(actual: Any, expected: Any) -> None:
    assert list(actual) == list(expected)
    for name in ("lstm", "sums"):
        np.testing.assert_allclose(actual[name].numpy(), expected[name].numpy(), rtol=1e-5)
    assert isinstance(actual["pair"], tuple)


def test_saved_layer_returns_the_nested_result(saved: tuple[Path, paddle.nn.Layer]) -> None:
    prefix, layer = saved
    assert sorted(p.name for p in prefix.parent.glob("m.*")) == [
        "m.json",
        "m.pdiparams",
        "m.pdiparams.info",
    ]
    loaded = paddle.jit.load(str(prefix))
    assert_equal(loaded(example()), layer(example()))
    assert dict(loaded.named_parameters()).keys() == dict(layer.named_parameters()).keys()


def test_file_has_version_1_and_no_extra_top_level_keys(
    saved: tuple[Path, paddle.nn.Layer],
) -> None:
    document = json.loads(Path(f"{saved[0]}.json").read_text())
    assert document["base_code"] == {"magic": "pir", "trainable": True, "version": 1}
    assert sorted(document) == ["base_code", "oarlock_contract", "program"]


def test_names_and_source_lines_survive(saved: tuple[Path, paddle.nn.Layer]) -> None:
    data = Path(f"{saved[0]}.json").read_bytes()
    program = parse_program(convert_pir_to_pdmodel(data))
    assert program.contract is not None
    lines = {op.user_line for op in program.ops()}
    assert any("test_paddle_3.py" in line and "y = self.linear(x)" in line for line in lines)
    guarded = {guard.var for guard in program.contract.guards}
    assert guarded and guarded <= program.block.vars.keys()


def test_conversion_is_deterministic_and_stable(saved: tuple[Path, paddle.nn.Layer]) -> None:
    data = Path(f"{saved[0]}.json").read_bytes()
    one = convert_pir_to_pdmodel(data)
    assert one == convert_pir_to_pdmodel(data)
    again = convert_pdmodel_to_pir(one)
    assert again == convert_pdmodel_to_pir(one)


def test_saving_in_the_other_format_removes_the_program(tmp_path: Path) -> None:
    layer = paddle.nn.Linear(2, 3)
    spec = [InputSpec([None, 2], "float32")]
    paddle.jit.save(layer, tmp_path / "m", input_spec=spec, format="paddle3")
    assert (tmp_path / "m.json").exists()
    paddle.jit.save(layer, tmp_path / "m", input_spec=spec)
    assert not (tmp_path / "m.json").exists() and (tmp_path / "m.pdmodel").exists()


def test_unknown_format_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="format should be 'paddle2' or 'paddle3', not 'onnx'"):
        paddle.jit.save(
            paddle.nn.Linear(2, 3),
            tmp_path / "m",
            input_spec=[InputSpec([None, 2], "float32")],
            format="onnx",
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", sorted(p.stem for p in FIXTURES.glob("pir_*.json")))
def test_models_of_paddle_3_convert_in_both_directions(name: str, tmp_path: Path) -> None:
    for suffix in (".json", ".pdiparams"):
        if (FIXTURES / (name + suffix)).exists():
            shutil.copy(FIXTURES / (name + suffix), tmp_path / ("m" + suffix))
    (report,) = convert_paddle_format(tmp_path / "m", tmp_path / "m", "paddle2").values()
    assert "largest difference" in report, report
    (tmp_path / "m.json").unlink()
    (report,) = convert_paddle_format(tmp_path / "m", tmp_path / "again", "paddle3").values()
    assert "largest difference" in report, report
    assert (tmp_path / "again.json").exists()


def test_command_line_converts(saved: tuple[Path, paddle.nn.Layer], tmp_path: Path) -> None:
    for path in saved[0].parent.glob("m.*"):
        shutil.copy(path, tmp_path / path.name)
    words = ["export", str(tmp_path / "m"), "--to", "paddle2", "-o", str(tmp_path / "n")]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert_equal(paddle.jit.load(str(tmp_path / "n"))(example()), saved[1](example()))


def test_unsupported_ops_are_listed() -> None:
    text = """program version=2006002
block 0:
  var feed: feed persistable
  var fetch: fetch persistable
  x: float32[?,3] = feed(X=feed) col=0
  y: float32[?,3] = custom_one(X=x)  # net.py:12 in forward
  z: float32[?,3] = custom_two(X=y)
  fetch = fetch(X=z) col=0
"""
    from oarlock.ir.parser import parse

    with pytest.raises(UnsupportedError) as error:
        convert_pdmodel_to_pir(pdmodel.to_bytes(parse(text)))
    assert "2 ops have no equivalent in Paddle 3" in str(error.value)
    assert "custom_one (1x, first at net.py:12 in forward)" in str(error.value)
    assert "custom_two (1x)" in str(error.value)


def test_static_models(tmp_path: Path) -> None:
    paddle.enable_static()
    try:
        program, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(program, startup):
            x = paddle.static.data("x", [None, 4], "float32")
            y = paddle.static.nn.fc(x, 3)
        executor = paddle.static.Executor()
        executor.run(startup)
        paddle.static.save_inference_model(
            tmp_path / "m", [x], [y], executor, program=program, format="paddle3"
        )
        loaded, feeds, fetches = paddle.static.load_inference_model(tmp_path / "m", executor)
        data = np.ones((2, 4), "float32")
        (expected,) = executor.run(program, feed={"x": data}, fetch_list=[y])
        (actual,) = executor.run(loaded, feed={feeds[0]: data}, fetch_list=fetches)
    finally:
        paddle.disable_static()
    assert (tmp_path / "m.json").exists() and not (tmp_path / "m.pdmodel").exists()
    np.testing.assert_allclose(actual, expected, rtol=1e-6)
