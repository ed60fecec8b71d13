"""Write tracer/autodiff/grad_op_tables.py: the gradient ops that programs hold.

python -m tests.ops.gradient_slots
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

from oarlock.core.op import OPS

HERE = Path(__file__).parent
MODULE = HERE.parents[1] / "tracer" / "autodiff" / "grad_op_tables.py"
HEAD = '''"""Input slots, irregular types and required attributes of Paddle's gradient ops.
tests/ops/gradient_slots.py read the slots from real Paddle.
"""

from typing import Any

# By op type: the input slots of Paddle's gradient op, sorted by name. The gradient op returns the
# gradients of all inputs of the forward op that need one.
'''

OTHERS = """# By op type: the input slots of the gradient op in Paddle 1.8, if they differ from
# `GRAD_INPUT_SLOTS`. The string is empty if Paddle 1.8 has no gradient op with fixed slots for this
# type.
"""
GRADIENT = "@GRAD"
NONE: Any = ("", [], [], {})
Rows = dict[str, tuple[str, list[str], list[str], dict[str, tuple[str, Any]]]]


def rows(name: str) -> Rows:
    """Return the records of one Paddle version for the ops that are differentiable here."""
    found: Rows = json.loads((HERE / name).read_text("utf-8"))
    return {t: row or NONE for t, row in found.items() if t in OPS and OPS[t].has_vjp}


def module() -> str:
    """The text of the module."""
    today, old = rows("gradients.json"), rows("gradients_1_8_5.json")
    slots = {type: row for type, row in {**old, **today}.items() if row is not NONE}
    others = {
        type: row for type, row in old.items() if type in slots and row[:3] != slots[type][:3]
    }
    renamed = {type: row[0] for type, row in slots.items() if row[0] != f"{type}_grad"}
    parts = (
        f"{HEAD}{_table('GRAD_INPUT_SLOTS', slots)}",
        f"{OTHERS}{_table('PADDLE1_INPUT_SLOTS', others)}",
        _renamed(renamed),
        _attributes(old),
    )
    return "\n".join(parts)


def _table(name: str, rows: Rows) -> str:
    lines = [f'    "{type}": "{" ".join(ins)}",' for type, (_, ins, *_) in sorted(rows.items())]
    return "\n".join([f"{name} = {{", *lines, "}", ""])


def _renamed(names: dict[str, str]) -> str:
    lines = [f'    "{type}": "{name}",' for type, name in sorted(names.items())]
    return "\n".join(
        [
            "# By op type: the type of the gradient op, if it is not `<type>_grad`.",
            "IRREGULAR_GRAD_TYPES = {",
            *lines,
            "}",
            "",
        ]
    )


def _attributes(rows: Rows) -> str:
    """By name, type and default, the ops whose gradient op needs an attribute that the op here does
    not have.
    """
    found: dict[str, list[str]] = {}
    for type, row in sorted(rows.items()):
        for name, (kind, value) in row[3].items():
            if name not in OPS[type].attrs:
                text = json.dumps(value) if isinstance(value, str) else str(value)
                found.setdefault(f'("{name}", "{kind}", {text}, ', []).append(type)
    head = "# Attributes that Paddle 1.8 requires in gradient ops, without giving a default, and that Oarlock's\n# op definitions lack: name, type, value, op types."
    lines = [line for key, types in sorted(found.items()) for line in _wrapped(key, types)]
    return "\n".join(
        [
            head,
            "PADDLE1_REQUIRED_ATTRS: list[tuple[str, str, Any, str]] = [",
            *lines,
            "]  # fmt: skip",
            "",
        ]
    )


def _wrapped(key: str, types: list[str]) -> list[str]:
    parts = textwrap.wrap(" ".join(types), 90)
    if len(parts) == 1:
        return [f'    {key}"{parts[0]}"),']
    return [
        f"    {key.rstrip()}",
        *(f'     "{part} "' for part in parts[:-1]),
        f'     "{parts[-1]}"),',
    ]


if __name__ == "__main__":
    MODULE.write_text(module(), "utf-8")
