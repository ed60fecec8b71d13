"""The runner uses execution providers of ONNX Runtime by name: OpenVINO's, of the package
onnxruntime-openvino.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from oarlock.cli.demo import runner_path

from .conftest import fail_or_skip_missing_peer

FIXTURES = Path(__file__).parents[1] / "fixtures"
DEFAULT_PYTHON = Path.home() / ".cache/oarlock/onnxruntime-openvino-1.24.1/bin/python"


@pytest.fixture(scope="module")
def library() -> str:
    python = Path(os.environ.get("OARLOCK_ORT_OPENVINO", DEFAULT_PYTHON))
    found = sorted(
        python.parents[1].glob("lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so*")
    )
    if not found:
        fail_or_skip_missing_peer(
            f"there is no onnxruntime-openvino beside {python}; set OARLOCK_ORT_OPENVINO to a "
            "Python that has it"
        )
    return str(found[0])


def run(library: str, output: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [runner_path(), "run", str(FIXTURES / "conv")]
    command += ["--input", str(FIXTURES / "conv.in.npz"), "--output", str(output)]
    command += ["--ort-library", library]
    for option in options:
        command += ["--option", option]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.paddle
@pytest.mark.parametrize("name", ["OpenVINO", "OpenVINOExecutionProvider"])
def test_provider_by_name(library: str, name: str, tmp_path: Path) -> None:
    ran = run(
        library,
        tmp_path / "out.npz",
        f"execution_provider={name}",
        "provider.device_type=CPU",
        f"profile={tmp_path / 'trace'}",
    )
    assert ran.returncode == 0, ran.stderr
    with np.load(tmp_path / "out.npz") as results, np.load(FIXTURES / "conv.out.npz") as wanted:
        for result, expected in zip(results.files, wanted.files, strict=True):
            np.testing.assert_allclose(results[result], wanted[expected], rtol=1e-4, atol=1e-5)
    (trace,) = tmp_path.glob("trace*.json")
    providers = {event.get("args", {}).get("provider") for event in json.loads(trace.read_text())}
    assert "OpenVINOExecutionProvider" in providers


@pytest.mark.paddle
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["execution_provider=CoreML"],
            "execution_provider CoreML: ONNX Runtime 1.24.1 does not contain it, but "
            "OpenVINOExecutionProvider, CPUExecutionProvider",
        ),
        (
            ["execution_provider=OpenVINO", "provider.colour=red"],
            "execution_provider OpenVINO: cannot be used",
        ),
        (
            ["execution_provider=Mine", "provider_library=/no/such/library.so"],
            "execution_provider Mine: /no/such/library.so cannot be loaded",
        ),
        (
            ["execution_provider=OpenVINO", "device=cuda"],
            "execution_provider 'OpenVINO' needs the device cpu, not cuda",
        ),
        (["provider_library=mine.so"], "provider_library needs execution_provider"),
    ],
)
def test_reason_of_failure(library: str, options: list[str], message: str, tmp_path: Path) -> None:
    ran = run(library, tmp_path / "out.npz", *options)
    assert ran.returncode == 1
    assert message in ran.stderr
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.paddle
def test_tune_compares_providers(library: str, tmp_path: Path) -> None:
    for suffix in (".pdmodel", ".pdiparams"):
        shutil.copy(FIXTURES / f"conv{suffix}", tmp_path / f"conv{suffix}")
    model = tmp_path / "conv"
    command = [runner_path(), "tune", str(model), "--ort-library", library, "--json"]
    command += ["--input", str(FIXTURES / "conv.in.npz"), "--threads", "1"]
    tuned = subprocess.run(command, capture_output=True, text=True, check=True)
    trials = [t for t in json.loads(tuned.stdout)["trials"] if t["option"] == "execution_provider"]
    assert [t["value"] for t in trials] == ["", "OpenVINO"], tuned.stderr
    assert sum(t["selected"] for t in trials) == 1

    file = tmp_path / "conv.oarlock.tune.json"
    stored = json.loads(file.read_text())
    if not trials[1]["selected"]:
        assert "execution_provider" not in stored
    file.write_text(json.dumps(stored | {"execution_provider": "OpenVINO"}))
    provider = "OpenVINOExecutionProvider"
    assert provider in providers_of_run(library, model, tmp_path / "tuned", "tuned=1")
    assert provider not in providers_of_run(library, model, tmp_path / "plain", "tuned=0")


def providers_of_run(library: str, model: Path, prefix: Path, option: str) -> set[str]:
    """Return the execution providers that run the nodes of a model, whose results are checked."""
    output = prefix.with_suffix(".npz")
    command = [runner_path(), "run", str(model), "--ort-library", library]
    command += ["--input", str(FIXTURES / "conv.in.npz"), "--output", str(output)]
    command += ["--option", option, "--profile", str(prefix)]
    subprocess.run(command, check=True)
    with np.load(output) as results, np.load(FIXTURES / "conv.out.npz") as wanted:
        for result, expected in zip(results.files, wanted.files, strict=True):
            np.testing.assert_allclose(results[result], wanted[expected], rtol=1e-4, atol=1e-5)
    (trace,) = prefix.parent.glob(f"{prefix.name}*.json")
    events = json.loads(trace.read_text())
    return {event["args"]["provider"] for event in events if "provider" in event.get("args", {})}
