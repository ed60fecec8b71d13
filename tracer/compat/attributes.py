"""Modules of Paddle that have none in Oarlock and that nobody imported, asked for by a dot:
`paddle.nn.layer.norm.BatchNorm2D`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .modules import PARENTS

ASKED = "__getattr__"  # of a module: called for names that the module does not define
ABOVE = {inner[:end] for inner in PARENTS for end, letter in enumerate(inner) if letter == "."}


class Attributes:
    """The modules that give such others as attributes, and what each had for names that it does not
    have.
    """

    def __init__(self) -> None:
        self._before: dict[str, Callable[[str], Any] | None] = {}

    def add(self) -> None:
        """Take in what has been imported by now."""
        for inner in ABOVE:
            module = sys.modules.get(f"oarlock{inner}")
            if module is not None and inner not in self._before and type(module) is ModuleType:
                self._before[inner] = before = vars(module).get(ASKED)
                setattr(module, ASKED, self._asking(inner, before))

    def take_back(self) -> None:
        """Let all be as they were."""
        for inner, before in self._before.items():
            module = sys.modules[f"oarlock{inner}"]
            if before is None:
                delattr(module, ASKED)
            else:
                setattr(module, ASKED, before)
        self._before = {}

    def _asking(self, inner: str, before: Callable[[str], Any] | None) -> Callable[[str], Any]:
        def __getattr__(name: str) -> Any:
            if f"{inner}.{name}" in PARENTS:
                return importlib.import_module(f"paddle{inner}.{name}")
            if before is None:
                raise AttributeError(f"module 'oarlock{inner}' has no attribute '{name}'")
            found = before(name)
            self.add()  # it may be a lazily imported module
            return found

        return __getattr__
