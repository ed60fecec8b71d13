"""Features of `oarlock-runner` only: tune, interleaved timing, verify against stored values,
caches.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.cli.demo import LeNet, runner_path

X = np.random.default_rng(0).standard_normal((3, 1, 28, 28)).astype("float32")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    net = LeNet()
    net.eval()
    prefix = str(tmp_path_factory.mktemp("model") / "m")
    paddle.jit.save(
        net, prefix, input_spec=[paddle.static.InputSpec([None, 1, 28, 28], "float32", "image")]
    )
    np.savez(f"{prefix}.in.npz", image=X)
    return prefix


def runner(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [runner_path(), *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )


def stdout_of(*words: str, **env: str) -> str:
    result = runner(*words, **env)
    assert result.returncode == 0, result.stderr
    return result.stdout


def run_outputs(prefix: str, out: Path, *words: str, **env: str) -> dict[str, Any]:
    stdout_of("run", prefix, "--input", f"{prefix}.in.npz", "--output", str(out), *words, **env)
    with np.load(out) as found:
        return {name: found[name] for name in found.files}


def arrays_equal(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)


# -- the cache
# ------------------------------------------------------------------------------


def test_second_start_uses_cached_graph(model: str, tmp_path: Path) -> None:
    wanted = run_outputs(model, tmp_path / "o.npz")
    cache = tmp_path / "cache"
    assert arrays_equal(run_outputs(model, tmp_path / "o.npz", "--cache-dir", str(cache)), wanted)
    kept = {p.name: p.stat().st_mtime_ns for p in cache.iterdir()}
    assert sum(name.endswith(".weights") for name in kept) == 1
    assert arrays_equal(
        run_outputs(model, tmp_path / "o.npz", OARLOCK_CACHE_DIR=str(cache)), wanted
    )
    assert {p.name: p.stat().st_mtime_ns for p in cache.iterdir()} == kept


def test_concurrent_starts_share_the_cache(model: str, tmp_path: Path) -> None:
    wanted = run_outputs(model, tmp_path / "o.npz")
    words = [
        runner_path(),
        "run",
        model,
        "--input",
        f"{model}.in.npz",
        "--cache-dir",
        str(tmp_path / "cache"),
    ]
    started = [subprocess.Popen([*words, "--output", str(tmp_path / f"{i}.npz")]) for i in range(4)]
    assert [p.wait() for p in started] == [0] * 4
    for i in range(4):
        with np.load(tmp_path / f"{i}.npz") as found:
            assert arrays_equal(dict(found), wanted)


def test_python_and_runner_share_the_cache(model: str, tmp_path: Path) -> None:
    run_outputs(model, tmp_path / "o.npz", "--cache-dir", str(tmp_path / "cache"))
    kept = sorted(p.name for p in (tmp_path / "cache").iterdir())
    layer = paddle.jit.load(model, cache_dir=str(tmp_path / "cache"))
    np.testing.assert_array_equal(
        layer(paddle.to_tensor(X)).numpy(),
        next(iter(run_outputs(model, tmp_path / "o.npz").values())),
    )
    assert sorted(p.name for p in (tmp_path / "cache").iterdir()) == kept


def test_save_does_not_fill_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OARLOCK_CACHE_DIR", str(tmp_path / "cache"))
    spec = [paddle.static.InputSpec([None, 4], "float32", "x")]
    paddle.jit.save(paddle.nn.Linear(4, 2), str(tmp_path / "n"), input_spec=spec)
    assert not (tmp_path / "cache").exists()


# -- tune
# ------------------------------------------------------------------------------


def test_tune_stores_its_result(model: str, tmp_path: Path) -> None:
    path = Path(f"{model}.oarlock.tune.json")
    found = json.loads(
        stdout_of("tune", model, "--shape", "image=1,1,28,28", "--threads", "1", "--json")
    )
    options = {t["option"] for t in found["trials"]}
    # threads was given
    assert options == {"spinning", "optimize", "arena", "mem_pattern", "inter_threads"}
    for option in options:
        assert sum(t["selected"] for t in found["trials"] if t["option"] == option) == 1
    stored = json.loads(path.read_text())
    assert stored["measured"] == "image=float32[1,1,28,28]"
    assert "tuned" in stdout_of("inspect", model)
    wanted = run_outputs(model, tmp_path / "o.npz", "--option", "tuned=0")
    for name, value in run_outputs(model, tmp_path / "o.npz").items():
        np.testing.assert_allclose(value, wanted[name], rtol=1e-4, atol=1e-5)
    path.write_text("{")
    assert arrays_equal(run_outputs(model, tmp_path / "o.npz"), wanted)
    path.unlink()


@pytest.mark.parametrize(
    ("command", "written"),
    [("run", "m.pdmodel"), ("run", "m.pdiparams"), ("run", "in.npz"), ("export", "m.pdiparams")],
)
def test_output_must_not_be_an_input_file(
    command: str, written: str, model: str, tmp_path: Path
) -> None:
    for suffix in (".pdmodel", ".pdiparams"):
        shutil.copy(f"{model}{suffix}", tmp_path / f"m{suffix}")
    shutil.copy(f"{model}.in.npz", tmp_path / "in.npz")
    path = tmp_path / written
    held = path.read_bytes()
    more = ["--input", str(tmp_path / "in.npz")] if command == "run" else ["--inline"]
    result = runner(command, str(tmp_path / "m"), *more, "--output", str(path))
    assert (result.returncode, "would be written over" in result.stderr) == (1, True)
    assert path.read_bytes() == held


def test_fetch_of_variables_and_inputs(model: str, tmp_path: Path) -> None:
    twice = run_outputs(
        model, tmp_path / "o.npz", "--fetch", "relu_0.tmp_0", "--fetch", "relu_0.tmp_0"
    )
    assert list(twice).count("relu_0.tmp_0") == 1
    words = ("--input", f"{model}.in.npz", "--output", str(tmp_path / "o.npz"), "--fetch", "image")
    assert "'image' is an input, not to fetch" in runner("run", model, *words).stderr


def test_help_exits_with_0(model: str) -> None:
    assert all(
        "usage: oarlock-runner" in stdout_of(*words)
        for words in (["-h"], ["--help"], ["run", model, "--help"])
    )


# -- bench
# ------------------------------------------------------------------------------

TIMES = {f"{k}_ms" for k in ("read", "load", "first_run", "mean", "min", "p50", "p90", "p99")} | {
    "throughput_per_s"
}


def test_bench(model: str) -> None:
    found = json.loads(stdout_of("bench", model, "--repeat", "7", "--clients", "3", "--json"))
    assert found.keys() == TIMES | {"load_rss_MB", "rss_MB", "rss_anon_MB"}
    assert found["min_ms"] <= found["p50_ms"] <= found["p99_ms"]


@pytest.mark.parametrize("other", ["--against MODEL", "--against-options threads=1,optimize=1"])
def test_bench_interleaves_two_models(model: str, other: str) -> None:
    words = [model if w == "MODEL" else w for w in other.split()]
    found = json.loads(stdout_of("bench", model, *words, "--repeat", "7", "--json"))
    assert found["a"].keys() == found["b"].keys() == TIMES
    assert found["p50_ratio"] == pytest.approx(
        found["a"]["p50_ms"] / found["b"]["p50_ms"], rel=1e-3
    )
    assert "A / B" in stdout_of("bench", model, *words, "--repeat", "3")


def test_bench_by_op(model: str, tmp_path: Path) -> None:
    found = json.loads(
        stdout_of("bench", model, "--profile-ops", "--repeat", "4", "--json", TMPDIR=str(tmp_path))
    )
    assert found["runs"] == 4
    assert {"Conv", "MaxPool"} <= {op["name"] for op in found["ops"]}
    assert any(node["name"].startswith(("conv2d_0", "relu_0")) for node in found["nodes"])
    assert "slowest nodes" in stdout_of(
        "bench", model, "--profile-ops", "--repeat", "2", TMPDIR=str(tmp_path)
    )
    assert not list(tmp_path.glob("oarlock*"))


def test_warmup_shapes(model: str) -> None:
    stdout_of(
        "bench",
        model,
        "--repeat",
        "1",
        "--warmup-shape",
        "image=2x1x28x28",
        "--warmup-shape",
        "image=5x1x28x28",
    )
    assert "float32[2,1,5,5]" in runner("bench", model, "--warmup-shape", "image=2x1x5x5").stderr


@pytest.mark.parametrize("option", ["--shape", "--warmup-shape"])
def test_shape_option_syntax(option: str, model: str) -> None:
    for shape in ("image=2,1,28,28", "image=2x1x28x28"):
        stdout_of("bench", model, "--repeat", "1", option, shape)
    for shape in ("image", "image=2,1,,28", "image=-1,1,28,28"):
        result = runner("bench", model, option, shape)
        assert result.returncode == 2
        assert f"{option} requires NAME=1,3,224,224, not '{shape}'" in result.stderr


def test_profile_is_written_to_its_folder(model: str, tmp_path: Path) -> None:
    words = (
        "run",
        model,
        "--input",
        f"{model}.in.npz",
        "--output",
        str(tmp_path / "o.npz"),
        "--profile",
    )
    for folder in (tmp_path / "nowhere", Path(f"{model}.pdmodel")):
        result = runner(*words, str(folder / "p"))
        assert result.returncode == 1
        assert result.stderr == f"oarlock-runner: options: profile: there is no folder {folder}\n"
    assert not list(tmp_path.iterdir())
    stdout_of(*words, str(tmp_path / "p"))
    assert [p.suffix for p in sorted(tmp_path.glob("p*"))] == [".json"]


def test_optimize_takes_its_default(model: str, tmp_path: Path) -> None:
    default = run_outputs(model, tmp_path / "o.npz")
    assert arrays_equal(run_outputs(model, tmp_path / "o.npz", "--optimize", "-1"), default)
    result = runner("inspect", model, "--optimize", "-2")
    assert (result.returncode, result.stdout) == (2, "")
    assert "--optimize requires -1|0|1|2|99, not '-2'" in result.stderr


def test_unexpected_third_path_is_reported(model: str) -> None:
    result = runner("inspect", model, f"{model}.pdiparams", "more.npz")
    assert result.returncode == 2
    assert "inspect takes MODEL and PARAMS, and no more: 'more.npz'" in result.stderr


# -- verify
# ------------------------------------------------------------------------------


def test_verify_with_equal_values(model: str, tmp_path: Path) -> None:
    run_outputs(model, tmp_path / "o.npz", "--fetch", "relu_0.tmp_0")
    words = [
        "verify",
        model,
        "--input",
        f"{model}.in.npz",
        "--expect",
        str(tmp_path / "o.npz"),
        "--json",
    ]
    found = json.loads(stdout_of(*words))
    assert found["same"]
    assert [o["name"] for o in found["outputs"]] == ["out", "relu_0.tmp_0"]


def test_verify_reports_first_differing_op(model: str, tmp_path: Path) -> None:
    inner = ["conv2d_0.tmp_0", "relu_0.tmp_0", "pool2d_0.tmp_0"]
    stored = run_outputs(
        model, tmp_path / "o.npz", *[w for name in inner for w in ("--fetch", name)]
    )
    for name in ("relu_0.tmp_0", "pool2d_0.tmp_0", "out"):
        stored[name] = stored[name] + 1
    np.savez(tmp_path / "bad.npz", **stored)
    result = runner(
        "verify", model, "--input", f"{model}.in.npz", "--expect", str(tmp_path / "bad.npz")
    )
    assert result.returncode == 1
    assert "the first op to differ is relu, output 'relu_0.tmp_0'" in result.stdout


def test_verify_reports_both_shapes(model: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "o.npz", out=np.zeros((2, 10), "f"))
    words = ["verify", model, "--input", f"{model}.in.npz", "--expect", str(tmp_path / "o.npz")]
    assert (
        "out                      DIFFERS  is float32[3,10], wanted float32[2,10]\n"
        in runner(*words).stdout
    )
    output = json.loads(runner(*words, "--json").stdout)["outputs"][0]
    assert (output["same"], output["largest_difference"]) == (False, None)


def test_verify_separates_file_and_optimization_differences(model: str, tmp_path: Path) -> None:
    words = ["verify", model, "--input", f"{model}.in.npz", "--expect", str(tmp_path / "o.npz")]
    stored = run_outputs(model, tmp_path / "o.npz", "--optimize", "0")
    np.savez(tmp_path / "o.npz", out=stored["out"] + 1)
    assert "it also differs without graph optimization" in runner(*words).stdout
    np.savez(tmp_path / "o.npz", **stored)
    result = runner(*words, "--rtol", "0", "--atol", "0")
    if result.returncode:  # on this processor the optimized graph rounds otherwise
        assert "only the optimized graph differs" in result.stdout


def test_verify_rejects_unknown_or_missing_values(model: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "e.npz", nobody=X)
    words = ["verify", model, "--input", f"{model}.in.npz"]
    assert runner(*words).returncode == 2
    assert "no variable 'nobody'" in runner(*words, "--expect", str(tmp_path / "e.npz")).stderr
    np.savez(tmp_path / "e.npz")
    assert "holds nothing to expect" in runner(*words, "--expect", str(tmp_path / "e.npz")).stderr


# -- inspect
# ------------------------------------------------------------------------------


def test_inspect(model: str) -> None:
    found = json.loads(stdout_of("inspect", model, "--json"))
    assert found["without_lowering"] == []
    assert found["onnx"]["opset"] == 17
    assert found["onnx"]["nodes"] >= len(found["ops"])
    assert found["parameter_bytes"] == sum(p["bytes"] for p in found["parameters"])
    assert "largest difference" in found["verified"]
    text = stdout_of("inspect", model)
    assert "opset 17" in text
    assert f"{found['parameter_bytes']} bytes" in text
