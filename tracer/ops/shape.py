"""Reshape, transpose, expand and repeat."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..core.arrays import np
from ..core.op import NO_GRAD_NON_FLOAT_RESULT, OPS, Ints, Longs, Meta, check, op
from .dynamic_sizes import (
    all_dynamic_shape,
    has_size_tensor,
    sizes_from_tensors_or_attr,
    sizes_from_tensors_or_attr_for_meta_rule,
)
from .shared_op_rules import (
    Shape,
    broadcast_shapes,
    like_x_meta,
    normalize_axes,
    normalize_axis,
    num_elements,
)

# -- reshape
# ----------------------------------------------------------------------------------------------


@op("reshape2", "X, Shape?, ShapeTensor*? -> Out", older_types=("reshape",), public_name="reshape")
def reshape(
    x, shape_tensor=None, shape_tensors=None, *, shape: Ints = [], use_quantizer: bool = False
):
    """Out = X with the shape `shape`.

    shape: -1 for the remaining size, 0 for the size of X at the same position.

    X [*] -> Out [*shape]
    """
    wanted = sizes_from_tensors_or_attr(shape_tensor, shape_tensors, shape)
    return x.reshape(
        replace_zero_sizes(x.shape, wanted)
        if 0 in wanted or min(wanted, default=0) < -1
        else wanted
    )


def replace_zero_sizes(x: Shape, shape: Sequence[int]) -> list[int]:
    """Return the attribute `shape` of reshape with each 0 replaced by the size of `x` at the same
    axis.
    """
    check(
        all(d != 0 or i < len(x) for i, d in enumerate(shape)),
        f"shape={list(shape)} has a 0 at the position of an axis that X does not have",
    )
    check(min(shape) >= -1, f"shape={list(shape)} contains a size below -1")
    check(list(shape).count(-1) <= 1, f"shape={list(shape)} contains more than one -1")
    return [x[i] if d == 0 else d for i, d in enumerate(shape)]


@reshape.meta
def _(x, shape_tensor, shape_tensors, *, shape, use_quantizer):
    wanted = sizes_from_tensors_or_attr_for_meta_rule(shape_tensor, shape_tensors, shape)
    if has_size_tensor(shape_tensor, shape_tensors):
        return Meta(tuple(-1 if d < 1 else d for d in wanted), x.dtype)
    return Meta(
        replace_minus_one_by_remaining_size(
            x.shape, replace_zero_sizes(x.shape, shape) if shape else [], shape
        ),
        x.dtype,
    )


def replace_minus_one_by_remaining_size(
    x: Shape, target: Sequence[int], shape: Sequence[int]
) -> Shape:
    """Return `target` with -1 replaced by the size that keeps the number of elements of `x`.

    shape: the attribute with zeros, which copy sizes of `x`. A copied dynamic dimension occurs in
    both shapes, so it cancels out.
    """
    same = {i for i, d in enumerate(shape) if d == 0 and x[i] < 0}
    have = num_elements(tuple(d for i, d in enumerate(x) if i not in same))
    open_at = [i for i, d in enumerate(shape) if d == -1]
    known = num_elements(
        tuple(d for i, d in enumerate(target) if i not in same and i not in open_at)
    )
    if have < 0:
        return tuple(target)
    if not open_at:
        check(known == have, f"shape={list(shape)} has {known} elements, X has {have}")
        return tuple(target)
    check(
        known > 0 and have % known == 0,
        f"shape={list(shape)}: the {have} elements of X are not a multiple of {known}",
    )
    return tuple(have // known if i in open_at else d for i, d in enumerate(target))


@reshape.vjp
def _(g, x, shape_tensor, shape_tensors):
    return reshape_like(g, x)


@op("reshape_like", "X, Y -> Out", internal=True)
def reshape_like(x, y):
    """Out = X in the shape of Y. X [*], Y [*S] -> Out [*S]"""
    return x.reshape(y.shape)


@reshape_like.meta
def _(x, y):
    have, want = num_elements(x.shape), num_elements(y.shape)
    check(min(have, want) < 0 or have == want, "X and Y do not hold as many elements")
    return Meta(y.shape, x.dtype)


@reshape_like.vjp
def _(g, x, y):
    return reshape_like(g, x), None


@op("squeeze2", "X -> Out", older_types=("squeeze",), public_name="squeeze")
def squeeze(x, *, axes: Ints = []):
    """Out = X without the axes of size 1; with `axes`, only those of them are removed. X [*]
    -> Out [*]
    """
    return x.reshape(squeezed_shape(x.shape, axes))


def squeezed_shape(x: Shape, axes: Sequence[int]) -> Shape:
    """Return the shape `x` without axes of size 1. As in Paddle, a dynamic dimension is removed
    only if it is in `axes`.
    """
    if not axes:
        return tuple(d for d in x if d != 1)
    dropped = {normalize_axis(a, len(x), "axes") for a in axes}
    return tuple(d for i, d in enumerate(x) if i not in dropped or d not in (1, -1))


@squeeze.meta
def _(x, *, axes):
    return Meta(squeezed_shape(x.shape, axes), x.dtype)


@squeeze.vjp
def _(g, x):
    return reshape_like(g, x)


@op(
    "unsqueeze2",
    "X, AxesTensor?, AxesTensorList*? -> Out",
    older_types=("unsqueeze",),
    public_name="unsqueeze",
)
def unsqueeze(x, axes_tensor=None, axes_tensors=None, *, axes: Ints = []):
    """Out = X with new axes of size 1, inserted one after the other. X [*] -> Out [*]"""
    return x.reshape(
        unsqueezed_shape(x.shape, sizes_from_tensors_or_attr(axes_tensor, axes_tensors, axes))
    )


def unsqueezed_shape(x: Shape, axes: Sequence[int]) -> Shape:
    """Return the shape `x` with an axis of size 1 inserted at each of `axes`, one after the
    other.
    """
    shape = list(x)
    for axis in axes:
        shape.insert(normalize_axis(axis, len(shape) + 1, "axes"), 1)
    return tuple(shape)


@unsqueeze.meta
def _(x, axes_tensor, axes_tensors, *, axes):
    if has_size_tensor(axes_tensor, axes_tensors):
        return Meta(
            all_dynamic_shape(
                len(x.shape)
                + len(sizes_from_tensors_or_attr_for_meta_rule(axes_tensor, axes_tensors, []))
            ),
            x.dtype,
        )
    return Meta(unsqueezed_shape(x.shape, axes), x.dtype)


@unsqueeze.vjp
def _(g, x, axes_tensor, axes_tensors):
    return reshape_like(g, x)


@op("flatten_contiguous_range", "X -> Out", public_name="flatten")
def flatten(x, *, start_axis: int = 1, stop_axis: int = 1):
    """Out = X with the axes start_axis ... stop_axis merged. X [*] -> Out [*]; [] -> [1]"""
    shape, rank = x.shape, x.ndim
    if not rank:
        return x.reshape(1)
    check(-rank <= start_axis < rank and -rank <= stop_axis < rank, "an axis does not exist")
    start, stop = start_axis % rank, stop_axis % rank
    check(start <= stop, "the axes are in the wrong order")
    return x.reshape((*shape[:start], math.prod(shape[start : stop + 1]), *shape[stop + 1 :]))


def flattened_shape(x: Shape, start_axis: int, stop_axis: int) -> Shape:
    """Return the shape `x` with the axes from start_axis to stop_axis merged into one."""
    if not x:
        return (1,)
    start, stop = (
        normalize_axis(start_axis, len(x), "start_axis"),
        normalize_axis(stop_axis, len(x), "stop_axis"),
    )
    check(start <= stop, f"stop_axis={stop_axis} comes before start_axis={start_axis}")
    return (*x[:start], num_elements(x[start : stop + 1]), *x[stop + 1 :])


@flatten.meta
def _(x, *, start_axis, stop_axis):
    return Meta(flattened_shape(x.shape, start_axis, stop_axis), x.dtype)


@flatten.vjp
def _(g, x):
    return reshape_like(g, x)


# -- permute
# ----------------------------------------------------------------------------------------------


@op("transpose2", "X -> Out", breaks_lod=True, older_types=("transpose",), public_name="transpose")
def transpose(x, *, axis: Ints):
    """Out = X with permuted axes: axis i of Out is axis[i] of X. X [*] -> Out [*]"""
    return x.transpose(axis)


@transpose.meta
def _(x, *, axis):
    order = normalize_axes(axis, len(x.shape))
    check(
        len(order) == len(x.shape),
        f"axis={list(axis)} does not name every axis of rank {len(x.shape)}",
    )
    return Meta(tuple(x.shape[a] for a in order), x.dtype)


@transpose.vjp
def _(g, x, *, axis):
    back = [0] * len(axis)
    for i, a in enumerate(axis):
        back[a] = i
    return transpose(g, axis=back)


@op("flip", "X -> Out", breaks_lod=True, older_attrs={"dims": "axis"}, grad_keeps_shape=True)
def flip(x, *, axis: Ints):
    """Out = X reversed along the axes. X [*] -> Out [*]"""
    return np.flip(x, tuple(axis))


@flip.meta
def _(x, *, axis):
    normalize_axes(axis, len(x.shape))
    return x


@flip.vjp
def _(g, x, *, axis):
    return flip(g, axis=axis)


@op("roll", "X, ShiftsTensor? -> Out", breaks_lod=True, older_attrs={"dims": "axis"})
def roll(x, shifts_tensor=None, *, shifts: Longs = [], axis: Longs = []):
    """Out = X rolled along the axes; without axes, the flattened X is rolled.

    X [*] -> Out [*]
    """
    steps = sizes_from_tensors_or_attr(shifts_tensor, None, shifts)
    check(
        len(steps) == len(axis or [0]),
        f"shifts={list(steps)} has another number of elements than axis={list(axis)}",
    )
    return np.roll(x, tuple(steps), tuple(axis) if axis else None)


@roll.meta
def _(x, shifts_tensor, *, shifts, axis):
    for a in axis:
        normalize_axis(a, len(x.shape))
    check(
        shifts_tensor is not None or len(shifts) == len(axis or [0]),
        f"shifts={shifts} has another number of elements than axis={axis}",
    )
    return x


@roll.vjp
def _(g, x, shifts_tensor, *, shifts, axis):
    back = None if shifts_tensor is None else OPS["scale"](shifts_tensor, scale=-1.0)
    return roll(g, back, shifts=[-s for s in shifts], axis=axis)


# -- expand, tile and triangles
# ----------------------------------------------------------------------------------


@op("expand_v2", "X, Shape?, expand_shapes_tensor*? -> Out", public_name="expand")
def expand(x, shape_tensor=None, shape_tensors=None, *, shape: Ints = []):
    """Out = X broadcast to a shape, where -1 keeps the size of X. X [*] -> Out [*shape]"""
    wanted = sizes_from_tensors_or_attr(shape_tensor, shape_tensors, shape)
    return np.broadcast_to(x, expanded_shape(x.shape, wanted) if -1 in wanted else wanted)


def expanded_shape(x: Shape, shape: Sequence[int]) -> Shape:
    """Return `shape` with each -1 replaced by the size of the corresponding axis of `x`."""
    new = len(shape) - len(x)
    check(new >= 0, f"shape={list(shape)} has fewer axes than X")
    check(min(shape, default=0) >= -1, f"shape={list(shape)} contains a size below -1")
    check(
        -1 not in shape[:new],
        f"shape={list(shape)} has a -1 at the position of an axis that X does not have",
    )
    return tuple(x[i - new] if d == -1 else d for i, d in enumerate(shape))


def check_expandable(x: Shape, shape: Shape) -> None:
    """Raise OpError unless `x` broadcasts to `shape`, which must not have fewer axes."""
    lined_up = zip(x, shape[len(shape) - len(x) :], strict=True)
    check(
        all(a in (b, 1) or min(a, b) < 0 for a, b in lined_up),
        f"X does not expand to shape={list(shape)}",
    )


@expand.meta
def _(x, shape_tensor, shape_tensors, *, shape):
    wanted = sizes_from_tensors_or_attr_for_meta_rule(shape_tensor, shape_tensors, shape)
    if has_size_tensor(shape_tensor, shape_tensors):
        check(len(wanted) >= len(x.shape), f"shape={list(wanted)} has fewer axes than X")
        return Meta(wanted, x.dtype)
    target = expanded_shape(x.shape, wanted)
    check_expandable(x.shape, target)
    return Meta(target, x.dtype)


@expand.vjp
def _(g, x, shape_tensor, shape_tensors):
    return g


@op("expand_as_v2", "X, Y?! -> Out", public_name="expand_as")
def expand_as(x, y=None, *, target_shape: Ints = []):
    """Out = X broadcast to the shape of Y, or to target_shape. X [*], Y [*S] -> Out [*S]"""
    return np.broadcast_to(x, target_shape if y is None else y.shape)


@expand_as.meta
def _(x, y, *, target_shape):
    shape = tuple(target_shape) if y is None else y.shape
    check(len(shape) >= len(x.shape), f"target_shape={list(shape)} has fewer axes than X")
    check(y is not None or -1 not in shape, f"target_shape={list(shape)} contains -1")
    check_expandable(x.shape, shape)
    return Meta(shape, x.dtype)


@expand_as.vjp
def _(g, x, y):
    return g, None


@op("sum_like", "X, Y -> Out", internal=True)
def sum_like(x, y):
    """Out = X summed to the shape of Y, which broadcasts to X. X [*], Y [*S] -> Out [*S]"""
    new = x.ndim - y.ndim
    axes = [i for i in range(x.ndim) if i < new or (y.shape[i - new] == 1 and x.shape[i] != 1)]
    return np.sum(x, axis=tuple(axes)).reshape(y.shape)


@sum_like.meta
def _(x, y):
    check(
        len(y.shape) <= len(x.shape), "Y has more axes than X"
    )  # sizes are not compared, because files declare the sizes of one loop iteration only
    return Meta(y.shape, x.dtype)


@sum_like.vjp
def _(g, x, y):
    return expand_as(g, x), None


@op("tile", "X, RepeatTimes?, repeat_times_tensor*? -> Out")
def tile(x, times_tensor=None, times_tensors=None, *, repeat_times: Ints = []):
    """Out = X repeated along its axes. If repeat_times is shorter than the rank, it applies to the
    last axes.

    X [*S] -> Out [*S * repeat_times]
    """
    times = sizes_from_tensors_or_attr(times_tensor, times_tensors, repeat_times)
    check(min(times, default=1) > 0, f"repeat_times={list(times)} are not all positive")
    return np.tile(x, tuple(times))


def prepend_ones_to_same_rank(x: Shape, times: Sequence[int]) -> tuple[Shape, tuple[int, ...]]:
    """Return the shape `x` and the repeat counts `times`, with ones prepended to the shorter of
    them.
    """
    rank = max(len(x), len(times))
    return (1,) * (rank - len(x)) + tuple(x), (1,) * (rank - len(times)) + tuple(times)


@tile.meta
def _(x, times_tensor, times_tensors, *, repeat_times):
    times = sizes_from_tensors_or_attr_for_meta_rule(times_tensor, times_tensors, repeat_times)
    known = not has_size_tensor(times_tensor, times_tensors)
    check(
        not known or min(times, default=1) > 0, f"repeat_times={list(times)} are not all positive"
    )
    return Meta(
        tuple(
            -1 if min(d, n) < 0 else d * n
            for d, n in zip(*prepend_ones_to_same_rank(x.shape, times), strict=True)
        ),
        x.dtype,
    )


@tile.vjp
def _(g, x, times_tensor, times_tensors, *, repeat_times):
    return tile_grad(x, times_tensor, times_tensors, g, repeat_times=repeat_times)


@op(
    "tile_grad",
    "X, RepeatTimes?, repeat_times_tensor*?, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
)
def tile_grad(x, times_tensor, times_tensors, g, *, repeat_times: Ints = []):
    """X@GRAD = Out@GRAD summed over the repetitions.

    X [*S], Out@GRAD [*S * repeat_times] -> X@GRAD [*S]
    """
    shape, times = prepend_ones_to_same_rank(
        x.shape, sizes_from_tensors_or_attr(times_tensor, times_tensors, repeat_times)
    )
    split = [d for pair in zip(times, shape, strict=True) for d in pair]
    return np.sum(g.reshape(split), axis=tuple(range(0, len(split), 2))).reshape(x.shape)


@tile_grad.vjp
def _(g, x, times_tensor, times_tensors, out_grad, *, repeat_times):
    return None, None, None, tile(g, times_tensor, times_tensors, repeat_times=repeat_times)


@op("broadcast_tensors", "X* -> Out*")
def broadcast_tensors(xs):
    """Out = all X, broadcast to one shape. X list of [*] -> Out list of [*S]"""
    return list(np.broadcast_arrays(*xs))


@broadcast_tensors.meta
def _(xs):
    check(bool(xs), "X is empty")
    shape: Shape = ()
    for x in xs:
        shape = broadcast_shapes(shape, x.shape)
    return [Meta(shape, x.dtype) for x in xs]


@broadcast_tensors.vjp
def _(gs, xs):
    return list(gs)


@op("tril_triu", "X -> Out")
def tril_triu(x, *, diagonal: int = 0, lower: bool = False):
    """Out = the lower or the upper triangle of X, zeros elsewhere.

    X [*, N, M] -> Out [*, N, M]
    """
    check(x.ndim >= 2, "needs at least two axes")
    return np.tril(x, diagonal) if lower else np.triu(x, diagonal)


@tril_triu.meta
def _(x, *, diagonal, lower):
    check(len(x.shape) >= 2, "needs at least two axes")
    return x


@tril_triu.vjp
def _(g, x, *, diagonal, lower):
    return tril_triu(g, diagonal=diagonal, lower=lower)


@op("shape", "Input -> Out", no_grad_reason=NO_GRAD_NON_FLOAT_RESULT, breaks_lod=True)
def shape_(x):
    """Out = the sizes of the axes of Input, as an integer vector. Input [*] -> Out int32 [rank]"""
    return np.array(x.shape, np.int32)


@shape_.meta
def _(x):
    return Meta((len(x.shape),), np.dtype(np.int32))
