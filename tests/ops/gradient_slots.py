"""Write tracer/static/backward/slots.py: the gradient ops that programs hold.   python -m tests.ops.gradient_slots"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from oarlock.core.op import OPS

HERE = Path(__file__).parent
MODULE = HERE.parents[1] / "tracer" / "static" / "backward" / "slots.py"
HEAD = '''"""Which slots Paddle's gradient ops have.   Written by tests/ops/gradient_slots.py from what real Paddle says; not by hand."""

from typing import Any

# By type of op: the operands of its gradient op, in the order of their names; it gives the gradients of all operands that are wanted.
'''

Rows = dict[str, tuple[str, list[str], list[str], dict[str, tuple[str, Any]]]]


def rows(name: str) -> Rows:
    """What one Paddle says, of the ops that are differentiated here."""
    found: Rows = json.loads((HERE / name).read_text("utf-8"))
    return {t: row for t, row in found.items() if t in OPS and OPS[t].has_vjp}


def module() -> str:
    """The text of the module."""
    today, old = rows("gradients.json"), rows("gradients_1_8_5.json")
    slots = {type: row for type, row in {**old, **today}.items()}
    others = {type: row for type, row in old.items() if row[:3] != slots[type][:3]}
    renamed = {type: row[0] for type, row in slots.items() if row[0] != f"{type}_grad"}
    return f"{HEAD}{_table('SLOTS', slots)}\n# Those that Paddle 1.8 has others for.\n{_table('OLD', others)}\n{_renamed(renamed)}\n{_attributes(old)}"


def _table(name: str, rows: Rows) -> str:
    lines = [f'    "{type}": "{" ".join(ins)}",' for type, (_, ins, *_) in sorted(rows.items())]
    return "\n".join([f"{name} = {{", *lines, "}", ""])


def _renamed(names: dict[str, str]) -> str:
    lines = [f'    "{type}": "{name}",' for type, name in sorted(names.items())]
    return "\n".join(["# Gradient ops that are not called after their op.", "RENAMED = {", *lines, "}", ""])


def _attributes(rows: Rows) -> str:
    more = {type: {n: a for n, a in row[3].items() if n not in OPS[type].attrs} for type, row in sorted(rows.items())}
    lines = [f'    "{type}": {{{", ".join(_attribute(n, *a) for n, a in attrs.items())}}},' for type, attrs in more.items() if attrs]
    head = "# Attributes that gradient ops have to have in Paddle 1.8, beyond those of the op here: for them it knows no defaults."
    return "\n".join([head, "OLD_ATTRS: dict[str, dict[str, tuple[str, Any]]] = {", *lines, "}  # fmt: skip", ""])


def _attribute(name: str, type: str, value: Any) -> str:
    text = value if not isinstance(value, str) else json.dumps(value)
    return f'"{name}": ("{type}", {text})'


if __name__ == "__main__":
    MODULE.write_text(module(), "utf-8")
