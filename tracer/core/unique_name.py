"""Names nobody else has: `linear_0`, `linear_1`, ..."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class UniqueNames:
    """Counts of the names made so far.   prefix: what all of them begin with"""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.counts: defaultdict[str, int] = defaultdict(int)
        self.given: set[str] = set()  # names that users gave

    def __call__(self, key: str) -> str:
        """The next name made from `key`."""
        number = self.counts[key]
        self.counts[key] += 1
        return f"{self.prefix}{key}_{number}"


_names = UniqueNames()


def counts() -> dict[str, int]:
    """How many names were made from each key: the table itself."""
    return _names.counts


def register_user_name(name: str) -> bool:
    """Note that a user gave a name; whether somebody did before."""
    known = name in _names.given
    _names.given.add(name)
    return known


def generate(key: str) -> str:
    """`key_N`, N counting the names made from `key`."""
    return _names(key)


def switch(
    new_generator: UniqueNames | None = None, new_para_name_checker: object = None
) -> tuple[UniqueNames, object]:
    """Count with another UniqueNames from now on, a new one unless given; gives the one before."""
    global _names
    before, _names = _names, UniqueNames() if new_generator is None else new_generator
    return before, new_para_name_checker


@contextmanager
def guard(new_generator: UniqueNames | str | None = None) -> Iterator[None]:
    """Start counting anew in the body, and go on from the old counts after it.

    new_generator: a prefix, or counts to go on with
    """
    own = UniqueNames(new_generator) if isinstance(new_generator, str) else new_generator
    before, _ = switch(own)
    try:
        yield
    finally:
        switch(before)


def generate_with_ignorable_key(key: str) -> str:
    """A name that nobody looks at: `key_N`."""
    return generate(key)
