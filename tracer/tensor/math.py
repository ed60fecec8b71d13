"""Arithmetic and other elementwise functions.

Unless said otherwise: x, y broadcast; the result has their dtype.
"""

from __future__ import annotations

import builtins
import warnings
from functools import partial
from typing import Any

import numpy as np

from ..core.dtype import BY_NP, dtype_of, is_float, is_real, promote
from ..core.errors import OpError, with_user_line
from ..core.mode import state
from ..core.op import OPS, Op
from ..core.operand_checks import not_a_tensor_error, set_function_name
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..ops import elementwise
from .along_axis import _add_with_axis, _divide_with_axis, _multiply_with_axis, _subtract_with_axis  # noqa: F401 - Paddle has them here
from .convert import axes_of, cast, constant, full, of_length, select_by_axis, tensor_like

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
]  # fmt: skip
METHODS = [n for n in __all__ if n not in ("add_n", "increment")]
# Those that have a twin which changes its operand: `add_`.
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

_SCALARS = (bool, int, float, np.bool_, np.integer, np.floating)


# Ops for which Paddle promotes two floating dtypes, or a complex and a real one. All others reject
# operands with different dtypes.
_PROMOTING = frozenset({"elementwise_add", "elementwise_sub", "elementwise_mul"})


def binary(op: Op, x: Any, y: Any) -> Tensor:
    """`op` as a function of two operands, either of which may be a number.

    Two floating dtypes are promoted by eager sums, differences and products, as in Paddle.
    Raises OpError for other operands of two dtypes.
    """
    x, y = _tensors(op, x, y)
    if x.meta.dtype != y.meta.dtype:
        if op.type not in _PROMOTING:
            raise mixed_dtypes_error(op.type, x, y)
        x, y = promoted_floats(op.type, x, y)
    found: Tensor = op(x, y)
    return found


def operator(op: Op, x: Any, y: Any) -> Tensor:
    """`op` as a Python operator: if the dtypes are not promoted, the right operand is cast to the
    dtype of the left one.
    """
    x, y = _tensors(op, x, y)
    dx, dy = x.meta.dtype, y.meta.dtype
    if dx != dy:
        promotes = op.type in _PROMOTING and _have_promotion(dx, dy)
        x, y = promoted(x, y) if promotes else (x, cast_right(op.type, x, y))
    found: Tensor = op(x, y)
    return found


def cast_right(op: str, x: Tensor, y: Tensor) -> Tensor:
    """Cast the right operand to the dtype of the left one.

    Warns if this truncates floats to integers.
    """
    dx, dy = x.meta.dtype, y.meta.dtype
    if dx == dy:
        return y
    if not is_float(dx) and is_float(dy):
        why = (
            f"{op}: the right operand is cast to the dtype of the left one (X={x.meta}, Y={y.meta})"
        )
        warnings.warn(
            with_user_line(f"{why}; cast the left operand to keep fractions: .astype('{dy.name}')"),
            stacklevel=2,
        )
    return cast(y, dx)


