"""Texts of a file that are only ever shown: a terminal or a log must not take them for orders."""

from __future__ import annotations

from unicodedata import category


def shown(text: str, lines: bool = False) -> str:
    """A text with its control characters written out.   lines: but for line breaks"""
    if text.isprintable():
        return text
    kept = "\t\n" if lines else "\t"
    return "".join(c if c.isprintable() or c in kept or category(c) == "Zs" else repr(c)[1:-1] for c in text)
