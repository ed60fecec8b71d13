"""`deprecated`: the decorator with which Paddle marks its own deprecated functions."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["deprecated"]


def deprecated(
    since: str, instead: str, extra_message: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator; each call of the decorated function warns that it is deprecated and names
    its replacement.
    """

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        message = (
            f"API {func.__name__} is deprecated since {since}. Please use {instead} instead. "
            f"{extra_message}"
        ).strip()

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return func(*args, **kwargs)

        return wrapper

    return decorate
