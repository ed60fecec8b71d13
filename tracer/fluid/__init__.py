"""The names of Paddle 1.x, for programs that were written with `paddle.fluid`: thin over what Paddle 2 calls otherwise.

Under `fluid` a result of one element has the shape [1], as it had before Paddle 2.5.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from ..core import unique_name
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..static import Executor, Program, Scope, global_scope, gradients, scope_guard
from .framework import data, program_guard
from .lod_tensor import LoDTensor, create_lod_tensor, create_random_int_lodtensor

# Imported when it is asked for.
_MODULES = ("dygraph", "layers")


def __getattr__(name: str) -> _Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


__all__ = [
    "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "Executor", "LoDTensor", "Program", "Scope", "create_lod_tensor",
    "create_random_int_lodtensor", "data", "global_scope", "gradients", "program_guard", "scope_guard", "unique_name", *_MODULES,
]  # fmt: skip
