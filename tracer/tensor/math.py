"""Arithmetic and other elementwise functions, and reductions.

If not stated otherwise, x and y broadcast and the result has their dtype.
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.dtype import DTYPE_BY_NP, is_inexact, is_real, parse_dtype, promote_dtypes
from ..core.errors import OperandError, OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS, Op
from ..core.operand_checks import not_a_tensor_error, rename_generated_function
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..core.type_aliases import Axes, DTypeLike, Operand, Scalar
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
            raise mixed_dtypes_error(op.public_name, x, y)
        x, y = promote_operands_or_raise(op.public_name, x, y)
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
        x, y = promote_operands(x, y) if promotes else (x, cast_right_operand(op.public_name, x, y))
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
                    f"{op.public_name}: at least one operand must be a tensor "
                    f"(X={type(x).__name__}, Y={type(y).__name__})"
                )
            )
        y = _bool_to_int_if_number_is_int(y, x)
        number, tensor = _match_dtypes_of_number_and_tensor(as_operand(x, y, op.public_name), y)
        return number, tensor
    if not isinstance(y, Tensor):
        x = _bool_to_int_if_number_is_int(x, y)
        number, tensor = _match_dtypes_of_number_and_tensor(as_operand(y, x, op.public_name), x)
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


def add(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Add elementwise, with broadcasting.

    out = x + y

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], integer, floating or complex
        One of them may be a number or an array. Both have the same dtype, or both are floating, or
        one is complex; then the result has the wider dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)]
        If one operand is a float and the other an integer Tensor: float32.

    Raises
    ------
    OpError
        If the shapes do not broadcast, or two Tensors have other different dtypes. The operator `+`
        casts the right operand instead. In programs the dtypes must be equal.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.add(x, paddle.to_tensor([10, 20])).tolist()
    [[11, 22], [13, 24]]
    >>> paddle.add(x, 0.5).tolist()
    [[1.5, 2.5], [3.5, 4.5]]
    """
    if isinstance(y, _SCALAR_TYPES) and isinstance(x, Tensor):
        out = _apply_scale_op_if_number_exact(x, y, bias=float(y))
        if out is not None:
            return out
    return apply_promoting_or_rejecting_dtypes(elementwise.add, x, y)


def subtract(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Subtract elementwise, with broadcasting.

    out = x - y

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], integer, floating or complex
        One of them may be a number or an array. Both have the same dtype, or both are floating, or
        one is complex; then the result has the wider dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)]
        If one operand is a float and the other an integer Tensor: float32.

    Raises
    ------
    OpError
        If the shapes do not broadcast, or two Tensors have other different dtypes. The operator `-`
        casts the right operand instead. In programs the dtypes must be equal.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.subtract(x, paddle.to_tensor([10, 20])).tolist()
    [[-9, -18], [-7, -16]]
    >>> paddle.subtract(1.0, paddle.to_tensor([0.25, 0.5])).tolist()
    [0.75, 0.5]
    """
    if isinstance(y, _SCALAR_TYPES) and isinstance(x, Tensor):
        out = _apply_scale_op_if_number_exact(x, y, bias=-float(y))
        if out is not None:
            return out
    return apply_promoting_or_rejecting_dtypes(elementwise.sub, x, y)


def rsubtract(x: Tensor, y: Operand) -> Tensor:
    """y - x for a y that is not a tensor: a number or an array.

    x [*] -> [*]
    """
    out = (
        _apply_scale_op_if_number_exact(x, y, scale=-1.0, bias=float(y))
        if isinstance(y, _SCALAR_TYPES)
        else None
    )
    return apply_promoting_or_casting_right_operand(elementwise.sub, y, x) if out is None else out


def multiply(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Multiply elementwise, with broadcasting.

    out = x * y

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], integer, floating or complex
        One of them may be a number or an array. Both have the same dtype, or both are floating, or
        one is complex; then the result has the wider dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)]
        If one operand is a float and the other an integer Tensor: float32.

    Raises
    ------
    OpError
        If the shapes do not broadcast, or two Tensors have other different dtypes. The operator `*`
        casts the right operand instead. In programs the dtypes must be equal.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.multiply(x, paddle.to_tensor([10, 100])).tolist()
    [[10, 200], [30, 400]]
    >>> paddle.multiply(x, 0.5).tolist()
    [[0.5, 1.0], [1.5, 2.0]]
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


def true_divide(x: Operand, y: Operand) -> Tensor:
    """Operator /: integers are cast to float32 first.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return apply_promoting_or_casting_right_operand(
        elementwise.div, _int_or_bool_to_float32(x), _int_or_bool_to_float32(y)
    )


