"""Exhausted memory or threads in C++ code become a MemoryError or fewer threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def faults_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`faults.cpp` as a shared library."""
    library = tmp_path_factory.mktemp("faults") / "libfaults.so"
    command = [
        "c++",
        "-std=c++20",
        "-O1",
        "-fPIC",
        "-shared",
        HERE / "faults.cpp",
        "-o",
        library,
        "-ldl",
    ]
    subprocess.run(command, check=True)
    return library


def output_of(name: str, preloaded: Path) -> list[str]:
    """What the function `name` of faults.py prints; it must not fail."""
    env = {**os.environ, "LD_PRELOAD": str(preloaded)}
    command = [sys.executable, "-m", "tests.core.faults", name]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parents[1],
        env=env,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", ["backward", "kernels"])
def test_failed_allocation_raises_memory_error(name: str, faults_library: Path) -> None:
    assert output_of(name, faults_library) == ["failed True"]


def test_fewer_threads_than_requested(faults_library: Path) -> None:
    assert output_of("threads", faults_library) == ["3", "2", "1", "4"]
