"""Ops that concatenate, stack and split tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.arrays import np
from ..core.op import Ints, Meta, check, check_dtype, op
from .dynamic_sizes import all_dynamic_shape, sizes_from_tensors_or_attr
from .shared_op_rules import Shape, dims_match, normalize_axis, pick_known_dim


def int_from_tensor_or_attr(tensor: Any, plain: int) -> int:
    """The value of a one-element tensor as an int; `plain`, the value of the attribute, if there is
    no tensor.
    """
    return plain if tensor is None else int(tensor.item())


def split_array_by_sizes(x: Any, counts: Sequence[int], axis: int) -> list[Any]:
    """Consecutive slices of the array `x` along `axis`, with the sizes `counts`."""
    front = (slice(None),) * (axis % x.ndim)
    found, start = [], 0
    for count in counts:
        found.append(x[(*front, slice(start, start + count))])
        start += count
    return found


def shape_with_axis_size(x: Shape, axis: int, size: int) -> Shape:
    """The shape `x` with its size at `axis` replaced by `size`."""
    return (*x[:axis], size, *x[axis + 1 :])


def check_dtypes_and_ranks_match(xs: Sequence[Meta]) -> None:
    """Raise OpError if the list of inputs is empty, or if inputs differ in dtype or rank."""
    check(bool(xs), "X is empty")
    check_dtype(all(x.dtype == xs[0].dtype for x in xs), "the dtypes differ")
    check(all(len(x.shape) == len(xs[0].shape) for x in xs), "the ranks differ")


@op("concat", "X*, AxisTensor? -> Out")
def concat(xs, axis_tensor=None, *, axis: int = 0):
    """Out = all X, concatenated along an axis. X list of [*, Ni, *] -> Out [*, sum Ni, *]"""
    return np.concatenate(
        xs, int_from_tensor_or_attr(axis_tensor, axis), dtype=xs[0].dtype, casting="no"
    )


@concat.meta
def _(xs, axis_tensor, *, axis):
    check_dtypes_and_ranks_match(xs)
    rank = len(xs[0].shape)
    check(rank > 0, "0-D tensors have no axis to be joined along")
    if axis_tensor is not None:
        return Meta(all_dynamic_shape(rank), xs[0].dtype)
    at = normalize_axis(axis, rank)
    shape = xs[0].shape
    for x in xs[1:]:
        for i, (a, b) in enumerate(zip(shape, x.shape, strict=True)):
            check(
                i == at or dims_match(a, b),
                f"the sizes of axis {i} differ, {a} and {b}; only axis {at} may differ",
            )
        shape = tuple(map(pick_known_dim, shape, x.shape))
    total = [x.shape[at] for x in xs]
    return Meta(shape_with_axis_size(shape, at, -1 if min(total) < 0 else sum(total)), xs[0].dtype)


@concat.vjp
def _(g, xs, axis_tensor, *, axis):
    return split_like(g, xs, axis_tensor, axis=axis), None


@op("split_like", "X, Y*, AxisTensor? -> Out*", internal=True)
def split_like(x, ys, axis_tensor=None, *, axis: int = 0):
    """Split X along the axis into parts with the sizes of the tensors in the list Y.

    X [*, sum Ni, *], Y list of [*, Ni, *] -> Out like Y
    """
    axis = int_from_tensor_or_attr(axis_tensor, axis)
    return split_array_by_sizes(x, [y.shape[axis] for y in ys], axis)


@split_like.meta
def _(x, ys, axis_tensor, *, axis):
    return [Meta(y.shape, x.dtype) for y in ys]


@split_like.vjp
def _(gs, x, ys, axis_tensor, *, axis):
    return concat(gs, axis_tensor, axis=axis), None, None


@op("split", "X, AxisTensor?, SectionsTensorList*? -> Out*", grad_keeps_shape=True)
def split(
    x,
    axis_tensor=None,
    section_tensors=None,
    *,
    num: int = 0,
    sections: Ints = [],
    axis: int = 0,
    use_mkldnn: bool = False,
    mkldnn_data_type: str = "float32",
):
    """Split X along the axis into `num` equal parts, or into parts with the sizes `sections`.

    sections: one size may be -1: the remaining size.

    X [*, N, *] -> Out list of [*, Ni, *]
    """
    axis = int_from_tensor_or_attr(axis_tensor, axis)
    return split_array_by_sizes(
        x,
        section_sizes(
            x.shape[axis], num, sizes_from_tensors_or_attr(None, section_tensors, sections)
        ),
        axis,
    )


def section_sizes(size: int, num: int, sections: Sequence[int]) -> Sequence[int]:
    """The sizes of the sections into which `split` divides an axis; -1 for a size that is
    unknown.
    """
    if not sections:
        check(num > 0, "neither num nor sections states the number of pieces")
        check(
            size < 0 or size % num == 0,
            f"an axis of {size} does not split into {num} equal pieces; pass a list of their sizes",
        )
        return [-1 if size < 0 else size // num] * num
    rest = [i for i, s in enumerate(sections) if s < 0]
    check(len(rest) <= 1, f"sections={list(sections)} contains more than one -1")
    if size < 0:
        return sections
    given = sum(s for s in sections if s >= 0)
    check(
        given <= size if rest else given == size,
        f"sections={list(sections)} does not add up to an axis of {size}",
    )
    return [size - given if s < 0 else s for s in sections]


@split.meta
def _(x, axis_tensor, section_tensors, *, num, sections, axis, use_mkldnn, mkldnn_data_type):
    check(bool(x.shape), "a 0-D tensor has no axis to split")
    count = len(section_tensors or sections) or num
    if axis_tensor is not None:
        return [Meta(all_dynamic_shape(len(x.shape)), x.dtype)] * count
    at = normalize_axis(axis, len(x.shape))
    counts = [-1] * count if section_tensors else section_sizes(x.shape[at], num, sections)
    return [Meta(shape_with_axis_size(x.shape, at, n), x.dtype) for n in counts]


@split.vjp
def _(gs, x, axis_tensor, section_tensors, *, axis):
    return concat(gs, axis_tensor, axis=axis), None, None


@op("stack", "X* -> Y")
def stack(xs, *, axis: int = 0):
    """Y = all X, stacked along a new axis. X list of N [*] -> Y [*, N, *]"""
    at = axis if axis >= 0 else axis + xs[0].ndim + 1
    index = (*(slice(None),) * at, None)
    return np.concatenate([x[index] for x in xs], at, dtype=xs[0].dtype, casting="no")


@stack.meta
def _(xs, *, axis):
    check_dtypes_and_ranks_match(xs)
    shape = xs[0].shape
    for i, x in enumerate(xs):
        check(
            all(map(dims_match, shape, x.shape)),
            f"the shapes differ: tensor 0 has {list(xs[0].shape)}, tensor {i} has {list(x.shape)}; "
            "stack needs equal shapes",
        )
        shape = tuple(map(pick_known_dim, shape, x.shape))
    at = normalize_axis(axis, len(shape) + 1)
    return Meta((*shape[:at], len(xs), *shape[at:]), xs[0].dtype)


@stack.vjp
def _(g, xs, *, axis):
    return unstack(g, axis=axis, num=len(xs))


@op("unstack", "X -> Y*")
def unstack(x, *, axis: int = 0, num: int = 0):
    """Y = the list of the `num` slices of X along the axis, which the slices do not have. X [*, N,
    *] -> Y list of N [*]
    """
    check(num == x.shape[axis], f"num={num} is not the size of axis={axis}")
    return unstack_slices(x, axis)


def unstack_slices(x: Any, axis: int) -> list[Any]:
    """The slices of an array along `axis`; the slices do not have this axis."""
    front = (slice(None),) * (axis % x.ndim)
    return [x[(*front, i)] for i in range(x.shape[axis])]


def unstacked_metas(x: Meta, axis: int, count: int) -> list[Meta]:
    """The Metas of the `count` slices of `x` along an axis."""
    return [Meta((*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype)] * count


@unstack.meta
def _(x, *, axis, num):
    check(bool(x.shape), "a 0-D tensor has no slices")
    at = normalize_axis(axis, len(x.shape))
    check(
        dims_match(x.shape[at], num if num >= 0 else 0), f"num={num} is not the size of axis={axis}"
    )
    return unstacked_metas(x, at, num)


@unstack.vjp
def _(gs, x, *, axis):
    return stack(gs, axis=axis)


@op("unbind", "X -> Out*", grad_keeps_shape=True)
def unbind(x, *, axis: int = 0):
    """Out = the list of the slices of X along the axis, which the slices do not have. X [*, N, *]
    -> Out list of N [*]
    """
    return unstack_slices(x, axis)


@unbind.meta
def _(x, *, axis):
    check(bool(x.shape), "a 0-D tensor has no slices")
    at = normalize_axis(axis, len(x.shape))
    check(x.shape[at] >= 0, f"the size of axis={axis} is not known")
    return unstacked_metas(x, at, x.shape[at])


@unbind.vjp
def _(gs, x, *, axis):
    return stack(gs, axis=axis)
