"""Op families of Paddle 1.x without a counterpart in Paddle 2, one file per family."""

from importlib import import_module as _import_module
from pkgutil import iter_modules as _iter_modules

for _module in _iter_modules(__path__):
    _import_module(f"{__name__}.{_module.name}")
