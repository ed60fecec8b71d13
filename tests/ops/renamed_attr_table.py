"""Write cpp_runtime/src/paddle/renamed_attrs.inc: the attribute names of older Paddle versions, as the
definitions in `oarlock.ops` state them.

python -m tests.ops.renamed_attr_table
"""

from __future__ import annotations

from pathlib import Path

import oarlock  # noqa: F401  # defines all ops
from oarlock.core.op import OPS

TABLE = Path(__file__).parents[2] / "cpp_runtime" / "src" / "paddle" / "renamed_attrs.inc"
HEAD = """// Attributes that older Paddle versions wrote under another name: op, older name, current name.   Sorted.
// Written by tests/ops/renamed_attr_table.py from the definitions in tracer/ops; not by hand.
"""


def table() -> str:
    """Return the text of the table."""
    rows = sorted(
        (type, older, current)
        for type, op in OPS.items()
        for older, current in op.traits.older_attrs.items()
    )
    return HEAD + "".join(
        f'{{"{type}", "{older}", "{current}"}},\n' for type, older, current in rows
    )


if __name__ == "__main__":
    TABLE.write_text(table(), "utf-8")
