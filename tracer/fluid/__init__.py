"""The names of Paddle 1.x, for programs that were written with `paddle.fluid`: thin over what Paddle 2 calls otherwise.

Under `fluid` a result of one element has the shape [1], as it had before Paddle 2.5.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..static import Executor, Program, Scope, global_scope, program_guard, scope_guard

# Imported when it is asked for.
_MODULES = ("layers",)


def __getattr__(name: str) -> _Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


__all__ = [
    "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "Executor", "Program", "Scope", "global_scope", "program_guard", "scope_guard", *_MODULES,
]  # fmt: skip
