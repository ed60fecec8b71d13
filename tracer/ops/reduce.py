"""Reductions: sum, mean, max, min, product, any, all, logsumexp, argmax, argmin; cumulative sum and
number of elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core import native
from ..core.arrays import is_running_kernel_on_gpu, np
from ..core.dtype import compute_dtype
from ..core.op import (
    NO_GRAD_NON_FLOAT_RESULT,
    OPS,
    AmpClass,
    Ints,
    Long,
    Longs,
    Meta,
    Op,
    check,
    op,
)
from .comparison_and_logic import equal
from .elementwise import div, masked, mul, native_sum_over_other_axes, sub
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    Shape,
    check_float,
    check_inexact,
    check_not_bool,
    like_x_meta,
    normalize_axes,
    normalize_axis,
    num_elements,
    numpy_dtype_of_proto,
    vjp_input_dtype_proto,
    vjp_input_shape,
)
from .unary_math import exp


def axes_to_reduce(dim: Sequence[int], reduce_all: bool, rank: int) -> tuple[int, ...]:
    """Return the axes that a reduction removes, as non-negative numbers."""
    if reduce_all or not len(dim):
        return tuple(range(rank))
    axes = normalize_axes(dim, rank)
    return axes if rank else ()


def reduced_shape(shape: Shape, axes: Sequence[int], keep: bool) -> Shape:
    """Return `shape` without `axes`; with `keep`, the axes stay with size 1."""
    return tuple(1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes)


@op("spread_like", "X, Y! -> Out", internal=True)
def broadcast_or_distribute_like(
    x, y, *, axes: Ints, keep_dim: bool = False, average: bool = False
):
    """Out = X, broadcast to Y along `axes`, which X lacks (keep_dim: which have size 1 in X).

    average: divide by the number of repetitions.

    X [*], Y [*S] -> Out [*S]
    """
    if not keep_dim and axes:
        x = np.expand_dims(x, tuple(axes))
    if average:
        x = x / x.dtype.type(max(y.size // max(x.size, 1), 1))
    return np.broadcast_to(x, y.shape)


@broadcast_or_distribute_like.meta
def _(x, y, *, axes, keep_dim, average):
    return Meta(y.shape, x.dtype)


@broadcast_or_distribute_like.vjp
def _(g, x, y, *, axes, keep_dim, average):
    if not axes:
        return g, None
    return OPS["reduce_mean" if average else "reduce_sum"](g, dim=axes, keep_dim=keep_dim), None


def define_reduction(
    type: str,
    function: Callable[..., Any],
    result: Callable[[np.dtype[Any]], Any],
    words: str,
    amp: AmpClass = "",
) -> Op:
    """Define a reduction op with the attributes that Paddle's reductions share.

    result: output dtype from the dtype of X
    """

    def kernel(
        x,
        *,
        dim: Ints = [0],
        keep_dim: bool = False,
        reduce_all: bool = False,
        in_dtype: int = -1,
        out_dtype: int = -1,
    ):
        target = result(x.dtype) if out_dtype < 0 else numpy_dtype_of_proto(out_dtype)
        return function(x, axes_to_reduce(dim, reduce_all, x.ndim), keep_dim, target)

    def meta(x, *, dim, keep_dim, reduce_all, in_dtype, out_dtype):
        target = result(x.dtype) if out_dtype < 0 else numpy_dtype_of_proto(out_dtype)
        return Meta(
            reduced_shape(x.shape, axes_to_reduce(dim, reduce_all, len(x.shape)), keep_dim), target
        )

    kernel.__name__ = type
    kernel.__doc__ = f"Out = {words} over the axes. X [*] -> Out [*]"
    public_name = type.removeprefix("reduce_")
    return op(type, "X -> Out", meta=meta, amp_class=amp, public_name=public_name)(kernel)


def _unchanged_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype


def _sum_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of sums: int64 for bool and int32."""
    return np.dtype(np.int64) if dtype.kind == "b" or dtype == np.int32 else dtype


def _sum(x: Any, axes: tuple[int, ...], keep: bool, target: np.dtype[Any]) -> Any:
    return np.sum(x, axis=axes, keepdims=keep, dtype=compute_dtype(target)).astype(
        target, copy=False
    )


