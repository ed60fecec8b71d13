"""Texts of a file that are only ever shown: a terminal or a log must not take them for orders."""

from __future__ import annotations

import re

# Controls, halves of a character, and what nobody sees but changes what is seen; the same list as
# in C++ (`base/escape_text.h`).
UNSEEN = (
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
_UNSEEN = re.compile(f"[{''.join(f'{chr(a)}-{chr(b)}' for a, b in UNSEEN)}]")


def shown(text: str, lines: bool = False) -> str:
    """A text with its control characters written out, but for tabs.   lines: and for line breaks"""
    if text.isprintable():
        return text
    kept = "\t\n" if lines else "\t"
    return _UNSEEN.sub(
        lambda found: found[0] if found[0] in kept else _written_out(ord(found[0])), text
    )


def _written_out(code: int) -> str:
    """As in the source of a program: two, four or eight digits."""
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
