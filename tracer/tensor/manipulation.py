"""Shapes, pieces and orders of tensors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.dtype import dtype_of
from ..core.errors import OpError, TraceError, with_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors, no_axis_error, not_a_tensor_error
from ..core.tensor import Tensor
from .convert import (
    axes_of,
    beside,
    bounds,
    from_front,
    full,
    select_by_axis,
    single_axis,
    sizes,
    stacked_sizes,
    to_array,
)
from .convert import cast as as_dtype
from .math import mixed_dtypes_error, promoted_floats

__all__ = [
    "broadcast_tensors",
    "broadcast_to",
    "cast",
    "chunk",
    "concat",
    "expand",
    "expand_as",
    "flatten",
    "flip",
    "gather",
    "gather_nd",
    "index_sample",
    "index_select",
    "masked_select",
    "moveaxis",
    "numel",
    "put_along_axis",
    "rank",
    "repeat_interleave",
    "reshape",
    "roll",
    "scatter",
    "scatter_nd_add",
    "shape",
    "slice",
    "split",
    "squeeze",
    "stack",
    "strided_slice",
    "take_along_axis",
    "tile",
    "unbind",
    "unsqueeze",
    "unstack",
    "where",
]
METHODS = [n for n in __all__ if n != "shape"]
# Those that have a twin which changes its operand: `add_`.
IN_PLACE = ["cast", "flatten", "put_along_axis", "reshape", "scatter", "squeeze", "unsqueeze"]


def reshape(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape: -1 is what is left over, 0 the size that x has there.

    x [*] -> [*shape]
    """
    ints, tensors = sizes(shape, "reshape")
    if tensors is None:
        return OPS["reshape2"](x, shape=ints)
    return OPS["reshape2"](x, None, tensors, shape=ints)


def transpose(x: Tensor, perm: Sequence[int], name: str | None = None) -> Tensor:
    """Axis i of the result is axis perm[i] of x.

    x [*S] -> [S[perm[0]], ...]
    """
    return OPS["transpose2"](x, axis=list(perm))


def t(input: Tensor, name: str | None = None) -> Tensor:
    """The transpose of a matrix; a vector or scalar as it is.

    input [N, M] -> [M, N]
    """
    try:
        rank = input.ndim
    except AttributeError:
        raise not_a_tensor_error(input) from None
    if rank > 2:
        check_tensors(input)
        raise OpError(with_user_line(f"t: only for at most two axes (X={input.meta})"))
    return transpose(input, [1, 0]) if rank == 2 else input


def cast(x: Tensor, dtype: Any) -> Tensor:
    """Cast `x` to another dtype. Always returns a copy, even if `x` has that dtype.

    x [*] -> [*]
    """
    found = as_dtype(x, dtype)
    return OPS["assign"](x) if found is x else found


def moveaxis(x: Tensor, source: Any, destination: Any, name: str | None = None) -> Tensor:
    """Axes `source` moved to `destination`, the others in order."""
    check_tensors(x)
    src, dst = ([from_front(a, x, "moveaxis") for a in axes_of(v)] for v in (source, destination))
    order = [a for a in range(x.ndim) if a not in src]
    for d, s in sorted(zip(dst, src, strict=True)):
        order.insert(d, s)
    return transpose(x, order)


