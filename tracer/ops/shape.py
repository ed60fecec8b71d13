"""Ops that give the same numbers another shape: reshape, transpose, squeeze, expand, tile, flip, roll."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.op import Ints, Longs, Meta, check, op
from .elementwise import scale
from .meta import Shape, agree, broadcast_shapes, like_x, normal_axes, normal_axis, size_of


def numbers_of(tensor: Any, tensors: Sequence[Any] | None, attr: Sequence[int]) -> list[int]:
    """The numbers that a kernel gets as one tensor, as a list of tensors of one element, or as an attribute."""
    if tensors:
        return [int(t.reshape(()).item()) for t in tensors]
    return list(attr) if tensor is None else [int(v) for v in tensor.reshape(-1).tolist()]


def sizes_known(tensor: Meta | None, tensors: Sequence[Meta] | None, attr: Sequence[int]) -> list[int]:
    """What a meta rule knows of such numbers: a tensor's are unknown, but for how many there are."""
    if tensors:
        return list(attr) if len(attr) == len(tensors) else [-1] * len(tensors)
    if tensor is None:
        return list(attr)
    count = size_of(tensor.shape)
    check(count >= 0, "how many sizes there are is not known")
    return [-1] * count


# -- reshape ------------------------------------------------------------------------------------------------------


@op("reshape2", "X, Shape?, ShapeTensor*? -> Out")
def reshape(x, shape_tensor=None, shape_tensors=None, *, shape: Ints = [], use_quantizer: bool = False):
    """Out = X in `shape`: 0 takes the size of X there, one -1 what is left.   X [*] -> Out [*shape]"""
    wanted = numbers_of(shape_tensor, shape_tensors, shape)
    return x.reshape(_reshaped(x.shape, wanted) if 0 in wanted else wanted)


@reshape.meta
def _(x, shape_tensor, shape_tensors, *, shape, **_):
    given = shape_tensor is None and not shape_tensors
    wanted = sizes_known(None if shape_tensors else shape_tensor, shape_tensors, shape)
    if not given:
        return Meta(tuple(-1 if d <= 0 else d for d in wanted), x.dtype)
    check(wanted.count(-1) <= 1 and all(d >= -1 for d in wanted), f"shape={wanted} is none")
    return Meta(_reshaped(x.shape, wanted), x.dtype)


def _reshaped(shape: Shape, wanted: list[int]) -> Shape:
    empty = 0 in shape
    copied = [i for i, d in enumerate(wanted) if d == 0 and (not empty or shape[i : i + 1] == (0,))]
    check(all(i < len(shape) for i in copied), f"shape={wanted} takes the size of an axis that X lacks")
    found = [shape[i] if i in copied else d for i, d in enumerate(wanted)]
    before = size_of(tuple(d for i, d in enumerate(shape) if i not in copied))
    after = math.prod(d for i, d in enumerate(found) if i not in copied and wanted[i] != -1)
    if -1 in wanted:
        if before >= 0:
            check(after != 0 and before % after == 0, f"shape={wanted} does not hold the elements")
            found[wanted.index(-1)] = before // after
    else:
        check(agree(before, after), f"shape={wanted} does not hold the elements")
    return tuple(found)


@reshape.vjp
def _(g, x, shape_tensor, shape_tensors):
    return reshape_like(g, x), None, None


@op("reshape_like", "X, Y -> Out")
def reshape_like(x, y):
    """Out = X in the shape of Y.   X [*], Y [*S] -> Out [*S]"""
    return x.reshape(y.shape)


@reshape_like.meta
def _(x, y):
    check(agree(size_of(x.shape), size_of(y.shape)), "the sizes differ")
    return Meta(y.shape, x.dtype)


@reshape_like.vjp
def _(g, x, y):
    return reshape_like(g, x), None


@op("flatten_contiguous_range", "X -> Out")
def flatten(x, *, start_axis: int = 1, stop_axis: int = 1):
    """Out = X with the axes from start to stop, both included, made one.   X [*] -> Out [*]"""
    if not x.ndim:
        return x.reshape(1)
    start, stop = (normal_axis(a, x.ndim) for a in (start_axis, stop_axis))
    check(start <= stop, "start_axis lies after stop_axis")
    return x.reshape(*x.shape[:start], math.prod(x.shape[start : stop + 1]), *x.shape[stop + 1 :])


