"""Progress of a command on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..utils.terminal import make_console

# Shows a step: its description, the number of parts that are done, and of all parts (0: unknown).
ShowStep = Callable[[str, int, int], None]


@contextmanager
def show_progress(quiet: bool = False) -> Iterator[ShowStep]:
    """Context manager that yields a function which shows the current step on standard error.
    Nothing is shown if standard error is not a terminal, or if `quiet` is True.
    """
    console = make_console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    is_disabled = quiet or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_disabled) as bar:
        task = bar.add_task("", total=None)
        yield lambda step, done, total: bar.update(
            task, description=step, completed=done, total=total or None
        )
