"""The ops, one file per family.

Importing this package imports every family, which fills `oarlock.core.op.OPS`.
"""

from importlib import import_module as _import_module
from pkgutil import iter_modules as _iter_modules

from ..core import device_dispatch as _placed
from ..core import native as _native

for _found in _iter_modules(__path__):
    _import_module(f"{__name__}.{_found.name}")

_native.set_native_kernels(_native.switch.on)