def flatten(x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
    """Axes start_axis ... stop_axis made one.

    x [*S] -> [..., product, ...]
    """
    try:
        rank = x.ndim
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if rank == 0:
        return reshape(x, [1])
    return OPS["flatten_contiguous_range"](x, start_axis=start_axis, stop_axis=stop_axis)


def squeeze(x: Tensor, axis: Any = None, name: str | None = None) -> Tensor:
    """Without the axes of size one: those of `axis`, or all."""
    axis = single_axis(axis)
    if isinstance(axis, Tensor) and state.mode.static:
        return select_by_axis(axis, x.ndim, lambda a: OPS["squeeze2"](x, axes=[a]))
    axes = axes_of(axis)
    if state.mode.static and not axes and isinstance(x, Tensor) and -1 in x.meta.shape:
        why = (
            f"a size that is known only at run time counts as other than 1 in the program "
            f"(X={x.meta}); name the axis"
        )
        warnings.warn(with_user_line(f"squeeze: {why}"), stacklevel=2)
    return OPS["squeeze2"](x, axes=axes)


def unsqueeze(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Insert axes of size 1 at `axis`: an int, a list of ints and tensors, or a tensor of ints."""
    if isinstance(axis, Tensor) and state.mode.static:
        return OPS["unsqueeze2"](x, OPS["reshape2"](axis, shape=[-1]), None)
    axes, tensors = bounds(axis) if isinstance(axis, list | tuple) else (axes_of(axis), None)
    return (
        OPS["unsqueeze2"](x, axes=axes) if tensors is None else OPS["unsqueeze2"](x, None, tensors)
    )


def concat(x: Sequence[Tensor], axis: Any = 0, name: str | None = None) -> Tensor:
    """Joined along an axis that exists.

    [*, Ni, *] each -> [*, sum Ni, *]
    """
    if isinstance(axis, Tensor) and state.mode.static and not hasattr(x, "concat_elements"):
        return OPS["concat"](list(x), OPS["reshape2"](axis, shape=[1]))
    axis = axis.item() if isinstance(axis, Tensor) else axis
    return (
        x.concat_elements(axis, False)
        if hasattr(x, "concat_elements")
        else OPS["concat"](list(x), axis=axis)
    )


def stack(x: Sequence[Tensor], axis: int = 0, name: str | None = None) -> Tensor:
    """Joined along a new axis.

    [*S] each -> [*, N, *]
    """
    if hasattr(x, "concat_elements"):
        return x.concat_elements(axis, True)
    parts = list(x)
    if isinstance(axis, Tensor):
        return select_by_axis(axis, parts[0].ndim + 1, lambda a: OPS["stack"](parts, axis=a))
    return OPS["stack"](parts, axis=axis)


def split(x: Tensor, num_or_sections: Any, axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """Pieces along an axis: so many equal ones, or of these sizes, one of which may be -1."""
    if isinstance(axis, Tensor) and state.mode.static:
        return _split_along(x, num_or_sections, axis)
    axis = from_front(axis, x, "split")
    if isinstance(num_or_sections, int):
        return OPS["split"](x, num=num_or_sections, axis=axis)
    if isinstance(num_or_sections, Tensor) and state.mode.static and not num_or_sections.ndim:
        why = (
            "num_or_sections is a number that is known only at run time; a program has to know how "
            "many pieces there are"
        )
        raise TraceError(with_user_line(f"split: {why}"))
    sections, tensors = bounds(_settled(num_or_sections, x, axis))
    return OPS["split"](x, None, tensors, sections=sections, num=0, axis=axis)


def _split_along(x: Tensor, num_or_sections: Any, axis: Tensor) -> list[Tensor]:
    """split along an axis that only a run knows."""
    if isinstance(num_or_sections, int):
        return OPS["split"](x, axis, num=num_or_sections)
    sections, tensors = bounds(list(num_or_sections))
    return OPS["split"](x, axis, tensors, sections=sections, num=0)


def _settled(sections: Any, x: Tensor, axis: int) -> list[Any]:
    """The sections, where a run knows some of them only, without the -1 that stands for
    the rest.
    """
    items = list(sections)
    if not state.mode.static or not any(isinstance(s, Tensor) for s in items):
        return items
    others = [s for s in items if isinstance(s, Tensor) or s >= 0]
    return [s if isinstance(s, Tensor) or s >= 0 else x.shape[axis] - sum(others) for s in items]


def chunk(x: Tensor, chunks: int, axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """So many equal pieces along an axis."""
    return split(x, chunks, axis)


def unbind(input: Tensor, axis: int = 0) -> list[Tensor]:
    """The slices along an axis, without it.

    [N, *] -> N of [*]
    """
    return OPS["unbind"](input, axis=axis)


def unstack(x: Tensor, axis: int = 0, num: int | None = None) -> list[Tensor]:
    """The slices along an axis, without it.

    [N, *] -> N of [*]
    """
    axis = axis if not isinstance(axis, Tensor) else int(axis.item())
    try:
        count = x.meta.shape[axis] if num is None else num
    except AttributeError:
        raise not_a_tensor_error(x) from None
    except IndexError:
        raise no_axis_error(x, axis) from None
    return OPS["unstack"](x, axis=axis, num=count)


def expand(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """x broadcast to a shape, where -1 keeps a size.

    x [*] -> [*shape]
    """
    ints, tensors = sizes(_kept(shape, x), "expand")
    return OPS["expand_v2"](x, None, tensors, shape=ints)


def _kept(shape: Any, x: Tensor) -> Any:
    """A shape that is known in parts, with the known sizes of x where it keeps them: beside tensors
    -1 says nothing about a size.
    """
    if not isinstance(shape, list | tuple) or not any(isinstance(d, Tensor) for d in shape):
        return shape
    own = [-1] * (len(shape) - x.ndim) + list(x.meta.shape)
    return [o if isinstance(d, int) and d == -1 else d for d, o in zip(shape, own, strict=False)]


broadcast_to = expand


def expand_as(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """x broadcast to the shape of y.

    x [*], y [*S] -> [*S]
    """
    try:
        shape = list(y.meta.shape)
    except AttributeError:
        raise not_a_tensor_error(y) from None
    return OPS["expand_as_v2"](x, y, target_shape=shape)


def tile(x: Tensor, repeat_times: Any, name: str | None = None) -> Tensor:
    """x repeated along its axes.

    x [*S] -> [*S * repeat_times]
    """
    ints, tensors = sizes(repeat_times, "tile")
    return OPS["tile"](x, None, tensors, repeat_times=ints)


def repeat_interleave(
    x: Tensor, repeats: Any, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Every slice along `axis` (every element for None) as often as repeats, or its own number,
    says.

    x [*, N, *], repeats int or [N]
    """
    x, axis = (flatten(x), 0) if axis is None else (x, from_front(axis, x, "repeat_interleave"))
    if isinstance(repeats, Tensor):
        return OPS["repeat_interleave"](x, repeats, dim=axis)
    return OPS["repeat_interleave"](x, Repeats=int(repeats), dim=axis)


def broadcast_tensors(input: Sequence[Tensor], name: str | None = None) -> list[Tensor]:
    """All tensors in the shape that they broadcast to together.

    input: [*Ai] each -> list of [*broadcast(A)]
    """
    tensors = list(input)
    check_tensors(*tensors)
    for tensor in tensors[1:]:
        if tensor.meta.dtype != tensors[0].meta.dtype:
            raise mixed_dtypes_error("broadcast_tensors", tensors[0], tensor)
    return OPS["broadcast_tensors"](tensors)


def flip(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Reversed along axes.

    x [*] -> [*]
    """
    return OPS["flip"](x, axis=axes_of(axis))


def roll(x: Tensor, shifts: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Shifted around along axes.

    x [*] -> [*]
    """
    places = stacked_sizes(shifts if isinstance(shifts, list | tuple) else [shifts])
    return OPS["roll"](
        x, places, shifts=axes_of(shifts) if places is None else [], axis=axes_of(axis)
    )


def slice(input: Tensor, axes: Sequence[int], starts: Any, ends: Any) -> Tensor:
    """A range along each of `axes`; negative bounds count from the end.

    input [*] -> [*]
    """
    (first, firsts), (last, lasts) = bounds(starts), bounds(ends)
    axes = [from_front(a, input, "slice") for a in axes]
    flags = [-1 if firsts or lasts else 1] * len(first)
    return OPS["slice"](
        input, None, None, firsts, lasts, axes=axes, starts=first, ends=last, infer_flags=flags
    )


def strided_slice(
    x: Tensor, axes: Sequence[int], starts: Any, ends: Any, strides: Any, name: str | None = None
) -> Tensor:
    """A range with a stride along each of `axes`.

    x [*] -> [*]
    """
    found = {
        key: bounds(v) for key, v in {"starts": starts, "ends": ends, "strides": strides}.items()
    }
    ints, tensors = {key: v[0] for key, v in found.items()}, [v[1] for v in found.values()]
    axes = [from_front(a, x, "strided_slice") for a in axes]
    flags = [-1 if any(tensors) else 1] * len(axes)
    return OPS["strided_slice"](x, None, None, None, *tensors, axes=axes, infer_flags=flags, **ints)


def shape(input: Tensor) -> Tensor:
    """The sizes of the axes, as a tensor.

    input [*] -> int32 [rank]
    """
    return OPS["shape"](input)


def numel(x: Tensor, name: str | None = None) -> Tensor:
    """The number of elements.

    x [*] -> int64 []
    """
    return OPS["size"](x)


def rank(input: Tensor) -> Tensor:
    """The number of axes.

    input [*] -> int32 []
    """
    try:
        found = input.ndim
    except AttributeError:
        raise not_a_tensor_error(input) from None
    return full([], found, "int32")


def gather(x: Tensor, index: Tensor, axis: Any = None, name: str | None = None) -> Tensor:
    """Slices of x along an axis, by index.

    x [*, N, *], index [M] -> [*, M, *]
    """
    if isinstance(axis, Tensor) and state.mode.static:
        return OPS["gather"](x, index, OPS["reshape2"](axis, shape=[1]))
    axis = 0 if axis is None else from_front(axis, x, "gather")
    return OPS["gather"](x, index, axis=axis)


def gather_nd(x: Tensor, index: Tensor, name: str | None = None) -> Tensor:
    """Slices of x by index tuples.

    x [*S], index [*I, K] -> [*I, *S[K:]]
    """
    return OPS["gather_nd"](x, index)


def scatter(
    x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None
) -> Tensor:
    """x with rows replaced (or, without overwrite, zeroed and added to).

    x [N, *], index [M], updates [M, *] -> [N, *]
    """
    return OPS["scatter"](x, index, updates, overwrite=overwrite)


def scatter_nd_add(x: Tensor, index: Tensor, updates: Tensor, name: str | None = None) -> Tensor:
    """x with updates added at index tuples.

    x [*S], index [*I, K], updates [*I, *S[K:]] -> [*S]
    """
    return OPS["scatter_nd_add"](x, index, updates)


def index_select(x: Tensor, index: Tensor, axis: int = 0, name: str | None = None) -> Tensor:
    """Slices of x along an axis, by index.

    x [*, N, *], index [M] -> [*, M, *]
    """
    return OPS["index_select"](x, index, dim=from_front(axis, x, "index_select"))


def index_sample(x: Tensor, index: Tensor) -> Tensor:
    """Elements of each row.

    x [N, M], index [N, K] -> [N, K]
    """
    return OPS["index_sample"](x, index)


def take_along_axis(arr: Tensor, indices: Tensor, axis: int, broadcast: bool = True) -> Tensor:
    """Elements of arr by an index per element.

    arr [*], indices [*] -> [*]

    broadcast: indices broadcast against arr, but for `axis`.
    """
    axis = from_front(axis, arr, "take_along_axis")
    return OPS["take_along_axis"](
        arr, _along(arr, indices, axis) if broadcast else indices, Axis=axis
    )


def _along(arr: Tensor, indices: Tensor, axis: int) -> Tensor:
    """indices broadcast to the shape of arr, but for `axis`."""
    check_tensors(arr, indices)
    wanted = list(arr.meta.shape)
    wanted[axis] = indices.meta.shape[axis]
    return indices if list(indices.meta.shape) == wanted else expand(indices, wanted)


def put_along_axis(
    arr: Tensor,
    indices: Tensor,
    values: Any,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Tensor:
    """arr with values put at an index per element.

    arr [*], indices [*], values [*] -> [*]

    include_self: what is there before counts where `reduce` puts several together; broadcast:
    indices and values broadcast against arr, but for `axis`.
    """
    axis = from_front(axis, arr, "put_along_axis")
    indices = _along(arr, indices, axis) if broadcast else indices
    given = values if isinstance(values, Tensor) else full([1] * indices.ndim, values, arr.dtype)
    if given.meta.shape != indices.meta.shape:
        given = _per_index(given, indices)
    return OPS["put_along_axis"](
        arr, indices, given, Axis=axis, Reduce=reduce, Include_self=include_self
    )


def _per_index(given: Tensor, indices: Tensor) -> Tensor:
    """Values broadcast to the indices; of more than there are indices the first ones, as
    in Paddle.
    """
    have, wanted = given.meta.shape, indices.meta.shape
    known = -1 not in (*have, *wanted)
    if (
        len(have) == len(wanted)
        and known
        and all(h >= w or h == 1 for h, w in zip(have, wanted, strict=True))
    ):
        given = slice(given, list(range(len(wanted))), [0] * len(wanted), list(wanted))
    if known:
        return expand(given, list(wanted))
    return given if len(have) == len(wanted) and 1 not in have else expand(given, indices.shape)


def masked_select(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """The elements where mask is true.

    x [*], mask bool [*] -> [count]
    """
    return OPS["masked_select"](x, mask)


def where(condition: Tensor, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """x where condition is true, else y; without x and y the indices where it is true, one [count,
    1] per axis.
    """
    if x is None or y is None:
        return unbind_columns(OPS["where_index"](condition))
    operands = [
        v if isinstance(v, Tensor) else full([], v, _dtype_beside(v, o))
        for v, o in ((x, y), (y, x))
    ]
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        operands = list(promoted_floats("where", *operands))
    if isinstance(condition, Tensor) and condition.meta.dtype != bool:
        condition = as_dtype(condition, "bool")
    shapes = {tuple(v.meta.shape) for v in (condition, *operands)}
    if len(shapes) > 1:
        condition, *operands = broadcast_beside(condition, operands)
    return OPS["where"](condition, *operands)


def _dtype_beside(number: Any, other: Any) -> Any:
    """The dtype of a number where another value may stand: that of a tensor, which is not to cut a
    fraction off; of two numbers NumPy's of both.
    """
    if not isinstance(other, Tensor):
        return np.result_type(np.asarray(number), np.asarray(other))
    cuts = isinstance(number, float) and other.meta.dtype.kind in "biu"
    return "float64" if cuts else other.dtype


def broadcast_beside(condition: Tensor, operands: list[Tensor]) -> list[Tensor]:
    """All of one shape.

    In a program they go through one dtype, as Paddle's op wants it.
    """
    dtypes = {v.meta.dtype for v in operands}
    if state.mode.is_eager or len(dtypes) > 1 or bool in dtypes:
        return list(OPS["broadcast_tensors"]([condition, *operands]))
    first, *others = OPS["broadcast_tensors"]([as_dtype(condition, operands[0].dtype), *operands])
    return [as_dtype(first, "bool"), *others]


def unbind_columns(index: Tensor) -> tuple[Tensor, ...]:
    """The columns of a matrix, each kept a column.

    [N, K] -> K of [N, 1]
    """
    return tuple(unsqueeze(c, 1) for c in unbind(index, axis=1))


def one_hot(x: Tensor, num_classes: Any, name: str | None = None) -> Tensor:
    """1 at the class, 0 elsewhere.

    x int [*]; num_classes: an int, or a tensor of one -> float32 [*, num_classes]
    """
    if isinstance(num_classes, Tensor) and state.mode.static:
        depth = OPS["reshape2"](num_classes, shape=[1])
        return OPS["one_hot_v2"](x, depth, dtype=dtype_of("float32").proto)
    depth = int(num_classes) if isinstance(num_classes, Tensor) else num_classes
    return OPS["one_hot_v2"](x, depth=depth, dtype=dtype_of("float32").proto)


def as_index(value: Any, x: Tensor) -> Tensor:
    """A list or ndarray of indices as a tensor beside x."""
    return value if isinstance(value, Tensor) else beside(x, to_array(np.asarray(value)))


def tolist(x: Tensor) -> Any:
    """The value as nested lists."""
    try:
        found = x.tolist
    except AttributeError:
        raise not_a_tensor_error(x) from None
    return found()


def in_place(x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Let x be what `function` makes of it: `x.add_(y)`, `x[i] = y`.

    Raises OpError for a leaf that wants a gradient.
    """
    mode = state.mode
    try:
        leaf = not x.stop_gradient and x.node is None
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if leaf and mode.tape and not mode.static:
        raise OpError(
            with_user_line(
                f"in place: a leaf that requires a gradient cannot be changed in place (X={x.meta})"
            )
        )
    mode.assign_inplace(x, function(mode.snapshot(x)))
    return x
