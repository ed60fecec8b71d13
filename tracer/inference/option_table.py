"""Text table of the options of a Config."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def format_option_table(options: Iterable[tuple[str, Any]]) -> str:
    """Format names and values as a table with borders."""
    rows = [("Option", "Value"), *[(name, _format_cell(value)) for name, value in options]]
    widths = [max(len(row[k]) for row in rows) for k in (0, 1)]
    line = "+" + "+".join("-" * (w + 2) for w in widths) + "+"
    body = [f"| {name:<{widths[0]}} | {value:<{widths[1]}} |" for name, value in rows]
    return "\n".join([line, body[0], line, *body[1:], line])


def _format_cell(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
