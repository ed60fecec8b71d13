"""Attribute access to aliased modules that are not imported, as in
`paddle.nn.layer.norm.BatchNorm2D`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from .module_aliases import MODULE_ALIASES

_GETATTR = "__getattr__"  # Python calls this function of a module for undefined names
_PARENT_MODULES = {
    inner[:end] for inner in MODULE_ALIASES for end, letter in enumerate(inner) if letter == "."
}


class LazySubmoduleHooks:
    """Installs `__getattr__` in modules that have aliased submodules, so that these are imported
    when they are first used.

    It stores the original `__getattr__` of each module, None if there is none.
    """

    def __init__(self) -> None:
        self._originals: dict[str, Callable[[str], Any] | None] = {}

    def add(self) -> None:
        """Install `__getattr__` in the modules that have been imported since the last call."""
        for inner in _PARENT_MODULES:
            module = sys.modules.get(f"oarlock{inner}")
            # an AliasModule has a `__getattr__` of its own
            if (
                module is not None
                and "_target" not in vars(module)
                and inner not in self._originals
            ):
                self._originals[inner] = original = vars(module).get(_GETATTR)
                setattr(module, _GETATTR, self._make_getattr(inner, original))

    def restore(self) -> None:
        """Restore the original `__getattr__` of all modules."""
        for inner, original in self._originals.items():
            module = sys.modules[f"oarlock{inner}"]
            if original is None:
                delattr(module, _GETATTR)
            else:
                setattr(module, _GETATTR, original)
        self._originals = {}

    def _make_getattr(
        self, inner: str, original: Callable[[str], Any] | None
    ) -> Callable[[str], Any]:
        def __getattr__(name: str) -> Any:
            if f"{inner}.{name}" in MODULE_ALIASES:
                return importlib.import_module(f"paddle{inner}.{name}")
            if original is None:
                raise AttributeError(f"module 'oarlock{inner}' has no attribute '{name}'")
            value = original(name)
            self.add()  # the value may be a lazily imported module
            return value

        return __getattr__
