"""Import the attributes of a module when they are first used (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def make_lazy_getattr(module: dict[str, Any], names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module. The returned function imports an attribute of the module
    when it is first used.

    module: the globals() of the module, where imported names are cached.
    names: name -> relative module that defines it. A name equal to its module stands for the
    module.
    """

    def get_attribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")
        found = import_module(names[name], module["__name__"])
        result = module[name] = found if names[name] == f".{name}" else getattr(found, name)
        return result

    return get_attribute
