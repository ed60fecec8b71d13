"""Ops that read and write slices of a tensor, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.arrays import np
from ..core.op import Ints, Longs, Meta, Scalars, check, check_dtype, op
from .dynamic_sizes import sizes_from_tensors_or_attr
from .shape import unsqueeze
from .shared_op_rules import (
    Shape,
    broadcast_shapes,
    like_x_meta,
    normalize_axis,
    vjp_input_dtype_proto,
    vjp_input_shape,
)

Bounds = tuple[Sequence[int], Sequence[int], Sequence[int]]


def slices_of_all_axes(rank: int, axes: Sequence[int], bounds: Bounds) -> tuple[Any, ...]:
    """Return one Python slice per axis of a tensor, from the starts, ends and steps (default 1) in
    `bounds`.
    """
    index = [slice(None)] * rank
    starts, ends, steps = bounds
    for k, axis in enumerate(axes):
        index[axis] = python_slice(starts[k], ends[k], steps[k] if steps else 1)
    return tuple(index)


def python_slice(start: int, end: int, step: int) -> slice:
    """Convert Paddle's slice to Python's: with a negative step, an end of -1 includes the first
    element.
    """
    return slice(start, None if step < 0 and end == -1 else end, step)


def sliced_dim(size: int, start: int, end: int, step: int) -> int:
    """The size of a slice of an axis; -1 if it is unknown."""
    return len(range(*python_slice(start, end, step).indices(size))) if size >= 0 else -1


def shape_without_integer_axes(shape: Shape, axes: Sequence[int]) -> Shape:
    """`shape` without the axes that are indexed by integers. Raises OpError unless the removed axes
    have size 1.
    """
    gone = {normalize_axis(a, len(shape), "decrease_axis") for a in axes}
    check(
        all(shape[a] in (1, -1) for a in gone), "decrease_axis contains an axis whose size is not 1"
    )
    return tuple(d for i, d in enumerate(shape) if i not in gone)


def _slice_and_drop_integer_axes(
    x: Any, axes: Sequence[int], bounds: Bounds, decrease_axis: Sequence[int]
) -> Any:
    part = x[slices_of_all_axes(x.ndim, axes, bounds)]
    if not decrease_axis:
        return part
    gone = {a % x.ndim for a in decrease_axis}
    check(
        all(part.shape[a] == 1 for a in gone), "decrease_axis contains an axis whose size is not 1"
    )
    return part.reshape([d for i, d in enumerate(part.shape) if i not in gone])


def _meta_of_slice_with_dropped_axes(
    x: Meta, axes: Any, bounds: Bounds, decrease_axis: Any, unknown: bool
) -> Meta:
    found = list(x.shape)
    starts, ends, steps = bounds
    check(
        unknown or len(axes) == len(starts) == len(ends), "axes, starts and ends differ in number"
    )
    check(not axes or len(x.shape) > 0, "Input has no axes")
    for k, axis in enumerate(axes):
        at = normalize_axis(axis, len(x.shape), "axes")
        step = steps[k] if steps else 1
        check(step != 0, "a stride is 0")
        found[at] = -1 if unknown else sliced_dim(x.shape[at], starts[k], ends[k], step)
    return Meta(shape_without_integer_axes(tuple(found), decrease_axis), x.dtype)


def _zeros_with_slice(x: Any, g: Any, axes: Sequence[int], bounds: Bounds) -> Any:
    """The gradient of reading a slice: zeros like x, with g at the slice."""
    total = np.zeros_like(x)
    part = total[slices_of_all_axes(x.ndim, axes, bounds)]
    part[...] = g.reshape(part.shape)
    return total


# -- slice
# ------------------------------------------------------------------------------


@op("slice", "Input, StartsTensor?, EndsTensor?, StartsTensorList*?, EndsTensorList*? -> Out")
def slice_(
    x,
    starts_tensor=None,
    ends_tensor=None,
    starts_tensors=None,
    ends_tensors=None,
    *,
    axes: Ints,
    starts: Ints = [],
    ends: Ints = [],
    infer_flags: Ints = [],
    decrease_axis: Ints = [],
):
    """Out = Input from starts to ends along the axes, without the axes decrease_axis.

    Input [*] -> Out [*]
    """
    first, last = (
        sizes_from_tensors_or_attr(starts_tensor, starts_tensors, starts),
        sizes_from_tensors_or_attr(ends_tensor, ends_tensors, ends),
    )
    return _slice_and_drop_integer_axes(x, axes, (first, last, []), decrease_axis)


@slice_.meta
def _(
    x,
    starts_tensor,
    ends_tensor,
    starts_tensors,
    ends_tensors,
    *,
    axes,
    starts,
    ends,
    infer_flags,
    decrease_axis,
):
    unknown = any((starts_tensor, ends_tensor, starts_tensors, ends_tensors))
    return _meta_of_slice_with_dropped_axes(x, axes, (starts, ends, []), decrease_axis, unknown)


@slice_.vjp
def _(
    g,
    x,
    starts_tensor,
    ends_tensor,
    starts_tensors,
    ends_tensors,
    *,
    axes,
    starts,
    ends,
    decrease_axis,
):
    over = {"axes": axes, "starts": starts, "ends": ends, "decrease_axis": decrease_axis}
    return (
        slice_grad(x, g, starts_tensor, ends_tensor, starts_tensors, ends_tensors, **over),
        None,
        None,
        None,
        None,
    )


@op(
    "slice_grad",
    "Input, Out@GRAD, StartsTensor?, EndsTensor?, StartsTensorList*?, EndsTensorList*? -> "
    "Input@GRAD",
    meta=like_x_meta,
    internal=True,
)
def slice_grad(
    x,
    g,
    starts_tensor=None,
    ends_tensor=None,
    starts_tensors=None,
    ends_tensors=None,
    *,
    axes: Ints,
    starts: Ints = [],
    ends: Ints = [],
    decrease_axis: Ints = [],
):
    """Input@GRAD = zeros like Input, with Out@GRAD at the slice.

    Input [*S], Out@GRAD [*] -> Input@GRAD [*S]
    """
    first, last = (
        sizes_from_tensors_or_attr(starts_tensor, starts_tensors, starts),
        sizes_from_tensors_or_attr(ends_tensor, ends_tensors, ends),
    )
    return _zeros_with_slice(x, g, axes, (first, last, []))


@slice_grad.vjp
def _(gg, x, g, *tensors, axes, starts, ends, decrease_axis):
    return None, slice_(
        gg, *tensors, axes=axes, starts=starts, ends=ends, decrease_axis=decrease_axis
    )


# -- strided_slice
# ------------------------------------------------------------------------------------------------

_STRIDED_SLOTS = (
    "StartsTensor?, EndsTensor?, StridesTensor?, StartsTensorList*?, EndsTensorList*?, "
    "StridesTensorList*?"
)


@op("strided_slice", f"Input, {_STRIDED_SLOTS} -> Out")
def strided_slice(
    x,
    starts_tensor=None,
    ends_tensor=None,
    strides_tensor=None,
    starts_tensors=None,
    ends_tensors=None,
    strides_tensors=None,
    *,
    axes: Ints,
    starts: Ints = [],
    ends: Ints = [],
    strides: Ints = [],
    infer_flags: Ints = [],
    decrease_axis: Ints = [],
):
    """Out = Input from starts to ends with strides along the axes, without the axes decrease_axis.

    Input [*] -> Out [*]
    """
    first, last = (
        sizes_from_tensors_or_attr(starts_tensor, starts_tensors, starts),
        sizes_from_tensors_or_attr(ends_tensor, ends_tensors, ends),
    )
    return _slice_and_drop_integer_axes(
        x,
        axes,
        (first, last, sizes_from_tensors_or_attr(strides_tensor, strides_tensors, strides)),
        decrease_axis,
    )


@strided_slice.meta
def _(x, *tensors, axes, starts, ends, strides, infer_flags, decrease_axis):
    return _meta_of_slice_with_dropped_axes(
        x, axes, (starts, ends, strides), decrease_axis, any(tensors)
    )


@strided_slice.vjp
def _(g, x, *tensors, axes, starts, ends, strides, decrease_axis):
    over = {
        "axes": axes,
        "starts": starts,
        "ends": ends,
        "strides": strides,
        "decrease_axis": decrease_axis,
    }
    return strided_slice_grad(x, g, *tensors, **over), *[None] * len(tensors)


@op(
    "strided_slice_grad",
    f"Input, Out@GRAD, {_STRIDED_SLOTS} -> Input@GRAD",
    meta=like_x_meta,
    internal=True,
)
def strided_slice_grad(
    x,
    g,
    starts_tensor=None,
    ends_tensor=None,
    strides_tensor=None,
    starts_tensors=None,
    ends_tensors=None,
    strides_tensors=None,
    *,
    axes: Ints,
    starts: Ints = [],
    ends: Ints = [],
    strides: Ints = [],
    decrease_axis: Ints = [],
):
    """Input@GRAD = zeros like Input, with Out@GRAD at the slice.

    Input [*S], Out@GRAD [*] -> Input@GRAD [*S]
    """
    first, last = (
        sizes_from_tensors_or_attr(starts_tensor, starts_tensors, starts),
        sizes_from_tensors_or_attr(ends_tensor, ends_tensors, ends),
    )
    return _zeros_with_slice(
        x,
        g,
        axes,
        (first, last, sizes_from_tensors_or_attr(strides_tensor, strides_tensors, strides)),
    )


@strided_slice_grad.vjp
def _(gg, x, g, *tensors, axes, starts, ends, strides, decrease_axis):
    over = {
        "axes": axes,
        "starts": starts,
        "ends": ends,
        "strides": strides,
        "decrease_axis": decrease_axis,
    }
    return None, strided_slice(gg, *tensors, **over)


# -- set_value
# ------------------------------------------------------------------------------


@op(
    "set_value",
    "Input, StartsTensorList*?, EndsTensorList*?, StepsTensorList*?, ValueTensor? -> Out",
    older_attrs=dict.fromkeys(
        ("bool_values", "int32_values", "int64_values", "fp32_values", "fp64_values"), "values"
    ),  # up to Paddle 2.4 there was one attribute per dtype, and all but one were empty
)
def set_value(
    x,
    starts_tensors=None,
    ends_tensors=None,
    steps_tensors=None,
    value=None,
    *,
    axes: Longs,
    starts: Longs = [],
    ends: Longs = [],
    steps: Longs = [],
    decrease_axes: Longs = [],
    none_axes: Longs = [],
    dtype: int = 5,
    shape: Longs = [],
    values: Scalars = [],
):
    """Out = Input with ValueTensor assigned to a slice. Without ValueTensor, the values in the
    attribute for the dtype are reshaped to `shape` and assigned.

    Input [*S] -> Out [*S]
    """
    bounds = tuple(
        sizes_from_tensors_or_attr(None, t, a)
        for t, a in ((starts_tensors, starts), (ends_tensors, ends), (steps_tensors, steps))
    )
    out = x.copy()
    index = slices_of_all_axes(x.ndim, axes, (bounds[0], bounds[1], bounds[2]))
    part = out[index] if index else out
    given = np.array(values, x.dtype).reshape(tuple(shape)) if value is None else value
    check_dtype(given.dtype == x.dtype, "the dtypes of Input and ValueTensor differ")
    view = _broadcast_shape_of_value(part.shape, decrease_axes, none_axes)
    check(
        broadcast_shapes(view, given.shape[-len(view) :] if view else ()) == view,
        "the value does not fit into the slice",
    )
    part[...] = np.broadcast_to(
        given.reshape(given.shape[max(given.ndim - len(view), 0) :]), view
    ).reshape(part.shape)
    return out if x.ndim else out[()]


def _broadcast_shape_of_value(
    shape: Shape, decrease_axes: Sequence[int], none_axes: Sequence[int]
) -> Shape:
    """The shape to which set_value broadcasts a value: that of the slice without axes indexed by
    integers, with an axis of size 1 for each None.
    """
    view = list(shape_without_integer_axes(shape, decrease_axes))
    for place in inserted_axis_positions(len(shape), decrease_axes, none_axes):
        view.insert(place, 1)
    return tuple(view)


def inserted_axis_positions(
    rank: int, decrease_axes: Sequence[int], none_axes: Sequence[int]
) -> list[int]:
    """The positions, in the shape of the value, of the axes that None inserts.

    none_axes: for each inserted axis, the axis of Input before which it is inserted.
    """
    left = [
        i
        for i in range(rank)
        if i not in {normalize_axis(a, rank, "decrease_axes") for a in decrease_axes}
    ]
    return [sum(i < axis for i in left) + k for k, axis in enumerate(sorted(none_axes))]


@set_value.meta
def _(
    x,
    first,
    last,
    by,
    value,
    *,
    axes,
    starts,
    ends,
    steps,
    decrease_axes,
    none_axes,
    dtype,
    shape,
    values,
):
    check_dtype(
        value is None or value.dtype == x.dtype, "the dtypes of Input and ValueTensor differ"
    )
    if first or last or by:
        return x
    part = _meta_of_slice_with_dropped_axes(x, axes, (starts, ends, steps), [], unknown=False).shape
    view = _broadcast_shape_of_value(part, decrease_axes, none_axes)
    given = tuple(shape) if value is None else value.shape
    check(
        len(given) <= len(view) or set(given[: len(given) - len(view)]) <= {1},
        "the value has more axes than the slice",
    )
    tail = given[max(len(given) - len(view), 0) :]
    full = broadcast_shapes(view, tail)
    check(
        all(f == v or min(f, v) < 0 for f, v in zip(full, view, strict=True)),
        "the value does not fit into the slice",
    )
    return x


@set_value.vjp
def _(g, x, first, last, by, value, *, axes, starts, ends, steps, decrease_axes, none_axes):
    over = {"axes": axes, "starts": starts, "ends": ends, "steps": steps}

    def grad_with_zeroed_slice() -> Any:
        return set_value(
            g, first, last, by, **over, dtype=vjp_input_dtype_proto(x), shape=[1], values=[0.0]
        )

    def value_grad() -> Any:
        lists = (None, None, None, first, last, by)
        part = strided_slice(
            g,
            *lists,
            axes=axes,
            starts=starts,
            ends=ends,
            strides=steps,
            decrease_axis=decrease_axes,
        )
        part = unsqueeze(
            part, axes=inserted_axis_positions(len(vjp_input_shape(x)), decrease_axes, none_axes)
        )
        # If the value has more axes than the slice, its gradient gets leading axes of size 1.
        extra = len(vjp_input_shape(value)) - len(vjp_input_shape(part))
        if extra > 0:
            part = unsqueeze(part, axes=[0] * extra)
        return part

    return grad_with_zeroed_slice, None, None, None, value_grad
