"""Wait for other ranks with a timeout, and report to the launcher what this rank waits for."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..core.errors import OarlockError, append_user_line, user_line

RUN_FOLDER_VARIABLE = "OARLOCK_RUN_FOLDER"  # the folder in which the launcher reads status files
TIMEOUT_VARIABLE = "OARLOCK_DISTRIBUTED_TIMEOUT"
DEFAULT_TIMEOUT = 1800.0
_SPIN_SECONDS = 0.002  # most operations finish in this time
_SLEEP_SECONDS = 0.0002


def get_timeout() -> float:
    """Return how many seconds a rank waits for others before it fails. Raises OarlockError if the
    environment variable is not a number.
    """
    text = os.environ.get(TIMEOUT_VARIABLE, "")
    try:
        return float(text) if text else DEFAULT_TIMEOUT
    except ValueError:
        raise OarlockError(
            append_user_line(f"distributed: {TIMEOUT_VARIABLE}={text!r} is not a number of seconds")
        ) from None


class StatusFile:
    """The file that tells the launcher what this rank waits for."""

    def __init__(self) -> None:
        self._file: int | None = None

    def open_if_launched(self, rank: int) -> None:
        """Open the status file of `rank`, if Oarlock's launcher started this process."""
        folder = os.environ.get(RUN_FOLDER_VARIABLE)
        if folder and self._file is None:
            self._file = os.open(
                Path(folder, f"rank.{rank}.status"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )

    def write(self, text: str) -> None:
        """Write a text to the status file; an empty text means that the rank does not wait."""
        if self._file is not None:
            data = text.encode(errors="replace")[:500]
            os.pwrite(self._file, data + b"\0", 0)


status_file = StatusFile()


def wait_for(is_done: Callable[[], bool], name: str, ranks: tuple[int, ...]) -> None:
    """Wait until `is_done` returns True; `name` and `ranks` tell the launcher what the process
    waits for. Raises OarlockError if `is_done` stays False until the timeout.
    """
    started = time.monotonic()
    while not is_done():
        if time.monotonic() - started > _SPIN_SECONDS:
            _sleep_until_done_and_report(is_done, name, ranks, started)
            return
        os.sched_yield()  # let other threads run


def _sleep_until_done_and_report(
    is_done: Callable[[], bool], name: str, ranks: tuple[int, ...], started: float
) -> None:
    end = started + get_timeout()
    with reporting_wait_to_launcher(name, ranks):
        while not is_done():
            now = time.monotonic()
            if now > end:
                raise OarlockError(
                    append_user_line(
                        f"distributed.{name}: waited {now - started:.0f} s for the other ranks"
                    )
                )
            time.sleep(_SLEEP_SECONDS)


@contextlib.contextmanager
def reporting_wait_to_launcher(name: str, ranks: tuple[int, ...]) -> Iterator[None]:
    """Context manager that reports to the launcher that the body waits for some ranks.

    If the body raises, the report stays: it tells where the rank failed.
    """
    status_file.write(f"{name} of ranks {', '.join(map(str, ranks))}\n{_user_line_text()}")
    yield
    status_file.write("")


def _user_line_text() -> str:
    line = user_line()
    return "" if line is None else str(line)