def divide(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Divide elementwise, with broadcasting.

    out = x / y; the quotient of two integer Tensors is rounded towards zero.

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B]
        Both have the same dtype. One of them may be a number; then an integer Tensor is cast to
        float32.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x and y; float32 for an integer Tensor and a number

    Raises
    ------
    OpError
        If the shapes do not broadcast, two Tensors have different dtypes, or an integer is divided
        by an integer zero.

    Notes
    -----
    The operator `/` casts integers to float32 first. Floating quotients by zero are infinite or
    NaN.

    Examples
    --------
    >>> x = paddle.to_tensor([7, -7])
    >>> paddle.divide(x, paddle.to_tensor([2, 2])).tolist()
    [3, -3]
    >>> paddle.divide(x, 2).tolist()
    [3.5, -3.5]
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        return apply_promoting_or_rejecting_dtypes(elementwise.div, x, y)
    return true_divide(x, y)


def floor_divide(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Divide elementwise and round the quotient down.

    out = floor(x / y)

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], integer or floating
        Both have the same dtype. One of them may be a number.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x and y
        float32 for an integer Tensor and a float.

    Raises
    ------
    OpError
        If the shapes do not broadcast, two Tensors have different dtypes, or an integer is divided
        by zero.

    Examples
    --------
    >>> paddle.floor_divide(paddle.to_tensor([7, -7]), paddle.to_tensor([2, 2])).tolist()
    [3, -4]
    >>> paddle.floor_divide(paddle.to_tensor([7.5, -7.5]), 2).tolist()
    [3.0, -4.0]
    """
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_floordiv"], x, y)


def mod(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Remainder of a division, with the sign of the divisor.

    out = x - floor(x / y) * y

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], integer or floating
        Both have the same dtype. One of them may be a number.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x and y
        float32 for an integer Tensor and a float.

    Raises
    ------
    OpError
        If the shapes do not broadcast, two Tensors have different dtypes, or an integer is divided
        by zero.

    Notes
    -----
    `mod`, `remainder` and `floor_mod` are the same function. The remainder of a
    floating division by zero is NaN.

    Examples
    --------
    >>> x = paddle.to_tensor([7, -7])
    >>> paddle.mod(x, paddle.to_tensor([3, 3])).tolist()
    [1, 2]
    >>> paddle.mod(x, -3).tolist()
    [-2, -1]
    """
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_mod"], x, y)


remainder = floor_mod = mod


def power(x: Operand, y: Operand) -> Tensor:
    """Operator **; either side may be a number.

    x [*A], y [*B] -> [*broadcast(A, B)]
    """
    return (
        pow(x, y)
        if isinstance(x, Tensor) and not isinstance(y, Tensor)
        else apply_promoting_or_casting_right_operand(OPS["elementwise_pow"], x, y)
    )


def pow(x: Tensor, y: Operand, name: str | None = None) -> Tensor:
    """Raise to a power elementwise.

    out = x ** y

    Parameters
    ----------
    x : Tensor [*A], integer, floating or complex
        The bases.
    y : number or Tensor [*B]
        The exponents. A Tensor has the dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*A] or [*broadcast(A, B)], dtype of x
        float32 for an integer x and a float y.

    Raises
    ------
    OpError
        If x is not a Tensor and y is a number, the shapes do not broadcast, or two Tensors have
        different dtypes.

    Notes
    -----
    A negative base with a fractional exponent is NaN. Integers to negative powers are rounded
    towards zero.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0])
    >>> paddle.pow(x, 2).tolist()
    [1.0, 4.0, 9.0]
    >>> paddle.pow(x, paddle.to_tensor([3.0, 2.0, 1.0])).tolist()
    [1.0, 4.0, 3.0]
    """
    try:
        is_floating = is_real(x.meta.dtype)
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if isinstance(y, int | float if is_floating else int) and not isinstance(y, bool):
        if y == 2:
            return OPS["square"](x)
        return OPS["pow"](x, factor=float(y))
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_pow"], x, y)


