"""The options of a Config as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def table(options: Iterable[tuple[str, Any]]) -> str:
    """Options and their values, in a frame."""
    rows = [("Option", "Value"), *[(name, _text(value)) for name, value in options]]
    wide = [max(len(row[k]) for row in rows) for k in (0, 1)]
    line = "+" + "+".join("-" * (w + 2) for w in wide) + "+"
    body = [f"| {name:<{wide[0]}} | {value:<{wide[1]}} |" for name, value in rows]
    return "\n".join([line, body[0], line, *body[1:], line])


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
