"""Compiled kernels: whether they are available, and a switch that turns them off.

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

from .arrays import is_on_gpu
from .op import OPS

compiled: ModuleType | None
try:
    from . import _kernels as compiled
except ImportError:  # built without compiled kernels
    compiled = None


class _NativeSwitch:
    """The switch for compiled kernels.

    on: whether compiled kernels are in use.
    """

    on = compiled is not None and os.environ.get("OARLOCK_NATIVE", "1") != "0"


switch = _NativeSwitch()


def not_available(*args: Any, **kwargs: Any) -> Any:
    """Used in place of a kernel that is not available; returns NotImplemented."""
    return NotImplemented


def kernel(name: str) -> Callable[..., Any]:
    """The compiled function `name`, or `not_available`."""
    return getattr(compiled, name, not_available)


class NativeFunction:
    """A function that the kernels of several ops call, with an optional compiled version."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.reference = function
        self.rule = not_available

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function, or the NumPy function if that returns NotImplemented."""
        found = NotImplemented if not switch.on or is_on_gpu() else self.rule(*args)
        return self.reference(*args) if found is NotImplemented else found

    def native(self, rule: Callable[..., Any]) -> NativeFunction:
        """Decorator: register the compiled function."""
        self.rule = rule
        return self


if switch.on:
    kernel("keep_memory")()


class _KernelWrapper:
    """The wrapper of all kernels.

    wrap: function (op, kernel) -> kernel, which is applied to all ops once a GPU is used; see
    `device_dispatch.py`.
    """

    wrap: Callable[[Any, Callable[..., Any]], Callable[..., Any]] | None = None


def wrap_kernels(wrap: Callable[[Any, Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replace the kernel of every op by `wrap(op, kernel)`."""
    _KernelWrapper.wrap = wrap
    set_native_kernels(switch.on)


def set_native_kernels(on: bool) -> None:
    """Turn compiled kernels of all ops and optimizers on or off."""
    switch.on = on and compiled is not None
    for op in OPS.values():
        kernel = op.native_kernel if switch.on and op.native_kernel is not None else op.reference
        op.kernel = kernel if _KernelWrapper.wrap is None else _KernelWrapper.wrap(op, kernel)


@contextmanager
def native(on: bool) -> Iterator[None]:
    """Context with compiled kernels on or off."""
    before = switch.on
    set_native_kernels(on)
    try:
        yield
    finally:
        set_native_kernels(before)
