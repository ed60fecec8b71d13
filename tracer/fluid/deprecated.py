"""Old names: what each is called today, said once per name and process."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# old name, `fluid.layers.fc` -> the name in Paddle 2: the table in docs/fluid.md
TODAY: dict[str, str] = {}
_said: set[str] = set()


def instead(old: str, new: str) -> Callable[[F], F]:
    """Decorate the function or class of an old name: its first use warns of the new one.

    old: `fluid.layers.fc`; new: `paddle.static.nn.fc`
    """
    TODAY[old] = new

    def decorate(function: F) -> F:
        if isinstance(function, type):
            return _class(function, old, new)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if old not in _said:
                tell(old, new)
            return function(*args, **kwargs)

        return called  # type: ignore[return-value]

    return decorate


def tell(old: str, new: str) -> None:
    """Warn of an old name, once."""
    if old not in _said:
        _said.add(old)
        warnings.warn(f"{old} is an old name; Paddle 2 has {new}", DeprecationWarning, stacklevel=3)


def _class(made: Any, old: str, new: str) -> Any:
    start = made.__init__

    @functools.wraps(start)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if old not in _said:
            tell(old, new)
        start(self, *args, **kwargs)

    made.__init__ = __init__
    return made