def _tensors(op: Op, x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Convert both operands to tensors. Beside a Python number, bool counts as integer, and
    integers become floating if the number is.
    """
    if not isinstance(x, Tensor):
        if not isinstance(y, Tensor):
            raise OpError(
                with_user_line(
                    f"{op.type}: needs a tensor (X={type(x).__name__}, Y={type(y).__name__})"
                )
            )
        y = _counted(y, x)
        number, tensor = _match_dtypes(tensor_like(x, y, op.type), y)
        return number, tensor
    if not isinstance(y, Tensor):
        x = _counted(x, y)
        number, tensor = _match_dtypes(tensor_like(y, x, op.type), x)
        return tensor, number
    return x, y


def _match_dtypes(number: Tensor, tensor: Tensor) -> tuple[Tensor, Tensor]:
    """Cast a number or array and a tensor to a common dtype: the floating or complex one, else that
    of the tensor.
    """
    dn, dt = number.meta.dtype, tensor.meta.dtype
    if dn == dt:
        return number, tensor
    if is_float(dn) and is_float(dt):
        number, tensor = promoted(number, tensor)
        return number, tensor
    if is_float(dn) or dt.kind == "b":
        return number, cast(tensor, dn)
    return cast(number, dt), tensor


def mixed_dtypes_error(op: str, x: Tensor, y: Tensor) -> OpError:
    """Build the error for operands with different dtypes."""
    why = f"{op}: the operands must have the same dtype (X={x.meta}, Y={y.meta})"
    return OpError(with_user_line(f"{why}; cast one of them: .astype('{x.meta.dtype.name}')"))


def _counted(x: Tensor, number: Any) -> Tensor:
    """Truth values beside a whole number, as whole numbers."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    return cast(x, np.dtype(np.int64)) if whole and x.meta.dtype.kind == "b" else x


def promoted_floats(op: str, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Promote the operands of a function for which Paddle promotes.

    Raises OpError for different dtypes if not both are floating, or in a program.
    """
    dx, dy = x.meta.dtype, y.meta.dtype
    if dx == dy:
        return x, y
    if state.mode.static or not _have_promotion(dx, dy):
        raise mixed_dtypes_error(op, x, y)
    return promoted(x, y)


def _have_promotion(dx: Any, dy: Any) -> bool:
    return not compat.is_paddle1 and ((is_float(dx) and is_float(dy)) or "c" in (dx.kind, dy.kind))


def promoted(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Cast both operands to the common dtype: complex over real, the wider over the narrower."""
    dx, dy = x.meta.dtype, y.meta.dtype
    wide = (
        promote(dx, dy)
        if is_float(dx) and is_float(dy)
        else next(d for d in (dx, dy) if d.kind == "c")
    )
    return cast(x, wide), cast(y, wide)


def _scaled(x: Tensor, value: Any, **attrs: Any) -> Tensor | None:
    """`scale` of x when that says exactly the same as the arithmetic with a number; else None."""
    kind = x.meta.dtype.kind
    if isinstance(value, np.generic):
        value = value.item()
    if kind == "u":  # neither the factor -1 nor any number beyond the dtype would do
        return None
    if kind in "bc" or (kind in "iu" and not isinstance(value, int)):
        return None
    if not state.mode.is_eager and np.float32(value) != value and x.meta.dtype != np.float32:
        return None  # Files store attributes as float32, which is too coarse for this dtype.
    found: Tensor = OPS["scale"](x, **attrs)
    return found


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x + y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    if isinstance(y, _SCALARS) and isinstance(x, Tensor):
        found = _scaled(x, y, bias=float(y))
        if found is not None:
            return found
    return binary(elementwise.add, x, y)


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x - y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    if isinstance(y, _SCALARS) and isinstance(x, Tensor):
        found = _scaled(x, y, bias=-float(y))
        if found is not None:
            return found
    return binary(elementwise.sub, x, y)


def rsubtract(x: Tensor, y: Any) -> Tensor:
    """y - x for a number y.

    x [*] -> [*]
    """
    found = _scaled(x, y, scale=-1.0, bias=float(y)) if isinstance(y, _SCALARS) else None
    return operator(elementwise.sub, y, x) if found is None else found


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    if isinstance(y, _SCALARS) and isinstance(x, Tensor):
        found = _scaled(x, y, scale=float(y))
        if found is not None:
            return found
    return binary(elementwise.mul, x, y)


def _is_whole(x: Any) -> bool:
    return isinstance(x, Tensor) and x.meta.dtype.kind in "iub"


def _as_float(x: Any) -> Any:
    return cast(x, "float32") if _is_whole(x) else x


def quotient(x: Any, y: Any) -> Tensor:
    """The operator /: integers become float32 first.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return operator(elementwise.div, _as_float(x), _as_float(y))


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y; of two Tensors of integers rounded towards zero, unlike the operator.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        return binary(elementwise.div, x, y)
    return quotient(x, y)


def floor_divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The quotient rounded down.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return binary(OPS["elementwise_floordiv"], x, y)


def mod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The remainder, of the sign of y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return binary(OPS["elementwise_mod"], x, y)


remainder = floor_mod = mod


def power(x: Any, y: Any) -> Tensor:
    """The operator **, either side of which may be a number.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    by_number = isinstance(x, Tensor) and not isinstance(y, Tensor)
    return pow(x, y) if by_number else operator(OPS["elementwise_pow"], x, y)


def pow(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """x ** y.

    x [*A], y [*B] or a number -> [*broadcast(A, B)]
    """
    try:
        number = (
            isinstance(y, int | float)
            and not isinstance(y, bool)
            and (is_real(x.meta.dtype) or isinstance(y, int))
        )
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if number:
        if y == 2:
            return OPS["square"](x)
        return OPS["pow"](x, factor=float(y))
    return binary(OPS["elementwise_pow"], x, y)


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The larger of x and y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return binary(OPS["elementwise_max"], x, y)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of x and y.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return binary(OPS["elementwise_min"], x, y)


def scale(
    x: Tensor,
    scale: Any = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """scale * x + bias, or scale * (x + bias).

    x [*], scale a number or [1] -> [*]
    """
    factor, tensor = (1.0, scale) if isinstance(scale, Tensor) else (float(scale), None)
    out: Tensor = OPS["scale"](
        x, tensor, scale=factor, bias=float(bias), bias_after_scale=bias_after_scale
    )
    return out if act is None else OPS[act](out)


def clip(x: Tensor, min: Any = None, max: Any = None, name: str | None = None) -> Tensor:
    """x limited to [min, max]; None is no limit.

    x [*] -> [*]
    """
    low, high = (t if isinstance(t, Tensor) else None for t in (min, max))
    try:
        kind = x.meta.dtype
    except AttributeError:
        raise not_a_tensor_error(x) from None
    limits = (
        np.finfo(np.float16 if kind == np.float16 else np.float32)
        if is_real(kind)
        else np.iinfo(np.int32)
    )
    attrs = {"min": float(limits.min) if min is None or low is not None else float(min)}
    attrs["max"] = float(limits.max) if max is None or high is not None else float(max)
    return OPS["clip"](x, low, high, **attrs)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of all inputs.

    [*] each -> [*]
    """
    if hasattr(inputs, "concat_elements"):  # a list of dynamic length
        return OPS["reduce_sum"](
            inputs.concat_elements(0, True), dim=[0], keep_dim=False, reduce_all=False
        )
    return OPS["sum"]([inputs] if isinstance(inputs, Tensor) else list(inputs))


def cumsum(
    x: Tensor, axis: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Running sums along `axis`; of the flattened tensor when it is None.

    x [*] -> [*] or [N]
    """
    x = x if dtype is None else cast(x, dtype)
    if axis is None:
        return OPS["cumsum"](x, flatten=True)
    if isinstance(axis, Tensor):
        return select_by_axis(axis, x.ndim, lambda a: OPS["cumsum"](x, axis=a))
    return OPS["cumsum"](x, axis=axis)


def increment(x: Tensor, value: float = 1.0, name: str | None = None) -> Tensor:
    """x + value, also stored in x.

    x [1] -> [1]
    """
    if not isinstance(x, Tensor):
        raise not_a_tensor_error(x)
    mode = state.mode
    mode.assign_inplace(x, OPS["increment"](mode.snapshot(x), step=float(value)))
    return x


def unary(op_type: str, doc: str, needs_float: bool = True) -> Any:
    """A function of one tensor that is one op; integers become float32 first where the op needs
    floats.
    """

    op = OPS[op_type]

    def function(x: Tensor, name: str | None = None) -> Tensor:
        try:
            whole = needs_float and x.meta.dtype.kind in "iub"
        except AttributeError:
            raise not_a_tensor_error(x) from None
        return op(cast(x, "float32") if whole else x)

    set_function_name(function, op_type)
    function.__doc__ = f"{doc}   x [*] -> [*]"
    return function


def pair(op_type: str, doc: str, result: str = "") -> Any:
    """Make a public function of two operands from one op.

    result: dtype of the result, as its docstring names it
    """
    op = OPS[op_type]

    def function(x: Any, y: Any, name: str | None = None) -> Tensor:
        return binary(op, x, y)

    set_function_name(function, op_type.removeprefix("elementwise_"))
    function.__doc__ = f"{doc}   x [*A], y [*B] -> {result}[*broadcast(A, B)]"
    return function


exp = unary("exp", "e ** x.")
expm1 = unary("expm1", "e ** x - 1.")
log = unary("log", "The natural logarithm.")
log2 = unary("log2", "The logarithm to base 2.")
log10 = unary("log10", "The logarithm to base 10.")
log1p = unary("log1p", "log(1 + x).")
sqrt = unary("sqrt", "The square root.")
rsqrt = unary("rsqrt", "1 / sqrt(x).")
square = unary("square", "x * x.", needs_float=False)
reciprocal = unary("reciprocal", "1 / x.")
abs = unary("abs", "The absolute value.", needs_float=False)
sign = unary("sign", "-1, 0 or 1.", needs_float=False)
floor = unary("floor", "Rounded down.", needs_float=False)
ceil = unary("ceil", "Rounded up.", needs_float=False)
round = unary("round", "Rounded to the nearest integer.", needs_float=False)
sin = unary("sin", "The sine.")
cos = unary("cos", "The cosine.")
tan = unary("tan", "The tangent.")
asin = unary("asin", "The arc sine.")
acos = unary("acos", "The arc cosine.")
atan = unary("atan", "The arc tangent.")
sinh = unary("sinh", "The hyperbolic sine.")
cosh = unary("cosh", "The hyperbolic cosine.")
tanh = unary("tanh", "The hyperbolic tangent.")
erf = unary("erf", "The error function.")
isnan = unary("isnan_v2", "Whether an element is not a number.", needs_float=False)
isinf = unary("isinf_v2", "Whether an element is infinite.", needs_float=False)
isfinite = unary("isfinite_v2", "Whether an element is finite.", needs_float=False)


def neg(x: Tensor, name: str | None = None) -> Tensor:
    """-x.

    x [*] -> [*]
    """
    return OPS["scale"](x, scale=-1.0)


# -- reductions
# -------------------------------------------------------------------------------------------------


_BY_DIM = ("reduce_amax", "reduce_amin")  # ops whose kernels in Paddle ignore reduce_all


def reduce(op_type: str, x: Tensor, axis: Any, keepdim: bool, dtype: Any = None) -> Tensor:
    """One of the reduce ops over `axis`: None for all, an int, or a list."""
    if state.mode.static and _holds_tensor(axis):
        return _reduce_along(op_type, x, axis, keepdim, dtype)
    dims = axes_of(axis)
    try:
        rank, have = x.ndim, None if dtype is None else x.meta.dtype
    except AttributeError:
        raise not_a_tensor_error(x) from None
    attrs: dict[str, Any] = {
        "dim": dims or ([] if op_type in _BY_DIM else [0] * (rank > 0)),
        "keep_dim": keepdim,
        "reduce_all": not dims
        or (len(dims) == rank and {d + rank if d < 0 else d for d in dims} == set(range(rank))),
    }
    if have is not None:
        attrs["in_dtype"], attrs["out_dtype"] = BY_NP[have].proto, dtype_of(dtype).proto
    found: Tensor = OPS[op_type](x, **attrs)
    return found


def _reduce_kept(op_type: str, x: Tensor, dtype: Any, axis: int) -> Tensor:
    return reduce(op_type, x, axis, True, dtype)


def _holds_tensor(axis: Any) -> bool:
    """Whether an axis argument is a tensor, or a list or tuple that holds one."""
    if isinstance(axis, list | tuple):
        return builtins.any(isinstance(a, Tensor) for a in axis)
    return isinstance(axis, Tensor)


def _reduce_along(op_type: str, x: Tensor, axis: Any, keepdim: bool, dtype: Any) -> Tensor:
    """Reduce over axes of which some are symbolic."""
    axes = [axis] if isinstance(axis, Tensor) else list(axis)
    if len(axes) == 1:
        return select_by_axis(axes[0], x.ndim, lambda a: reduce(op_type, x, a, keepdim, dtype))
    rank, made = x.ndim, x
    for one in axes:
        made = select_by_axis(one, rank, partial(_reduce_kept, op_type, made, dtype))
    if keepdim:
        return made
    kept = constant(np.ones(rank, np.bool_))
    places = constant(np.arange(rank, dtype=np.int32))
    for one in axes:
        gone = cast(one, "int32") if isinstance(one, Tensor) else full([], one, "int32")
        is_other = OPS["not_equal"](OPS["elementwise_mod"](gone, full([], rank, "int32")), places)
        kept = OPS["logical_and"](kept, is_other)
    left = of_length(OPS["masked_select"](OPS["shape"](made), kept), rank - len(axes))
    sizes = list(OPS["unbind"](left, axis=0)) if rank > len(axes) else []
    return (
        OPS["reshape2"](made, None, sizes, shape=[-1] * len(sizes))
        if sizes
        else OPS["reshape2"](made, shape=[])
    )


def sum(
    x: Tensor, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """The sum over `axis`; bool and int32 are summed as int64.

    x [*] -> [* without axis]
    """
    try:
        narrow = dtype is None and x.meta.dtype in (np.bool_, np.int32)
    except AttributeError:
        raise not_a_tensor_error(x) from None
    dtype = "int64" if narrow else dtype
    return reduce("reduce_sum", x, axis, keepdim, dtype)


def mean(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """The mean over `axis`.

    x [*] -> [* without axis]
    """
    return reduce("reduce_mean", x, axis, keepdim)


def max(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """The maximum over `axis`.

    x [*] -> [* without axis]
    """
    return reduce("reduce_max", x, axis, keepdim)


def min(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """The minimum over `axis`.

    x [*] -> [* without axis]
    """
    return reduce("reduce_min", x, axis, keepdim)


def prod(
    x: Tensor, axis: Any = None, keepdim: bool = False, dtype: Any = None, name: str | None = None
) -> Tensor:
    """The product over `axis`.

    x [*] -> [* without axis]
    """
    return reduce("reduce_prod", x if dtype is None else cast(x, dtype), axis, keepdim)


def any(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Whether any element is true.

    x bool [*] -> bool [* without axis]
    """
    return reduce("reduce_any", x, axis, keepdim)


def all(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Whether all elements are true.

    x bool [*] -> bool [* without axis]
    """
    return reduce("reduce_all", x, axis, keepdim)


def logsumexp(
    x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) over `axis`.

    x [*] -> [* without axis]
    """
    dims = axes_of(axis)
    return OPS["logsumexp"](x, axis=dims or [0], keepdim=keepdim, reduce_all=not dims)


def var(
    x: Tensor,
    axis: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """The variance over `axis`, divided by N - 1 when unbiased, which is at least 1.

    x floating [*] -> [* without axis]
    """
    if isinstance(x, Tensor) and not is_float(x.meta.dtype):
        why = f"X is {x.meta.dtype.name} and has to be floating (cast it: .astype('float32'))"
        raise OpError(with_user_line(f"var: {why} (X={x.meta})"))
    centred = square(subtract(x, mean(x, axis, keepdim=True)))
    dims = axes_of(axis) or list(range(x.ndim))
    if not unbiased:
        return mean(centred, axis, keepdim)
    count: Any = 1
    for d in dims:
        count = count * x.shape[d]
    total = sum(centred, axis, keepdim=keepdim)
    less = count - 1
    return quotient(
        total,
        cast(OPS["elementwise_max"](less, full([], 1, less.dtype)), x.dtype)
        if isinstance(less, Tensor)
        else float(less if less > 1 else 1),
    )


def std(
    x: Tensor,
    axis: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """The standard deviation over `axis`.

    x [*] -> [* without axis]
    """
    found: Tensor = sqrt(var(x, axis, unbiased, keepdim))
    return found