def maximum(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Larger of two elements, with broadcasting.

    out = max(x, y); NaN if one of them is NaN.

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B]
        Both have the same dtype. One of them may be a number.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x and y
        float32 for an integer Tensor and a float.

    Raises
    ------
    OpError
        If the shapes do not broadcast, or two Tensors have different dtypes.

    See Also
    --------
    fmax : The same, but ignores NaN.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 5], [7, 3]])
    >>> paddle.maximum(x, paddle.to_tensor([4, 4])).tolist()
    [[4, 5], [7, 4]]
    >>> paddle.maximum(paddle.to_tensor([float("nan")]), 0.0).tolist()
    [nan]
    """
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_max"], x, y)


def minimum(x: Operand, y: Operand, name: str | None = None) -> Tensor:
    """Smaller of two elements, with broadcasting.

    out = min(x, y); NaN if one of them is NaN.

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B]
        Both have the same dtype. One of them may be a number.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x and y
        float32 for an integer Tensor and a float.

    Raises
    ------
    OpError
        If the shapes do not broadcast, or two Tensors have different dtypes.

    See Also
    --------
    fmin : The same, but ignores NaN.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 5], [7, 3]])
    >>> paddle.minimum(x, paddle.to_tensor([4, 4])).tolist()
    [[1, 4], [4, 3]]
    >>> paddle.minimum(paddle.to_tensor([float("nan")]), 0.0).tolist()
    [nan]
    """
    return apply_promoting_or_rejecting_dtypes(OPS["elementwise_min"], x, y)


def scale(
    x: Tensor,
    scale: float | Tensor = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Multiply by a number and add a number.

    out = scale * x + bias if bias_after_scale, otherwise scale * (x + bias)

    Parameters
    ----------
    x : Tensor [*], integer, floating or complex
    scale : float or Tensor with one element, default 1.0
    bias : float, default 0.0
    bias_after_scale : bool, default True
        Whether `bias` is added after the multiplication.
    act : str, optional
        An activation of the result, by the name of its op, such as "relu" or "tanh".
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is not a Tensor, or a Tensor `scale` has several elements.

    Notes
    -----
    `scale` and `bias` are cast to the dtype of x first, so a fraction is lost if x has integers.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.scale(x, scale=2.0, bias=1.0).tolist()
    [3.0, 5.0]
    >>> paddle.scale(x, scale=2.0, bias=1.0, bias_after_scale=False).tolist()
    [4.0, 6.0]
    """
    if act is not None and act not in OPS:
        raise OpError(append_user_line(f"scale: act={act!r} is not the name of an op"))
    factor, tensor = (1.0, scale) if isinstance(scale, Tensor) else (float(scale), None)
    out: Tensor = OPS["scale"](
        x, tensor, scale=factor, bias=float(bias), bias_after_scale=bias_after_scale
    )
    return out if act is None else OPS[act](out)


def clip(
    x: Tensor, min: Scalar | None = None, max: Scalar | None = None, name: str | None = None
) -> Tensor:
    """Limit the elements to an interval.

    out = min(max(x, min), max)

    Parameters
    ----------
    x : Tensor [*], integer or floating
    min, max : number or Tensor with one element, optional
        The limits. Limits of an integer x are rounded towards zero. None means the smallest or
        largest float32 (float16 if x has it), for integers the smallest or largest int32.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is not a Tensor, or a limit has several elements.

    Notes
    -----
    NaN stays NaN. If min > max, all elements become max. The gradient is 0 at and outside of the
    limits.

    Examples
    --------
    >>> x = paddle.to_tensor([-2.0, 0.5, 3.0])
    >>> paddle.clip(x, min=-1.0, max=1.0).tolist()
    [-1.0, 0.5, 1.0]
    >>> paddle.clip(x, min=0.0).tolist()
    [0.0, 0.5, 3.0]
    """
    try:
        dtype = x.meta.dtype
    except AttributeError:
        raise not_a_tensor_error(x) from None
    limits = (
        np.finfo(np.float16 if dtype == np.float16 else np.float32)
        if is_real(dtype)
        else np.iinfo(np.int32)
    )
    min_tensor, min_number = _limit(min, float(limits.min))
    max_tensor, max_number = _limit(max, float(limits.max))
    return OPS["clip"](x, min_tensor, max_tensor, min=min_number, max=max_number)


