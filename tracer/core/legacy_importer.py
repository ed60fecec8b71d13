"""Import modules of Paddle 1.x (`fluid`) for lower layers, which must not import `fluid`
themselves. The package `fluid` registers the importing function in this module.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

_importers: list[Callable[[str], ModuleType]] = []


def set_legacy_importer(importer: Callable[[str], ModuleType]) -> None:
    """Set the function that imports a module of `paddle.fluid` by name."""
    _importers[:] = [importer]


def import_legacy_module(name: str) -> ModuleType:
    """Import a module of `paddle.fluid` by name, for example `framework` or
    `dygraph.layer_object_helper`.
    """
    return _importers[0](name)
