"""Compiled kernels: whether compiled kernels are available, and which ops use them.

OARLOCK_NATIVE=0 starts with kernels turned off. With compiled kernels, the process does not return
freed memory to the system but reuses it, because each training step allocates arrays of the same
sizes. MALLOC_TRIM_THRESHOLD_ or MALLOC_MMAP_THRESHOLD_ in the environment overrides this.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from .arrays import is_running_kernel_on_gpu
from .op import OPS, Kernel, Op, kernel_selection

kernels_module: ModuleType | None
try:
    from . import _kernels as kernels_module
except ImportError:  # built without compiled kernels
    kernels_module = None


kernel_selection.native_enabled = (
    kernels_module is not None and os.environ.get("OARLOCK_NATIVE", "1") != "0"
)


def return_not_implemented(*args: Any, **kwargs: Any) -> Any:
    """Take the place of a compiled kernel that is not available: return NotImplemented, so that the
    NumPy kernel runs.
    """
    return NotImplemented


def compiled_function_or_placeholder(name: str) -> Callable[..., Any]:
    """Return the compiled function `name`, or `return_not_implemented` if it is not available."""
    return getattr(kernels_module, name, return_not_implemented)


class OptionallyNativeFunction:
    """A NumPy function that the kernels of several ops call, with an optional compiled version."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.numpy_function = function
        self.native_function = return_not_implemented

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function; call the NumPy function if the compiled one returns
        NotImplemented.
        """
        found = (
            NotImplemented
            if not kernel_selection.native_enabled or is_running_kernel_on_gpu()
            else self.native_function(*args)
        )
        return self.numpy_function(*args) if found is NotImplemented else found

    def native(self, rule: Callable[..., Any]) -> OptionallyNativeFunction:
        """Decorator: register the compiled version of the function."""
        self.native_function = rule
        return self


if kernel_selection.native_enabled:
    compiled_function_or_placeholder("keep_memory")()


def set_kernel_wrapper(wrap: Callable[[Op, Kernel], Kernel] | None) -> None:
    """Replace the kernel of every op by `wrap(op, kernel)`."""
    kernel_selection.wrap = wrap
    set_native_kernels_enabled(kernel_selection.native_enabled)


def set_native_kernels_enabled(on: bool) -> None:
    """Turn compiled kernels of all ops and optimizers on or off."""
    kernel_selection.native_enabled = on and kernels_module is not None
    for op in OPS.defined_ops():  # an op that is defined later selects its kernel then
        op.select_kernel()


@contextmanager
def use_native_kernels(on: bool) -> Iterator[None]:
    """Context manager in which compiled kernels are turned on or off."""
    before = kernel_selection.native_enabled
    set_native_kernels_enabled(on)
    try:
        yield
    finally:
        set_native_kernels_enabled(before)