def _limit(value: Scalar | None, default: float) -> tuple[Tensor | None, float]:
    """Return a limit of `clip` as an input of the op and as an attribute."""
    if isinstance(value, Tensor):
        return value, default
    try:
        return None, default if value is None else float(value)
    except (TypeError, ValueError):
        kind = type(value).__name__
        problem = f"a limit is {kind}, neither a number nor a Tensor"
        raise OperandError(append_user_line(f"clip: {problem}")) from None


def add_n(inputs: Tensor | Sequence[Tensor], name: str | None = None) -> Tensor:
    """Add a list of tensors.

    out = inputs[0] + inputs[1] + ...

    Parameters
    ----------
    inputs : Tensor or list of Tensor [*]
        At least one Tensor; all have the same dtype. The sum of a single Tensor is a copy.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of the inputs

    Raises
    ------
    OpError
        If the list is empty, or the dtypes differ.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.add_n([x, 10 * x, 100 * x]).tolist()
    [111.0, 222.0]
    """
    if hasattr(inputs, "concat_or_stack_elements"):  # a list of dynamic length
        return OPS["reduce_sum"](
            inputs.concat_or_stack_elements(0, True), dim=[0], keep_dim=False, reduce_all=False
        )
    return OPS["sum"]([inputs] if isinstance(inputs, Tensor) else list(inputs))


def cumsum(
    x: Tensor, axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Cumulative sum along one axis.

    out[i] = x[0] + ... + x[i]

    Parameters
    ----------
    x : Tensor [*], integer, floating or complex
    axis : int, optional
        The axis to sum along. Default: x is flattened.
    dtype : str or dtype, optional
        x is cast to this dtype first. Default: dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], or [N] with all N elements of x if axis is None

    Raises
    ------
    OpError
        If x is bool, or has no such axis.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.cumsum(x, axis=0).tolist()
    [[1, 2], [4, 6]]
    >>> paddle.cumsum(x).tolist()
    [1, 3, 6, 10]
    """
    x = x if dtype is None else cast(x, dtype)
    if axis is None:
        return OPS["cumsum"](x, flatten=True)
    if isinstance(axis, Tensor):
        return call_with_possibly_symbolic_axis(axis, x.ndim, lambda a: OPS["cumsum"](x, axis=a))
    return OPS["cumsum"](x, axis=axis)


def increment(x: Tensor, value: float = 1.0, name: str | None = None) -> Tensor:
    """Add a number to a tensor with one element, in place.

    Parameters
    ----------
    x : Tensor with one element, integer or floating
        It is changed.
    value : float, default 1.0
        A fraction is lost if x is an integer.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x has several elements, or is not a Tensor.

    Examples
    --------
    >>> count = paddle.zeros([1], dtype="int64")
    >>> out = paddle.increment(count, 2)
    >>> count.tolist()
    [2]
    """
    if not isinstance(x, Tensor):
        raise not_a_tensor_error(x)
    mode = state.mode
    mode.assign_inplace(x, OPS["increment"](mode.make_inplace_op_input(x), step=float(value)))
    return x


_ANY_DTYPE = "any dtype"
_REAL = "integer or floating"
_FLOATING = "floating"
_FLOATING_OR_COMPLEX = "floating or complex"


def example_lines(call: str, shown: str) -> str:
    """Return the last line of an example and what it prints. Fractions are rounded."""
    return (
        f">>> print({call}.numpy().round(3))\n    {shown}"
        if "." in shown
        else f">>> {call}.tolist()\n    {shown}"
    )


def make_unary_function(
    op_type: str,
    summary: str,
    values: str,
    shown: str,
    *,
    formula: str = "",
    notes: str = "",
    dtypes: str = _FLOATING_OR_COMPLEX,
    result: str = "",
    public_name: str = "",
    needs_float: bool = True,
) -> Any:
    """Create the public function of a unary op and its docstring.

    values, shown: argument and result of the example
    dtypes: dtypes of x that the function is made for
    result: dtype of the result, by default that of x
    public_name: how users call it, by default `paddle.` and the name of the op
    needs_float: bool and integers are cast to float32 first
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
    cast_dtypes = "\n        Bool and integers are cast to float32 first." if needs_float else ""
    out_dtype = result or f"dtype of x{' after the cast' if needs_float else ''}"
    example = example_lines(f"{public_name or 'paddle.' + op_type.removesuffix('_v2')}(x)", shown)
    function.__doc__ = f"""{summary}
{
        f'''
    out = {formula}
'''
        if formula
        else ""
    }
    Parameters
    ----------
    x : Tensor [*], {dtypes}{cast_dtypes}
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], {out_dtype}

    Raises
    ------
    OpError
        If x is not a Tensor{"" if dtypes == _ANY_DTYPE else ", or its dtype is not supported"}.
{
        f'''
    Notes
    -----
    {notes}
'''
        if notes
        else ""
    }
    Examples
    --------
    >>> x = paddle.to_tensor({values})
    {example}
    """
    return function


