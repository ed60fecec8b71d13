"""Families of ops that Paddle 1.x has and Paddle 2 has not, one file per family."""

from importlib import import_module as _import_module
from pkgutil import iter_modules as _iter_modules

for _module in _iter_modules(__path__):
    _import_module(f"{__name__}.{_module.name}")
