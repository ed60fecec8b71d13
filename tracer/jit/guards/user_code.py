"""Decide which functions are user code. Captured code calls the converted version of a function
that is user code, and other functions unchanged.
"""

from __future__ import annotations

import functools
import os
import sysconfig
from collections.abc import Iterable
from types import CellType, FunctionType, ModuleType
from typing import Any

from ...core.errors import is_oarlock_internal_file
from ...core.tensor import Tensor
from ...nn.layer import Layer

KNOWN_LIBRARIES = (
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
PACKAGE_NAME = __name__.partition(".")[0]
_IGNORED_MODULE_NAMES: set[str] = set(KNOWN_LIBRARIES)
IGNORED_MODULES: list[Any] = []  # the arguments of ignore_module, in order
_STDLIB_FOLDERS = tuple(
    os.path.realpath(sysconfig.get_paths()[k]) + os.sep for k in ("stdlib", "platstdlib")
)


def ignore_module(modules: str | ModuleType | Iterable[str | ModuleType]) -> None:
    """Exclude the functions of modules from conversion, also those of their submodules.

    The standard library, NumPy, SciPy, ONNX, PyTorch, Matplotlib, Pillow and pytest are always
    excluded.

    Parameters
    ----------
    modules : module or str, or list of them
        Modules or their names.

    Examples
    --------
    >>> import numpydoc
    >>> paddle.jit.ignore_module([numpydoc, "my_package.readers"])
    """
    added = [modules] if isinstance(modules, str | ModuleType) else list(modules)
    _IGNORED_MODULE_NAMES.update(
        module if isinstance(module, str) else module.__name__ for module in added
    )
    IGNORED_MODULES.extend(added)


def is_convertible_function(function: FunctionType) -> bool:
    """Whether a function is converted when it is called. Functions of Oarlock, the standard
    library, KNOWN_LIBRARIES and modules given to `ignore_module` are not converted; functions of
    other packages are converted.
    """
    filename = function.__code__.co_filename
    if is_oarlock_internal_file(filename):
        return False
    module = function.__module__ or ""
    if any(module == m or module.startswith(m + ".") for m in _IGNORED_MODULE_NAMES):
        return False
    real = os.path.realpath(filename)
    return "site-packages" in real or not real.startswith(_STDLIB_FOLDERS)


def is_non_oarlock_object_with_attributes(value: Any) -> bool:
    """Whether a value is an object, class or module from outside of Oarlock that has a `__dict__`.
    False for functions, cells, partial functions, tensors and layers.
    """
    if isinstance(
        value, Layer | Tensor | FunctionType | CellType | functools.partial
    ) or not hasattr(value, "__dict__"):
        return False
    module = value.__name__ if isinstance(value, ModuleType) else type(value).__module__
    if isinstance(value, type):
        module = value.__module__
    return not is_oarlock_module_name(module)


def is_oarlock_module_name(name: str) -> bool:
    """Whether a module with this name is part of Oarlock."""
    return name.partition(".")[0] == PACKAGE_NAME


def is_user_module(module: ModuleType) -> bool:
    """Whether a module belongs to the user, so that it may hold settings: it is neither a library
    nor part of Oarlock.
    """
    file = getattr(module, "__file__", None)
    # the module of a notebook, or a module object that the user created, has no file
    if file is None:
        return module.__spec__ is None and not is_oarlock_module_name(module.__name__)
    return (
        not is_oarlock_internal_file(file)
        and "site-packages" not in file
        and "/lib/python" not in file
    )