def make_binary_function(
    op_type: str,
    summary: str,
    operands: tuple[str, str],
    shown: str,
    *,
    formula: str = "",
    notes: str = "",
    dtypes: str = _ANY_DTYPE,
    result: str = "dtype of x and y",
) -> Any:
    """Create the public function of a binary op and its docstring.

    operands, shown: arguments and result of the example
    dtypes: dtypes of x and y that the function is made for
    result: dtype of the result
    """
    op: Op | None = None  # imported at the first call

    def function(x: Operand, y: Operand, name: str | None = None) -> Tensor:
        nonlocal op
        if op is None:
            op = OPS[op_type]
        return apply_promoting_or_rejecting_dtypes(op, x, y)

    public_name = op_type.removeprefix("elementwise_")
    rename_generated_function(function, public_name)
    example = example_lines(f"paddle.{public_name}(x, y)", shown)
    wrong_dtype = "" if dtypes == _ANY_DTYPE else " or not supported"
    function.__doc__ = f"""{summary}
{
        f'''
    out = {formula}
'''
        if formula
        else ""
    }
    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], {dtypes}
        Both have the same dtype. One of them may be a number or an array.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], {result}

    Raises
    ------
    OpError
        If the shapes do not broadcast, or the dtypes of two Tensors are different{wrong_dtype}.
{
        f'''
    Notes
    -----
    {notes}
'''
        if notes
        else ""
    }
    Examples
    --------
    >>> x = paddle.to_tensor({operands[0]})
    >>> y = paddle.to_tensor({operands[1]})
    {example}
    """
    return function


