"""Names of a module that are imported when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_attributes(module: dict[str, Any], names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__`.

    module: its globals(), which keep what was found; names: where each is, a module below being
    itself
    """

    def asked(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
        found = import_module(names[name], module["__name__"])
        made = module[name] = found if names[name] == f".{name}" else getattr(found, name)
        return made

    return asked
