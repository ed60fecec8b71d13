"""Programs that fluid saves have ops of Paddle 1.8.5, which runs them with equal results."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oarlock import fluid

from .load_in_1_8_5 import judged, keep
from .test_golden import TOPICS, cases

HERE = Path(__file__).parent
SCRIPT = HERE / "load_in_1_8_5.py"
REAL = Path(
    os.environ.get("OARLOCK_PADDLE_1_8_5", "~/.cache/oarlock/paddle-1.8.5/bin/python")
).expanduser()
OTHERWISE = json.loads((HERE / "otherwise_in_1_8_5.json").read_text())
OPS_OF_1_8_5 = json.loads((HERE / "ops_1_8_5.json").read_text())


# What 1.8 declares with an axis, and gives without one.
WITH_AN_AXIS = {"case_arg_of_a_row": "shape (1,), not ()"}
OVERLOOKED = {  # slots of later Paddles, which others read
    "matrix_nms": {"RoisNum"},
    "generate_proposals": {"RpnRoisNum"},
    "generate_proposal_labels": {"MaxOverlapWithGT"},
    "distribute_fpn_proposals": {"MultiLevelRoIsNum", "RoisNum"},
    "collect_fpn_proposals": {"RoisNum", "MultiLevelRoIsNum"},
    "roi_align": {"RoisNum"},
    "roi_pool": {"RoisNum"},
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore:please ensure that you have set the auc states to zeros")
@pytest.mark.parametrize("topic", TOPICS)
def test_saved_programs_have_1_8_5_ops_and_load(topic: str, tmp_path: Path) -> None:
    for path in keep(fluid, importlib.import_module(f"{cases.__name__}.{topic}"), str(tmp_path)):
        program, _, _ = fluid.io.load_inference_model(path, fluid.Executor())
        for op in (op for block in program.raw.blocks for op in block.ops):
            assert op.type in OPS_OF_1_8_5, path
            for slots, known in zip((op.inputs, op.outputs), OPS_OF_1_8_5[op.type], strict=True):
                used = {slot for slot, names in slots.items() if names}
                assert used - OVERLOOKED.get(op.type, set()) <= set(known), (path, op.type)
        assert judged(fluid, path) == WITH_AN_AXIS.get(Path(path).name, ""), path


@pytest.mark.slow
@pytest.mark.paddle
@pytest.mark.skipif(
    not REAL.exists(), reason=f"real Paddle 1.8.5 is not at {REAL}; set OARLOCK_PADDLE_1_8_5"
)
def test_1_8_5_runs_saved_programs(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-W", "ignore", SCRIPT, "keep", tmp_path], check=True)
    assert len(list(tmp_path.glob("*/*"))) > 400
    ran = subprocess.run(
        [REAL, SCRIPT, "run", tmp_path], capture_output=True, text=True, check=True
    )
    wrong = {".".join(line.split()[:2]): line for line in ran.stdout.splitlines()}
    assert wrong.keys() == OTHERWISE.keys(), "\n".join(wrong.values())
