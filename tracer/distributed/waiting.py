"""Waiting for other ranks: for so long and no longer, and so that the launcher can say who waits
where.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..core.errors import OarlockError, user_line, with_user_line

FOLDER = "OARLOCK_RUN_FOLDER"  # where the launcher reads what its ranks wait for
SECONDS = "OARLOCK_DISTRIBUTED_TIMEOUT"
DEFAULT_SECONDS = 1800.0
_SPIN = 0.002  # seconds of looking again and again; most work is done by then
_NAP = 0.0002


def limit() -> float:
    """Seconds that a rank waits for others.   Raises OarlockError for a limit that is no number."""
    said = os.environ.get(SECONDS, "")
    try:
        return float(said) if said else DEFAULT_SECONDS
    except ValueError:
        raise OarlockError(f"distributed: {SECONDS}={said!r} is not a number of seconds") from None


class Note:
    """The file in which this rank says what it waits for."""

    def __init__(self) -> None:
        self._file: int | None = None

    def open(self, rank: int) -> None:
        """Take the launcher's file of `rank`, if a launcher started this."""
        folder = os.environ.get(FOLDER)
        if folder and self._file is None:
            self._file = os.open(
                Path(folder, f"rank.{rank}.now"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )

    def write(self, text: str) -> None:
        """Say it; an empty text says that nothing is waited for."""
        if self._file is not None:
            data = text.encode(errors="replace")[:500]
            os.pwrite(self._file, data + b"\0", 0)


note = Note()


def wait_for(is_done: Callable[[], bool], what: str, ranks: tuple[int, ...]) -> None:
    """Come back when `is_done` says so.   Raises OarlockError after the limit."""
    started = time.monotonic()
    while not is_done():
        if time.monotonic() - started > _SPIN:
            _wait_long(is_done, what, ranks, started)
            return
        os.sched_yield()  # let other threads run


def _wait_long(
    is_done: Callable[[], bool], what: str, ranks: tuple[int, ...], started: float
) -> None:
    end = started + limit()
    with noted(what, ranks):
        while not is_done():
            now = time.monotonic()
            if now > end:
                raise OarlockError(
                    with_user_line(
                        f"distributed.{what}: waited {now - started:.0f} s for the other ranks"
                    )
                )
            time.sleep(_NAP)


@contextlib.contextmanager
def noted(what: str, ranks: tuple[int, ...]) -> Iterator[None]:
    """Let the launcher know that the body waits for some ranks.

    What fails in it leaves the note: it says where.
    """
    note.write(f"{what} of ranks {', '.join(map(str, ranks))}\n{_where()}")
    yield
    note.write("")


def _where() -> str:
    line = user_line()
    return "" if line is None else str(line)
