"""Unique names: `linear_0`, `linear_1`, ..."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class UniqueNames:
    """Counters of generated names.

    prefix: the start of all names.
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.counts: defaultdict[str, int] = defaultdict(int)
        self.user_names: set[str] = set()  # names that users chose

    def __call__(self, key: str) -> str:
        """Return the next name for `key`: `<prefix><key>_<number>`."""
        number = self.counts[key]
        self.counts[key] += 1
        return f"{self.prefix}{key}_{number}"


_current_names = UniqueNames()


def current_name_counts() -> dict[str, int]:
    """Return the counters of generated names by key: the dict itself, not a copy."""
    return _current_names.counts


def register_user_name_and_report_if_known(name: str) -> bool:
    """Register a name that the user chose, and return whether it was registered before."""
    known = name in _current_names.user_names
    _current_names.user_names.add(name)
    return known


def generate(key: str) -> str:
    """Return a unique name `key_N`, where N is the number of names generated for `key` before."""
    return _current_names(key)


def switch(
    new_generator: UniqueNames | None = None, new_para_name_checker: object = None
) -> tuple[UniqueNames, object]:
    """Use another generator of names (UniqueNames; a new one by default), and return the previous
    one.
    """
    global _current_names
    before, _current_names = (
        _current_names,
        UniqueNames() if new_generator is None else new_generator,
    )
    return before, new_para_name_checker


@contextmanager
def guard(new_generator: UniqueNames | str | None = None) -> Iterator[None]:
    """Context manager in which names are generated with new counters.

    new_generator: a prefix, or the counters to use.
    """
    own = UniqueNames(new_generator) if isinstance(new_generator, str) else new_generator
    before, _ = switch(own)
    try:
        yield
    finally:
        switch(before)


def generate_with_ignorable_key(key: str) -> str:
    """The same as `generate`. (Paddle's dygraph mode ignores the key.)"""
    return generate(key)
