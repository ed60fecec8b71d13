"""Real Paddle 1.8.5 runs what Oarlock's fluid saves, with the same numbers: here its ops, and with 1.8.5 at hand the programs."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oarlock import fluid

from .load_in_1_8_5 import keep
from .test_golden import TOPICS, cases

HERE = Path(__file__).parent
SCRIPT = HERE / "load_in_1_8_5.py"
REAL = Path(os.environ.get("OARLOCK_PADDLE_1_8_5", "~/.cache/oarlock/paddle-1.8.5/bin/python")).expanduser()
OTHERWISE = json.loads((HERE / "otherwise_in_1_8_5.json").read_text())
OPS_OF_1_8_5 = json.loads((HERE / "ops_1_8_5.json").read_text())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_saved_has_ops_and_slots_of_1_8_5(topic: str, tmp_path: Path) -> None:
    for path in keep(fluid, importlib.import_module(f"{cases.__name__}.{topic}"), str(tmp_path)):
        program, _, _ = fluid.io.load_inference_model(path, fluid.Executor())
        for op in (op for block in program.raw.blocks for op in block.ops):
            assert op.type in OPS_OF_1_8_5, path
            ins, outs = OPS_OF_1_8_5[op.type]
            assert {s for s, names in op.inputs.items() if names} <= set(ins), (path, op.type)
            assert {s for s, names in op.outputs.items() if names} <= set(outs), (path, op.type)


@pytest.mark.slow
@pytest.mark.paddle
@pytest.mark.skipif(not REAL.exists(), reason=f"real Paddle 1.8.5 is not at {REAL}; set OARLOCK_PADDLE_1_8_5")
def test_1_8_5_runs_what_is_saved(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-W", "ignore", SCRIPT, "keep", tmp_path], check=True)
    assert len(list(tmp_path.glob("*/*"))) > 400
    ran = subprocess.run([REAL, SCRIPT, "run", tmp_path], capture_output=True, text=True, check=True)
    wrong = {".".join(line.split()[:2]): line for line in ran.stdout.splitlines()}
    assert wrong.keys() == OTHERWISE.keys(), "\n".join(wrong.values())
