"""All rows, and further knowledge of the tests about ops."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import oarlock.ops  # noqa: F401 - fills OPS
from oarlock.core.op import OPS, Op

from .rows import Row

# What real PaddlePaddle 2.6.2 says of its ops, as `make_registry.py` wrote it down; and 1.8.5 of
# those that it alone has.
OLD: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("registry_1_8_5.json").read_text()
)
REGISTRY: dict[str, dict[str, Any]] = OLD | json.loads(
    Path(__file__).with_name("registry.json").read_text()
)
FAMILIES = sorted(p.stem for p in Path(__file__).parent.glob("table_*.py"))
ROWS: list[Row] = [r for f in FAMILIES for r in importlib.import_module(f".{f}", __package__).ROWS]

# Slots that real Paddle wants in float32 even beside operands of half precision.
FLOAT32_SLOTS = {
    "batch_norm": {"Scale", "Bias", "Mean", "Variance"},
    "fake_quantize_dequantize_moving_average_abs_max": {"InScale", "InAccum", "InState"},
    "fake_quantize_moving_average_abs_max": {"InScale", "InAccum", "InState"},
    "moving_average_abs_max_scale": {"InAccum", "InState"},
}


def _ids() -> list[str]:
    seen: dict[str, int] = {}
    found = []
    for row in ROWS:
        seen[row.type] = number = seen.get(row.type, -1) + 1
        found.append(f"{row.type}-{number}")
    return found


IDS = _ids()

# Ops that Paddle does not have: gradients of ops, and what gradients are made of.  Their rows are
# those of the ops that use
# them; `test_gradient.py` checks that each of them is run there.
INTERNAL = {type for type, op in OPS.items() if op.traits.internal}


def constant_of(row: Row) -> set[str]:
    """The slots that are not differentiated in a row."""
    return {s.name for s in OPS[row.type].ins if s.is_constant} | row.constant


def arrays_of(arg: Any) -> list[Any]:
    """Return the arrays of one slot."""
    return [] if arg is None else list(arg) if isinstance(arg, list) else [arg]


def op_of(row: Row) -> Op:
    """The op of a row."""
    return OPS[row.type]
