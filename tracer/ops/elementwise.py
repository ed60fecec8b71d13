"""Elementwise ops on two inputs, `scale`, `sum` of a list, and the internal ops of their gradients:
`sum_to` and `keep`.

The backward pass sums gradients to the shape of broadcast inputs, so gradient rules ignore
broadcasting. The exception is the old attribute `axis`, which aligns Y with inner axes of X; see
`sum_to_shape_if_axis_used`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.op import NO_GRAD_NON_FLOAT_RESULT, OPS, Ints, Meta, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    append_ones_to_align_at_axis,
    broadcast,
    broadcast_meta_requiring_same_dtype_not_bool,
    check_not_bool,
    like_x_meta,
    pick_known_dim,
    shapes_match,
    vjp_input_shape,
)


def reshape_to_broadcast_at_axis(x: Any, y: Any, axis: int) -> tuple[Any, Any]:
    """Reshape the inputs so that NumPy's broadcasting aligns them as Paddle's attribute `axis`
    states.
    """
    if axis == -1 or x.ndim == y.ndim:
        return x, y
    shapes = append_ones_to_align_at_axis(x.shape, y.shape, axis)
    return x.reshape(shapes[0]), y.reshape(shapes[1])


def sum_to_shape_if_axis_used(g: Any, like: Any, axis: int) -> Any:
    """Sum the gradient `g` to the shape of `like` if the attribute `axis` aligns the shapes.
    If NumPy's rules align the shapes, return `g` unchanged, because the backward pass sums it by
    these rules.
    """
    if axis == -1 or like.ndim == g.ndim:
        return g
    return sum_to(g, shape=list(vjp_input_shape(like)), axis=axis)


@op("sum_to", "X -> Out", internal=True)
@computed_in_float32_if_half
def sum_to(x, *, shape: Ints, axis: int = -1):
    """Out = X summed to `shape`: over the axes that broadcasting an array of this shape to the
    shape of X would add or expand.

    X [*S] -> Out [*shape]
    """
    start = x.ndim - len(shape) if axis == -1 else axis
    kept = {start + i for i, d in enumerate(shape) if d == x.shape[start + i]}
    return np.sum(x, axis=tuple(i for i in range(x.ndim) if i not in kept)).reshape(shape)


@sum_to.native
def _(x, *, shape, axis=-1):
    start = x.ndim - len(shape) if axis == -1 else axis
    kept = [start + i for i, d in enumerate(shape) if d == x.shape[start + i]]
    found = native_sum_over_other_axes(x, kept)
    return found if found is NotImplemented else found.reshape(shape)


_NATIVE_SUM = native.compiled_function_or_placeholder("sum")


def native_sum_over_other_axes(x: Any, kept: list[int]) -> Any:
    """Sum x over all axes but `kept`; returns a 1-D array. Returns NotImplemented if the kept axes
    are not adjacent or the compiled kernel does not support x.
    """
    if not kept:
        return _NATIVE_SUM(x, 1, 1, x.size)
    if kept[-1] - kept[0] + 1 != len(kept) or not x.size:
        return NotImplemented
    n, k = math.prod(x.shape[: kept[0]]), math.prod(x.shape[kept[-1] + 1 :])
    return _NATIVE_SUM(x, n, x.size // (n * k), k) if n * k > 1 else NotImplemented


@sum_to.meta
def _(x, *, shape, axis):
    start = len(x.shape) - len(shape) if axis == -1 else axis
    inside = x.shape[start : start + len(shape)]
    check(len(inside) == len(shape), f"the axes of shape={shape} are not axes of X")
    check(
        all(d in (1, e) or min(d, e) < 0 for d, e in zip(shape, inside, strict=True)),
        f"cannot sum to shape={shape}",
    )
    return Meta(tuple(shape), x.dtype)


@sum_to.vjp
def _(g, x, *, shape, axis):
    return add(zeros_like(x), g, axis=axis)


def zeros_like(x: Any) -> Any:
    """Return a tensor of zeros with the shape and dtype of X."""
    return OPS["fill_any_like"](x, value=0.0)


@op(
    "elementwise_add",
    "X, Y -> Out",
    meta=broadcast_meta_requiring_same_dtype_not_bool,
    public_name="add",
)
def add(x, y, *, axis: int = -1):
    """Out = X + Y. X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    check_not_bool(x)
    if axis != -1:
        x, y = reshape_to_broadcast_at_axis(x, y, axis)
    return x + y


add.native(native.compiled_function_or_placeholder("add"))


@add.vjp
def _(g, x, y, *, axis):
    if axis == -1:
        return g, g
    return sum_to_shape_if_axis_used(g, x, axis), sum_to_shape_if_axis_used(g, y, axis)


