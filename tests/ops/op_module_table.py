"""Write tracer/ops/op_module_table.py: the modules that define the ops, and the types of ops in
older Paddle versions, as the definitions in `oarlock.ops` state them.

python -m tests.ops.op_module_table
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

TABLE = Path(__file__).parents[2] / "tracer" / "ops" / "op_module_table.py"
HEAD = '''"""The modules that define the ops, so that an op can be imported when it is first used.

Written by tests/ops/op_module_table.py from the definitions in this package; not by hand.
"""
# fmt: off
# ruff: noqa: E501

'''
# Imports all modules of the package `oarlock.ops`, and prints the table as JSON. The package
# `oarlock` is imported without its `__init__`, so that no op is defined when recording begins.
RECORD_DEFINITIONS = """
import json, sys, types
from importlib import import_module
from pkgutil import walk_packages

sys.modules["oarlock"] = types.ModuleType("oarlock")
sys.modules["oarlock"].__path__ = json.loads(sys.argv[1])
from oarlock.core.op import CURRENT_TYPE_BY_OLDER, OpTable

types_by_module = {}

def record_and_define(table, type, op):
    frame = sys._getframe(1)
    while frame.f_code.co_name != "<module>":
        frame = frame.f_back
    name = frame.f_globals["__name__"].removeprefix("oarlock.ops.")
    types_by_module.setdefault(name, []).append(type)
    define(table, type, op)

define, OpTable.define = OpTable.define, record_and_define
package = import_module("oarlock.ops")
CURRENT_TYPE_BY_OLDER.clear()
for module in walk_packages(package.__path__, "oarlock.ops."):
    import_module(module.name)
rows = {name: " ".join(sorted(types)) for name, types in types_by_module.items()}
print(json.dumps([rows, CURRENT_TYPE_BY_OLDER]))
"""


def table() -> str:
    """The text of the table."""
    package = find_spec("oarlock")
    assert package is not None
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            RECORD_DEFINITIONS,
            json.dumps(list(package.submodule_search_locations or [])),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    rows, older = json.loads(done.stdout)
    return (
        HEAD
        + "# Module -> types of its ops.\n"
        + f"TYPES_BY_MODULE = {json.dumps(rows, indent=4, sort_keys=True)}\n"
        + "# Type of an op in older Paddle versions -> current type.\n"
        + f"CURRENT_TYPE_BY_OLDER_TYPE = {json.dumps(older, indent=4, sort_keys=True)}\n"
    )


if __name__ == "__main__":
    TABLE.write_text(table(), "utf-8")