exp = make_unary_function(
    "exp", "Exponential function.", "[0.0, 1.0, 2.0]", "[1.    2.718 7.389]", formula="e ** x"
)
expm1 = make_unary_function(
    "expm1",
    "Exponential function minus 1, accurate for small x.",
    "[0.0, 1.0, 2.0]",
    "[0.    1.718 6.389]",
    formula="e ** x - 1",
)
log = make_unary_function(
    "log",
    "Natural logarithm.",
    "[1.0, 2.0, 10.0]",
    "[0.    0.693 2.303]",
    notes="The logarithm of 0 is -inf, of negative numbers NaN.",
)
log2 = make_unary_function(
    "log2",
    "Logarithm to base 2.",
    "[1.0, 2.0, 10.0]",
    "[0.    1.    3.322]",
    notes="The logarithm of 0 is -inf, of negative numbers NaN.",
)
log10 = make_unary_function(
    "log10",
    "Logarithm to base 10.",
    "[1.0, 2.0, 10.0]",
    "[0.    0.301 1.   ]",
    notes="The logarithm of 0 is -inf, of negative numbers NaN.",
)
log1p = make_unary_function(
    "log1p",
    "Natural logarithm of 1 + x, accurate for small x.",
    "[0.0, 1.0, 2.0]",
    "[0.    0.693 1.099]",
    formula="log(1 + x)",
    notes="The result is -inf for x = -1 and NaN for x < -1.",
)
sqrt = make_unary_function(
    "sqrt",
    "Square root.",
    "[0.0, 2.0, 9.0]",
    "[0.    1.414 3.   ]",
    notes="The square root of a negative number is NaN.",
)
rsqrt = make_unary_function(
    "rsqrt",
    "Reciprocal of the square root.",
    "[1.0, 2.0, 4.0]",
    "[1.    0.707 0.5  ]",
    formula="1 / sqrt(x)",
    notes="The result is inf for x = 0 and NaN for x < 0.",
)
square = make_unary_function(
    "square",
    "Square of each element.",
    "[3, -4]",
    "[9, 16]",
    formula="x * x",
    dtypes="integer, floating or complex",
    needs_float=False,
)
reciprocal = make_unary_function(
    "reciprocal",
    "Reciprocal of each element.",
    "[1.0, 2.0, -4.0]",
    "[ 1.    0.5  -0.25]",
    formula="1 / x",
    notes="The reciprocal of 0 is inf.",
)
abs = make_unary_function(
    "abs",
    "Absolute value.",
    "[-2, 0, 3]",
    "[2, 0, 3]",
    formula="|x|; sqrt(real(x) ** 2 + imag(x) ** 2) if x is complex",
    dtypes=_ANY_DTYPE,
    result="dtype of x; float32 for complex64, float64 for complex128",
    notes="The gradient at 0 is 0.",
    needs_float=False,
)
sign = make_unary_function(
    "sign",
    "Sign of each element.",
    "[-2.5, 0.0, 3.0]",
    "[-1.  0.  1.]",
    formula="-1 if x < 0, 0 if x = 0, 1 if x > 0",
    notes="The sign of NaN is NaN.",
    dtypes=_REAL,
    needs_float=False,
)
floor = make_unary_function(
    "floor",
    "Round down to an integer.",
    "[-1.5, 1.5, 2.0]",
    "[-2.  1.  2.]",
    formula="the largest integer <= x",
    notes="The gradient is 0.",
    dtypes=_FLOATING,
    needs_float=False,
)
ceil = make_unary_function(
    "ceil",
    "Round up to an integer.",
    "[-1.5, 1.5, 2.0]",
    "[-1.  2.  2.]",
    formula="the smallest integer >= x",
    notes="The gradient is 0.",
    dtypes=_FLOATING,
    needs_float=False,
)
round = make_unary_function(
    "round",
    "Round to the nearest integer, halves away from zero.",
    "[-1.5, 0.4, 2.5]",
    "[-2.  0.  3.]",
    notes="NumPy rounds halves to even numbers instead. The gradient is 0.",
    dtypes=_FLOATING,
    needs_float=False,
)
sin = make_unary_function(
    "sin", "Sine of angles in radians.", "[0.0, 0.5, 1.0]", "[0.    0.479 0.841]"
)
cos = make_unary_function(
    "cos", "Cosine of angles in radians.", "[0.0, 0.5, 1.0]", "[1.    0.878 0.54 ]"
)
tan = make_unary_function(
    "tan", "Tangent of angles in radians.", "[0.0, 0.5, 1.0]", "[0.    0.546 1.557]"
)
asin = make_unary_function(
    "asin",
    "Inverse sine, an angle in radians.",
    "[-1.0, 0.0, 0.5]",
    "[-1.571  0.     0.524]",
    notes="The result is in [-pi / 2, pi / 2], and NaN if |x| > 1.",
)
acos = make_unary_function(
    "acos",
    "Inverse cosine, an angle in radians.",
    "[-1.0, 0.0, 0.5]",
    "[3.142 1.571 1.047]",
    notes="The result is in [0, pi], and NaN if |x| > 1.",
)
atan = make_unary_function(
    "atan",
    "Inverse tangent, an angle in radians.",
    "[-1.0, 0.0, 2.0]",
    "[-0.785  0.     1.107]",
    notes="The result is in (-pi / 2, pi / 2).",
)
sinh = make_unary_function(
    "sinh",
    "Hyperbolic sine.",
    "[-1.0, 0.0, 2.0]",
    "[-1.175  0.     3.627]",
    formula="(e ** x - e ** -x) / 2",
)
cosh = make_unary_function(
    "cosh",
    "Hyperbolic cosine.",
    "[-1.0, 0.0, 2.0]",
    "[1.543 1.    3.762]",
    formula="(e ** x + e ** -x) / 2",
)
tanh = make_unary_function(
    "tanh",
    "Hyperbolic tangent.",
    "[-1.0, 0.0, 2.0]",
    "[-0.762  0.     0.964]",
    formula="(e ** x - e ** -x) / (e ** x + e ** -x)",
)
erf = make_unary_function(
    "erf",
    "Error function.",
    "[-1.0, 0.0, 0.5]",
    "[-0.843  0.     0.52 ]",
    formula="2 / sqrt(pi) * integral of e ** (-t ** 2) for t from 0 to x",
    dtypes=_FLOATING,
)
isnan = make_unary_function(
    "isnan_v2",
    "Whether each element is NaN.",
    '[1.0, float("nan"), float("inf")]',
    "[False, True, False]",
    dtypes=_ANY_DTYPE,
    result="bool",
    needs_float=False,
)
isinf = make_unary_function(
    "isinf_v2",
    "Whether each element is infinite.",
    '[1.0, float("nan"), float("-inf")]',
    "[False, False, True]",
    dtypes=_ANY_DTYPE,
    result="bool",
    needs_float=False,
)
isfinite = make_unary_function(
    "isfinite_v2",
    "Whether each element is neither infinite nor NaN.",
    '[1.0, float("nan"), float("inf")]',
    "[True, False, False]",
    dtypes=_ANY_DTYPE,
    result="bool",
    needs_float=False,
)


