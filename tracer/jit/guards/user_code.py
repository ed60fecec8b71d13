"""Decide which functions are user code. User code is converted; other functions are called
unchanged.
"""

from __future__ import annotations

import os
import sysconfig
from types import FunctionType
from typing import Any

from ...core.errors import is_library_file

LIBRARIES = (
    "numpy",
    "scipy",
    "onnx",
    "onnxruntime",
    "torch",
    "matplotlib",
    "PIL",
    "google",
    "_pytest",
    "pytest",
)
_IGNORED: set[str] = set(LIBRARIES)
IGNORED_MODULES: list[Any] = []  # the arguments of ignore_module, in order
_STDLIB = tuple(
    os.path.realpath(sysconfig.get_paths()[k]) + os.sep for k in ("stdlib", "platstdlib")
)


def ignore_module(modules: Any) -> None:
    """Never convert functions of these modules."""
    given = list(modules) if isinstance(modules, list | tuple | set) else [modules]
    _IGNORED.update(module if isinstance(module, str) else module.__name__ for module in given)
    IGNORED_MODULES.extend(given)


def is_users(function: FunctionType) -> bool:
    """Whether a function is user code: not from Oarlock, the standard library or an
    ignored module.
    """
    filename = function.__code__.co_filename
    if is_library_file(filename):
        return False
    module = function.__module__ or ""
    if any(module == m or module.startswith(m + ".") for m in _IGNORED):
        return False
    real = os.path.realpath(filename)
    return "site-packages" in real or not real.startswith(_STDLIB)
