"""Write the op types and attribute names of older Paddle versions, as the definitions in
`oarlock.ops` state them, for C++: cpp_runtime/src/paddle/older_op_types.inc and
older_attr_names.inc.

python -m tests.ops.older_names_table
"""

from __future__ import annotations

from pathlib import Path

import oarlock  # noqa: F401  # defines all ops
from oarlock.core.op import OPS

FOLDER = Path(__file__).parents[2] / "cpp_runtime" / "src" / "paddle"
HEAD = """// {content} of older Paddle versions: {columns}.   Sorted.
// Written by tests/ops/older_names_table.py from the definitions in tracer/ops; not by hand.
"""


def tables() -> dict[str, str]:
    """The texts of the tables by file name."""
    types = sorted((older, type) for type, op in OPS.items() for older in op.traits.older_types)
    attrs = sorted(
        (type, older, current)
        for type, op in OPS.items()
        for older, current in op.traits.older_attrs.items()
    )
    return {
        "older_op_types.inc": HEAD.format(content="Op types", columns="older type, current type")
        + "".join(f'{{"{older}", "{current}"}},\n' for older, current in types),
        "older_attr_names.inc": HEAD.format(
            content="Attribute names", columns="op, older name, current name"
        )
        + "".join(f'{{"{type}", "{older}", "{current}"}},\n' for type, older, current in attrs),
    }


if __name__ == "__main__":
    for name, text in tables().items():
        (FOLDER / name).write_text(text, "utf-8")
