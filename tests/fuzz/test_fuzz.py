"""Hostile programs of one op in the engine: each ends in results or in one error of Oarlock.

OARLOCK_FUZZ_SECONDS for more.
"""

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


def test_findings_stay_mended() -> None:
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


def test_files_of_the_corpus_end_in_a_result_or_an_error() -> None:
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
def test_no_changed_file_ends_the_process() -> None:
    report = drive(SECONDS, seed=1, kind="model_files")
    assert report.findings == []
    assert report.refused > 0


@pytest.mark.slow
def test_no_compiled_program_ends_the_process() -> None:
    report = drive(SECONDS, seed=1, kind="kernels")
    assert report.findings == []
    assert report.ran > 0


@pytest.mark.slow
def test_no_program_ends_the_process() -> None:
    report = drive(SECONDS, seed=1)
    assert report.findings == []
    assert report.ran > 0
    assert report.refused > 0
