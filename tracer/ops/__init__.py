"""The op definitions, one file per family of ops. Families that only Paddle 1.x has are in
`legacy`.

Importing this package imports every family, which fills `oarlock.core.op.OPS`.
"""

from importlib import import_module as _import_module
from pkgutil import iter_modules as _iter_modules

from ..core import device_dispatch as _device_dispatch
from ..core import native as _native

for _module in _iter_modules(__path__):
    _import_module(f"{__name__}.{_module.name}")

_native.set_native_kernels_enabled(_native.switch.on)
