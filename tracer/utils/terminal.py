"""The terminal: how everything that is printed with colours is."""

from __future__ import annotations

from typing import Any

from rich.console import Console


def console(**options: Any) -> Console:
    """A console that prints `:name:` as it stands: paths and dtypes of users hold such words, and
    none is a picture.
    """
    return Console(emoji=False, **options)
