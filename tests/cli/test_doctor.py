"""`oarlock doctor` reports what is installed, and fails if something installed does not work."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from oarlock.cli import doctor


def run_doctor(**environment: str) -> tuple[int, dict[str, str]]:
    """Return the exit code and the rows by name."""
    done = subprocess.run(
        [sys.executable, "-m", "oarlock", "doctor"],
        check=False,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, {
        line[:12].strip(): line[13:] for line in done.stdout.splitlines() if line.strip()
    }


def test_working_installation(tmp_path: Path) -> None:
    code, rows = run_doctor(OARLOCK_CACHE_DIR=str(tmp_path))
    assert code == 0
    assert rows["cpu"] == "a small model returns the right results"
    assert rows["cache"].startswith(str(tmp_path))
    assert rows["Oarlock"].startswith(importlib.metadata.version("oarlock"))
    assert "CPUExecutionProvider" in rows["providers"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_missing_engine_and_bad_cache_folder(tmp_path: Path) -> None:
    code, rows = run_doctor(OARLOCK_ORT_LIBRARY=str(tmp_path / "no.so"))
    assert code == 1
    assert "ONNX Runtime was not found" in rows["engine"]
    (tmp_path / "file").write_text("")
    # Nor can a folder be created in a file.
    for folder in (tmp_path / "file", tmp_path / "file" / "new" / "cache"):
        code, rows = run_doctor(OARLOCK_CACHE_DIR=str(folder))
        assert code == 1
        assert rows["cache"] == f"{folder}: Not a directory"
    # The kernel creates no folders there, for any user.
    code, rows = run_doctor(OARLOCK_CACHE_DIR="/proc/oarlock")
    assert code == 1
    assert rows["cache"].startswith("/proc/oarlock: ")
    code, rows = run_doctor(OARLOCK_CACHE_DIR=str(tmp_path / "new" / "cache"))
    assert code == 0


def test_failing_device_and_conflicting_packages(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed = [SimpleNamespace(name=n, version="1") for n in ("onnxruntime", "onnxruntime-gpu")]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: installed)
    # The engine of the tests has no CUDA, so that a session for it fails.
    info = doctor.ort_library_info() | {"providers": ["CUDAExecutionProvider"]}
    monkeypatch.setattr(doctor, "ort_library_info", lambda: info)
    with pytest.raises(typer.Exit) as exit_code:
        doctor.print_installation_and_check_devices()
    assert exit_code.value.exit_code == 1
    text = capsys.readouterr().out
    assert "onnxruntime and onnxruntime-gpu overwrite each other's files" in text
    assert "cuda         cuda: ONNX Runtime" in text
    assert "was built without CUDAExecutionProvider" in text
