"""Build HTML of text that may contain any characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

# The module html of the standard library has the same function; importing it takes a millisecond.
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})


def escape_html(value: object) -> str:
    """Return the text of a value, for the content of an element or for a quoted attribute."""
    return str(value).translate(_ESCAPES)


def html_table(
    rows: Iterable[Sequence[object]], caption: object = "", has_row_headings: bool = True
) -> str:
    """Return a table of escaped texts.

    has_row_headings: whether the first cell of each row is a heading.
    """
    lines = [f"<caption>{escape_html(caption)}</caption>"] if caption else []
    for row in rows:
        tags = ["th" if has_row_headings else "td"] + ["td"] * (len(row) - 1)
        cells = (f"<{t}>{escape_html(cell)}</{t}>" for t, cell in zip(tags, row, strict=True))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"
