"""Type checkers know the public names: they accept correct programs and report wrong ones.

`typed_programs/` holds programs as users write them. The lines of `wrong_*.py` that end in
`# error` are wrong; mypy --strict and pyright must report these lines and no others.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools import typing_tree

PROGRAMS = Path(__file__).with_name("typed_programs")
NAMES = sorted(path.name for path in PROGRAMS.glob("*.py"))


def planted_errors(name: str) -> set[int]:
    """Return the numbers of the wrong lines of a program."""
    lines = (PROGRAMS / name).read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# error")}


@functools.cache
def folder_of_package() -> str:
    """Return a folder in which type checkers find the package."""
    if not typing_tree.TREE.exists():
        typing_tree.make()
    return str(typing_tree.TREE)


@functools.cache
def errors_of_mypy() -> dict[str, dict[int, str]]:
    """Return the errors of each program, by line."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--hide-error-context",
    ]
    cache = ["--cache-dir", str(typing_tree.ROOT / "build" / "mypy")]
    environment = os.environ | {"MYPYPATH": folder_of_package()}
    run = subprocess.run(
        [*command, *cache, str(PROGRAMS)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    found: dict[str, dict[int, str]] = {name: {} for name in NAMES}
    for line in run.stdout.splitlines():
        match = re.match(r".*?([^/]+\.py):(\d+): error: (.*)", line)
        if match:
            found[match[1]][int(match[2])] = match[3]
    assert run.returncode == 1, run.stdout + run.stderr
    return found


@functools.cache
def errors_of_pyright() -> dict[str, dict[int, str]]:
    """Return the errors of each program, by line."""
    config = typing_tree.ROOT / "build" / "pyrightconfig.json"
    config.write_text(
        json.dumps(
            {
                "include": [str(PROGRAMS)],
                "extraPaths": [folder_of_package()],
                "typeCheckingMode": "standard",
                "pythonVersion": "3.11",
            }
        )
    )
    command = [sys.executable, "-m", "basedpyright", "--project", str(config), "--outputjson"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[str, dict[int, str]] = {name: {} for name in NAMES}
    for problem in json.loads(run.stdout)["generalDiagnostics"]:
        line = problem["range"]["start"]["line"] + 1
        found[Path(problem["file"]).name][line] = problem["message"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("errors", [errors_of_mypy, errors_of_pyright])
def test_errors_are_the_planted_ones(
    name: str, errors: Callable[[], dict[str, dict[int, str]]]
) -> None:
    reported = errors()[name]
    assert set(reported) == planted_errors(name), reported


def test_there_are_correct_and_wrong_programs() -> None:
    wrong = [name for name in NAMES if planted_errors(name)]
    assert (len(NAMES) - len(wrong), len(wrong)) == (23, 12)


def test_stubs_are_up_to_date() -> None:
    """In a new process, because modules that tests import become attributes of packages."""
    command = [sys.executable, "-m", "tests.tools.type_stubs", "--check"]
    stale = subprocess.check_output(command, text=True, cwd=typing_tree.ROOT)
    assert not stale, "run: python -m tests.tools.type_stubs"
