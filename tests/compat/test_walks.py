"""The walks in examples/fluid run as they were written for Paddle."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "fluid"
# Example -> options, what it needs of `fluid`, and what it ends with.
WALKS = {
    "branches.py": ([], "layers.cond layers.reduce_mean dygraph.to_variable", "mean -4.0: dygraph [16.0, 16.0, 16.0], program [16.0, 16.0, 16.0]"),
    "digits_1_5.py": (["--api", "1.5.2"], "dygraph.FC save_dygraph optimizer.AdamOptimizer layers.accuracy", "right: "),
    "digits_1_8.py": ([], "dygraph.TracedLayer dygraph.declarative dygraph.Conv2D io.load_inference_model optimizer.Adam", "right: "),
    "digits_static.py": ([], "layers.conv2d layers.pool2d layers.fc optimizer.Adam io.save_inference_model", "right: "),
    "digits_2_0.py": ([], "", "right: "),
    "digits_cards_1_8.py": ([], "dygraph.parallel.prepare_context contrib.reader.distributed_batch_reader", "right: "),
    "digits_cards_2_0.py": ([], "", "right: "),
}  # fmt: skip


def missing(needs: str) -> list[str]:
    """Of names under fluid, those that are not there."""
    gone = []
    for need in needs.split():
        at = import_module("oarlock.fluid")
        for part in need.split("."):
            at = getattr(at, part, None)
        if at is None:
            gone.append(need)
    return gone


def test_every_walk_is_run() -> None:
    assert {p.name for p in FOLDER.glob("*.py")} - {"digits.py"} == WALKS.keys()


@pytest.mark.parametrize("name", WALKS)
def test_walk(name: str, tmp_path: Path) -> None:
    options, needs, last = WALKS[name]
    if gone := missing(needs):
        pytest.xfail(f"fluid has no {gone} yet")
    command = [
        sys.executable,
        "-c",
        "from oarlock.cli.main import app; app()",
        "run-script",
        *options,
        str(FOLDER / name),
    ]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith(last)
    assert not list(tmp_path.iterdir()), "it leaves files behind"
