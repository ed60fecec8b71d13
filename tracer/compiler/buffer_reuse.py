"""In-place kernels: write a large result into the buffer of an input that is not read again.

Liveness analysis shows that no instruction reads the input again. Whether other objects refer to
the array is checked at run time by its reference count: arrays that are fed, fetched, parameters,
residuals, list elements, constants or bases of views have more references than the one of the local
variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import native
from ..core.op import kernel_selection
from .instructions import KernelCall


def _measure_unshared_refcount() -> int:
    """Measure the reference count that a function of `_kernels` sees for an array to which only one
    local variable refers. Returns 0 if `_kernels` is missing or no count works.
    """
    result = native.compiled_function_or_placeholder("Expression")
    for count in range(1, 9 if native.kernels_module is not None else 0):
        array = np.zeros((1,))
        if result(1, [], [("square", 0, 0)], [1], [0], count)(array) is array:
            return count
    return 0


UNSHARED_REFCOUNT = _measure_unshared_refcount()

# By op type: a function with an `out` argument whose result has the shape and dtype of each input.
# The functions of this dict replace the kernels of calls without attributes.
OUT_FUNCTIONS: dict[str, Callable[..., Any]] = {
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
    **{name: native.compiled_function_or_placeholder(name) for name in ("softmax", "softmax_grad")},
}


def make_in_place_kernel_or_none(call: KernelCall) -> Any:
    """The in-place kernel of a call, which writes the result into the buffer of an input. None if
    all inputs are read again, the call has attributes, or the op has no function with an `out`
    argument. The kernel returns NotImplemented if no input's buffer can be reused.
    """
    function = OUT_FUNCTIONS.get(call.op.type, native.return_not_implemented)
    reusable = [i for i, register in enumerate(call.ins) if register in call.dead_after]
    if (
        function is native.return_not_implemented
        or call.attrs
        or not reusable
        or not kernel_selection.native_enabled
    ):
        return None
    return native.compiled_function_or_placeholder("InPlaceKernel")(
        function, reusable, UNSHARED_REFCOUNT
    )
