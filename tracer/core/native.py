"""The compiled kernels: whether they are there, and the switch that turns them off.

OARLOCK_NATIVE=0 starts without them.  With them, freed memory stays with the process for the next
arrays, unless the environment says otherwise (MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_): the
arrays of one training step are as large as those of the last.
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
except ImportError:  # built without: everything works, only slower
    compiled = None


class _NativeSwitch:
    """on: whether compiled kernels are used now."""

    on = compiled is not None and os.environ.get("OARLOCK_NATIVE", "1") != "0"


switch = _NativeSwitch()


def not_available(*args: Any, **kwargs: Any) -> Any:
    """What stands for a kernel that is not there: like one that does not apply, it answers
    NotImplemented.
    """
    return NotImplemented


def kernel(name: str) -> Callable[..., Any]:
    """The compiled function `name`, or `declined`."""
    return getattr(compiled, name, not_available)


class NativeFunction:
    """A function that the kernels of several ops share.

    `native`: what is asked first, as with an op.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.reference = function
        self.rule = not_available

    def __call__(self, *args: Any) -> Any:
        """The compiled function's answer, or the function's own."""
        found = NotImplemented if not switch.on or is_on_gpu() else self.rule(*args)
        return self.reference(*args) if found is NotImplemented else found

    def native(self, rule: Callable[..., Any]) -> NativeFunction:
        """Decorator: ask `rule` first."""
        self.rule = rule
        return self


if switch.on:
    kernel("keep_memory")()


class _KernelWrapper:
    """how: what stands between an op and its kernel, once a GPU is used; see `placed.py`."""

    how: Callable[[Any, Callable[..., Any]], Callable[..., Any]] | None = None


def wrap_kernels(how: Callable[[Any, Callable[..., Any]], Callable[..., Any]]) -> None:
    """Let `how(op, kernel)` give every op the kernel that is called."""
    _KernelWrapper.how = how
    set_native_kernels(switch.on)


def set_native_kernels(on: bool) -> None:
    """Turn the compiled kernels on or off, for all ops and optimizers of this process."""
    switch.on = on and compiled is not None
    for op in OPS.values():
        kernel = op.native_kernel if switch.on and op.native_kernel is not None else op.reference
        op.kernel = kernel if _KernelWrapper.how is None else _KernelWrapper.how(op, kernel)


@contextmanager
def native(on: bool) -> Iterator[None]:
    """The body with or without compiled kernels."""
    before = switch.on
    set_native_kernels(on)
    try:
        yield
    finally:
        set_native_kernels(before)
