"""The programs in examples/fluid run unchanged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "fluid"
OPTIONS = {
    "branches.py": [],
    "digits_1_5.py": ["--api", "1.5.2"],
    "digits_1_8.py": [],
    "digits_static.py": [],
    "digits_2_0.py": [],
    "digits_cards_1_8.py": [],
    "digits_cards_2_0.py": [],
}
LAST = {
    "branches.py": "mean -4.0: dygraph [16.0, 16.0, 16.0], program [16.0, 16.0, 16.0]"
}  # others end with the share they get right


def test_every_example_is_listed() -> None:
    assert {p.name for p in FOLDER.glob("*.py")} - {"digits.py"} == OPTIONS.keys()


@pytest.mark.parametrize("name", OPTIONS)
def test_example(name: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "from oarlock.cli.main import app; app()",
        "run-script",
        *OPTIONS[name],
        str(FOLDER / name),
    ]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith(LAST.get(name, "accuracy: "))
    assert not list(tmp_path.iterdir()), "it leaves files behind"
