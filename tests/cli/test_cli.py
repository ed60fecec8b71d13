"""The commands `oarlock` and `oarlock-runner` from a user's point of view."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import oarlock as paddle
from oarlock import nn
from oarlock.cli.demo import LeNet, runner_path
from oarlock.cli.main import app

X = np.random.default_rng(0).standard_normal((3, 1, 28, 28)).astype("float32")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    with paddle.utils.unique_name.guard():  # names do not depend on earlier tests
        net = LeNet()
    net.eval()
    prefix = str(tmp_path_factory.mktemp("model") / "m")
    paddle.jit.save(
        net, prefix, input_spec=[paddle.static.InputSpec([None, 1, 28, 28], "float32", "image")]
    )
    return prefix, net(paddle.to_tensor(X)).numpy()


def oarlock(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.output


def runner(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([runner_path(), *words], capture_output=True, text=True, check=False)


def test_inspect(model: tuple[str, Any]) -> None:
    code, text = oarlock("inspect", model[0])
    assert code == 0
    for part in (
        "image",
        "float32[?,1,28,28]",
        "conv2d_0.w_0",
        "features.0.weight",
        "pool2d",
        "largest difference",
    ):
        assert part in text
    code, text = oarlock("inspect", model[0], "--program")
    assert code == 0
    assert "conv2d(Filter=conv2d_0.w_0, Input=image)" in text


def test_inspect_escapes_names_of_parameters_in_the_layer(tmp_path: Path) -> None:
    prefix = tmp_path / "m"
    paddle.jit.save(paddle.nn.Linear(2, 2), str(prefix), [paddle.static.InputSpec([2])])
    info = prefix.with_suffix(".pdiparams.info")
    info.write_bytes(info.read_bytes().replace(b"weight", b"w\x1b[31m"))
    code, text = oarlock("inspect", str(prefix))
    assert code == 0
    assert r"w\x1b[31m" in text
    assert "\x1b" not in text


def test_inspect_of_onnx_without_shapes_or_graph(tmp_path: Path) -> None:
    import onnx
    from onnx import helper

    path = tmp_path / "m.onnx"
    values = [helper.make_tensor_value_info(name, 1, None) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", values[:1], values[1:])
    onnx.save(helper.make_model(graph), path)
    code, text = oarlock("inspect", str(path))
    assert code == 0
    assert "float32[" not in text
    assert json.loads(oarlock("inspect", str(path), "--json")[1])["inputs"][0]["shape"] is None
    path.write_bytes(b"")
    code, text = oarlock("inspect", str(path))
    assert code == 1
    assert "m.onnx: is not an ONNX model" in text


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_inspect_escapes_invisible_characters(tmp_path: Path) -> None:
    paddle.jit.save(
        lambda d: d["a\u202e"] + 1, str(tmp_path / "m"), [{"a\u202e": paddle.static.InputSpec([2])}]
    )
    code, text = oarlock("inspect", str(tmp_path / "m"))
    assert code == 0
    assert "d.a\\u202e" in text
    assert "\u202e" not in text


@pytest.mark.parametrize("kind", ["onnx", "ort"])
def test_inspect_exported_file(kind: str, model: tuple[str, Any], tmp_path: Path) -> None:
    output = str(tmp_path / f"m.{kind}")
    assert oarlock("export", model[0], "--to", kind, "--inline", "--output", output)[0] == 0
    code, text = oarlock("inspect", output)
    assert code == 0
    for part in ("image", "float32[image.0,1,28,28]", "opsets ai.onnx", "Conv", "MaxPool"):
        assert part in text


def test_verify(model: tuple[str, Any]) -> None:
    code, text = oarlock("verify", model[0])
    assert code == 0
    assert "engine and interpreter agree at image[2, 1, 28, 28]" in text


@pytest.mark.parametrize("inline", [False, True])
def test_export(model: tuple[str, Any], inline: bool) -> None:
    import onnxruntime

    prefix, wanted = model
    out = f"{prefix}.{inline}.onnx"
    code, text = oarlock(
        "export", prefix, "--to", "onnx", "-o", out, *(["--inline"] if inline else [])
    )
    assert code == 0, text
    assert (Path(out).stat().st_size > 200_000) == inline
    session = onnxruntime.InferenceSession(out, providers=["CPUExecutionProvider"])
    assert [i.name for i in session.get_inputs()] == ["image"]
    np.testing.assert_allclose(session.run(None, {"image": X})[0], wanted, rtol=1e-4, atol=1e-5)


def test_export_to_other_folder_requires_inline(model: tuple[str, Any], tmp_path: Path) -> None:
    code, text = oarlock("export", model[0], "-o", str(tmp_path / "m.onnx"))
    assert code == 1
    assert "--inline" in text
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["image", "in0"])
def test_run_in_python_and_in_cpp(model: tuple[str, Any], name: str, tmp_path: Path) -> None:
    prefix, wanted = model
    np.savez(tmp_path / "in.npz", **{name: X})  # type: ignore[arg-type]
    code, text = oarlock(
        "run", prefix, "-i", str(tmp_path / "in.npz"), "-o", str(tmp_path / "py.npz")
    )
    assert code == 0, text
    done = runner(
        "run", prefix, "--input", str(tmp_path / "in.npz"), "--output", str(tmp_path / "cpp.npz")
    )
    assert done.returncode == 0, done.stderr
    for file in ("py.npz", "cpp.npz"):
        with np.load(tmp_path / file) as found:
            assert found.files == ["out"]
            np.testing.assert_allclose(found["out"], wanted, rtol=1e-4, atol=1e-5)


def test_bench(model: tuple[str, Any]) -> None:
    code, text = oarlock("bench", model[0], "--repeat", "5", "--shape", "image=2,1,28,28", "--json")
    assert code == 0, text
    assert json.loads(text).keys() == {
        f"{k}_ms" for k in ("load", "first_run", "mean", "min", "p50", "p90", "p99")
    }
    done = runner("bench", model[0], "--repeat", "5", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["p50_ms"] > 0


@pytest.mark.parametrize("words", [["--warmup", "-1"], ["--repeat", "0"]])
def test_bench_rejects_counts_without_runs(words: list[str], model: tuple[str, Any]) -> None:
    code, text = oarlock("bench", model[0], *words)
    assert code == 2
    assert "invalid value for" in text


def test_memory_presets(model: tuple[str, Any], tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", in0=X)
    files = ["-i", str(tmp_path / "in.npz"), "-o", str(tmp_path / "out.npz")]
    results = []
    for preset in ("steady", "changing", "smallest"):
        code, text = oarlock("run", model[0], *files, "--memory", preset)
        assert code == 0, text
        with np.load(tmp_path / "out.npz") as found:
            results.append(found["out"])
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])
    code, text = oarlock("bench", model[0], "--memory", "tiny")
    assert code == 2
    assert "'tiny' is not one of steady, changing, smallest" in text


def test_model_without_inputs(tmp_path: Path) -> None:
    class Constant(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.w = self.create_parameter([3])

        def forward(self) -> Any:
            return self.w * 2

    prefix = str(tmp_path / "m")
    paddle.jit.save(Constant(), prefix, input_spec=[], format="paddle3")
    code, text = oarlock("verify", prefix)
    assert code == 0
    assert "engine and interpreter agree without inputs: largest difference" in text
    np.savez(tmp_path / "in.npz")
    code, text = oarlock("run", prefix, "-i", f"{tmp_path}/in.npz", "-o", f"{tmp_path}/out.npz")
    assert code == 0, text
    np.savez(tmp_path / "in.npz", x=np.ones(3))
    code, text = oarlock("run", prefix, "-i", f"{tmp_path}/in.npz", "-o", f"{tmp_path}/out.npz")
    assert code == 1
    assert "in.npz contains arrays that are no inputs: ['x']" in text


@pytest.mark.parametrize("name", ["in.npz", "m.json", "m.pdiparams", "m.pdiparams.info"])
def test_outputs_do_not_replace_inputs(name: str, tmp_path: Path) -> None:
    prefix = str(tmp_path / "m")
    net = nn.Linear(4, 2)
    net.eval()
    spec = [paddle.static.InputSpec([None, 4], "float32", "x")]
    paddle.jit.save(net, prefix, input_spec=spec, format="paddle3")
    np.savez(tmp_path / "in.npz", x=np.ones((2, 4), "float32"))
    before = (tmp_path / name).read_bytes()
    code, text = oarlock("run", prefix, "-i", f"{tmp_path}/in.npz", "-o", f"{tmp_path}/{name}")
    assert code == 1
    assert "would be written over" in text
    assert (tmp_path / name).read_bytes() == before


def test_names_in_files_do_not_control_the_terminal(model: tuple[str, Any], tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", **{"x\x1b[2J": np.ones(3)})
    words = (str(tmp_path / "in.npz"), str(tmp_path / "out.npz"))
    for command in (
        ["run", model[0], "--input", words[0], "--output", words[1]],
        ["verify", model[0], "--input", words[0], "--expect", words[0]],
    ):
        done = runner(*command)
        assert done.returncode == 1
        assert r"'x\x1b[2J'" in done.stderr
    code, text = oarlock("run", str(tmp_path / "\x1b[2J"), "-i", words[0], "-o", words[1])
    assert code == 1
    assert r"\x1b[2J" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("device", ["cuda", "tensorrt"])
def test_missing_device_is_reported(model: tuple[str, Any], device: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", in0=X)
    code, text = oarlock(
        "run",
        model[0],
        "-i",
        str(tmp_path / "in.npz"),
        "-o",
        str(tmp_path / "o.npz"),
        "--device",
        device,
    )
    assert code == 1
    assert "provider" in text.lower() or "librar" in text.lower()
    done = runner(
        "run",
        model[0],
        "--input",
        str(tmp_path / "in.npz"),
        "--output",
        str(tmp_path / "o.npz"),
        "--device",
        device,
    )
    assert done.returncode == 1
    assert "provider" in done.stderr.lower() or "librar" in done.stderr.lower()
    assert not (tmp_path / "o.npz").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", "nothing"],
        ["verify", "nothing"],
        ["run", "nothing", "-i", "a.npz", "-o", "b.npz"],
        ["export", "nothing", "-o", "x.onnx"],
        ["bench", "MODEL", "--shape", "other=1"],
        ["run", "MODEL", "-i", "missing.npz", "-o", "b.npz"],
    ],
)
def test_errors_are_one_message(
    words: list[str], model: tuple[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = oarlock(*[model[0] if w == "MODEL" else w for w in words])
    assert code == 1
    assert text.startswith("oarlock: ")
    assert "Traceback" not in text
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"hello", b"\x80\x04N.", b"\x93NUMPY\x01\0"])
def test_invalid_npz_input_is_reported(data: bytes, model: tuple[str, Any], tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(data)
    code, text = oarlock(
        "run", model[0], "-i", str(tmp_path / "a.npz"), "-o", str(tmp_path / "o.npz")
    )
    assert code == 1
    assert text.startswith("oarlock: a.npz: is not a complete .npz file: ")


@pytest.mark.parametrize("kind", ["onnx", "ort"])
def test_export_and_inspect_reject_pipes(kind: str, model: tuple[str, Any], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"m.{kind}")
    path = str(tmp_path / f"m.{kind}")
    code, text = oarlock("export", model[0], "--to", kind, "--inline", "-o", path)
    assert (code, "regular file" in text) == (1, True)
    assert oarlock("inspect", path)[0] == 1
    assert [p.name for p in tmp_path.iterdir()] == [f"m.{kind}"]


def test_interrupted_export_keeps_existing_file(
    model: tuple[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("oarlock.onnx.writer.check_onnx_file_and_report", interrupted)
    output = tmp_path / "m.onnx"
    for before in (None, b"before"):
        if before is not None:
            output.write_bytes(before)
        assert oarlock("export", model[0], "--inline", "-o", str(output))[0] != 0
        assert (output.read_bytes() if output.exists() else None) == before


def test_endless_loop_does_not_block_export(tmp_path: Path) -> None:
    class Net(paddle.nn.Layer):
        def forward(self, x: Any) -> Any:
            while x.sum() * 0 < 1:
                x = x + 1
            return x

    spec = [paddle.static.InputSpec([2], "float32", "x")]
    with pytest.warns(UserWarning, match="has more than 2000 iterations|there are no parameters"):
        paddle.jit.save(Net(), str(tmp_path / "m"), input_spec=spec)
    code, text = oarlock("export", str(tmp_path / "m"), "-o", str(tmp_path / "m.onnx"))
    assert code == 0
    assert "none of the generated inputs fits" in text


def test_runner_does_not_overwrite_devices(model: tuple[str, Any], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for words, why in (
        (["export", model[0], "--output", str(tmp_path / "m.onnx")], "--inline"),
        (
            ["export", model[0], "--inline", "--output", str(tmp_path / "pipe")],
            "is not a regular file",
        ),
    ):
        done = runner(*words)
        assert done.returncode == 1
        assert why in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]


def test_runner_errors_are_one_line(tmp_path: Path, model: tuple[str, Any]) -> None:
    for words, why in (
        ([], "oarlock-runner: missing command (see oarlock-runner --help)"),
        (
            ["run", model[0], "--speed", "3"],
            "oarlock-runner run: no option --speed (see oarlock-runner run --help)",
        ),
    ):
        done = runner(*words)
        assert done.returncode == 2
        assert done.stderr == f"{why}\n"
    (tmp_path / "bad.pdmodel").write_bytes(b"\xff" * 100)
    for words in (["inspect", str(tmp_path / "nothing")], ["inspect", str(tmp_path / "bad")]):
        done = runner(*words)
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_demo(tmp_path: Path) -> None:
    code, text = oarlock("demo", "--output", str(tmp_path / "demo"))
    assert code == 0, text
    assert {p.suffix for p in (tmp_path / "demo").iterdir()} == {
        ".pdmodel",
        ".pdiparams",
        ".info",
        ".onnx",
        ".png",
    }
    assert text.count("%") >= 6


def test_names_with_markup_or_invalid_utf8_are_printed(tmp_path: Path) -> None:
    spec = paddle.static.InputSpec([2, 3], "float32", "x[/bold]")
    paddle.jit.save(paddle.nn.Linear(3, 2), str(tmp_path / "m"), input_spec=[spec])
    code, text = oarlock("inspect", str(tmp_path / "m"))
    assert (code, "x[/bold]" in text) == (0, True)
    assert oarlock("export", str(tmp_path / "m"), "--output", str(tmp_path / "m.onnx"))[0] == 0
    data = (tmp_path / "m.onnx").read_bytes()
    (tmp_path / "bad.onnx").write_bytes(
        data.replace(b"x[/bold]", b"x[/b\xff\n!]").replace(b"MatMul", b"Mat\x1b\xffl")
    )
    code, text = oarlock("inspect", str(tmp_path / "bad.onnx"))
    assert (code, r"x[/b\xff\n!]" in text, r"Mat\x1b\xffl" in text) == (0, True, True)


def test_missing_files_are_reported_by_name(tmp_path: Path, model: tuple[str, Any]) -> None:
    missing = tmp_path / "nope.npz"
    code, text = oarlock("run", model[0], "-i", str(missing), "-o", str(tmp_path / "o.npz"))
    assert code == 1
    assert "".join(text.split()) == f"oarlock:{missing}:Nosuchfileordirectory"


def test_help_joins_the_lines_of_a_paragraph() -> None:
    wide = {**os.environ, "COLUMNS": "400"}
    found = subprocess.run(
        [sys.executable, "-m", "oarlock", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=wide,
    ).stdout
    assert "(Oarlock's own kernels) for two sizes of each dynamic dimension." in found
    assert "or oarlock run-script -m module ARGUMENTS." in found


def test_python_dash_m_oarlock() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "oarlock", "--help"], capture_output=True, text=True, check=True
    )
    assert "oarlock [OPTIONS] COMMAND" in found.stdout