@flatten.meta
def _(x, *, start_axis, stop_axis):
    if not x.shape:
        return Meta((1,), x.dtype)
    start = normal_axis(start_axis, len(x.shape), "start_axis")
    stop = normal_axis(stop_axis, len(x.shape), "stop_axis")
    check(start <= stop, "start_axis lies after stop_axis")
    return Meta((*x.shape[:start], size_of(x.shape[start : stop + 1]), *x.shape[stop + 1 :]), x.dtype)


@flatten.vjp
def _(g, x):
    return reshape_like(g, x)


@op("squeeze2", "X -> Out")
def squeeze(x, *, axes: Ints = []):
    """Out = X without those of `axes` that have size 1, without all such axes if none is named.   X [*] -> Out [*]"""
    return x.reshape(_squeezed(x.shape, axes))


def _squeezed(shape: Shape, axes: Sequence[int]) -> Shape:
    named = [normal_axis(a, len(shape), "axes") for a in axes] or range(len(shape))
    return tuple(d for i, d in enumerate(shape) if i not in named or d != 1)


@squeeze.meta
def _(x, *, axes):
    # An axis of unknown size is taken for 1 when it is named: there is no other use in naming it.
    check(bool(axes) or -1 not in x.shape, "axes must be named where sizes are unknown")
    named = {normal_axis(a, len(x.shape), "axes") for a in axes}
    return Meta(_squeezed(tuple(1 if d < 0 and i in named else d for i, d in enumerate(x.shape)), axes), x.dtype)


@squeeze.vjp
def _(g, x):
    return reshape_like(g, x)


@op("unsqueeze2", "X, AxesTensor?, AxesTensorList*? -> Out")
def unsqueeze(x, axes_tensor=None, axes_tensors=None, *, axes: Ints = []):
    """Out = X with axes of size 1 put in, one after the other.   X [*] -> Out [*]"""
    return x.reshape(_unsqueezed(x.shape, numbers_of(axes_tensor, axes_tensors, axes)))


def _unsqueezed(shape: Shape, axes: Sequence[int]) -> Shape:
    found = list(shape)
    for a in axes:
        found.insert(normal_axis(a, len(found) + 1, "axes"), 1)
    return tuple(found)


@unsqueeze.meta
def _(x, axes_tensor, axes_tensors, *, axes):
    if axes_tensor is None and not axes_tensors:
        return Meta(_unsqueezed(x.shape, axes), x.dtype)
    return Meta((-1,) * (len(x.shape) + len(sizes_known(axes_tensor, axes_tensors, []))), x.dtype)


@unsqueeze.vjp
def _(g, x, axes_tensor, axes_tensors):
    return reshape_like(g, x), None, None


# -- order of the axes --------------------------------------------------------------------------------------------


@op("transpose2", "X -> Out")
def transpose(x, *, axis: Ints):
    """Out = X with its axes in the order `axis`.   X [*] -> Out [*]"""
    return np.transpose(x, axis)


@transpose.meta
def _(x, *, axis):
    order = normal_axes(axis, len(x.shape))
    check(len(order) == len(x.shape), f"axis={list(axis)} does not name every axis")
    return Meta(tuple(x.shape[a] for a in order), x.dtype)


@transpose.vjp
def _(g, x, *, axis):
    order = [a % len(axis) for a in axis]
    return transpose(g, axis=[order.index(i) for i in range(len(order))])


@op("flip", "X -> Out")
def flip(x, *, axis: Ints):
    """Out = X backwards along the axes.   X [*] -> Out [*]"""
    return np.flip(x, tuple(axis))


@flip.meta
def _(x, *, axis):
    normal_axes(axis, len(x.shape))
    return x


@flip.vjp
def _(g, x, *, axis):
    return flip(g, axis=axis)