@op(
    "elementwise_sub",
    "X, Y -> Out",
    meta=broadcast_meta_requiring_same_dtype_not_bool,
    older_types=("minus",),
    public_name="subtract",
)
def sub(x, y, *, axis: int = -1):
    """Out = X - Y. X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    check_not_bool(x)
    if axis != -1:
        x, y = reshape_to_broadcast_at_axis(x, y, axis)
    return x - y


sub.native(native.compiled_function_or_placeholder("sub"))


@sub.vjp
def _(g, x, y, *, axis):
    return sum_to_shape_if_axis_used(g, x, axis), lambda: sum_to_shape_if_axis_used(
        scale(g, scale=-1.0), y, axis
    )


@op("elementwise_mul", "X, Y -> Out", meta=broadcast, public_name="multiply")
def mul(x, y, *, axis: int = -1):
    """Out = X * Y. X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    if axis != -1:
        x, y = reshape_to_broadcast_at_axis(x, y, axis)
    return x * y


mul.native(native.compiled_function_or_placeholder("mul"))


@mul.vjp
def _(g, x, y, *, axis):
    if axis == -1:
        return lambda: mul(g, y), lambda: mul(g, x)
    return lambda: sum_to_shape_if_axis_used(
        mul(g, y, axis=axis), x, axis
    ), lambda: sum_to_shape_if_axis_used(mul(g, x, axis=axis), y, axis)


@op("elementwise_div", "X, Y -> Out", meta=broadcast, public_name="divide")
@np.errstate(all="ignore")
def div(x, y, *, axis: int = -1):
    """Out = X / Y; for integers and bool, rounded towards zero.

    X [*A], Y [*B] -> Out [*broadcast(A, B)]
    """
    if axis != -1:
        x, y = reshape_to_broadcast_at_axis(x, y, axis)
    if x.dtype.kind in "iub":
        check_no_integer_division_by_zero(x, y)
        return np.trunc(np.true_divide(x, y)).astype(x.dtype)
    return x / y


@div.vjp
def _(g, x, y, *, axis, Out):
    def y_grad() -> Any:
        return sum_to_shape_if_axis_used(scale(mul(g, div(Out, y, axis=axis)), scale=-1.0), y, axis)

    return lambda: sum_to_shape_if_axis_used(div(g, y, axis=axis), x, axis), y_grad


@op("elementwise_max", "X, Y -> Out", meta=broadcast, public_name="maximum")
def maximum(x, y, *, axis: int = -1):
    """Out = the larger of X and Y. X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    return np.maximum(*reshape_to_broadcast_at_axis(x, y, axis))


@maximum.vjp
def _(g, x, y, *, axis):
    def make_selected_grad(picked: str, like: Any) -> Any:
        return lambda: sum_to_shape_if_axis_used(
            masked(g, OPS[picked](x, y, axis=axis)), like, axis
        )

    return make_selected_grad("greater_than", x), make_selected_grad("less_equal", y)


@op("elementwise_min", "X, Y -> Out", meta=broadcast, public_name="minimum")
def minimum(x, y, *, axis: int = -1):
    """Out = the smaller of X and Y. X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    return np.minimum(*reshape_to_broadcast_at_axis(x, y, axis))


@minimum.vjp
def _(g, x, y, *, axis):
    def make_selected_grad(picked: str, like: Any) -> Any:
        return lambda: sum_to_shape_if_axis_used(
            masked(g, OPS[picked](x, y, axis=axis)), like, axis
        )

    return make_selected_grad("less_than", x), make_selected_grad("greater_equal", y)


@op("keep", "X, Mask -> Out", meta=like_x_meta, internal=True)
def masked(x, mask):
    """Out = X where Mask, else 0. X [*], Mask bool [*] -> Out [*]"""
    return np.where(mask, x, x.dtype.type(0))


_ZERO_WHERE_FALSE = native.compiled_function_or_placeholder("zero_where_false")


@masked.native
def _(x, mask):
    return _ZERO_WHERE_FALSE(x, mask)


@masked.vjp
def _(g, x, mask):
    return masked(g, mask), None


