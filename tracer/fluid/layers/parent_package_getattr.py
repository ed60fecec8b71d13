"""A `__getattr__` for modules of `fluid.layers` that contain more names in Paddle; Oarlock defines
these names in other modules of the package.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def make_getattr_from_package(module: str) -> Callable[[str], Any]:
    """Return a module `__getattr__` that looks names up in the package."""

    def getattr_(name: str) -> Any:
        if not name.startswith("__"):
            value = vars(import_module(module.rpartition(".")[0])).get(name)
            if value is not None:
                return value
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return getattr_
