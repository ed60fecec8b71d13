"""Write cpp_runtime/src/paddle/op_attr_table.inc: the attributes of every op, as `oarlock.ops` defines
them.

python -m tests.ops.attribute_table
"""

from __future__ import annotations

from pathlib import Path

import oarlock  # noqa: F401  # defines all ops
from oarlock.core.op import OPS
from oarlock.ir.attr_checks import range_kind_of_attr

TABLE = Path(__file__).parents[2] / "cpp_runtime" / "src" / "paddle" / "op_attr_table.inc"
HEAD = """// The attributes of every op: op type, attribute name, attribute type, and what the integers of the attribute count.   Sorted.
// Written by tests/ops/attribute_table.py from the definitions in tracer/ops; not by hand.
"""


def table() -> str:
    """The text of the table."""
    rows = sorted(
        (t, name, spec.type, range_kind_of_attr(op, name))
        for t, op in OPS.items()
        for name, spec in op.attrs.items()
    )
    return HEAD + "".join(
        f'{{"{t}", "{name}", {type}, {kind or "any"}}},\n' for t, name, type, kind in rows
    )


if __name__ == "__main__":
    TABLE.write_text(table(), "utf-8")
