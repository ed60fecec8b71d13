"""Terminal output with colors."""

from __future__ import annotations

from typing import Any

from rich.console import Console


def make_console(**options: Any) -> Console:
    """Create a console that does not replace `:name:` by emojis, because paths and dtypes of users
    may contain it.
    """
    return Console(emoji=False, **options)
