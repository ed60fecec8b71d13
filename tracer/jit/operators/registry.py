"""A registry of operators by name, so that operators can call each other without import cycles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_OPERATORS: dict[str, Callable[..., Any]] = {}


def register(function: Function) -> Function:
    """Decorator: register an operator under its function name."""
    _OPERATORS[function.__name__] = function
    return function


def get_operator(name: str) -> Callable[..., Any]:
    """Look up an operator by name."""
    return _OPERATORS[name]