def neg(x: Tensor, name: str | None = None) -> Tensor:
    """Negate elementwise.

    out = -x

    Parameters
    ----------
    x : Tensor [*], integer, floating or complex
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is not a Tensor.

    Examples
    --------
    >>> paddle.neg(paddle.to_tensor([1, -2])).tolist()
    [-1, 2]
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
    x: Tensor,
    axis: Axes | Tensor | None = None,
    dtype: DTypeLike | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Sum of the elements over axes.

    Parameters
    ----------
    x : Tensor [*]
    axis : int, list of int or Tensor, optional
        The axes to sum over; a negative axis counts from the end. Default: all.
    dtype : str or dtype, optional
        Dtype of the sum and of the result. Default: int64 for bool and int32, otherwise the dtype
        of x. Sums of other integers can overflow.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim

    Raises
    ------
    OpError
        If an axis is out of range or named twice.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
    >>> int(paddle.sum(x))
    21
    >>> paddle.sum(x, axis=1).tolist()
    [6, 15]
    >>> paddle.sum(x, axis=0, keepdim=True).tolist()
    [[5, 7, 9]]
    """
    try:
        is_widened = dtype is None and x.meta.dtype in (np.bool_, np.int32)
    except AttributeError:
        raise not_a_tensor_error(x) from None
    dtype = "int64" if is_widened else dtype
    return reduce("reduce_sum", x, axis, keepdim, dtype)


def mean(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Arithmetic mean of the elements over axes.

    Parameters
    ----------
    x : Tensor [*], floating or complex
        The mean of integers is rounded towards zero, because the result has their dtype.
    axis : int, list of int or Tensor, optional
        The axes to average over; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x
        NaN for zero elements.

    Raises
    ------
    OpError
        If an axis is out of range or named twice.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]])
    >>> float(paddle.mean(x))
    2.75
    >>> paddle.mean(x, axis=0).tolist()
    [2.0, 3.5]
    """
    return reduce("reduce_mean", x, axis, keepdim)


def max(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Largest element over axes; NaN if any element is NaN.

    Parameters
    ----------
    x : Tensor [*], bool, integer or floating
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x

    Raises
    ------
    OpError
        If an axis is out of range or named twice, or there is no element.

    See Also
    --------
    amax : The same; equal maxima share the gradient, while here each gets all of it.
    argmax : The index of the maximum.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 5], [4, 2]])
    >>> int(paddle.max(x))
    5
    >>> paddle.max(x, axis=1, keepdim=True).tolist()
    [[5], [4]]
    """
    return reduce("reduce_max", x, axis, keepdim)


def min(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Smallest element over axes; NaN if any element is NaN.

    Parameters
    ----------
    x : Tensor [*], bool, integer or floating
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x

    Raises
    ------
    OpError
        If an axis is out of range or named twice, or there is no element.

    See Also
    --------
    amin : The same; equal minima share the gradient, while here each gets all of it.
    argmin : The index of the minimum.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 5], [4, 2]])
    >>> int(paddle.min(x))
    1
    >>> paddle.min(x, axis=1, keepdim=True).tolist()
    [[1], [2]]
    """
    return reduce("reduce_min", x, axis, keepdim)


def prod(
    x: Tensor,
    axis: Axes | Tensor | None = None,
    keepdim: bool = False,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Product of the elements over axes.

    Parameters
    ----------
    x : Tensor [*]
    axis : int, list of int or Tensor, optional
        The axes to multiply over; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    dtype : str or dtype, optional
        x is cast to this dtype first. Default: dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim
        1 for zero elements.

    Raises
    ------
    OpError
        If an axis is out of range or named twice.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> int(paddle.prod(x))
    24
    >>> paddle.prod(x, axis=0, dtype="float32").tolist()
    [3.0, 8.0]
    """
    return reduce("reduce_prod", x if dtype is None else cast(x, dtype), axis, keepdim)