def _mean(x: Any, axes: tuple[int, ...], keep: bool, target: np.dtype[Any]) -> Any:
    total = np.sum(x, axis=axes, keepdims=keep, dtype=compute_dtype(target))
    count = x.size // max(total.size, 1)
    if total.dtype.kind in "iu":
        check(count > 0, "X is empty")
        return np.trunc(total / count).astype(target)
    with np.errstate(all="ignore"):
        return (total / total.dtype.type(count)).astype(target, copy=False)


def _max(x: Any, axes: tuple[int, ...], keep: bool, target: np.dtype[Any]) -> Any:
    return np.max(x, axis=axes, keepdims=keep).astype(target, copy=False)


def _min(x: Any, axes: tuple[int, ...], keep: bool, target: np.dtype[Any]) -> Any:
    return np.min(x, axis=axes, keepdims=keep).astype(target, copy=False)


def _prod(x: Any, axes: tuple[int, ...], keep: bool, target: np.dtype[Any]) -> Any:
    return np.prod(x, axis=axes, keepdims=keep, dtype=compute_dtype(target)).astype(
        target, copy=False
    )


reduce_sum = define_reduction("reduce_sum", _sum, _sum_dtype, "the sum of X", amp="deny")
reduce_mean = define_reduction("reduce_mean", _mean, _unchanged_dtype, "the mean of X", amp="deny")
reduce_max = define_reduction("reduce_max", _max, _unchanged_dtype, "the largest element of X")
reduce_min = define_reduction("reduce_min", _min, _unchanged_dtype, "the smallest element of X")
reduce_prod = define_reduction(
    "reduce_prod", _prod, _unchanged_dtype, "the product of X", amp="deny"
)


