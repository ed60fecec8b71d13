"""Cumulative products, maxima, minima and log-sum-exp along an axis, and the recurrence and shift
that their gradients use. The cumulative sum is in reduce.py.
"""

from __future__ import annotations

from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.op import HOST_NOT_IN_CUPY, OPS, Meta, check_dtype, op
from .elementwise import mul
from .half_precision import computed_in_float32_if_half, half_to_float32
from .reduce import cumsum, cumulate
from .shared_op_rules import (
    check_float,
    like_x_meta,
    normalize_axis,
    num_elements,
    numpy_dtype_of_proto,
    vjp_input_shape,
)
from .sort import sort_grad
from .unary_math import exp, negative


@op("recurrence", "X, A -> Out", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def linear_recurrence(x, a, *, axis: int, reverse: bool = False):
    """A linear recurrence along the axis: Out[k] = X[k] + A[k] * Out[k - 1].

    reverse: Out[k] = X[k] + A[k + 1] * Out[k + 1].

    X, A [*] -> Out [*]
    """
    return _linear_recurrence_array(x, a, axis, reverse)


@native.OptionallyNativeFunction
def _linear_recurrence_array(x: Any, a: Any, axis: int, reverse: bool) -> Any:
    out = np.array(x)
    rows, factors = np.moveaxis(out, axis, 0), np.moveaxis(a, axis, 0)
    places = range(len(rows) - 2, -1, -1) if reverse else range(1, len(rows))
    for k in places:
        rows[k] += factors[k + 1] * rows[k + 1] if reverse else factors[k] * rows[k - 1]
    return out


_linear_recurrence_array.native(native.compiled_function_or_placeholder("linear_recurrence"))


@linear_recurrence.vjp
def _(g, x, a, *, axis, reverse, Out):
    back = linear_recurrence(g, a, axis=axis, reverse=not reverse)

    def a_grad() -> Any:
        if reverse:
            return mul(shift_along_axis(back, axis=axis), Out)
        return mul(back, shift_along_axis(Out, axis=axis))

    return back, a_grad


@op("moved", "X -> Out", meta=like_x_meta, internal=True)
def shift_along_axis(x, *, axis: int, by: int = 1, value: float = 0.0):
    """Shift along the axis: Out[k] = X[k - by]. At the position for which X has no element, Out is
    `value`.

    by: 1 or -1.

    X [*] -> Out [*]
    """
    out = np.roll(x, by, axis)
    np.moveaxis(out, axis, 0)[: 1 if by > 0 else None][-1:] = value
    return out


@shift_along_axis.vjp
def _(g, x, *, axis, by):
    return shift_along_axis(g, axis=axis, by=-by)


@op("cumprod", "X -> Out", amp_class="deny")
@computed_in_float32_if_half
def cumprod(x, *, dim: int):
    """Out = the cumulative product of X along the axis. X [*] -> Out [*]"""
    return cumulate(x, dim, True, False, False) if x.ndim else x.copy()


@cumprod.meta
def _(x, *, dim):
    normalize_axis(dim, len(x.shape))
    return x


@cumprod.vjp
def _(g, x, *, dim, Out):
    """X@GRAD[k] = prod(X[:k]) * the sum over j >= k of g[j] * prod(X[k+1:j+1]). The formula does
    not divide by X, so X may contain zeros.
    """
    if not vjp_input_shape(x):
        return g
    return mul(
        shift_along_axis(Out, axis=dim, value=1.0), linear_recurrence(g, x, axis=dim, reverse=True)
    )


@native.OptionallyNativeFunction
def _cumulative_extreme_and_index(x: Any, axis: int, is_max: bool) -> Any:
    """The largest or smallest element of x up to each position along the axis, and the last of its
    indices, int64.
    """
    replaces = np.greater_equal if is_max else np.less_equal
    rows = np.moveaxis(x, axis, 0)
    extremes, indices = rows.copy(), np.zeros(rows.shape, np.int64)
    for k in range(1, len(rows)):
        is_replaced = replaces(rows[k], extremes[k - 1]) | np.isnan(rows[k])
        extremes[k] = np.where(is_replaced, rows[k], extremes[k - 1])
        indices[k] = np.where(is_replaced, k, indices[k - 1])
    return np.moveaxis(extremes, 0, axis), np.moveaxis(indices, 0, axis)


_cumulative_extreme_and_index.native(native.compiled_function_or_placeholder("cumulate_extreme"))


def _define_cumulative_extreme(type: str, is_max: bool) -> Any:
    """Define `cummax` or `cummin`."""

    @op(type, "x -> out, indices~")
    def kernel(x, *, axis: int = -1, dtype: int = 3):
        target = numpy_dtype_of_proto(dtype)
        if not x.ndim:
            return x.copy(), np.zeros((), target)
        extremes, indices = _cumulative_extreme_and_index(half_to_float32(x), axis, is_max)
        return extremes.astype(x.dtype, copy=False), indices.astype(target, copy=False)

    extreme = "largest" if is_max else "smallest"
    kernel.kernel.__doc__ = (
        f"out = the {extreme} element of x up to each position along the axis. indices = "
        "its index, the last one of equal elements. x [*] -> out [*], indices int [*]"
    )

    @kernel.meta
    def _(x, *, axis, dtype):
        check_dtype(dtype in (2, 3), "dtype is neither int32 nor int64")
        normalize_axis(axis, len(x.shape))
        return x, Meta(x.shape, numpy_dtype_of_proto(dtype))

    @kernel.vjp
    def _(g, x, *, axis, indices):
        return sort_grad(g, x, indices, axis)

    return kernel


cummax = _define_cumulative_extreme("cummax", True)
cummin = _define_cumulative_extreme("cummin", False)


@op("logcumsumexp", "X -> Out", host_reason=HOST_NOT_IN_CUPY)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def logcumsumexp(
    x, *, axis: int = -1, flatten: bool = False, exclusive: bool = False, reverse: bool = False
):
    """Out = ln(the cumulative sum of e ** X). The attributes have the same meaning as in the op
    `cumsum`.

    X [*] -> Out [*]
    """
    check_float(x)
    if flatten or not x.ndim:
        x, axis = x.reshape(-1) if flatten else x.reshape(1), 0
        return logcumsumexp.kernel(x, axis=0, exclusive=exclusive, reverse=reverse).reshape(
            x.shape if flatten else ()
        )
    if reverse:
        x = np.flip(x, axis)
    out = np.logaddexp.accumulate(x, axis=axis)
    if exclusive:
        out = np.roll(out, 1, axis)
        np.moveaxis(out, axis, 0)[:1] = -np.inf
    return np.flip(out, axis) if reverse else out


@logcumsumexp.meta
def _(x, *, axis, flatten, exclusive, reverse):
    check_float(x)
    normalize_axis(axis, len(x.shape))
    return Meta((num_elements(x.shape),), x.dtype) if flatten else x


@logcumsumexp.vjp
def _(g, x, *, axis, flatten, exclusive, reverse, Out):
    if flatten:
        flat = OPS["reshape2"](x, shape=[-1])
        back = _logcumsumexp_vjp(g, flat, Out, 0, exclusive, reverse)
        return OPS["reshape_like"](back, x)
    return _logcumsumexp_vjp(g, x, Out, axis, exclusive, reverse)


def _logcumsumexp_vjp(g: Any, x: Any, out: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    weighted = mul(g, exp(negative(out)))
    return mul(exp(x), cumsum(weighted, axis=axis, exclusive=exclusive, reverse=not reverse))
