"""deprecated: what Paddle's own functions of old names were decorated with."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["deprecated"]


def deprecated(
    since: str, instead: str, extra_message: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function: each call warns of the one that is there instead."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        said = (
            f"API {func.__name__} is deprecated since {since}. Please use {instead} instead. "
            f"{extra_message}"
        ).strip()

        @functools.wraps(func)
        def called(*args: Any, **kwargs: Any) -> Any:
            warnings.warn(said, DeprecationWarning, stacklevel=2)
            return func(*args, **kwargs)

        return called

    return decorate
