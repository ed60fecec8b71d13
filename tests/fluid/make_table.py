"""Write the table of old names in docs/paddle1-names.md:   python tests/fluid/make_table.py"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

from oarlock import fluid
from oarlock.fluid.deprecated import REPLACEMENTS

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "paddle1-names.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->"


def table() -> str:
    """Return the table of all deprecated names and their replacements, by module."""
    for found in pkgutil.walk_packages(fluid.__path__, "oarlock.fluid."):
        import_module(found.name)
    rows = [f"| `{old}` | {_code(new)} |" for old, new in sorted(REPLACEMENTS.items())]
    return "\n".join(["| Paddle 1.x | Paddle 2.x |", "|---|---|", *rows, ""])


def _code(new: str) -> str:
    """A name as code, words as words."""
    return f"`{new}`" if new.startswith("paddle.") and " " not in new else new.replace("|", "\\|")


def document(text: str) -> str:
    """The document with the table of today."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    DOCUMENT.write_text(document(DOCUMENT.read_text()))
