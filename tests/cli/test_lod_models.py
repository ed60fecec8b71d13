"""Commands on models with LoD inputs; the row splits are optional inputs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from typer.testing import CliRunner

import oarlock
from oarlock.cli.main import app
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.parser import parse

POOLED = 'sequence_pool(X=x) pooltype="SUM"'
PROGRAM = """\
program version=2006002
block 0:
  var feed: feed
  x: float32[?,2] lod=1 = feed(X=feed) col=0
  out: float32[?,2] lod=1 = {op}
  fetch: fetch = fetch(X=out) col=0
"""


def save_model(folder: Path, op: str = POOLED) -> str:
    (folder / "m.pdmodel").write_bytes(to_bytes(parse(PROGRAM.format(op=op))))
    return str(folder / "m")


def run_cli(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done.output


def test_inspect(tmp_path: Path) -> None:
    text = run_cli("inspect", save_model(tmp_path))
    assert "x.lod" in text and "int64[?]" in text


@pytest.mark.parametrize("shape", [[], ["--shape", "x=6,2", "--shape", "x.lod=4"]])
def test_bench(shape: list[str], tmp_path: Path) -> None:
    found = json.loads(run_cli("bench", save_model(tmp_path), "--repeat", "2", "--json", *shape))
    assert found["p50_ms"] > 0


def test_verify(tmp_path: Path) -> None:
    assert "engine and interpreter agree at" in run_cli("verify", save_model(tmp_path))
    text = run_cli("verify", save_model(tmp_path, "tanh(X=x)"))
    assert "engine and interpreter agree at x[2, 2]; x[3, 2]" in text


@pytest.mark.parametrize("to", ["onnx", "ort"])
def test_export(to: str, tmp_path: Path) -> None:
    out = tmp_path / f"m.{to}"
    assert "its results agree with the model's" in run_cli(
        "export", save_model(tmp_path), "--to", to, "-o", str(out)
    )
    session = onnxruntime.InferenceSession(str(out), providers=["CPUExecutionProvider"])
    x = np.arange(6, dtype="float32").reshape(3, 2)
    (found,) = session.run(None, {"x": x, "x.lod": np.array([0, 1, 3])})
    np.testing.assert_array_equal(found, [[0, 1], [6, 8]])


def test_run(tmp_path: Path) -> None:
    x = np.arange(6, dtype="float32").reshape(3, 2)
    np.savez(tmp_path / "in.npz", **{"x": x, "x.lod": np.array([0, 1, 3])})
    run_cli(
        "run",
        save_model(tmp_path),
        "--input",
        str(tmp_path / "in.npz"),
        "-o",
        str(tmp_path / "out.npz"),
    )
    with np.load(tmp_path / "out.npz") as found:
        np.testing.assert_array_equal(found["out"], [[0, 1], [6, 8]])


def test_loaded_layer_can_be_saved(tmp_path: Path) -> None:
    layer = oarlock.jit.load(save_model(tmp_path, "tanh(X=x)"))
    with pytest.warns(UserWarning, match="there are no parameters"):
        oarlock.jit.save(layer, str(tmp_path / "again"))
    x = np.ones((3, 2), "float32")
    np.testing.assert_allclose(
        oarlock.jit.load(str(tmp_path / "again"))(x).numpy(), np.tanh(x), rtol=1e-6
    )
