"""Suspend full garbage collections while a program is recorded or compiled.

Recording and compiling create many objects that live on. A full collection of CPython visits all
objects of the process, and the collections repeat while the number of objects grows: with 20,000
ops they take half of the time. Collections of new objects continue, so that memory in reference
cycles is still freed.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# The threshold while full collections are suspended: more collections of the middle generation than
# a program makes.
_SUSPENDED_THRESHOLD = 1_000_000_000


class _Suspension:
    """Counts the threads and nested calls that suspend full collections, and stores the threshold
    to restore.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count, self._previous = 0, 0

    def begin(self) -> None:
        """Suspend full collections, if they are not suspended yet."""
        with self._lock:
            self._count += 1
            if self._count == 1:
                new, middle, self._previous = gc.get_threshold()
                gc.set_threshold(new, middle, _SUSPENDED_THRESHOLD)

    def end(self) -> None:
        """Undo one `begin`. The last call restores the threshold, unless other code set it."""
        with self._lock:
            self._count -= 1
            new, middle, current = gc.get_threshold()
            if self._count == 0 and current == _SUSPENDED_THRESHOLD:
                gc.set_threshold(new, middle, self._previous)


_suspension = _Suspension()


@contextmanager
def without_full_collections() -> Iterator[None]:
    """Context manager: suspend automatic full garbage collections in the `with` body."""
    _suspension.begin()
    try:
        yield
    finally:
        _suspension.end()
