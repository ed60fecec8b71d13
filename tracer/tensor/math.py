"""Arithmetic and other elementwise functions, and reductions.

If not stated otherwise, x and y broadcast and the result has their dtype.
"""

from __future__ import annotations

import builtins
import warnings
from functools import partial
from typing import Any

import numpy as np

from ..core.dtype import DTYPE_BY_NP, is_inexact, is_real, parse_dtype, promote_dtypes
from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS, Op
from ..core.operand_checks import not_a_tensor_error, rename_generated_function
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..ops import elementwise
from .axis_arithmetic import (  # noqa: F401 - public in this module in Paddle
    _add_with_axis,
    _divide_with_axis,
    _multiply_with_axis,
    _subtract_with_axis,
)
from .convert import (
    array_to_constant_tensor,
    as_operand,
    axis_list,
    call_with_possibly_symbolic_axis,
    cast,
    full,
    set_vector_length_if_symbolic,
)

__all__ = [
    "abs",
    "acos",
    "add",
    "add_n",
    "all",
    "any",
    "asin",
    "atan",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "cumsum",
    "divide",
    "erf",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "floor_mod",
    "increment",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "log2",
    "log10",
    "logsumexp",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mod",
    "multiply",
    "neg",
    "pow",
    "prod",
    "reciprocal",
    "remainder",
    "round",
    "rsqrt",
    "scale",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "std",
    "subtract",
    "sum",
    "tan",
    "tanh",
    "var",
]
METHODS = [n for n in __all__ if n not in ("add_n", "increment")]
# Functions that have an in-place variant, such as `add_`.
IN_PLACE = [
    "abs",
    "acos",
    "add",
    "asin",
    "atan",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "cumsum",
    "divide",
    "erf",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "floor_mod",
    "log",
    "log10",
    "log1p",
    "log2",
    "mod",
    "multiply",
    "neg",
    "pow",
    "reciprocal",
    "remainder",
    "round",
    "rsqrt",
    "scale",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
]

_SCALAR_TYPES = (bool, int, float, np.bool_, np.integer, np.floating)


# Ops for which Paddle promotes two floating dtypes, or a complex and a real one. All ops that are
# not listed reject operands with different dtypes.
_PROMOTING = frozenset({"elementwise_add", "elementwise_sub", "elementwise_mul"})


def apply_promoting_or_rejecting_dtypes(op: Op, x: Any, y: Any) -> Tensor:
    """Apply a binary op to two operands, either of which may be a number.

    In eager mode Paddle promotes two floating dtypes in add, subtract and multiply. Raises OpError
    for other different dtypes.
    """
    x, y = _convert_operands_to_tensors(op, x, y)
    if x.meta.dtype != y.meta.dtype:
        if op.type not in _PROMOTING:
            raise mixed_dtypes_error(op.type, x, y)
        x, y = promote_operands_or_raise(op.type, x, y)
    out: Tensor = op(x, y)
    return out


def apply_promoting_or_casting_right_operand(op: Op, x: Any, y: Any) -> Tensor:
    """`op` as a Python operator: if the dtypes are not promoted, the right operand is cast to the
    dtype of the left one.
    """
    x, y = _convert_operands_to_tensors(op, x, y)
    dx, dy = x.meta.dtype, y.meta.dtype
    if dx != dy:
        promotes = op.type in _PROMOTING and _is_promoted_by_paddle(dx, dy)
        x, y = promote_operands(x, y) if promotes else (x, cast_right_operand(op.type, x, y))
    out: Tensor = op(x, y)
    return out


def cast_right_operand(op: str, x: Tensor, y: Tensor) -> Tensor:
    """Cast the right operand to the dtype of the left one.

    Warns if this truncates floats to integers.
    """
    dx, dy = x.meta.dtype, y.meta.dtype
    if dx == dy:
        return y
    if not is_inexact(dx) and is_inexact(dy):
        problem = (
            f"{op}: the right operand is cast to the dtype of the left one (X={x.meta}, Y={y.meta})"
        )
        warnings.warn(
            append_user_line(
                f"{problem}; cast the left operand to keep fractions: .astype('{dy.name}')"
            ),
            stacklevel=2,
        )
    return cast(y, dx)


