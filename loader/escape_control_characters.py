"""Escape control characters in text from files before it is displayed, so that a terminal or log
does not interpret them.
"""

from __future__ import annotations

import re

# Control characters, surrogates, and invisible characters that change the display; the same list
# as in C++ (`base/escape_control_characters.h`).
ESCAPED_RANGES = (
    (0x00, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x61C, 0x61C),
    (0x180E, 0x180E),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)
_ESCAPED_CHARACTER = re.compile(f"[{''.join(f'{chr(a)}-{chr(b)}' for a, b in ESCAPED_RANGES)}]")


def escape_control_characters(text: str, keep_line_breaks: bool = False) -> str:
    """Escape the control characters of a text, except tabs.

    keep_line_breaks: do not escape line breaks either.
    """
    if text.isprintable():
        return text
    unescaped = "\t\n" if keep_line_breaks else "\t"
    return _ESCAPED_CHARACTER.sub(
        lambda found: found[0] if found[0] in unescaped else _escape_sequence(ord(found[0])), text
    )


def _escape_sequence(code: int) -> str:
    """Return the Python escape sequence of a character, with two, four or eight hexadecimal
    digits.
    """
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
