"""Build HTML of text that may contain any characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

# The module html of the standard library has the same function; importing it takes a millisecond.
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})


def escape_html(value: object) -> str:
    """Return the text of a value, for the content of an element or for a quoted attribute."""
    return str(value).translate(_ESCAPES)


def html_table(
    rows: Iterable[Sequence[object]], header: Sequence[object] = (), caption: object = ""
) -> str:
    """Return a table of escaped texts. The first cell of each row is a heading if there is no
    header.
    """
    lines = [f"<caption>{escape_html(caption)}</caption>"] if caption else []
    if header:
        lines.append(_row(header, "th", "th"))
    first = "td" if header else "th"
    lines += [_row(row, first, "td") for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _row(cells: Sequence[object], first: str, other: str) -> str:
    tags = [first] + [other] * (len(cells) - 1)
    parts = (f"<{t}>{escape_html(c)}</{t}>" for t, c in zip(tags, cells, strict=True))
    return f"<tr>{''.join(parts)}</tr>"
