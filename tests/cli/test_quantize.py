"""`oarlock quantize` and `oarlock export --precision` from a user's point of view."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator
from typer.testing import CliRunner

import oarlock as paddle
from oarlock import nn
from oarlock.cli.main import app
from oarlock.export import pdmodel
from oarlock.loader.model_files import read_model
from tests.quantization.programs.networks import LargeActivations, images, residual_model, save

pytestmark = pytest.mark.slow


def oarlock(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.output


@pytest.fixture
def model(tmp_path: Path) -> str:
    prefix = residual_model(tmp_path)
    labels = paddle.jit.load(prefix)(images()).numpy().argmax(1)
    np.savez(tmp_path / "calib.npz", x=images(), y=labels)
    return prefix


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


def test_ptq_writes_a_verified_model(model: str, tmp_path: Path) -> None:
    code, text = oarlock(
        "quantize", model, "--data", tmp_path / "calib.npz", "--labels", "y", "--max-drop", "100",
        "--ignore-speed",
    )  # fmt: skip
    assert code == 0, text
    for part in (
        "stem.0",
        "conv2d",
        "accuracy",
        "points",
        "verified: engine and interpreter agree",
    ):
        assert part in text
    assert (tmp_path / "m_int8.pdmodel").exists()
    exact, found = (paddle.jit.load(p)(images()).numpy() for p in (model, f"{model}_int8"))
    assert np.abs(found - exact).max() < 0.1 * np.abs(exact).max()
    assert oarlock("verify", f"{model}_int8")[0] == 0


@pytest.mark.parametrize("form", ["prefix", "file", "directory", "json"])
def test_forms_of_the_model_argument(form: str, model: str, tmp_path: Path) -> None:
    argument, suffix = model, ".pdmodel"
    if form == "file":
        argument = model + ".pdmodel"
    elif form == "directory":
        for path in tmp_path.glob("m.*"):
            path.rename(tmp_path / path.name.replace("m.", "inference."))
        argument = str(tmp_path)
    elif form == "json":
        assert oarlock("export", model, "--to", "paddle3", "-o", tmp_path / "three")[0] == 0
        argument, suffix = str(tmp_path / "three.json"), ".json"
    code, text = oarlock(
        "quantize", argument, "--method", "weight-only", "--output", tmp_path / "new" / "q"
    )
    assert code == 0, text
    assert {p.name for p in (tmp_path / "new").iterdir()} == {
        "q" + suffix,
        "q.pdiparams",
        "q.pdiparams.info",
    }


def test_folder_of_samples_and_numbered_inputs(model: str, tmp_path: Path) -> None:
    folder = tmp_path / "samples"
    folder.mkdir()
    for i in range(3):
        np.savez(folder / f"{i}.npz", in0=images())
    code, text = oarlock("quantize", model, "--data", folder, "--ignore-speed")
    assert code == 0, text


def test_samples_that_do_not_fill_a_fixed_batch(tmp_path: Path) -> None:
    paddle.seed(0)
    prefix = save(nn.Linear(64, 32), tmp_path, [4, 64])
    x = np.random.default_rng(0).standard_normal((10, 64)).astype("float32")
    np.savez(tmp_path / "calib.npz", x=x)
    code, text = oarlock("quantize", prefix, "--data", tmp_path / "calib.npz", "--ignore-speed")
    assert code == 0, text
    assert "2 samples are not used" in " ".join(text.split())


@pytest.mark.parametrize("suffix", [".png", ".html"])
def test_plot(suffix: str, model: str, tmp_path: Path) -> None:
    if suffix == ".png":
        pytest.importorskip("matplotlib")
    plot = tmp_path / f"errors{suffix}"
    code, text = oarlock(
        "quantize", model, "--data", tmp_path / "calib.npz", "--ignore-speed", "--plot", plot,
        "--keep", "a.0",
    )  # fmt: skip
    assert code == 0, text
    data = plot.read_bytes()
    assert data.startswith(b"\x89PNG" if suffix == ".png" else b"<!doctype html>")
    if suffix == ".html":
        assert b"stem.0" in data
        assert b"float: matches --keep a.0" in data


def test_nothing_gained_exits_with_3(model: str, tmp_path: Path) -> None:
    before = files_of(tmp_path)
    code, text = oarlock("quantize", model, "--data", tmp_path / "calib.npz", "--keep", ".")
    assert code == 3
    assert "no model was written: all layers remain float32" in text
    assert files_of(tmp_path) == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--method ptq needs inputs"),
        (["--labels", "y", "--method", "fp16"], "--labels needs --data"),
        (["--data", "calib.npz", "--labels", "z"], "lacks the labels 'z'"),
        (["--data", "calib.npz", "--labels", "x"], "are float32, not integers"),
        (["--data", "calib.npz", "--method", "int4"], "is not one of ptq, dynamic"),
        (["--data", "calib.npz", "--plot", "a.svg"], "--plot must end with"),
        (["--method", "bf16", "--plot", "a.png"], "--plot has no effect with --method bf16"),
        (["--data", "calib.npz", "--plot", "no/a.png"], "--plot: there is no folder no"),
        (["--data", "calib.npz", "--output", "m"], "is the prefix of the float model"),
        (["--data", "other.npz"], "lacks the inputs ['x']"),
        (["--data", "nan.npz"], "nan.npz: input 'x' contains NaN or infinity"),
        (["--data", "infinity.npz"], "infinity.npz: input 'x' contains NaN or infinity"),
        (["--data", "rank.npz"], "rank.npz: input 'x' is float32[3,16,16], the model requires"),
        (
            ["--data", "sizes.npz"],
            "sizes.npz: input 'x' is float32[16,2,16,16], the model requires",
        ),
        (
            ["--data", "dtype.npz"],
            "dtype.npz: input 'x' is float64[16,3,16,16], the model requires",
        ),
        (["--data", "rank.npz", "--method", "weight-only"], "the model requires"),
        (["--data", "text.npz"], "text.npz: input 'x' has elements of type str"),
        (["--data", "objects.npz"], "array 'x' is object[1]"),
        (["--data", "width_0.npz"], "the inputs have no elements ('x' is float32[16,3,16,0])"),
        (["--data", "few_labels.npz", "--labels", "y"], "2 labels for 16 samples"),
        (["--data", "no.npz"], "no.npz: No such file"),
        (["--data", "empty"], "has no .npz"),
        (["--data", "none.npz"], "does not hold a batch of samples"),
        (["--data", "damaged.npz"], "is not a complete .npz"),
    ],
)
def test_invalid_input_writes_nothing(
    words: list[str], message: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("other.npz", y=images())
    np.savez("nan.npz", x=np.full_like(images(), np.nan))
    np.savez("infinity.npz", x=np.full_like(images(), -np.inf))
    np.savez("rank.npz", x=images()[0])
    np.savez("sizes.npz", x=images()[:, :2])
    np.savez("dtype.npz", x=images().astype("float64"))
    np.savez("text.npz", x=np.full((16, 3, 16, 16), "a"))
    np.savez("objects.npz", x=np.array([{}], dtype=object))
    np.savez("width_0.npz", x=images()[..., :0])
    np.savez("few_labels.npz", x=images(), y=np.zeros(2, "int64"))
    np.savez("none.npz", x=images(0))
    Path("damaged.npz").write_bytes(b"PK\x03\x04")
    Path("empty").mkdir()
    before = files_of(tmp_path)
    code, text = oarlock("quantize", model, "--ignore-speed", *words)
    assert code in (1, 2)  # 2: the options do not fit, text
    assert message in text.replace("\n", "")
    assert files_of(tmp_path) == before


def test_data_of_zeros_keeps_all_layers_float(tmp_path: Path) -> None:
    """Without biases, all activations are 0."""
    net = nn.Sequential(nn.Linear(4, 4, bias_attr=False), nn.ReLU(), nn.Linear(4, 2))
    prefix = save(net, tmp_path, [None, 4])
    np.savez(tmp_path / "zeros.npz", x=np.zeros((8, 4), "float32"))
    before = files_of(tmp_path)
    code, text = oarlock("quantize", prefix, "--data", tmp_path / "zeros.npz")
    assert code == 3, text
    assert "no model was written: all layers remain float32" in text
    assert "is always 0 for the calibration data" in re.sub(r"[│\s]+", " ", text)
    assert files_of(tmp_path) == before


def forget_shapes(prefix: str, names: set[str]) -> None:
    """Remove the declared shapes of variables from a saved model, as in files of other tools."""
    files = read_model(prefix)
    files.program.contract = None
    for name in names:
        files.program.block.vars[name].shape = ()
    Path(prefix + ".pdmodel").write_bytes(pdmodel.to_bytes(files.program))


@pytest.mark.parametrize("method", ["ptq", "weight-only"])
def test_input_without_a_shape_is_rejected(method: str, model: str, tmp_path: Path) -> None:
    forget_shapes(model, {"x"})
    before = files_of(tmp_path)
    code, text = oarlock(
        "quantize", model, "--data", tmp_path / "calib.npz", "--method", method, "--ignore-speed"
    )
    assert code == 1
    assert "conv2d_0.tmp_0" in text
    assert "at least 3 dimensions" in re.sub(r"\s+", " ", text)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("method", ["ptq", "weight-only"])
def test_inner_variables_without_shapes(method: str, model: str, tmp_path: Path) -> None:
    """Biases cannot be assigned to channels, so they are added in float."""
    variables = read_model(model)
    forget_shapes(model, variables.program.block.vars.keys() - variables.values.keys() - {"x"})
    code, text = oarlock(
        "quantize", model, "--data", tmp_path / "calib.npz", "--method", method, "--ignore-speed"
    )
    assert code == 0, text
    exact, found = (paddle.jit.load(p)(images()).numpy() for p in (model, f"{model}_int8"))
    assert np.abs(found - exact).max() < 0.1 * np.abs(exact).max()


@pytest.mark.parametrize(("precision", "dtype"), [("fp16", "FLOAT16"), ("bf16", "BFLOAT16")])
def test_export_with_precision(precision: str, dtype: str, model: str, tmp_path: Path) -> None:
    output = tmp_path / "half.onnx"
    code, text = oarlock("export", model, "-o", output, "--precision", precision)
    assert code == 0, text
    weights = [i for i in onnx.load(output).graph.initializer if len(i.dims) > 1]
    assert {onnx.TensorProto.DataType.Name(i.data_type) for i in weights} == {dtype}
    for to in ("paddle2", "paddle3"):
        code, text = oarlock(
            "export", model, "--to", to, "-o", tmp_path / "half", "--precision", precision
        )
        assert code == 0, text
        exact, found = (
            paddle.jit.load(p)(images()).numpy() for p in (model, str(tmp_path / "half"))
        )
        assert np.abs(found - exact).max() < 2e-2 * np.abs(exact).max()
        size = (tmp_path / "half.pdiparams").stat().st_size
        assert size < 0.6 * Path(model + ".pdiparams").stat().st_size


def test_generated_inputs_for_which_a_loop_does_not_end(tmp_path: Path) -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.out = nn.Linear(4, 3)

        def forward(self, x: Any) -> Any:
            while x.abs().sum() >= 0:
                x = x * 0.5
            return self.out(x)

    prefix = str(tmp_path / "loop")
    with pytest.warns(UserWarning, match="not verified"):
        paddle.jit.save(
            paddle.jit.to_static(Net()),
            prefix,
            [paddle.static.InputSpec([None, 4], "float32", "x")],
        )
    code, text = oarlock("quantize", prefix, "--method", "weight-only")
    assert code == 1
    text = re.sub(r"\s+", " ", text)
    assert "while x.abs().sum() >= 0 has more than 2000 iterations); give --data" in text
    code, text = oarlock("export", prefix, "-o", f"{prefix}.onnx", "--precision", "fp16")
    assert code == 0, text
    assert "not compared with the float model" in text


def test_inputs_too_large_to_be_generated(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="not verified: .* more than 134217728 elements"):
        prefix = save(nn.Linear(64, 64), tmp_path, [1 << 22, 64])
    code, text = oarlock("quantize", prefix, "--method", "weight-only")
    assert code == 1
    text = re.sub(r"\s+", " ", text)
    assert "(the inputs have more than 134217728 elements); give --data" in text


class LoopNet(nn.Layer):
    """A Linear after a loop that doubles positive inputs until their sum is 10, and never ends for
    other inputs.
    """

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        """Return the scores of [N, 4]."""
        while x.sum() < 10:
            x = x * 2
        return self.out(nn.functional.relu(x))


@pytest.mark.parametrize("method", ["ptq", "dynamic", "weight-only", "fp16", "bf16"])
def test_data_for_which_a_loop_does_not_end(method: str, tmp_path: Path) -> None:
    prefix = save(paddle.jit.to_static(LoopNet()), tmp_path, [None, 4])
    x = np.ones((40, 4), np.float32)
    x[32:] = -1  # the second batch
    np.savez(tmp_path / "calib.npz", x=x)
    before = files_of(tmp_path)
    code, text = oarlock(
        "quantize", prefix, "--data", tmp_path / "calib.npz", "--method", method, "--run-timeout", 1
    )
    text = re.sub(r"\s+", " ", text)
    assert code == 1, text
    assert "calib.npz, samples 32 to 39: a run did not end within 1 s" in text
    assert "a loop (op while) at" in text
    assert "while x.sum() < 10, which may not end for these inputs" in text
    assert "--run-timeout" in text
    assert files_of(tmp_path) == before


@pytest.mark.slow
def test_ctrl_c_during_an_endless_run(tmp_path: Path) -> None:
    prefix = save(paddle.jit.to_static(LoopNet()), tmp_path, [None, 4])
    np.savez(tmp_path / "calib.npz", x=-np.ones((2, 4), np.float32))
    before = files_of(tmp_path)
    words = [sys.executable, "-m", "oarlock", "quantize", prefix, "--data", "calib.npz"]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.DEVNULL)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(4)  # it has started, and does not end
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert files_of(tmp_path) == before


def test_data_for_which_a_loop_ends(tmp_path: Path) -> None:
    prefix = save(paddle.jit.to_static(LoopNet()), tmp_path, [None, 4])
    np.savez(tmp_path / "calib.npz", x=np.ones((40, 4), np.float32))
    code, text = oarlock(
        *("quantize", prefix, "--data", tmp_path / "calib.npz", "--ignore-speed"),
        *("--weight-storage", "float32", "--run-timeout", 60),
    )
    assert code == 0, text
    assert (tmp_path / "m_int8.pdmodel").exists()


def test_model_that_cannot_be_verified(tmp_path: Path) -> None:
    """The verification skips inputs for which a loop has more than 2,000 iterations."""

    class Net(LoopNet):
        def forward(self, x: Any) -> Any:
            i = x.sum() * 0
            while i < 2500:
                i = i + 1
            return self.out(x + i * 0)

    with pytest.warns(UserWarning, match="not verified"):
        prefix = save(paddle.jit.to_static(Net()), tmp_path, [None, 4])
    np.savez(tmp_path / "calib.npz", x=np.ones((2, 4), np.float32))
    code, text = oarlock("quantize", prefix, "--data", tmp_path / "calib.npz", "--method", "bf16")
    assert code == 0, text
    assert "not verified: none of the generated inputs fits; a loop (op while) at" in text
    assert "engine and interpreter agree" not in text


def test_export_of_large_activations_in_float16(tmp_path: Path) -> None:
    """The file is right in engines that round each result to float16, as GPUs do."""
    prefix = save(LargeActivations(), tmp_path, [None, 16])
    output = tmp_path / "half.onnx"
    code, text = oarlock("export", prefix, "-o", output, "--precision", "fp16")
    assert code == 0, text
    assert "too large for float16" in text
    assert "signal-to-noise ratio of the outputs" in text
    x = np.random.default_rng(0).standard_normal((8, 16)).astype("float32")
    (found,) = ReferenceEvaluator(str(output)).run(None, {"x": x})
    np.testing.assert_allclose(found, paddle.jit.load(prefix)(x).numpy(), rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--precision", "int8"], "'int8' is not one of fp16, bf16"),
        (["--precision", "fp16", "--to", "triton"], "--precision needs --to"),
    ],
)
def test_invalid_precision(words: list[str], message: str, model: str, tmp_path: Path) -> None:
    code, text = oarlock("export", model, "-o", tmp_path / "x.onnx", *words)
    assert code == 2
    assert message in re.sub(r"\s+", " ", text)
    assert not (tmp_path / "x.onnx").exists()
