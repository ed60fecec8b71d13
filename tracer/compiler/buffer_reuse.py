"""Kernels that write over an operand which nobody reads again, where it is a cell of a size worth
it.

Who else holds an array is seen when the call is made, by its references: what is fed, fetched
later, a parameter, kept by a round of a loop, in a list, a constant, or the owner of a view has
more of them than the one local. Liveness says that this local is not read again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import native
from .instructions import Call


def _references() -> int:
    """How many references an array has in a call of `_kernels`, if nothing but one local of the
    caller holds it; 0 if unknown.
    """
    made = native.kernel("Expression")
    for count in range(1, 9 if native.compiled is not None else 0):
        array = np.zeros((1,))
        if made(1, [], [("square", 0, 0)], [1], [0], count)(array) is array:
            return count
    return 0


ALONE = _references()

# Functions with `out` whose result is like each of their operands, for ops without attributes that
# NumPy computes in one go.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "sign": np.sign,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    **{name: native.kernel(name) for name in ("softmax", "softmax_grad")},
}


def over(call: Call) -> Any:
    """What is asked before the kernels of a call: it writes over an operand, or answers
    NotImplemented; None where no operand dies.
    """
    function = FUNCTIONS.get(call.op.type, native.declined)
    spent = [i for i, cell in enumerate(call.ins) if cell in call.dying]
    if function is native.declined or call.attrs or not spent or not native.switch.on:
        return None
    return native.kernel("InplaceCall")(function, spent, ALONE)
