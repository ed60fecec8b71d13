"""docs/ops.md is up to date, and most ops that Paddle exports exist."""

from __future__ import annotations

from oarlock.core.op import OPS

from .ops_page import EMITTED, MISSING, PAGE, page

AT_LEAST = 298


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run: python -m tests.ops.ops_page"


def test_most_exported_ops_exist() -> None:
    assert len(EMITTED) == 307
    assert len(OPS.keys() & set(EMITTED)) >= AT_LEAST


def test_missing_ops_have_a_reason() -> None:
    assert set(EMITTED) - OPS.keys() == MISSING.keys()
