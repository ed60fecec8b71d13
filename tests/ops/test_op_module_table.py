"""The table of the modules that define ops is up to date, and looking up an op imports its module."""

from __future__ import annotations

import subprocess
import sys

import pytest

from oarlock.core.op import CURRENT_TYPE_BY_OLDER, OPS, OpTable

from .op_module_table import TABLE, table


def test_table_is_current() -> None:
    assert TABLE.read_text() == table(), "run: python -m tests.ops.op_module_table"


def test_lookup_imports_the_module_of_an_op_only() -> None:
    code = """
import sys
import oarlock
from oarlock.core.op import OPS
assert "oarlock.ops.nms" not in sys.modules and "multiclass_nms3" in OPS
before = {m for m in sys.modules if m.startswith("oarlock.ops.")}
assert OPS["warpctc"].type == "warpctc" and OPS.get("no such op") is None
print(*sorted({m for m in sys.modules if m.startswith("oarlock.ops.")} - before))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = done.stdout.split()
    assert "oarlock.ops.ctc" in imported
    assert "oarlock.ops.nms" not in imported


def test_views_of_the_table_contain_all_ops() -> None:
    types = set(OPS)
    assert len(OPS) == len(types) == len(OPS.values())
    assert types == OPS.keys() == {op.type for op in OPS.values()} == set(dict(OPS.items()))
    assert types >= set(CURRENT_TYPE_BY_OLDER.values())


def test_unknown_type() -> None:
    table = OpTable()
    table.add_modules("oarlock.ops", {"erf": "erf not_defined"})
    assert "not_defined" in table
    with pytest.raises(KeyError, match="not_defined"):
        table["not_defined"]
    with pytest.raises(KeyError, match="unknown"):
        table["unknown"]
    assert table.get("unknown", 1) == 1
