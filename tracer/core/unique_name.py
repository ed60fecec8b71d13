"""Unique names: `linear_0`, `linear_1`, ..."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class UniqueNames:
    """Counters of generated names. prefix: the start of all names"""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.counts: defaultdict[str, int] = defaultdict(int)
        self.user_names: set[str] = set()  # names that users chose

    def __call__(self, key: str) -> str:
        """The next name for `key`."""
        number = self.counts[key]
        self.counts[key] += 1
        return f"{self.prefix}{key}_{number}"


_names = UniqueNames()


def counts() -> dict[str, int]:
    """The counters by key (not a copy)."""
    return _names.counts


def register_user_name(name: str) -> bool:
    """Register a name that the user chose; returns whether it was registered before."""
    known = name in _names.user_names
    _names.user_names.add(name)
    return known


def generate(key: str) -> str:
    """`key_N`, where N counts the names of `key`."""
    return _names(key)


def switch(
    new_generator: UniqueNames | None = None, new_para_name_checker: object = None
) -> tuple[UniqueNames, object]:
    """Use another UniqueNames (a new one by default); return the previous one."""
    global _names
    before, _names = _names, UniqueNames() if new_generator is None else new_generator
    return before, new_para_name_checker


@contextmanager
def guard(new_generator: UniqueNames | str | None = None) -> Iterator[None]:
    """Context with new counters.

    new_generator: a prefix, or counters to continue
    """
    own = UniqueNames(new_generator) if isinstance(new_generator, str) else new_generator
    before, _ = switch(own)
    try:
        yield
    finally:
        switch(before)


def generate_with_ignorable_key(key: str) -> str:
    """The same as `generate`."""
    return generate(key)