def any(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Whether any element over axes is True.

    Parameters
    ----------
    x : Tensor [*], bool
        Of other dtypes, all values but 0 count as True.
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, bool
        False for zero elements.

    Raises
    ------
    OpError
        If an axis is out of range or named twice.

    Examples
    --------
    >>> x = paddle.to_tensor([[True, False], [False, False]])
    >>> bool(paddle.any(x))
    True
    >>> paddle.any(x, axis=1).tolist()
    [True, False]
    """
    return reduce("reduce_any", x, axis, keepdim)


def all(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Whether all elements over axes are True.

    Parameters
    ----------
    x : Tensor [*], bool
        Of other dtypes, all values but 0 count as True.
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, bool
        True for zero elements.

    Raises
    ------
    OpError
        If an axis is out of range or named twice.

    Examples
    --------
    >>> x = paddle.to_tensor([[True, False], [True, True]])
    >>> bool(paddle.all(x))
    False
    >>> paddle.all(x, axis=1).tolist()
    [False, True]
    """
    return reduce("reduce_all", x, axis, keepdim)


def logsumexp(
    x: Tensor, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Logarithm of the sum of exponentials over axes, without overflow.

    out = log(sum(exp(x)))

    Parameters
    ----------
    x : Tensor [*], floating
    axis : int, list of int or Tensor, optional
        The axes to sum over; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x

    Raises
    ------
    OpError
        If an axis is out of range or named twice, or there is no element.

    Examples
    --------
    >>> x = paddle.to_tensor([[0.0, 0.0], [100.0, 100.0]])
    >>> print(paddle.logsumexp(x, axis=1).numpy().round(3))
    [  0.693 100.693]
    """
    dims = axis_list(axis)
    return OPS["logsumexp"](x, axis=dims, keepdim=keepdim, reduce_all=not dims)


def var(
    x: Tensor,
    axis: Axes | Tensor | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Variance of the elements over axes.

    out = sum((x - mean(x)) ** 2) / max(N - 1, 1) for N elements; divided by N if not unbiased

    Parameters
    ----------
    x : Tensor [*], floating
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    unbiased : bool, default True
        Whether to divide by N - 1 instead of N.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x
        0 for a single element.

    Raises
    ------
    OpError
        If x is bool or has integers, or an axis is out of range or named twice.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 4.0]])
    >>> paddle.var(x, axis=1).tolist()
    [1.0, 3.0]
    >>> float(paddle.var(paddle.to_tensor([1.0, 3.0]), unbiased=False))
    1.0
    """
    if isinstance(x, Tensor) and not is_inexact(x.meta.dtype):
        problem = f"X is {x.meta.dtype.name} and has to be floating (cast it: .astype('float32'))"
        raise OpError(append_user_line(f"var: {problem} (X={x.meta})"))
    centered = square(subtract(x, mean(x, axis, keepdim=True)))
    dims = axis_list(axis) or list(range(x.ndim))
    if not unbiased:
        return mean(centered, axis, keepdim)
    count: Any = 1
    for d in dims:
        count = count * x.shape[d]
    total = sum(centered, axis, keepdim=keepdim)
    divisor = count - 1
    return true_divide(
        total,
        cast(OPS["elementwise_max"](divisor, full([], 1, divisor.dtype)), x.dtype)
        if isinstance(divisor, Tensor)
        else float(divisor if divisor > 1 else 1),
    )


def std(
    x: Tensor,
    axis: Axes | Tensor | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Standard deviation of the elements over axes.

    out = sqrt(sum((x - mean(x)) ** 2) / max(N - 1, 1)) for N elements; divided by N if not unbiased

    Parameters
    ----------
    x : Tensor [*], floating
    axis : int, list of int or Tensor, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    unbiased : bool, default True
        Whether to divide by N - 1 instead of N.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x
        0 for a single element.

    Raises
    ------
    OpError
        If x is bool or has integers, or an axis is out of range or named twice.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 4.0]])
    >>> print(paddle.std(x, axis=1).numpy().round(3))
    [1.    1.732]
    >>> float(paddle.std(paddle.to_tensor([1.0, 3.0]), unbiased=False))
    1.0
    """
    out: Tensor = sqrt(var(x, axis, unbiased, keepdim))
    return out
