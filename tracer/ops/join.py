"""Ops that join tensors or take them apart: concat, split, stack, meshgrid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.op import OPS, Ints, Meta, check, op
from .meta import Shape, agree_all, known_dim, normal_axis
from .shape import numbers_of


def _axis_of(tensor: Any, axis: int) -> int:
    return axis if tensor is None else int(tensor.reshape(()).item())


@op("concat", "X*, AxisTensor? -> Out")
def concat(xs, axis_tensor=None, *, axis: int = 0):
    """Out = all X one after the other along the axis.   X list of [*] -> Out [*]"""
    return np.concatenate(xs, _axis_of(axis_tensor, axis))


@concat.meta
def _(xs, axis_tensor, *, axis):
    check(bool(xs), "X is empty")
    rank = len(xs[0].shape)
    check(rank > 0 and all(len(x.shape) == rank for x in xs), "the ranks differ")
    check(all(x.dtype == xs[0].dtype for x in xs), "the dtypes differ")
    if axis_tensor is not None:
        return Meta((-1,) * rank, xs[0].dtype)
    return Meta(_joined([x.shape for x in xs], normal_axis(axis, rank)), xs[0].dtype)


def _joined(shapes: list[Shape], axis: int) -> Shape:
    rest = [s[:axis] + s[axis + 1 :] for s in shapes]
    check(all(agree_all(r, rest[0]) for r in rest), f"the shapes differ beside axis={axis}")
    best = rest[0]
    for r in rest[1:]:
        best = tuple(map(known_dim, best, r))
    lengths = [s[axis] for s in shapes]
    return best[:axis] + (-1 if min(lengths) < 0 else sum(lengths),) + best[axis:]


@concat.vjp
def _(g, xs, axis_tensor, *, axis):
    return concat_grad(xs, g, axis_tensor, axis=axis), None


@op("concat_grad", "X*, Out@GRAD, AxisTensor? -> X@GRAD*")
def concat_grad(xs, g, axis_tensor=None, *, axis: int = 0):
    """X@GRAD = the parts of Out@GRAD that came from each X.   X list of [*], Out@GRAD [*] -> X@GRAD list of [*]"""
    along = _axis_of(axis_tensor, axis)
    return np.split(g, np.cumsum([x.shape[along] for x in xs])[:-1], axis=along)


@concat_grad.meta
def _(xs, g, axis_tensor, *, axis):
    return list(xs)


@concat_grad.vjp
def _(ggs, xs, g, axis_tensor, *, axis):
    return None, concat(ggs, axis_tensor, axis=axis), None


@op("split", "X, AxisTensor?, SectionsTensorList*? -> Out*")
def split(
    x, axis_tensor=None, section_tensors=None, *, num: int = 0, sections: Ints = [], axis: int = 0,
    use_mkldnn: bool = False, mkldnn_data_type: str = "float32",
):  # fmt: skip
    """Out = X cut along the axis into `num` equal parts or into `sections`, one of which may be -1.   X [*] -> Out list of [*]"""
    along = normal_axis(_axis_of(axis_tensor, axis), x.ndim)
    lengths = _lengths(x.shape[along], num, numbers_of(None, section_tensors, sections))
    return np.split(x, np.cumsum(lengths)[:-1], axis=along)


def _lengths(size: int, num: int, sections: Sequence[int]) -> list[int]:
    """The lengths of the parts, -1 where a part's length or the size is unknown."""
    if not sections:
        check(num > 0, "neither num nor sections are given")
        check(size < 0 or size % num == 0, f"num={num} does not divide the size {size}")
        return [size // num if size >= 0 else -1] * num
    check(sections.count(-1) <= 1 and all(s >= -1 for s in sections), f"sections={list(sections)} are none")
    rest = size - sum(s for s in sections if s >= 0)
    check(size < 0 or rest == 0 or (rest > 0 and -1 in sections), f"sections={list(sections)} do not add up to {size}")
    return [s if s >= 0 or size < 0 else rest for s in sections]


@split.meta
def _(x, axis_tensor, section_tensors, *, num, sections, axis, **_):
    count = len(section_tensors or sections) or num
    if axis_tensor is not None or section_tensors:
        return [Meta((-1,) * len(x.shape), x.dtype)] * count
    check(len(x.shape) > 0, "X has no axis to cut")
    along = normal_axis(axis, len(x.shape))
    parts = _lengths(x.shape[along], num, list(sections))
    return [Meta(x.shape[:along] + (p,) + x.shape[along + 1 :], x.dtype) for p in parts]


@split.vjp
def _(gs, x, axis_tensor, section_tensors, *, axis):
    return concat(gs, axis_tensor, axis=axis), None, None


@op("stack", "X* -> Y")
def stack(xs, *, axis: int = 0):
    """Y = all X along a new axis.   X list of [*] -> Y [*]"""
    return np.stack(xs, axis)


@stack.meta
def _(xs, *, axis):
    check(bool(xs), "X is empty")
    check(all(x.dtype == xs[0].dtype for x in xs), "the dtypes differ")
    check(all(agree_all(x.shape, xs[0].shape) for x in xs), "the shapes differ")
    shape = xs[0].shape
    for x in xs[1:]:
        shape = tuple(map(known_dim, shape, x.shape))
    at = normal_axis(axis, len(shape) + 1)
    return Meta(shape[:at] + (len(xs),) + shape[at:], xs[0].dtype)


@stack.vjp
def _(g, xs, *, axis):
    return unstack(g, axis=axis, num=len(xs))


def _apart(x: Any, axis: int) -> list[Any]:
    return list(np.moveaxis(x, axis, 0))


def _apart_meta(x: Meta, axis: int, num: int) -> list[Meta]:
    check(len(x.shape) > 0, "X has no axis to take apart")
    at = normal_axis(axis, len(x.shape))
    check(x.shape[at] < 0 or num in (0, x.shape[at]), f"num={num} is not the size {x.shape[at]}")
    count = num or x.shape[at]
    check(count >= 0, "how many parts there are is not known")
    return [Meta(x.shape[:at] + x.shape[at + 1 :], x.dtype)] * count


@op("unstack", "X -> Y*")
def unstack(x, *, axis: int = 0, num: int = 0):
    """Y = the slices of X along the axis, without it.   X [*] -> Y list of [*]"""
    parts = _apart(x, axis)
    check(num in (0, len(parts)), f"num={num} is not the size {len(parts)}")
    return parts


@unstack.meta
def _(x, *, axis, num):
    return _apart_meta(x, axis, num)


@unstack.vjp
def _(gs, x, *, axis):
    return stack(gs, axis=axis)


@op("unbind", "X -> Out*")
def unbind(x, *, axis: int = 0):
    """Out = the slices of X along the axis, without it.   X [*] -> Out list of [*]"""
    return _apart(x, axis)


@unbind.meta
def _(x, *, axis):
    return _apart_meta(x, axis, 0)


@unbind.vjp
def _(gs, x, *, axis):
    return stack(gs, axis=axis)


@op("meshgrid", "X* -> Out*")
def meshgrid(xs):
    """Out = each X, of one axis, broadcast over the grid of all.   X list of [N_i] -> Out list of [N_1,...,N_k]"""
    return list(np.meshgrid(*[x.reshape(-1) for x in xs], indexing="ij"))


@meshgrid.meta
def _(xs):
    check(all(len(x.shape) <= 1 for x in xs), "X needs one axis each")
    check(all(x.dtype == xs[0].dtype for x in xs), "the dtypes differ")
    full = tuple(x.shape[0] if x.shape else 1 for x in xs)
    return [Meta(full, x.dtype) for x in xs]


@meshgrid.vjp
def _(gs, xs):
    def to_one(g: Any, x: Any, place: int) -> Any:
        others = [i for i in range(len(xs)) if i != place]
        return OPS["reshape_like"](OPS["reduce_sum"](g, dim=others) if others else g, x)

    return [to_one(g, x, i) for i, (g, x) in enumerate(zip(gs, xs, strict=True))]
