"""Placeholders for internals of Paddle's conversion that Oarlock does not have. The names can be
imported; calling one raises an error.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ...core.errors import append_user_line


class UnsupportedInternal:
    """Placeholder for an internal function or class of Paddle."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Raise NotImplementedError."""
        why = "is an internal of Paddle's conversion, which Oarlock's conversion does not have"
        raise NotImplementedError(append_user_line(f"{self.__name__}: {why}"))

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """Make `class C(placeholder)` valid; the class gets no base class."""
        return ()


def unsupported_internal(name: str) -> UnsupportedInternal:
    """Return a placeholder for a name of Paddle that Oarlock lacks. Raises AttributeError for
    special names such as `__path__`.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    return UnsupportedInternal(name)


__getattr__ = unsupported_internal
