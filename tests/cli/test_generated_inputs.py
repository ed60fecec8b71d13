"""Generated inputs of `bench` and `tune`: valid for the model, or reported if none is."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import oarlock as paddle
from oarlock import nn
from oarlock.cli.demo import runner_path
from oarlock.cli.main import app
from oarlock.loader.engine import Engine
from oarlock.loader.model_files import read_model
from oarlock.static import Dim, InputSpec


class Net(nn.Layer):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        self.conv = nn.Conv2D(1, 1, 5, stride=2)
        self.table = self.create_parameter([1, 3])

    def forward(self, *tensors: Any) -> Any:
        return self.function(self, *tensors)


def embedding_lookup(net: Net, ids: Any) -> Any:
    return nn.functional.embedding(ids, net.table)


def last_steps(net: Net, x: Any, lengths: Any) -> Any:
    """Entry lengths - 1 of each row."""
    return paddle.index_sample(x, paddle.reshape(lengths - 1, [-1, 1])) + net.table.sum()


# What one and no other way of making inputs up fits: a picture, a table of one row, lengths of at
# least one.
MODELS = {
    "picture": (
        lambda net, x: net.conv(net.conv(x)),
        [InputSpec([None, 1, None, None], "float32", "x")],
    ),
    "one row": (embedding_lookup, [InputSpec([None, 7], "int64", "ids")]),
    "lengths": (
        last_steps,
        [InputSpec([None, None], "float32", "x"), InputSpec([None], "int64", "lengths")],
    ),
}


def save_model(name: str, folder: Path) -> str:
    function, specs = MODELS[name]
    layer = Net(function)
    layer.eval()
    paddle.jit.save(layer, str(folder / "m"), specs)
    return str(folder / "m")


@pytest.mark.parametrize("name", MODELS)
def test_generated_inputs_are_valid(name: str, tmp_path: Path) -> None:
    prefix = save_model(name, tmp_path)
    done = subprocess.run(
        [runner_path(), "bench", prefix, "--repeat", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for words in (["bench", prefix, "--repeat", "2", "--json"], ["verify", prefix]):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
    assert "engine and interpreter agree at " in result.output


def test_tune_stores_valid_input_shapes(tmp_path: Path) -> None:
    prefix = save_model("picture", tmp_path)
    words = [runner_path(), "tune", prefix, "--option", "threads=1", "--option", "inter_threads=1"]
    subprocess.run(words, capture_output=True, text=True, check=True)
    assert "x=float32[1,1,32,32]" in json.dumps(
        json.loads(Path(f"{prefix}.oarlock.tune.json").read_text())
    )


def test_error_if_no_generated_input_is_valid(tmp_path: Path) -> None:
    layer = Net(lambda net, x: paddle.reshape(x, [-1, 11 * 13]) + net.table.sum())
    layer.eval()
    prefix = str(tmp_path / "m")
    with pytest.warns(UserWarning, match="none of the generated inputs fits"):
        paddle.jit.save(layer, prefix, [InputSpec([None, None], "float32", "x")])
    for words in (["bench", prefix], ["tune", prefix]):
        done = subprocess.run([runner_path(), *words], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "generated inputs do not fit this model; give real ones by --input" in done.stderr
        assert "reshape2, output" in done.stderr
    result = CliRunner().invoke(app, ["bench", prefix])
    assert result.exit_code == 1 and "generated inputs do not fit this model" in result.output
    result = CliRunner().invoke(app, ["verify", prefix])
    assert (
        "not verified: none of the generated inputs fits" in result.output
        and "agree" not in result.output
    )
    np.savez(tmp_path / "in.npz", x=np.ones((11, 13), "f"))
    given = [runner_path(), "bench", prefix, "--input", str(tmp_path / "in.npz"), "--repeat", "2"]
    assert subprocess.run(given, capture_output=True, text=True, check=False).returncode == 0


def test_generated_inputs_have_traced_sizes(tmp_path: Path) -> None:
    net = Net(lambda net, x: x * 2 + net.table.sum() if x.shape[1] == 5 else x)
    prefix = str(tmp_path / "m")
    paddle.jit.TracedLayer.trace(net, [paddle.ones([2, 5])])[1].save_inference_model(prefix)
    result = CliRunner().invoke(app, ["bench", prefix, "--repeat", "2"])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("count", [1, 3])
def test_inputs_that_would_exhaust_the_memory_are_not_generated(count: int, tmp_path: Path) -> None:
    """count: inputs that together have too many elements"""
    layer = Net(lambda net, *inputs: sum(x.mean() for x in inputs) + net.table.sum())
    layer.eval()
    prefix = str(tmp_path / "m")
    dim = Dim("n", (1 << 31) // 20 // count)
    specs = [InputSpec([dim, 2], "float32", f"x{i}") for i in range(count)]
    with pytest.warns(UserWarning, match="not verified: .* more than 134217728 elements"):
        paddle.jit.save(layer, prefix, specs)
    limits = "ulimit -v 4000000; exec"  # KiB
    for words in (["bench", prefix], ["tune", prefix]):
        command = f"{limits} {shlex.join([runner_path(), *words])}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "the generated inputs have at most 134217728 elements" in done.stderr
    result = CliRunner().invoke(app, ["bench", prefix])
    assert result.exit_code == 1
    assert "the inputs would have too many elements" in result.output
    files = read_model(prefix)
    engine = Engine(files.pdmodel, files.params_path, files.name)
    assert list(engine.iter_synthetic_input_sets()) == []


@pytest.mark.parametrize("shape", ["y=1,5", "x=-1,5", "x=1,99999999999,99999999999"])
def test_invalid_shape_option_is_rejected(shape: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["bench", save_model("picture", tmp_path), "--shape", shape])
    assert result.exit_code == 1
    assert "shapes: no input 'y'" in result.output or "tensor: no tensor is" in result.output