@op("roll", "X, ShiftsTensor? -> Out")
def roll(x, shifts_tensor=None, *, shifts: Longs = [], axis: Longs = []):
    """Out = X moved along the axes, what leaves coming in on the other side; without axes flattened first.   X [*] -> Out [*]"""
    by = numbers_of(shifts_tensor, None, shifts)
    if not axis:
        check(len(by) == 1, f"shifts={by} need an axis each")
    return np.roll(x, tuple(by), tuple(axis)) if axis else np.roll(x, by[0])


@roll.meta
def _(x, shifts_tensor, *, shifts, axis):
    normal_axes(axis, len(x.shape))
    count = len(sizes_known(shifts_tensor, None, shifts))
    check(count == max(len(axis), 1), f"{count} shifts for {len(axis)} axes")
    return x


@roll.vjp
def _(g, x, shifts_tensor, *, shifts, axis):
    back = None if shifts_tensor is None else scale(shifts_tensor, scale=-1.0)
    return roll(g, back, shifts=[-s for s in shifts], axis=axis), None


# -- more of the same ---------------------------------------------------------------------------------------------


@op("expand_v2", "X, Shape?, expand_shapes_tensor*? -> Out")
def expand(x, shape_tensor=None, shape_tensors=None, *, shape: Ints = []):
    """Out = X broadcast to `shape`, -1 keeping the size of X.   X [*] -> Out [*shape]"""
    wanted = numbers_of(shape_tensor, shape_tensors, shape)
    return np.broadcast_to(x, _kept(x.shape, wanted))


def _kept(shape: Shape, wanted: Sequence[int]) -> Shape:
    new = len(wanted) - len(shape)
    check(new >= 0, f"shape={list(wanted)} has fewer axes")
    check(all(d >= 0 for d in wanted[:new]), f"shape={list(wanted)} keeps the size of an axis that X lacks")
    return tuple(shape[i - new] if i >= new and d == -1 else d for i, d in enumerate(wanted))


@expand.meta
def _(x, shape_tensor, shape_tensors, *, shape):
    if shape_tensor is not None or shape_tensors:
        wanted = sizes_known(shape_tensor if not shape_tensors else None, shape_tensors, shape)
        return Meta(tuple(-1 if d < 0 else d for d in wanted), x.dtype)
    full = _kept(x.shape, shape)
    padded = (1,) * (len(full) - len(x.shape)) + x.shape
    check(all(d == 1 or agree(d, e) for d, e in zip(padded, full, strict=True)), f"cannot expand to shape={list(shape)}")
    return Meta(full, x.dtype)


@expand.vjp
def _(g, x, shape_tensor, shape_tensors):
    return g, None, None  # the tape sums it to X


@op("expand_as_v2", "X, Y? -> Out")
def expand_as(x, y=None, *, target_shape: Ints = []):
    """Out = X broadcast to Y, or to target_shape.   X [*], Y [*S] -> Out [*S]"""
    return np.broadcast_to(x, target_shape if y is None else y.shape)


@expand_as.meta
def _(x, y, *, target_shape):
    full = tuple(target_shape) if y is None else y.shape
    check(len(full) >= len(x.shape), "Y has fewer axes")
    padded = (1,) * (len(full) - len(x.shape)) + x.shape
    check(all(d == 1 or agree(d, e) for d, e in zip(padded, full, strict=True)), "X does not broadcast to Y")
    return Meta(full, x.dtype)


@expand_as.vjp
def _(g, x, y):
    return g, None


@op("sum_like", "X, Y -> Out")
def sum_like(x, y):
    """Out = X summed to the shape of Y, which broadcasts to X.   X [*], Y [*S] -> Out [*S]"""
    new = x.ndim - y.ndim
    axes = [i for i in range(x.ndim) if i < new or (y.shape[i - new] == 1 and x.shape[i] != 1)]
    return np.sum(x, axis=tuple(axes)).reshape(y.shape)


@sum_like.meta
def _(x, y):
    check(broadcast_shapes(x.shape, y.shape) is not None and len(y.shape) <= len(x.shape), "Y has more axes")
    return Meta(y.shape, x.dtype)


