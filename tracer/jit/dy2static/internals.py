"""The parts that Paddle's conversion is made of, which this one is not: a program may import their
names, and is refused where it uses one.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ...core.errors import with_user_line


class Part:
    """Stands for one of them."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Raise NotImplementedError."""
        why = "is a part of how Paddle converts; the conversion here has other parts"
        raise NotImplementedError(with_user_line(f"{self.__name__}: {why}"))

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """What is made a class of it has no base of it."""
        return ()


def part(name: str) -> Part:
    """One of them, by its name.   Raises AttributeError for those that Python asks for."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Part(name)


__getattr__ = part
