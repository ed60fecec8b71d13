"""Characters that are escaped before text is displayed; `cpp_runtime/tests/reader_test.cpp` tests
the same in C++.
"""

from __future__ import annotations

import pytest

from oarlock.loader.escape_control_characters import ESCAPED_RANGES, escape_control_characters

# By what is written out, and as what: the first and last of each kind.
WRITTEN_OUT = {
    "\x00": "\\x00", "\x07": "\\x07", "\n": "\\x0a", "\r": "\\x0d", "\x1b": "\\x1b", "\x1f": "\\x1f",
    "\x7f": "\\x7f", "\x80": "\\x80", "\x9b": "\\x9b", "\x9f": "\\x9f", "\xad": "\\xad",
    "\u061c": "\\u061c", "\u180e": "\\u180e", "\u200b": "\\u200b", "\u200f": "\\u200f", "\u2028": "\\u2028",
    "\u202e": "\\u202e", "\u2060": "\\u2060", "\u2066": "\\u2066", "\u206f": "\\u206f", "\ufeff": "\\ufeff",
    "\ufff9": "\\ufff9", "\ufffb": "\\ufffb", "\U000e0000": "\\U000e0000", "\U000e007f": "\\U000e007f",
}  # fmt: skip
# Those beside them, and what people write.
KEPT = "\t ~\xa0\xac\xae\u061b\u061d\u180d\u200a\u2010\u2027\u202f\u205f\u2070\ufefe\ufffc\ufffd\U000dffff\U000e0080é漢あא🙂\\\"'"


@pytest.mark.parametrize("one", WRITTEN_OUT, ids=ascii)
def test_terminal_control_is_escaped(one: str) -> None:
    assert escape_control_characters(f"a{one}b{one}") == f"a{WRITTEN_OUT[one]}b{WRITTEN_OUT[one]}"


def test_other_text_is_unchanged() -> None:
    assert escape_control_characters(KEPT) == KEPT
    assert escape_control_characters(KEPT + "\x9b") == KEPT + "\\x9b"
    assert escape_control_characters("two\nlines\r\n", keep_line_breaks=True) == "two\nlines\\x0d\n"


def test_limits_of_escaped_ranges() -> None:
    for first, last in ESCAPED_RANGES:
        for code in {first, last} - {ord("\t")}:
            assert escape_control_characters(chr(code)).startswith("\\")
        for code in {first - 1, last + 1} - {-1}:
            assert escape_control_characters(chr(code)) == chr(code)
