"""Decorators that preserve signatures, as Paddle's `decorator` package did."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from functools import wraps
from typing import Any

__all__ = ["signature_safe_contextmanager", "wrap_decorator"]

signature_safe_contextmanager = contextmanager


def wrap_decorator(
    decorator_func: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> Callable[..., Any]:
    """Return the decorator, whose results keep name, docstring and signature of the function."""

    @wraps(decorator_func)
    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        return wraps(function)(decorator_func(function))

    return decorator
