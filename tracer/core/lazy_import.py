"""Module attributes that are imported at first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_attributes(module: dict[str, Any], names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module that imports names at first use.

    module: the module's globals(), where imported names are cached.
    names: relative module of each name; a name equal to its module is the module itself.
    """

    def get_attribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
        found = import_module(names[name], module["__name__"])
        result = module[name] = found if names[name] == f".{name}" else getattr(found, name)
        return result

    return get_attribute