@sum_like.vjp
def _(g, x, y):
    return expand_as(g, x), None


@op("broadcast_tensors", "X* -> Out*")
def broadcast_tensors(xs):
    """Out = all X broadcast to one shape.   X list of [*] -> Out list of [*S]"""
    return list(np.broadcast_arrays(*xs))


@broadcast_tensors.meta
def _(xs):
    check(bool(xs), "X is empty")
    full: Shape = ()
    for x in xs:
        check(x.dtype == xs[0].dtype, "the dtypes differ")
        full = broadcast_shapes(full, x.shape)
    return [Meta(full, xs[0].dtype) for _ in xs]


@broadcast_tensors.vjp
def _(gs, xs):
    return list(gs)


@op("tile", "X, RepeatTimes?, repeat_times_tensor*? -> Out")
def tile(x, repeats_tensor=None, repeats_tensors=None, *, repeat_times: Ints = []):
    """Out = X repeated along each axis.   X [*] -> Out [*]"""
    return np.tile(x, numbers_of(repeats_tensor, repeats_tensors, repeat_times))


def _tiling(shape: Shape, times: Sequence[int]) -> tuple[Shape, Shape]:
    rank = max(len(shape), len(times))
    return (1,) * (rank - len(shape)) + shape, (1,) * (rank - len(times)) + tuple(times)


@tile.meta
def _(x, repeats_tensor, repeats_tensors, *, repeat_times):
    known = repeats_tensor is None and not repeats_tensors
    times = repeat_times if known else sizes_known(repeats_tensor, repeats_tensors, [])
    check(not known or all(t > 0 for t in times), f"repeat_times={list(times)} is not positive")
    shape, full = _tiling(x.shape, times)
    return Meta(tuple(-1 if d < 0 or t < 0 else d * t for d, t in zip(shape, full, strict=True)), x.dtype)


@tile.vjp
def _(g, x, repeats_tensor, repeats_tensors, *, repeat_times):
    return tile_grad(x, g), None, None


@op("tile_grad", "X, Out@GRAD -> X@GRAD", meta=like_x)
def tile_grad(x, g):
    """X@GRAD = the sum of the tiles of Out@GRAD.   X [*], Out@GRAD [*] -> X@GRAD [*]"""
    shape = (1,) * (g.ndim - x.ndim) + x.shape
    split = [n for d, e in zip(shape, g.shape, strict=True) for n in (e // max(d, 1), d)]
    return np.sum(g.reshape(split), axis=tuple(range(0, 2 * g.ndim, 2))).reshape(x.shape)


@tile_grad.vjp
def _(gg, x, g):
    return None, tile_like(gg, g)


@op("tile_like", "X, Y -> Out")
def tile_like(x, y):
    """Out = X tiled to the shape of Y.   X [*], Y [*S] -> Out [*S]"""
    shape = (1,) * (y.ndim - x.ndim) + x.shape
    return np.tile(x, [e // max(d, 1) for d, e in zip(shape, y.shape, strict=True)])


@tile_like.meta
def _(x, y):
    return Meta(y.shape, x.dtype)


@tile_like.vjp
def _(g, x, y):
    return tile_grad(x, g), None


@op("tril_triu", "X -> Out")
def tril_triu(x, *, diagonal: int = 0, lower: bool = False):
    """Out = X with zeros above (lower) or below the diagonal of its last two axes.   X [*,M,N] -> Out [*,M,N]"""
    return np.tril(x, diagonal) if lower else np.triu(x, diagonal)


@tril_triu.meta
def _(x, *, diagonal, lower):
    check(len(x.shape) >= 2, "X needs two axes")
    return x


@tril_triu.vjp
def _(g, x, *, diagonal, lower):
    return tril_triu(g, diagonal=diagonal, lower=lower)


@op("shape", "Input -> Out")
def shape_of(x):
    """Out = the sizes of the axes.   Input [*] -> Out int32 [rank]"""
    return np.array(x.shape, dtype=np.int32)


@shape_of.meta
def _(x):
    return Meta((len(x.shape),), np.dtype(np.int32))
