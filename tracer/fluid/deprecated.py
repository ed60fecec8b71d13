"""Deprecation warnings of the names of Paddle 1.x, once per name and process."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# name such as `fluid.layers.fc` -> the name in Paddle 2; docs/paddle1-names.md contains this table
REPLACEMENTS: dict[str, str] = {}
_warned: set[str] = set()


def warn_deprecated_on_first_use(old: str, new: str) -> Callable[[F], F]:
    """Decorate a function or class so that its first use warns and names the replacement, add the
    replacement to its docstring, and add the names to REPLACEMENTS.

    old: such as `fluid.layers.fc`.
    new: such as `paddle.static.nn.fc`.
    """
    REPLACEMENTS[old] = new

    def decorate(function: F) -> F:
        docstring = f"{(function.__doc__ or '').rstrip()}\n\n    The newer name is `{new}`.\n    "
        if isinstance(function, type):
            function.__doc__ = docstring
            return _patch_constructor_to_warn(function, old, new)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if old not in _warned:
                warn_deprecated_once(old, new)
            return function(*args, **kwargs)

        wrapper.__doc__ = docstring
        return wrapper  # type: ignore[return-value]

    return decorate


def warn_deprecated_once(old: str, new: str) -> None:
    """Warn once that a name is deprecated."""
    if old not in _warned:
        _warned.add(old)
        warnings.warn(f"{old} is an old name; Paddle 2 has {new}", DeprecationWarning, stacklevel=3)


def _patch_constructor_to_warn(cls: Any, old: str, new: str) -> Any:
    init = cls.__init__

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if old not in _warned:
            warn_deprecated_once(old, new)
        init(self, *args, **kwargs)

    cls.__init__ = __init__
    return cls
