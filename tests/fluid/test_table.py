"""The table of old names in docs/fluid.md is what the code says."""

from __future__ import annotations

from .make_table import DOCUMENT, document, table


def test_the_table_is_up_to_date() -> None:
    text = DOCUMENT.read_text()
    assert document(text) == text, "run python tests/fluid/make_table.py"


def test_it_has_rows() -> None:
    rows = table().splitlines()[2:]
    assert len(rows) > 10
    assert all(row.count(" | ") == 1 for row in rows)
