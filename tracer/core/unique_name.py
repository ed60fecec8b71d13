"""Names nobody else has: `linear_0`, `linear_1`, ..."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

_counters: defaultdict[str, int] = defaultdict(int)


def generate(key: str) -> str:
    """`key_N`, N counting the names made from `key`."""
    number = _counters[key]
    _counters[key] += 1
    return f"{key}_{number}"


@contextmanager
def guard(new_generator: object = None) -> Iterator[None]:
    """Start counting anew in the body, and go on from the old counts after it."""
    global _counters  # noqa: PLW0603 - the counters are the module's one state
    before = _counters
    _counters = defaultdict(int)
    try:
        yield
    finally:
        _counters = before
