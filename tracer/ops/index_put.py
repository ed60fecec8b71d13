"""Read, write or accumulate at integer or boolean indices: index_add, index_put, index_get."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import Meta, check, check_dtype, op
from .elementwise import zeros_like
from .index import check_index_range, check_integers, index_select
from .scatter_at import (
    add_slices_in_place,
    assign_or_add_in_place_at,
    try_put_compiled,
    try_take_compiled,
    ufunc_at,
)
from .shared_op_rules import broadcast_shapes, dims_match, normalize_axis, shapes_match


@op("index_add", "X, Index, AddValue -> Out", same_dtype="X AddValue", validate_before_kernel=True)
def index_add(x, index, value, *, axis: int = 0):
    """Out = X with AddValue added to the slices at Index along the axis.

    X [*, N, *], Index int [M], AddValue [*, M, *] -> Out like X
    """
    check_index_range(index, x.shape[axis])
    out = x.copy()
    if not add_slices_in_place(out, index, value, axis):
        ufunc_at(np.add, np.moveaxis(out, axis, 0), index, np.moveaxis(value, axis, 0))
    return out


@index_add.meta
def _(x, index, value, *, axis):
    check_integers(index)
    at = normalize_axis(axis, len(x.shape))
    check(len(index.shape) == 1, "Index does not have one axis")
    check_dtype(x.dtype == value.dtype, "the dtypes differ")
    fits = len(value.shape) == len(x.shape) and dims_match(value.shape[at], index.shape[0])
    check(
        fits
        and shapes_match(_shape_without_axis(x.shape, at), _shape_without_axis(value.shape, at)),
        "AddValue does not fit X and Index",
    )
    return x


def _shape_without_axis(shape: Any, at: int) -> Any:
    return (*shape[:at], *shape[at + 1 :])


@index_add.vjp
def _(g, x, index, value, *, axis):
    return g, None, lambda: index_select(g, index, dim=axis)


def _checked_numpy_indices(x: Any, indices: Any) -> tuple[Any, ...]:
    """Return the indices as a tuple for NumPy, in which negative indices count from the end. Raises
    OpError if an integer index is out of range.
    """
    axis = 0
    for index in indices:
        if index.dtype.kind == "b":
            axis += index.ndim
            continue
        size = x.shape[axis]
        check(
            not index.size or (int(index.min()) >= -size and int(index.max()) < size),
            f"an index is outside of [{-size}, {size})",
        )
        axis += 1
    return tuple(indices)


def _indexed_shape(x: Any, indices: Any) -> Any:
    """The shape of x[indices]; -1 for the number of elements that a boolean index selects."""
    check(bool(indices), "indices is empty")
    shape: Any = ()
    num_axes = 0
    for index in indices:
        is_mask = index.dtype.kind == "b"
        if not is_mask:
            check_integers(index)
        shape = broadcast_shapes(shape, (-1,) if is_mask else index.shape)
        num_axes += len(index.shape) if is_mask else 1
    check(num_axes <= len(x.shape), "there are more indices than axes")
    return (*shape, *x.shape[num_axes:])


@op("index_put", "x, indices*, value -> out", same_dtype="x value", validate_before_kernel=True)
def index_put(x, indices, value, *, accumulate: bool = False):
    """out = x with value assigned at indices; with `accumulate`, added.

    x [*], indices list of int or bool tensors, value broadcasts -> like x
    """
    out = x.copy()
    if try_put_compiled(out, tuple(indices), value, accumulate):
        return out
    places = _checked_numpy_indices(x, indices)
    assign_or_add_in_place_at(out, places, value, accumulate)
    return out


@index_put.meta
def _(x, indices, value, *, accumulate):
    check_dtype(x.dtype == value.dtype, "the dtypes of x and value differ")
    picked = _indexed_shape(x, indices)
    check(
        shapes_match(broadcast_shapes(picked, value.shape), picked),
        "value does not broadcast to what the indices pick",
    )
    return x


@index_put.vjp
def _(g, x, indices, value, *, accumulate):
    def x_grad() -> Any:
        return g if accumulate else index_put(g, indices, zeros_like(value))

    return x_grad, None, lambda: index_get(g, indices)


@op("index_get", "X, Indices* -> Out", internal=True, value_dependent_shape=True)
def index_get(x, indices):
    """Out = X[Indices], with NumPy's indexing rules.

    X [*], Indices list of int or bool tensors -> Out [*]
    """
    found = try_take_compiled(x, indices, allows_negative=True)
    return x[_checked_numpy_indices(x, indices)] if found is None else found


@index_get.meta
def _(x, indices):
    return Meta(_indexed_shape(x, indices), x.dtype)


@index_get.vjp
def _(g, x, indices):
    return index_put(zeros_like(x), indices, g, accumulate=True), None
