"""The hook through which lower layers reach names of Paddle 1.x: the package that has them, `fluid`, stands above them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

_importers: list[Callable[[str], ModuleType]] = []


def set_legacy_importer(importer: Callable[[str], ModuleType]) -> None:
    """Let `importer` find the modules of Paddle 1.x, by their names in `paddle.fluid`."""
    _importers[:] = [importer]


def legacy_module(name: str) -> ModuleType:
    """A module of Paddle 1.x, `framework` or `dygraph.layer_object_helper`; imported at the first call."""
    return _importers[0](name)
