"""The `np` of kernels: NumPy, except that creation functions create arrays on the GPU of the
running kernel.

Functions that take arrays dispatch to CuPy by NumPy's protocols (`__array_ufunc__`,
`__array_function__`). Functions that create an array from sizes or Python numbers take no array, so
they are replaced by functions that call the library of the running kernel. Until a GPU is used
(`install_creation_function_dispatch`), every name here is NumPy's own function, so there is no
overhead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy

__all__ = [
    "install_creation_function_dispatch",
    "is_running_kernel_on_gpu",
    "np",
    "use_array_library",
]

# Array creation functions whose arguments do not determine the device of the result: they take no
# array, or ignore the device of the array.
CREATION_FUNCTIONS = (
    "arange",
    "array",
    "asarray",
    "ascontiguousarray",
    "empty",
    "eye",
    "full",
    "indices",
    "linspace",
    "logspace",
    "ones",
    "tri",
    "tril_indices",
    "triu_indices",
    "zeros",
)

LIKE_FUNCTIONS = ("empty_like", "full_like", "ones_like", "zeros_like")


class _ThreadLocalArrayLibrary(threading.local):
    library: Any = numpy


_current_library = _ThreadLocalArrayLibrary()

if TYPE_CHECKING:
    import numpy as np
else:
    np = ModuleType(f"{__name__}.np", numpy.__doc__)
    vars(np).update({name: value for name, value in vars(numpy).items() if name != "__name__"})


def _make_dispatching_function(name: str) -> Callable[..., Any]:
    numpy_function = getattr(numpy, name)

    def dispatch(*args: Any, **how: Any) -> Any:
        library = _current_library.library
        if library is numpy:
            return numpy_function(*args, **how)
        how.pop("like", None)
        return getattr(library, name)(*args, **how)

    return dispatch


def _wrap_like_function_for_empty_shape(name: str) -> Callable[..., Any]:
    numpy_function = getattr(numpy, name)

    def like(prototype: Any, *args: Any, **how: Any) -> Any:
        if how.get("shape") == () and is_running_kernel_on_gpu():  # CuPy ignores an empty shape
            return numpy_function(prototype, *args, **how | {"shape": (1,)}).reshape(())
        return numpy_function(prototype, *args, **how)

    return like


class _ArrayLibrarySubmodule:
    """A submodule, such as `linalg`, of the array library of the running kernel (NumPy or CuPy).
    The attributes of the submodule are looked up at each access.
    """

    def __init__(self, path: tuple[str, ...]) -> None:
        self._attribute_path = path

    def __getattr__(self, name: str) -> Any:
        found = _current_library.library
        for step in (*self._attribute_path, name):
            found = getattr(found, step)
        return found if callable(found) else _ArrayLibrarySubmodule((*self._attribute_path, name))


def install_creation_function_dispatch() -> None:
    """Replace the array creation functions of this module by functions that call the array library
    of the running kernel (NumPy or CuPy).
    """
    vars(np).update(
        {name: _make_dispatching_function(name) for name in CREATION_FUNCTIONS}
        | {name: _wrap_like_function_for_empty_shape(name) for name in LIKE_FUNCTIONS},
        lib=_ArrayLibrarySubmodule(("lib",)),
    )


def is_running_kernel_on_gpu() -> bool:
    """Whether the kernel that runs in this thread works on GPU arrays."""
    return _current_library.library is not numpy


@contextmanager
def use_array_library(library: Any) -> Iterator[None]:
    """Context manager in which the creation functions called by this thread are those of `library`
    (NumPy or CuPy).
    """
    before, _current_library.library = _current_library.library, library
    try:
        yield
    finally:
        _current_library.library = before
