"""`np` of the kernels: NumPy, and while one runs on a GPU, NumPy whose makers make their arrays
there.

A function of arrays finds CuPy by itself: NumPy hands `np.exp(x)` to the array, by
`__array_ufunc__` and `__array_function__`.  One
that makes an array of sizes or of Python's numbers has no array to ask, so it asks which kernel
runs.  Until a GPU is used (`open_to`) every name here is NumPy's own, and costs what NumPy's costs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy

__all__ = ["enable_dispatch", "is_on_gpu", "np", "use_library"]

# What takes no array, or an array and no notice of it.
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


class _CurrentLibrary(threading.local):
    library: Any = numpy


_current = _CurrentLibrary()

if TYPE_CHECKING:
    import numpy as np
else:
    np = ModuleType(f"{__name__}.np", numpy.__doc__)
    vars(np).update({name: value for name, value in vars(numpy).items() if name != "__name__"})


def _dispatching(name: str) -> Callable[..., Any]:
    own = getattr(numpy, name)

    def make(*args: Any, **how: Any) -> Any:
        library = _current.library
        if library is numpy:
            return own(*args, **how)
        how.pop("like", None)
        return getattr(library, name)(*args, **how)

    return make


class _LibraryPart:
    """What kernels find in NumPy's `lib`, where functions ask no array.

    name: of the part that they want.
    """

    def __init__(self, path: tuple[str, ...]) -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        found = _current.library
        for step in (*self._path, name):
            found = getattr(found, step)
        return found if callable(found) else _LibraryPart((*self._path, name))


def enable_dispatch() -> None:
    """From now on the makers ask which kernel runs."""
    vars(np).update(
        {name: _dispatching(name) for name in CREATION_FUNCTIONS}, lib=_LibraryPart(("lib",))
    )


def is_on_gpu() -> bool:
    """Whether the running kernel works on a GPU."""
    return _current.library is not numpy


@contextmanager
def use_library(library: Any) -> Iterator[None]:
    """In the body, makers are those of `library`, in this thread."""
    before, _current.library = _current.library, library
    try:
        yield
    finally:
        _current.library = before
