"""Operators that call each other in both directions find each other here by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_OPERATORS: dict[str, Callable[..., Any]] = {}


def register(function: Function) -> Function:
    """A decorator: let other operators find this one by its name."""
    _OPERATORS[function.__name__] = function
    return function


def get_operator(name: str) -> Callable[..., Any]:
    """The operator that was registered under a name."""
    return _OPERATORS[name]