@reduce_sum.native
def _(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    return _native_sum(x, dim, keep_dim, reduce_all, out_dtype)


@reduce_mean.native
def _(x, *, dim=(0,), keep_dim=False, reduce_all=False, in_dtype=-1, out_dtype=-1):
    total = _native_sum(x, dim, keep_dim, reduce_all, out_dtype)
    return (
        total
        if total is NotImplemented
        else np.divide(total, total.dtype.type(x.size // total.size), out=total)
    )


def _native_sum(
    x: Any, dim: Sequence[int], keep_dim: bool, reduce_all: bool, out_dtype: int
) -> Any:
    if out_dtype >= 0 or not x.ndim:
        return NotImplemented
    axes = axes_to_reduce(dim, reduce_all, x.ndim)
    found = native_sum_over_other_axes(x, [i for i in range(x.ndim) if i not in axes])
    return (
        found if found is NotImplemented else found.reshape(reduced_shape(x.shape, axes, keep_dim))
    )


def _reduced_axes_of_input(x: Any, dim: Sequence[int], reduce_all: bool) -> list[int]:
    return list(axes_to_reduce(dim, reduce_all, len(vjp_input_shape(x))))


@reduce_sum.vjp
def _(g, x, *, dim, keep_dim, reduce_all):
    return broadcast_or_distribute_like(
        g, x, axes=_reduced_axes_of_input(x, dim, reduce_all), keep_dim=keep_dim
    )


@reduce_mean.vjp
def _(g, x, *, dim, keep_dim, reduce_all):
    return broadcast_or_distribute_like(
        g, x, axes=_reduced_axes_of_input(x, dim, reduce_all), keep_dim=keep_dim, average=True
    )


def _extreme_vjp(g, x, *, dim, keep_dim, reduce_all, Out):
    """The VJP rule of max and min. As in Paddle, every element that is equal to the extreme gets
    the whole gradient.
    """
    axes = _reduced_axes_of_input(x, dim, reduce_all)
    g, out = (broadcast_or_distribute_like(t, x, axes=axes, keep_dim=keep_dim) for t in (g, Out))
    return masked(g, equal(x, out))


reduce_max.vjp(_extreme_vjp)
reduce_min.vjp(_extreme_vjp)


@reduce_prod.vjp
def _(g, x, *, dim, keep_dim, reduce_all):
    axes = _reduced_axes_of_input(x, dim, reduce_all)
    return mul(
        broadcast_or_distribute_like(g, x, axes=axes, keep_dim=keep_dim),
        product_of_others(x, axes=axes),
    )


@op("product_of_others", "X -> Out", meta=like_x_meta, internal=True)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def product_of_others(x, *, axes: Ints):
    """Out = the product of all other elements of X over the axes. The result is correct even if X
    contains zeros.

    X [*] -> Out [*]
    """
    dims = tuple(axes)
    zero = x == 0
    rest = np.prod(np.where(zero, x.dtype.type(1), x), axis=dims, keepdims=True)
    zeros = np.sum(zero, axis=dims, keepdims=True)
    others = np.where(zero, rest, rest / x)
    return np.where(zeros - zero > 0, x.dtype.type(0), others)


@product_of_others.vjp
def _(g, x, *, axes):
    others = product_of_others(x, axes=axes)
    total = reduce_sum(div(g, x), dim=axes, keep_dim=True) if axes else div(g, x)
    return mul(others, sub(total, div(g, x)))


def _axes_from_tensors_or_attr(
    x: Any, dim: Sequence[int], reduce_all: bool, axis: Any, axis_list: Any
) -> tuple[int, ...]:
    if axis is not None:
        dim = axis.reshape(-1).tolist()
    elif axis_list:
        dim = [int(a.item()) for a in axis_list]
    return axes_to_reduce(dim, reduce_all, x.ndim)


def reduced_shape_of_unknown_sizes(shape: Any, axis: Any, axis_list: Any, keep_dim: bool) -> Any:
    """The shape after a reduction whose axes are given as tensors: its rank is known while
    recording, its sizes are not.
    """
    num_reduced_axes = len(axis_list) if axis is None else num_elements(axis.shape)
    check(num_reduced_axes >= 0, "the number of axes to reduce is not known")
    return (-1,) * (len(shape) if keep_dim else len(shape) - num_reduced_axes)


def define_bool_reduction(type: str, function: Callable[..., Any], words: str) -> Op:
    """Define the reduction op `type` on bool tensors."""

    def kernel(
        x,
        axis=None,
        axis_list=None,
        *,
        dim: Longs = [0],
        keep_dim: bool = False,
        reduce_all: bool = False,
        in_dtype: int = -1,
        out_dtype: int = -1,
    ):
        return function(
            x,
            axis=_axes_from_tensors_or_attr(x, dim, reduce_all, axis, axis_list),
            keepdims=keep_dim,
        )

    def meta(x, axis, axis_list, *, dim, keep_dim, reduce_all, in_dtype, out_dtype):
        if (axis is None and not axis_list) or reduce_all:
            return Meta(
                reduced_shape(x.shape, axes_to_reduce(dim, reduce_all, len(x.shape)), keep_dim),
                np.dtype(bool),
            )
        return Meta(
            reduced_shape_of_unknown_sizes(x.shape, axis, axis_list, keep_dim), np.dtype(bool)
        )

    kernel.__name__ = type
    kernel.__doc__ = (
        f"Out = whether {words} element of X over the axes is nonzero. X [*] -> Out bool [*]"
    )
    return op(
        type,
        "X, AxisTensor?, AxisTensorList*? -> Out",
        meta=meta,
        no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
        public_name=type.removeprefix("reduce_"),
    )(kernel)


reduce_any = define_bool_reduction("reduce_any", np.any, "any")
reduce_all = define_bool_reduction("reduce_all", np.all, "every")


def _define_extreme_dividing_grad_among_ties(
    type: str, function: Callable[..., Any], word: str
) -> Op:
    """Define the reduction op `type`, a maximum or minimum whose gradient is divided equally among
    the elements that are equal to it.
    """

    def kernel(
        x,
        axis=None,
        axis_list=None,
        *,
        dim: Longs = [0],
        keep_dim: bool = False,
        reduce_all: bool = False,
        in_dtype: int = -1,
        out_dtype: int = -1,
    ):
        return np.asarray(
            function(
                x,
                axis=_axes_from_tensors_or_attr(x, dim, reduce_all, axis, axis_list),
                keepdims=keep_dim,
            )
        )

    def meta(x, axis, axis_list, *, dim, keep_dim, reduce_all, in_dtype, out_dtype):
        if (axis is None and not axis_list) or reduce_all:
            return Meta(
                reduced_shape(x.shape, axes_to_reduce(dim, reduce_all, len(x.shape)), keep_dim),
                x.dtype,
            )
        return Meta(reduced_shape_of_unknown_sizes(x.shape, axis, axis_list, keep_dim), x.dtype)

    def vjp(g, x, axis, axis_list, *, dim, keep_dim, reduce_all, Out):
        check(
            axis is None and not axis_list,
            "the gradient is supported only if the axes are attributes, not tensors",
        )
        axes = _reduced_axes_of_input(x, dim, reduce_all)
        g, out = (
            broadcast_or_distribute_like(t, x, axes=axes, keep_dim=keep_dim) for t in (g, Out)
        )
        here = OPS["cast"](equal(x, out), in_dtype=0, out_dtype=vjp_input_dtype_proto(x))
        count = broadcast_or_distribute_like(
            reduce_sum(here, dim=axes, keep_dim=True), x, axes=axes, keep_dim=True
        )
        return div(mul(g, here), count), None, None

    kernel.__name__ = type
    kernel.__doc__ = (
        f"Out = the {word} element of X over the axes. Equal elements share the gradient. "
        "X [*] -> Out [*]"
    )
    made = op(
        type,
        "X, AxisTensor?, AxisTensorList*? -> Out",
        meta=meta,
        public_name=type.removeprefix("reduce_"),
    )(kernel)
    made.vjp(vjp)
    return made


reduce_amax = _define_extreme_dividing_grad_among_ties("reduce_amax", np.max, "largest")
reduce_amin = _define_extreme_dividing_grad_among_ties("reduce_amin", np.min, "smallest")


@op("mean", "X -> Out", amp_class="deny")
def mean(x):
    """Out = the mean of all X. X [*] -> Out []"""
    check_inexact(x)
    return _mean(x, tuple(range(x.ndim)), False, x.dtype)


@mean.native
def _(x):
    total = native_sum_over_other_axes(x, [])
    return total if total is NotImplemented else (total / total.dtype.type(x.size))[0]


@mean.meta
def _(x):
    check_inexact(x)
    return Meta((), x.dtype)


@mean.vjp
def _(g, x):
    return broadcast_or_distribute_like(
        g, x, axes=list(range(len(vjp_input_shape(x)))), average=True
    )


@op("logsumexp", "X -> Out")
@computed_in_float32_if_half
def logsumexp(x, *, axis: Ints = [0], keepdim: bool = False, reduce_all: bool = False):
    """Out = ln(the sum of e ** X over the axes). X [*] -> Out [*]"""
    check_float(x)
    axes = axes_to_reduce(axis, reduce_all, x.ndim)
    top = np.max(x, axis=axes, keepdims=True)
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    with np.errstate(divide="ignore"):
        total = np.log(np.sum(np.exp(x - top), axis=axes, keepdims=True)) + top
    return total if keepdim else total.reshape(reduced_shape(x.shape, axes, False))


@logsumexp.meta
def _(x, *, axis, keepdim, reduce_all):
    check_float(x)
    return Meta(
        reduced_shape(x.shape, axes_to_reduce(axis, reduce_all, len(x.shape)), keepdim), x.dtype
    )


@logsumexp.vjp
def _(g, x, *, axis, keepdim, reduce_all, Out):
    axes = _reduced_axes_of_input(x, axis, reduce_all)
    g, out = (broadcast_or_distribute_like(t, x, axes=axes, keep_dim=keepdim) for t in (g, Out))
    return mul(g, exp(sub(x, out)))


def _arg_extreme_meta(x, *, axis, keepdims, flatten, dtype):
    axes = tuple(range(len(x.shape))) if flatten else (normalize_axis(axis, len(x.shape)),)
    check(all(x.shape[a] != 0 for a in axes if x.shape), "an axis to reduce has size 0")
    return Meta(
        reduced_shape(x.shape, axes, keepdims), numpy_dtype_of_proto(3 if dtype < 0 else dtype)
    )


def define_arg_extreme(type: str, function: Callable[..., Any], word: str) -> Op:
    """Define the op `type`, which returns the index of the maximum or minimum."""

    def kernel(x, *, axis: Long, keepdims: bool = False, flatten: bool = False, dtype: int = 3):
        found = function(x, axis=None if flatten or not x.ndim else axis, keepdims=keepdims)
        return found.astype(numpy_dtype_of_proto(3 if dtype < 0 else dtype), copy=False)

    kernel.__name__ = type
    kernel.__doc__ = (
        f"Out = the index of the {word} element of X along the axis; with flatten, in the "
        "flattened X. X [*] -> Out int [*]"
    )
    return op(
        type,
        "X -> Out",
        meta=_arg_extreme_meta,
        no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
        public_name=type.replace("_", ""),
    )(kernel)


arg_max = define_arg_extreme("arg_max", np.argmax, "largest")
arg_min = define_arg_extreme("arg_min", np.argmin, "smallest")


MIN_SLICE_SIZE = 256  # minimal number of elements of a slice


def _cumulative_ufunc_along_axis(ufunc: Any, x: Any, axis: int) -> Any:
    """`ufunc.accumulate`. Large slices are accumulated slice by slice, because `ufunc.accumulate`
    would iterate with a large stride.
    """
    if (
        is_running_kernel_on_gpu()
        or axis not in (0, -x.ndim)
        or x.ndim == 1
        or x[:1].size < MIN_SLICE_SIZE
    ):
        return ufunc.accumulate(x, axis, dtype=x.dtype)
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        ufunc(out[i - 1], x[i], out=out[i])
    return out


@native.OptionallyNativeFunction
def cumulate(x: Any, axis: int, product: bool, reverse: bool, exclusive: bool) -> Any:
    """The cumulative sum of x along the axis, or its cumulative product if `product`.

    reverse: from the end; exclusive: without the element itself.
    """
    if reverse:
        x = np.flip(x, axis)
    total = _cumulative_ufunc_along_axis(np.multiply if product else np.add, x, axis)
    if exclusive:
        total = np.roll(total, 1, axis)
        np.moveaxis(total, axis, 0)[:1] = 1 if product else 0
    return np.flip(total, axis) if reverse else total


_CUMULATE = native.compiled_function_or_placeholder("cumulate")


@cumulate.native
def _(x, axis, product, reverse, exclusive):
    # The compiled kernel processes several lines at the same time, which hides the latency of an
    # operation. The latency of integer additions is short, so that NumPy is faster along the last
    # axis.
    if x.dtype.kind == "i" and not product and axis in (-1, x.ndim - 1):
        return NotImplemented
    return _CUMULATE(x, axis, product, reverse, exclusive)


@op("cumsum", "X -> Out", amp_class="deny")
@computed_in_float32_if_half
def cumsum(
    x, *, axis: int = -1, flatten: bool = False, exclusive: bool = False, reverse: bool = False
):
    """Out = the cumulative sum of X along the axis.

    exclusive: exclude the element itself.
    reverse: sum from the end.

    X [*] -> Out [*]
    """
    check_not_bool(x)
    if flatten or not x.ndim:
        x, axis = (x.reshape(-1), 0) if flatten else (x, 0)
    if not x.ndim:
        return np.zeros_like(x) if exclusive else x.copy()
    return cumulate(x, axis, False, reverse, exclusive)


@cumsum.meta
def _(x, *, axis, flatten, exclusive, reverse):
    check_not_bool(x)
    normalize_axis(axis, len(x.shape))
    return Meta((num_elements(x.shape),), x.dtype) if flatten else x


@cumsum.vjp
def _(g, x, *, axis, flatten, exclusive, reverse):
    back = cumsum(g, axis=0 if flatten else axis, exclusive=exclusive, reverse=not reverse)
    return OPS["reshape_like"](back, x) if flatten else back


@op("size", "Input -> Out", no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)
def size(x):
    """Out = the number of elements of Input. Input [*] -> Out int64 []"""
    return np.int64(x.size)


@size.meta
def _(x):
    return Meta((), np.dtype(np.int64))
