"""Hostile programs end in results or an error of Oarlock. OARLOCK_FUZZ_SECONDS sets the duration."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .drive import drive
from .findings import FINDINGS
from .model_files import CORPUS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SECONDS = float(os.environ.get("OARLOCK_FUZZ_SECONDS", "20"))


def test_earlier_findings() -> None:
    command = [sys.executable, "-m", "tests.fuzz.worker", "findings"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300
    )
    answers = done.stdout.splitlines()
    assert done.returncode == 0, (
        f"finding {len(answers)} ended it with {done.returncode}: {done.stderr[-1000:]}"
    )
    for finding, answer in zip(FINDINGS, answers, strict=True):
        assert finding.answer in answer, finding


def test_corpus() -> None:
    command = [sys.executable, "-m", "tests.fuzz.model_files", "corpus"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300
    )
    said = done.stdout.splitlines()
    assert done.returncode == 0, (
        f"{said[-1:]} ended it with {done.returncode}: {done.stderr[-1000:]}"
    )
    assert (
        len([line for line in said if line.startswith("end ")])
        == len(list(CORPUS.glob("*.pdmodel")))
        > 20
    )


@pytest.mark.slow
def test_mutated_files_do_not_crash() -> None:
    report = drive(SECONDS, seed=1, kind="model_files")
    assert report.findings == []
    assert report.rejected > 0


@pytest.mark.slow
def test_compiled_programs_do_not_crash() -> None:
    report = drive(SECONDS, seed=1, kind="kernels")
    assert report.findings == []
    assert report.ran > 0


@pytest.mark.slow
def test_programs_do_not_crash() -> None:
    report = drive(SECONDS, seed=1)
    assert report.findings == []
    assert report.ran > 0
    assert report.rejected > 0
