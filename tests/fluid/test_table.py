"""The table of deprecated names in docs/paddle1-names.md is up to date."""

from __future__ import annotations

from .make_table import DOCUMENT, document, table


def test_table_is_up_to_date() -> None:
    text = DOCUMENT.read_text()
    assert document(text) == text, "run python tests/fluid/make_table.py"


def test_table_has_rows() -> None:
    rows = table().splitlines()[2:]
    assert len(rows) > 10
    assert all(row.count(" | ") == 1 for row in rows)
