"""docs/ops.md says what is the case, and most of what Paddle's exports hold is there."""

from __future__ import annotations

from oarlock.core.op import OPS

from .ops_page import EMITTED, MISSING, PAGE, page

AT_LEAST = 298


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == page(), "run: python -m tests.ops.ops_page"


def test_most_ops_of_exports_are_there() -> None:
    assert len(EMITTED) == 307
    assert len(OPS.keys() & set(EMITTED)) >= AT_LEAST


def test_what_is_missing_is_missing_with_a_reason() -> None:
    assert set(EMITTED) - OPS.keys() == MISSING.keys()
