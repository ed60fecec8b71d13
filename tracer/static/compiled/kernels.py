"""Which functions a call of an op becomes: the compiled kernel, the NumPy kernel, or an expression that is written out."""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...core import native
from ...core.op import Op

NUMPY = str(Path(np.__file__).parent)


def bare_kernel(op: Op) -> Callable[..., Any]:
    """The NumPy kernel of an op, without setting how NumPy treats overflow: that is set once around the whole program."""
    kernel = op.reference
    while isinstance(kernel, types.FunctionType) and kernel.__code__.co_filename.startswith(NUMPY):
        kernel = kernel.__wrapped__  # type: ignore[attr-defined]
    return kernel


def quick_kernel(op: Op) -> Callable[..., Any] | None:
    """What is asked before the NumPy kernel, None where nothing is."""
    return op.quick if native.switch.on and op.quick is not native.declined else None


# What some calls without attributes are, where operands have the dtype and rank that the program says.
# {0}, {1}: operands.   Results are the same bits as the kernel's.
INLINE = {
    "sum_like": "{0} if {0}.shape == {1}.shape else {kernel}({0}, {1})",
    "elementwise_div": "{divide}({0}, {1}) if {0}.dtype.kind == 'f' else {kernel}({0}, {1})",
}
HELPERS: dict[str, Any] = {"divide": np.true_divide, "multiply": np.multiply}


def inline(op: Op, attrs: dict[str, Any]) -> str | None:
    """The expression that a call is written out as, None for a call of its kernel."""
    return None if attrs else INLINE.get(op.type)