def _convert_operands_to_tensors(op: Op, x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Convert both operands to tensors. If one operand is a Python number, a bool tensor counts as
    integer, and an integer tensor is cast to float if the number is a float.
    """
    if not isinstance(x, Tensor):
        if not isinstance(y, Tensor):
            raise OpError(
                append_user_line(
                    f"{op.type}: at least one operand must be a tensor "
                    f"(X={type(x).__name__}, Y={type(y).__name__})"
                )
            )
        y = _bool_to_int_if_number_is_int(y, x)
        number, tensor = _match_dtypes_of_number_and_tensor(as_operand(x, y, op.type), y)
        return number, tensor
    if not isinstance(y, Tensor):
        x = _bool_to_int_if_number_is_int(x, y)
        number, tensor = _match_dtypes_of_number_and_tensor(as_operand(y, x, op.type), x)
        return tensor, number
    return x, y


def _match_dtypes_of_number_and_tensor(number: Tensor, tensor: Tensor) -> tuple[Tensor, Tensor]:
    """Cast a number or array and a tensor to a common dtype: the floating or complex one, else that
    of the tensor.
    """
    dn, dt = number.meta.dtype, tensor.meta.dtype
    if dn == dt:
        return number, tensor
    if is_inexact(dn) and is_inexact(dt):
        number, tensor = promote_operands(number, tensor)
        return number, tensor
    if is_inexact(dn) or dt.kind == "b":
        return number, cast(tensor, dn)
    return cast(number, dt), tensor


def mixed_dtypes_error(op: str, x: Tensor, y: Tensor) -> OpError:
    """Build the error for operands with different dtypes."""
    problem = f"{op}: the operands must have the same dtype (X={x.meta}, Y={y.meta})"
    return OpError(append_user_line(f"{problem}; cast one of them: .astype('{x.meta.dtype.name}')"))


def _bool_to_int_if_number_is_int(x: Tensor, number: Any) -> Tensor:
    """Cast a bool tensor to int64 if the other operand is an integer."""
    is_integer = isinstance(number, int | np.integer) and not isinstance(number, bool)
    return cast(x, np.dtype(np.int64)) if is_integer and x.meta.dtype.kind == "b" else x


def promote_operands_or_raise(op: str, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Promote the operands of a function for which Paddle promotes.

    Raises OpError for different dtypes if not both are floating, or in a program.
    """
    dx, dy = x.meta.dtype, y.meta.dtype
    if dx == dy:
        return x, y
    if state.mode.static or not _is_promoted_by_paddle(dx, dy):
        raise mixed_dtypes_error(op, x, y)
    return promote_operands(x, y)


def _is_promoted_by_paddle(dx: Any, dy: Any) -> bool:
    """Return whether Paddle promotes these dtypes."""
    return compat.rules.promotes_dtypes and (
        (is_inexact(dx) and is_inexact(dy)) or "c" in (dx.kind, dy.kind)
    )


def promote_operands(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Cast both operands to the common dtype: complex over real, the wider over the narrower."""
    dx, dy = x.meta.dtype, y.meta.dtype
    common = (
        promote_dtypes(dx, dy)
        if is_inexact(dx) and is_inexact(dy)
        else next(d for d in (dx, dy) if d.kind == "c")
    )
    return cast(x, common), cast(y, common)


def _apply_scale_op_if_number_exact(x: Tensor, value: Any, **attrs: Any) -> Tensor | None:
    """Apply the op `scale` if it is exact for this number and dtype; otherwise return None."""
    dtype_kind = x.meta.dtype.kind
    if isinstance(value, np.generic):
        value = value.item()
    if dtype_kind == "u":  # -1 and numbers out of range of the dtype are not exact
        return None
    if dtype_kind in "bc" or (dtype_kind in "iu" and not isinstance(value, int)):
        return None
    if not state.mode.is_eager and np.float32(value) != value and x.meta.dtype != np.float32:
        return None  # Files store attributes as float32, which is not exact for this dtype.
    out: Tensor = OPS["scale"](x, **attrs)
    return out


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x + y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    if isinstance(y, _SCALAR_TYPES) and isinstance(x, Tensor):
        out = _apply_scale_op_if_number_exact(x, y, bias=float(y))
        if out is not None:
            return out
    return apply_promoting_or_rejecting_dtypes(elementwise.add, x, y)


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x - y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    if isinstance(y, _SCALAR_TYPES) and isinstance(x, Tensor):
        out = _apply_scale_op_if_number_exact(x, y, bias=-float(y))
        if out is not None:
            return out
    return apply_promoting_or_rejecting_dtypes(elementwise.sub, x, y)


def rsubtract(x: Tensor, y: Any) -> Tensor:
    """y - x for a y that is not a tensor: a number or an array.

    x [*] -> [*]
    """
    out = (
        _apply_scale_op_if_number_exact(x, y, scale=-1.0, bias=float(y))
        if isinstance(y, _SCALAR_TYPES)
        else None
    )
    return apply_promoting_or_casting_right_operand(elementwise.sub, y, x) if out is None else out


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    if isinstance(y, _SCALAR_TYPES) and isinstance(x, Tensor):
        out = _apply_scale_op_if_number_exact(x, y, scale=float(y))
        if out is not None:
            return out
    return apply_promoting_or_rejecting_dtypes(elementwise.mul, x, y)


def _is_int_or_bool_tensor(x: Any) -> bool:
    return isinstance(x, Tensor) and x.meta.dtype.kind in "iub"


def _int_or_bool_to_float32(x: Any) -> Any:
    return cast(x, "float32") if _is_int_or_bool_tensor(x) else x


def true_divide(x: Any, y: Any) -> Tensor:
    """Operator /: integers are cast to float32 first.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return apply_promoting_or_casting_right_operand(
        elementwise.div, _int_or_bool_to_float32(x), _int_or_bool_to_float32(y)
    )


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y. Two integer Tensors are divided with truncation, unlike by the operator `/`.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        return apply_promoting_or_rejecting_dtypes(elementwise.div, x, y)
    return true_divide(x, y)


def floor_divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Quotient rounded down.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_floordiv"], x, y)


def mod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Remainder with the sign of y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_mod"], x, y)


remainder = floor_mod = mod


def power(x: Any, y: Any) -> Tensor:
    """Operator **; either side may be a number.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    has_number_exponent = isinstance(x, Tensor) and not isinstance(y, Tensor)
    return (
        pow(x, y)
        if has_number_exponent
        else apply_promoting_or_casting_right_operand(OPS["elementwise_pow"], x, y)
    )


def pow(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """x ** y.

    x [*A], y [*B] or a number -> [*broadcast(A, B)]
    """
    try:
        is_exact_number = (
            isinstance(y, int | float)
            and not isinstance(y, bool)
            and (is_real(x.meta.dtype) or isinstance(y, int))
        )
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if is_exact_number:
        if y == 2:
            return OPS["square"](x)
        return OPS["pow"](x, factor=float(y))
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_pow"], x, y)


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Elementwise maximum.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_max"], x, y)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Elementwise minimum.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_min"], x, y)


def scale(
    x: Tensor,
    scale: Any = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """scale * x + bias, or scale * (x + bias) if not bias_after_scale.

    x [*], scale a number or [1] -> [*]
    """
    factor, tensor = (1.0, scale) if isinstance(scale, Tensor) else (float(scale), None)
    out: Tensor = OPS["scale"](
        x, tensor, scale=factor, bias=float(bias), bias_after_scale=bias_after_scale
    )
    return out if act is None else OPS[act](out)


def clip(x: Tensor, min: Any = None, max: Any = None, name: str | None = None) -> Tensor:
    """Clip x to [min, max]; None means no limit.

    x [*] -> [*]
    """
    min_tensor, max_tensor = (t if isinstance(t, Tensor) else None for t in (min, max))
    try:
        dtype = x.meta.dtype
    except AttributeError:
        raise not_a_tensor_error(x) from None
    limits = (
        np.finfo(np.float16 if dtype == np.float16 else np.float32)
        if is_real(dtype)
        else np.iinfo(np.int32)
    )
    attrs = {"min": float(limits.min) if min is None or min_tensor is not None else float(min)}
    attrs["max"] = float(limits.max) if max is None or max_tensor is not None else float(max)
    return OPS["clip"](x, min_tensor, max_tensor, **attrs)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Sum of all inputs.

    [*] each -> [*]
    """
    if hasattr(inputs, "concat_or_stack_elements"):  # a list of dynamic length
        return OPS["reduce_sum"](
            inputs.concat_or_stack_elements(0, True), dim=[0], keep_dim=False, reduce_all=False
        )
    return OPS["sum"]([inputs] if isinstance(inputs, Tensor) else list(inputs))


def cumsum(
    x: Tensor, axis: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Cumulative sum along `axis`; of the flattened tensor if None.

    x [*] -> [*] or [N]
    """
    x = x if dtype is None else cast(x, dtype)
    if axis is None:
        return OPS["cumsum"](x, flatten=True)
    if isinstance(axis, Tensor):
        return call_with_possibly_symbolic_axis(axis, x.ndim, lambda a: OPS["cumsum"](x, axis=a))
    return OPS["cumsum"](x, axis=axis)


def increment(x: Tensor, value: float = 1.0, name: str | None = None) -> Tensor:
    """Add `value` to x in place.

    x [1] -> [1]
    """
    if not isinstance(x, Tensor):
        raise not_a_tensor_error(x)
    mode = state.mode
    mode.assign_inplace(x, OPS["increment"](mode.make_inplace_op_input(x), step=float(value)))
    return x


def make_unary_function(op_type: str, doc: str, needs_float: bool = True) -> Any:
    """Create the public function of a unary op; `needs_float`: integers are cast to float32
    first.
    """
    op: Op | None = None  # imported at the first call

    def function(x: Tensor, name: str | None = None) -> Tensor:
        nonlocal op
        if op is None:
            op = OPS[op_type]
        try:
            is_integral = needs_float and x.meta.dtype.kind in "iub"
        except AttributeError:
            raise not_a_tensor_error(x) from None
        return op(cast(x, "float32") if is_integral else x)

    rename_generated_function(function, op_type)
    function.__doc__ = f"{doc}\n\n    x [*] -> [*]\n    "
    return function


def make_binary_function(op_type: str, doc: str, result: str = "") -> Any:
    """Create the public function of a binary op.

    result: dtype of the result, as its docstring states it
    """
    op: Op | None = None  # imported at the first call

    def function(x: Any, y: Any, name: str | None = None) -> Tensor:
        nonlocal op
        if op is None:
            op = OPS[op_type]
        return apply_promoting_or_rejecting_dtypes(op, x, y)

    rename_generated_function(function, op_type.removeprefix("elementwise_"))
    function.__doc__ = f"{doc}\n\n    x [*A], y [*B] -> {result}[*broadcast(A, B)]\n    "
    return function


exp = make_unary_function("exp", "Exponential e ** x.")
expm1 = make_unary_function("expm1", "e ** x - 1, exact for small x.")
log = make_unary_function("log", "Natural logarithm.")
log2 = make_unary_function("log2", "Logarithm to base 2.")
log10 = make_unary_function("log10", "Logarithm to base 10.")
log1p = make_unary_function("log1p", "log(1 + x), exact for small x.")
sqrt = make_unary_function("sqrt", "Square root.")
rsqrt = make_unary_function("rsqrt", "Reciprocal square root 1 / sqrt(x).")
square = make_unary_function("square", "Square x * x.", needs_float=False)
reciprocal = make_unary_function("reciprocal", "Reciprocal 1 / x.")
abs = make_unary_function("abs", "Absolute value.", needs_float=False)
sign = make_unary_function("sign", "Sign: -1, 0 or 1.", needs_float=False)
floor = make_unary_function("floor", "Round down to an integer.", needs_float=False)
ceil = make_unary_function("ceil", "Round up to an integer.", needs_float=False)
round = make_unary_function("round", "Round to the nearest integer.", needs_float=False)
sin = make_unary_function("sin", "Sine.")
cos = make_unary_function("cos", "Cosine.")
tan = make_unary_function("tan", "Tangent.")
asin = make_unary_function("asin", "Arc sine.")
acos = make_unary_function("acos", "Arc cosine.")
atan = make_unary_function("atan", "Arc tangent.")
sinh = make_unary_function("sinh", "Hyperbolic sine.")
cosh = make_unary_function("cosh", "Hyperbolic cosine.")
tanh = make_unary_function("tanh", "Hyperbolic tangent.")
erf = make_unary_function("erf", "Error function.")
isnan = make_unary_function("isnan_v2", "Whether an element is NaN.", needs_float=False)
isinf = make_unary_function("isinf_v2", "Whether an element is infinite.", needs_float=False)
isfinite = make_unary_function("isfinite_v2", "Whether an element is finite.", needs_float=False)


def neg(x: Tensor, name: str | None = None) -> Tensor:
    """-x.

    x [*] -> [*]
    """
    return OPS["scale"](x, scale=-1.0)


# -- reductions
# -------------------------------------------------------------------------------------------------


def reduce(op_type: str, x: Tensor, axis: Any, keepdim: bool, dtype: Any = None) -> Tensor:
    """Apply a reduce op over `axis`: None for all, an int, or a list."""
    if state.mode.static and _contains_tensor(axis):
        return _reduce_over_tensor_axes(op_type, x, axis, keepdim, dtype)
    dims = axis_list(axis)
    try:
        rank, x_dtype = x.ndim, None if dtype is None else x.meta.dtype
    except AttributeError:
        raise not_a_tensor_error(x) from None
    attrs: dict[str, Any] = {
        # Paddle 3 ignores reduce_all in programs of Paddle 2, but reduces all axes if `dim` is
        # empty, so `dim` is empty if reduce_all is set.
        "dim": dims,
        "keep_dim": keepdim,
        "reduce_all": not dims
        or (len(dims) == rank and {d + rank if d < 0 else d for d in dims} == set(range(rank))),
    }
    if x_dtype is not None:
        attrs["in_dtype"], attrs["out_dtype"] = DTYPE_BY_NP[x_dtype].proto, parse_dtype(dtype).proto
    out: Tensor = OPS[op_type](x, **attrs)
    return out


def _reduce_keepdim(op_type: str, x: Tensor, dtype: Any, axis: int) -> Tensor:
    return reduce(op_type, x, axis, True, dtype)


def _contains_tensor(axis: Any) -> bool:
    """Return whether an axis argument is a tensor, or a list or tuple that contains one."""
    if isinstance(axis, list | tuple):
        return builtins.any(isinstance(a, Tensor) for a in axis)
    return isinstance(axis, Tensor)


def _reduce_over_tensor_axes(
    op_type: str, x: Tensor, axis: Any, keepdim: bool, dtype: Any
) -> Tensor:
    """Reduce over axes some of which are symbolic."""
    axes = [axis] if isinstance(axis, Tensor) else list(axis)
    if len(axes) == 1:
        return call_with_possibly_symbolic_axis(
            axes[0], x.ndim, lambda a: reduce(op_type, x, a, keepdim, dtype)
        )
    rank, out = x.ndim, x
    for a in axes:
        out = call_with_possibly_symbolic_axis(
            a, rank, partial(_reduce_keepdim, op_type, out, dtype)
        )
    if keepdim:
        return out
    is_kept = array_to_constant_tensor(np.ones(rank, np.bool_))
    positions = array_to_constant_tensor(np.arange(rank, dtype=np.int32))
    for a in axes:
        reduced_axis = cast(a, "int32") if isinstance(a, Tensor) else full([], a, "int32")
        is_other = OPS["not_equal"](
            OPS["elementwise_mod"](reduced_axis, full([], rank, "int32")), positions
        )
        is_kept = OPS["logical_and"](is_kept, is_other)
    kept_sizes = set_vector_length_if_symbolic(
        OPS["masked_select"](OPS["shape"](out), is_kept), rank - len(axes)
    )
    sizes = list(OPS["unbind"](kept_sizes, axis=0)) if rank > len(axes) else []
    return (
        OPS["reshape2"](out, None, sizes, shape=[-1] * len(sizes))
        if sizes
        else OPS["reshape2"](out, shape=[])
    )


def sum(
    x: Tensor, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Sum over `axis`; bool and int32 are summed as int64.

    x [*] -> [* without axis]
    """
    try:
        is_widened = dtype is None and x.meta.dtype in (np.bool_, np.int32)
    except AttributeError:
        raise not_a_tensor_error(x) from None
    dtype = "int64" if is_widened else dtype
    return reduce("reduce_sum", x, axis, keepdim, dtype)


def mean(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Mean over `axis`.

    x [*] -> [* without axis]
    """
    return reduce("reduce_mean", x, axis, keepdim)


def max(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Maximum over `axis`.

    x [*] -> [* without axis]
    """
    return reduce("reduce_max", x, axis, keepdim)


def min(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Minimum over `axis`.

    x [*] -> [* without axis]
    """
    return reduce("reduce_min", x, axis, keepdim)


def prod(
    x: Tensor, axis: Any = None, keepdim: bool = False, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Product over `axis`.

    x [*] -> [* without axis]
    """
    return reduce("reduce_prod", x if dtype is None else cast(x, dtype), axis, keepdim)


def any(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Whether any element is True.

    x bool [*] -> bool [* without axis]
    """
    return reduce("reduce_any", x, axis, keepdim)


def all(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Whether all elements are True.

    x bool [*] -> bool [* without axis]
    """
    return reduce("reduce_all", x, axis, keepdim)


def logsumexp(
    x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) over `axis`.

    x [*] -> [* without axis]
    """
    dims = axis_list(axis)
    return OPS["logsumexp"](x, axis=dims, keepdim=keepdim, reduce_all=not dims)


def var(
    x: Tensor,
    axis: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Variance over `axis`, divided by max(N - 1, 1) if unbiased, otherwise by N.

    x floating [*] -> [* without axis]
    """
    if isinstance(x, Tensor) and not is_inexact(x.meta.dtype):
        problem = f"X is {x.meta.dtype.name} and has to be floating (cast it: .astype('float32'))"
        raise OpError(append_user_line(f"var: {problem} (X={x.meta})"))
    centred = square(subtract(x, mean(x, axis, keepdim=True)))
    dims = axis_list(axis) or list(range(x.ndim))
    if not unbiased:
        return mean(centred, axis, keepdim)
    count: Any = 1
    for d in dims:
        count = count * x.shape[d]
    total = sum(centred, axis, keepdim=keepdim)
    divisor = count - 1
    return true_divide(
        total,
        cast(OPS["elementwise_max"](divisor, full([], 1, divisor.dtype)), x.dtype)
        if isinstance(divisor, Tensor)
        else float(divisor if divisor > 1 else 1),
    )


def std(
    x: Tensor,
    axis: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Standard deviation over `axis`.

    x [*] -> [* without axis]
    """
    out: Tensor = sqrt(var(x, axis, unbiased, keepdim))
    return out
