"""Select the implementation of a call: a compiled kernel, a NumPy kernel, an inline
expression or a constant.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..core import cuda, native
from ..core.dtype import MAX_RANK
from ..core.op import Op, kernel_selection
from .instructions import KernelCall

NUMPY_FOLDER = str(Path(np.__file__).parent)
Attrs = dict[str, Any]


def kernel_without_errstate(op: Op) -> Callable[..., Any]:
    """The NumPy kernel of an op without its `errstate` decorator, because the function compiled
    from the program sets `errstate` once for all kernels.
    """
    kernel = op.numpy_kernel
    while isinstance(kernel, types.FunctionType) and kernel.__code__.co_filename.startswith(
        NUMPY_FOLDER
    ):
        kernel = kernel.__wrapped__  # type: ignore[attr-defined]
    return kernel


def find_native_kernel(op: Op) -> Callable[..., Any] | None:
    """The compiled kernel of an op; None if there is none."""
    return (
        op.native_kernel_only
        if kernel_selection.native_enabled
        and op.native_kernel_only is not native.return_not_implemented
        else None
    )


# -- compiled kernels that are called directly, without a Python function around them
# ----------------------------------------------------


def _matmul_extra_arguments(attrs: Attrs) -> tuple[Any, ...]:
    return bool(attrs.get("trans_x")), bool(attrs.get("trans_y"))


def _make_reduce_extra_arguments_function(mean: bool) -> Callable[[Attrs], tuple[Any, ...] | None]:
    def extra_arguments_from_attrs(attrs: Attrs) -> tuple[Any, ...] | None:
        if attrs.get("out_dtype", -1) >= 0:
            return None
        axes = () if attrs.get("reduce_all") else tuple(attrs.get("dim", (0,)))
        return axes, bool(attrs.get("keep_dim")), mean

    return extra_arguments_from_attrs


# op type -> a function that returns the function of `_kernels` for a call and the arguments after
# the inputs, or None if it does not apply
NATIVE_CALLS: dict[str, tuple[str, Callable[[Attrs], tuple[Any, ...] | None]]] = {
    "matmul_v2": ("matmul", _matmul_extra_arguments),
    "sum_to": ("sum_to", lambda attrs: (tuple(attrs["shape"]), attrs.get("axis", -1))),
    "reduce_sum": ("reduce", _make_reduce_extra_arguments_function(mean=False)),
    "reduce_mean": ("reduce", _make_reduce_extra_arguments_function(mean=True)),
    "mean": ("reduce", lambda _: ((), False, True)),
}


def select_native_call(call: KernelCall) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """The function of `_kernels` that computes a call, and the arguments that follow the inputs;
    None if no compiled kernel applies.
    """
    name, extra_arguments_from_attrs = NATIVE_CALLS.get(call.op.type, ("", None))
    found = (
        native.compiled_function_or_placeholder(name)
        if kernel_selection.native_enabled
        else native.return_not_implemented
    )
    extra = (
        None
        if extra_arguments_from_attrs is None or found is native.return_not_implemented
        else extra_arguments_from_attrs(call.attrs)
    )
    return None if extra is None else (found, extra)


# -- inline expressions
# ------------------------------------------------------------------------------

INLINE_HELPERS: dict[str, Any] = {
    "divide": np.true_divide,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "invert": np.logical_not,
    "both": np.logical_and,
    "any": np.logical_or,
}
# By op type: the Python expression that replaces a call without attributes. The results of the
# expression are bitwise equal to those of the kernel.
INLINE_EXPRESSIONS = {
    "sum_like": "{0} if {0}.shape == {1}.shape else {kernel}({0}, {1})",
    "elementwise_div": "{divide}({0}, {1}) if {0}.dtype.kind == 'f' else {kernel}({0}, {1})",
    "equal": "{equal}({0}, {1})",
    "not_equal": "{not_equal}({0}, {1})",
    "less_than": "{less}({0}, {1})",
    "less_equal": "{less_equal}({0}, {1})",
    "greater_than": "{greater}({0}, {1})",
    "greater_equal": "{greater_equal}({0}, {1})",
    "logical_not": "{invert}({0})",
    "logical_and": "{both}({0}, {1})",
    "logical_or": "{any}({0}, {1})",
    "reshape_like": "{0}.reshape({1}.shape)",
}


def _inline_reshape_expression(call: KernelCall) -> str | None:
    shape = call.attrs.get("shape", ())
    if (
        not shape
        or min(shape) < -1
        or list(shape).count(-1) > 1
        or any(slot is not None for slot in call.ins[1:])
    ):
        return None
    sizes = (f"{{0}}.shape[{i}], " if d == 0 else f"{int(d)}, " for i, d in enumerate(shape))
    return f"{{0}}.reshape(({''.join(sizes)}))"


def _inline_transpose_expression(call: KernelCall) -> str:
    return f"{{0}}.transpose(({''.join(f'{int(a)}, ' for a in call.attrs['axis'])}))"


def _inline_unsqueeze_expression(call: KernelCall) -> str | None:
    axes = call.attrs.get("axes", ())
    if len(axes) != 1 or any(slot is not None for slot in call.ins[1:]):
        return None
    axis = int(axes[0])
    if (
        not -MAX_RANK <= axis < MAX_RANK
    ):  # the expression would be very long; the kernel raises an error for this axis
        return None
    return f"{{0}}[{':, ' * axis}None]" if axis >= 0 else f"{{0}}[..., None{', :' * (-1 - axis)}]"


INLINE_RULES: dict[str, Callable[[KernelCall], str | None]] = {
    "reshape2": _inline_reshape_expression,
    "transpose2": _inline_transpose_expression,
    "unsqueeze2": _inline_unsqueeze_expression,
}


def find_inline_expression(call: KernelCall) -> str | None:
    """The Python expression that replaces a call in the source; None if the source calls the
    kernel.
    """
    written = INLINE_RULES.get(call.op.type)
    if written is not None:
        try:
            return written(call)
        except TypeError:  # an attribute has a wrong type; the kernel raises the error for it
            return None
    return None if call.attrs else INLINE_EXPRESSIONS.get(call.op.type)


# -- constants
# ------------------------------------------------------------------------------

MAX_CONSTANT_SIZE = 4096


def fold_call_without_inputs(call: KernelCall) -> Any:
    """The result of a call without inputs, computed at compile time; None if the call has
    inputs, draws random numbers or has a large result.
    """
    if (
        any(slot is not None for slot in call.ins)
        or call.op.traits.random
        or not call.op.has_single_output
    ):
        return None
    if math.prod(int(d) for d in call.attrs.get("shape", ())) > MAX_CONSTANT_SIZE:
        return None
    try:
        found = call.op.kernel(**call.attrs)
        if cuda.gpu_index_of(found) is not None:
            return None
        found = np.array(found)
    except Exception:
        return None
    found.flags.writeable = False  # all runs share the array
    return found if found.size <= MAX_CONSTANT_SIZE else None
