"""Terminal output with colors and tables."""

from __future__ import annotations

import os
from typing import Any

from rich.console import Console
from rich.table import Column, Table

MIN_WIDTH = 40
# Without a terminal there is no need to break the lines of tables, which a program may read.
WIDTH_WITHOUT_TERMINAL = 10_000


def make_console(**options: Any) -> Console:
    """Create a console that does not replace `:name:` by emojis, because paths and dtypes of users
    may contain it. The console has a useful width, also if the terminal or COLUMNS states none.
    """
    console = Console(emoji=False, **options)
    if not (console.is_terminal or console.is_jupyter or "COLUMNS" in os.environ):
        console.width = WIDTH_WITHOUT_TERMINAL
    elif console.width < MIN_WIDTH:
        console.width = MIN_WIDTH
    return console


def make_table(*headers: str, **options: Any) -> Table:
    """Create a table that breaks long cells into lines, instead of cutting them off."""
    return Table(*(Column(header, overflow="fold") for header in headers), **options)
