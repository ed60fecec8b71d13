"""For files of this folder whose name Paddle has for more: what they do not have is in
another one.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def elsewhere(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module."""

    def find(name: str) -> Any:
        if not name.startswith("__"):
            found = vars(import_module(module.rpartition(".")[0])).get(name)
            if found is not None:
                return found
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return find
