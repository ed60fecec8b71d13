"""Ops that index along one axis with an index tensor of the same rank: take_along_axis,
put_along_axis and index_sample.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..core import native
from ..core.arrays import np
from ..core.dtype import is_inexact
from ..core.op import NO_GRAD_VALUE_INDEPENDENT, OPS, Meta, check, check_dtype, op
from .comparison_and_logic import equal
from .elementwise import div, masked, mul, zeros_like
from .index import check_index_range, check_integers
from .scatter_at import (
    assign_or_add_in_place_at,
    last_write_index_per_value,
    needs_copy_to_take,
    ufunc_at,
)
from .shared_op_rules import Shape, dims_match, normalize_axis, pick_known_dim, vjp_input_shape


def make_numpy_index_arrays_along_axis(x: Any, index: Any, axis: int) -> tuple[Any, ...]:
    """Index arrays with which NumPy's indexing of `x` selects along `axis` the positions in
    `index`: `index` for this axis, and an arange for every other axis.
    """
    axis = axis % x.ndim
    check_index_range(index, x.shape[axis])
    behind = (None,) * index.ndim
    return tuple(
        index if i == axis else np.arange(d)[..., *behind[i + 1 :]]
        for i, d in enumerate(index.shape)
    )


_PUT, _TAKE, _LAST_WRITE_MASK = map(
    native.compiled_function_or_placeholder, ("put", "take", "last_write_mask")
)


@native.OptionallyNativeFunction
def take_elements(x: Any, index: Any, axis: int) -> Any:
    """Gather the elements of x that `index` selects along the axis. On other axes, `index` may be
    smaller than x.
    """
    return x[make_numpy_index_arrays_along_axis(x, index, axis)]


@take_elements.native
def _(x, index, axis):
    if index.dtype.kind != "i" or needs_copy_to_take(x, index.size):
        return NotImplemented
    return _TAKE(x, index.astype(np.int64, copy=False), axis, True)


@native.OptionallyNativeFunction
def put_elements(out: Any, index: Any, values: Any, axis: int, accumulate: bool) -> Any:
    """Write each of `values` to the position of `out` that `index` selects along the axis, or add
    it there, in row-major order; change and return `out`. index and values have the same shape.
    """
    places = make_numpy_index_arrays_along_axis(out, index, axis)
    assign_or_add_in_place_at(out, places, values, accumulate)
    return out


@put_elements.native
def _(out, index, values, axis, accumulate):
    if index.dtype.kind != "i":
        return NotImplemented
    return _PUT(out, index.astype(np.int64, copy=False), values, axis, True, accumulate)


def check_index_shape(x: Any, index: Any, axis: int) -> None:
    """Raise OpError unless `index` has the rank of `x` and, on all axes except `axis`, at most the
    sizes of `x`.
    """
    check_integers(index)
    check(len(x.shape) == len(index.shape), "the ranks of Input and Index differ")
    check(bool(x.shape), "a 0-D tensor has no axis")
    at = normalize_axis(axis, len(x.shape), "Axis")
    pairs = enumerate(zip(x.shape, index.shape, strict=True))
    check(
        all(i == at or min(a, b) < 0 or b <= a for i, (a, b) in pairs),
        "Index is longer than Input along an axis other than Axis",
    )


@op("take_along_axis", "Input, Index -> Result")
def take_along_axis(x, index, *, Axis: int):
    """Gather elements along Axis: Result[i, j] = Input[i, Index[i, j]] for Axis = 1 of a matrix.

    Input [*], Index int [*I] -> Result [*I]
    """
    check_index_shape(x, index, Axis)
    return take_elements(x, index, Axis)


@take_along_axis.meta
def _(x, index, *, Axis):
    check_index_shape(x, index, Axis)
    return Meta(index.shape, x.dtype)


@take_along_axis.vjp
def _(g, x, index, *, Axis):
    return put_along_axis(zeros_like(x), index, g, Axis=Axis, Reduce="add"), None


def check_equal_row_counts(x: Any, index: Any) -> None:
    """Raise OpError unless both inputs are matrices with the same number of rows."""
    check_integers(index)
    check(len(x.shape) == len(index.shape) == 2, "X or Index does not have two axes")
    check(dims_match(x.shape[0], index.shape[0]), "X and Index have different numbers of rows")


@op("index_sample", "X, Index -> Out")
def index_sample(x, index):
    """Out[i, j] = X[i, Index[i, j]]. X [N, M], Index int [N, K] -> Out [N, K]"""
    check_equal_row_counts(x, index)
    return take_elements(x, index, 1)


@index_sample.meta
def _(x, index):
    check_equal_row_counts(x, index)
    return Meta((pick_known_dim(x.shape[0], index.shape[0]), index.shape[1]), x.dtype)


@index_sample.vjp
def _(g, x, index):
    return put_along_axis(zeros_like(x), index, g, Axis=1, Reduce="add"), None


# -- put along an axis
# ------------------------------------------------------------------------------------------


def min_or_negative_inf_of_dtype(dtype: np.dtype[Any]) -> Any:
    """-infinity for a floating or complex dtype, the smallest value of an integer dtype."""
    return -np.inf if is_inexact(dtype) else np.iinfo(dtype).min


def max_or_inf_of_dtype(dtype: np.dtype[Any]) -> Any:
    """Infinity for a floating or complex dtype, the largest value of an integer dtype."""
    return np.inf if is_inexact(dtype) else np.iinfo(dtype).max


class ReduceUfunc(NamedTuple):
    """A reduction. neutral_element: its neutral element for a dtype; ufunc: the ufunc."""

    neutral_element: Callable[[np.dtype[Any]], Any]
    ufunc: Any


_REDUCE_MODES = {
    "add": ReduceUfunc(lambda dtype: 0, np.add),
    "mean": ReduceUfunc(lambda dtype: 0, np.add),
    "mul": ReduceUfunc(lambda dtype: 1, np.multiply),
    "multiply": ReduceUfunc(lambda dtype: 1, np.multiply),
    "amin": ReduceUfunc(max_or_inf_of_dtype, np.minimum),
    "amax": ReduceUfunc(min_or_negative_inf_of_dtype, np.maximum),
}


@op("put_along_axis", "Input, Index, Value -> Result")
def put_along_axis(
    x, index, value, *, Axis: int, Reduce: str = "assign", Include_self: bool = True
):
    """A copy of Input with each Value written to the position that Index selects along Axis.

    Input [*], Index int [*I], Value [*I] -> Result [*]

    Reduce: how several values for one position are combined: assign (the last one is written), add,
    mul, mean, amin or amax.
    Include_self: combine them with the element of Input, too.
    """
    check_index_shape(x, index, Axis)
    check_dtype(x.dtype == value.dtype, "the dtypes of Input and Value differ")
    value = _crop_value_to_index_shape(value, index.shape)
    if Reduce == "assign" or (Reduce == "add" and Include_self):
        return put_elements(x.copy(), index, value, Axis, Reduce == "add")
    at, out = make_numpy_index_arrays_along_axis(x, index, Axis), x.copy()
    reduce_mode = _REDUCE_MODES[Reduce]
    if not Include_self:
        out[at] = reduce_mode.neutral_element(x.dtype)
    ufunc_at(reduce_mode.ufunc, out, at, value)
    return (
        out
        if Reduce != "mean"
        else divide_truncating_integers(out, mean_divisor_per_position(x, at, Include_self))
    )


def _crop_value_to_index_shape(value: Any, shape: Shape) -> Any:
    """Crop `value` to the shape of the index; as in Paddle, values beyond this shape are
    ignored.
    """
    if value.shape == shape:
        return value
    check(_is_croppable_to(value.shape, shape), "the shapes of Index and Value differ")
    return value[tuple(slice(n) for n in shape)]


def _is_croppable_to(have: Shape, wanted: Shape) -> bool:
    return len(have) == len(wanted) and all(
        h < 0 or w < 0 or h >= w for h, w in zip(have, wanted, strict=True)
    )


def mean_divisor_per_position(x: Any, at: Any, include_self: bool) -> Any:
    """For each position of `x`, the number of values that put_along_axis combines there, as the
    divisor of their mean; 1 if there are none.
    """
    found = np.zeros_like(x, dtype=np.int32)
    ufunc_at(np.add, found, at, 1)
    return found + 1 if include_self else np.maximum(found, 1)


def divide_truncating_integers(total: Any, count: Any) -> Any:
    """`total` / `count`; for integers rounded towards zero, as in C."""
    count = count.astype(total.dtype)
    if total.dtype.kind not in "iu":
        return total / count
    with np.errstate(divide="ignore"):  # a count in a small integer dtype may wrap around to 0
        quotient = total // count
    return quotient + ((total < 0) & (quotient * count != total)).astype(total.dtype)


@put_along_axis.meta
def _(x, index, value, *, Axis, Reduce, Include_self):
    check(
        Reduce == "assign" or Reduce in _REDUCE_MODES,
        f"Reduce={Reduce!r} is not one of assign, {', '.join(_REDUCE_MODES)}",
    )
    check_index_shape(x, index, Axis)
    check_dtype(x.dtype == value.dtype, "the dtypes of Input and Value differ")
    check(_is_croppable_to(value.shape, index.shape), "the shapes of Index and Value differ")
    return x


@put_along_axis.vjp
def _(g, x, index, value, *, Axis, Reduce, Include_self, Result):
    check(
        vjp_input_shape(value) == vjp_input_shape(index),
        "the gradient is supported only if Index and Value have the same shape",
    )

    def grad_without_assigned() -> Any:
        return put_along_axis(g, index, zeros_like(value), Axis=Axis)

    def gather_at_index(t: Any) -> Any:
        return take_along_axis(t, index, Axis=Axis)

    x_grad, value_grad = _PUT_GRADS_BY_REDUCE[Reduce](
        g, x, index, value, Axis, Include_self, Result, gather_at_index
    )
    return (
        x_grad if Include_self and Reduce != "assign" else grad_without_assigned,
        None,
        value_grad,
    )


def _put_assign_grads(g, x, index, value, axis, include_self, result, gather_at_index):
    return None, lambda: masked(gather_at_index(g), last_write_mask_along_axis(x, index, Axis=axis))


def _put_add_grads(g, x, index, value, axis, include_self, result, gather_at_index):
    return g, lambda: gather_at_index(g)


def _put_mul_grads(g, x, index, value, axis, include_self, result, gather_at_index):
    def product_of_values() -> Any:
        ones = OPS["fill_any_like"](x, value=1.0)
        return put_along_axis(ones, index, value, Axis=axis, Reduce="mul")

    return lambda: mul(g, product_of_values()), lambda: div(gather_at_index(mul(g, result)), value)


def _put_mean_grads(g, x, index, value, axis, include_self, result, gather_at_index):
    one = OPS["fill_any_like"](value, value=1.0)
    start = OPS["fill_any_like"](x, value=1.0)
    count = put_along_axis(start, index, one, Axis=axis, Reduce="add", Include_self=include_self)
    return lambda: div(g, count), lambda: gather_at_index(div(g, count))


def _put_extreme_grads(g, x, index, value, axis, include_self, result, gather_at_index):
    """The gradient of amin and amax: as in Paddle, every element that is equal to the extreme gets
    the whole gradient.
    """
    return lambda: masked(g, equal(x, result)), lambda: masked(
        gather_at_index(g), equal(value, gather_at_index(result))
    )


_PUT_GRADS_BY_REDUCE: dict[str, Callable[..., tuple[Any, Any]]] = {
    "assign": _put_assign_grads,
    "add": _put_add_grads,
    "mul": _put_mul_grads,
    "multiply": _put_mul_grads,
    "mean": _put_mean_grads,
    "amin": _put_extreme_grads,
    "amax": _put_extreme_grads,
}


@op(
    "last_along_axis",
    "Input, Index -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    internal=True,
)
def last_write_mask_along_axis(x, index, *, Axis: int):
    """Out = whether no later element of Index selects the same position of Input.

    Input [*], Index int [*I] -> Out bool [*I]
    """
    return _last_write_mask(x, index, Axis)


@native.OptionallyNativeFunction
def _last_write_mask(x: Any, index: Any, axis: int) -> Any:
    at = make_numpy_index_arrays_along_axis(x, index, axis)
    number = np.arange(index.size, dtype=np.int32).reshape(index.shape)
    return last_write_index_per_value(x.shape, at) == number


@_last_write_mask.native
def _(x, index, axis):
    if index.dtype.kind != "i":
        return NotImplemented
    return _LAST_WRITE_MASK(x.shape, index.astype(np.int64, copy=False), axis)


@last_write_mask_along_axis.meta
def _(x, index, *, Axis):
    check_index_shape(x, index, Axis)
    return Meta(index.shape, np.dtype(bool))