@op(
    "elementwise_pow",
    "X, Y -> Out",
    meta=broadcast_meta_requiring_same_dtype_not_bool,
    public_name="pow",
)
@np.errstate(all="ignore")
def power(x, y, *, axis: int = -1):
    """Out = X ** Y; for integers, rounded. X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    check_not_bool(x)
    x, y = reshape_to_broadcast_at_axis(x, y, axis)
    if x.dtype.kind in "iu" and np.any(y < 0):
        return np.rint(np.power(x.astype(np.float64), y)).astype(x.dtype)
    return np.power(x, y)


@power.vjp
def _(g, x, y, *, axis, Out):
    def x_grad() -> Any:
        return sum_to_shape_if_axis_used(
            mul(mul(g, y, axis=axis), power(x, scale(y, bias=-1.0), axis=axis)), x, axis
        )

    def y_grad() -> Any:
        return sum_to_shape_if_axis_used(mul(mul(g, Out), OPS["log"](x), axis=axis), y, axis)

    return x_grad, y_grad


@op(
    "elementwise_floordiv",
    "X, Y -> Out",
    meta=broadcast_meta_requiring_same_dtype_not_bool,
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    public_name="floor_divide",
)
@np.errstate(all="ignore")
def floordiv(x, y, *, axis: int = -1):
    """Out = X / Y rounded down. X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    check_not_bool(x)
    x, y = reshape_to_broadcast_at_axis(x, y, axis)
    return floor_divide_arrays(x, y)


@native.OptionallyNativeFunction
def floor_divide_arrays(x: Any, y: Any) -> Any:
    """x / y rounded down. Raises OpError for an integer division by zero."""
    check_no_integer_division_by_zero(x, y)
    return np.floor_divide(x, y)


@native.OptionallyNativeFunction
def remainder_arrays(x: Any, y: Any) -> Any:
    """The remainder of x / y with the sign of y."""
    check_no_integer_division_by_zero(x, y)
    return np.mod(x, y)


def _compiled_division(name: str) -> Callable[[Any, Any], Any]:
    """Return a function that broadcasts its operands and calls the compiled function `name`."""
    function = native.compiled_function_or_placeholder(name)

    def divide(x: Any, y: Any) -> Any:
        if x.shape != y.shape and (y.size != 1 or y.ndim > x.ndim):
            x, y = np.broadcast_arrays(x, y)
        return function(x, y)

    return divide


floor_divide_arrays.native(_compiled_division("floor_divide"))
remainder_arrays.native(_compiled_division("remainder"))


@op(
    "elementwise_mod",
    "X, Y -> Out",
    meta=broadcast_meta_requiring_same_dtype_not_bool,
    public_name="mod",
)
@np.errstate(all="ignore")
def mod(x, y, *, axis: int = -1):
    """Out = the remainder of X / Y, with the sign of Y. X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    check_not_bool(x)
    x, y = reshape_to_broadcast_at_axis(x, y, axis)
    return remainder_arrays(x, y)


@mod.vjp
def _(g, x, y, *, axis):
    def y_grad() -> Any:
        return sum_to_shape_if_axis_used(
            scale(mul(g, floordiv(x, y, axis=axis)), scale=-1.0), y, axis
        )

    return sum_to_shape_if_axis_used(g, x, axis), y_grad


def check_no_integer_division_by_zero(x: Any, y: Any) -> None:
    """Raise OpError for an integer division by zero."""
    check(x.dtype.kind not in "iub" or bool(np.all(y)), "division of integers by zero")


@op("scale", "X, ScaleTensor?! -> Out", meta=like_x_meta, grad_keeps_shape=True)
@computed_in_float32_if_half
def scale(
    x, scale_tensor=None, *, scale: float = 1.0, bias: float = 0.0, bias_after_scale: bool = True
):
    """Out = scale * X + bias, or scale * (X + bias) if bias_after_scale is false.

    X [*], ScaleTensor [1] -> Out [*]

    ScaleTensor: replaces the attribute scale if given.
    """
    factor = scale if scale_tensor is None else scale_tensor.item()
    if x.dtype.kind in "iu":
        # In uint8, a factor of -1 wraps around to 255.
        by, more = (np.array(int(v)).astype(x.dtype)[()] for v in (factor, bias))
    else:
        by, more = x.dtype.type(factor), x.dtype.type(bias)
    if not more:
        return x * by
    return x * by + more if bias_after_scale else (x + more) * by


@scale.vjp
def _(g, x, scale_tensor, *, scale):
    return OPS["scale"](g, scale_tensor, scale=scale)


@op("sum", "X* -> Out", same_dtype="X", grad_keeps_shape=True)
def add_n(xs, *, use_mkldnn: bool = False, mkldnn_data_type: str = "float32"):
    """Out = the elementwise sum of all X. X list of [*S] -> Out [*S]"""
    return functools.reduce(np.add, xs) if len(xs) > 1 else xs[0].copy()


@add_n.meta
def _(xs, **_):
    check(bool(xs), "X is empty")
    check_dtype(all(x.dtype == xs[0].dtype for x in xs), "the dtypes differ")
    check(all(shapes_match(x.shape, xs[0].shape) for x in xs), "the shapes differ")
    return Meta(
        functools.reduce(lambda a, b: tuple(map(pick_known_dim, a, b)), [x.shape for x in xs]),
        xs[0].dtype,
    )


@add_n.vjp
def _(g, xs):
    return [g] * len(xs)
