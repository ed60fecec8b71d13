"""Reshaping, joining, splitting and indexing of tensors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.dtype import parse_dtype
from ..core.errors import OpError, TraceError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import axis_out_of_range_error, check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from .convert import (
    array_to_tensor_on_device_of,
    axis_list,
    call_with_possibly_symbolic_axis,
    full,
    normalize_axis,
    split_into_ints_and_tensors,
    split_shape_into_ints_and_tensors,
    tensor_of_symbolic_ints_or_none,
    to_array,
    unwrap_single_tensor_axis,
)
from .convert import cast as as_dtype
from .math import mixed_dtypes_error, promote_operands_or_raise

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
# Functions that have an in-place variant, such as `reshape_`.
IN_PLACE = ["cast", "flatten", "put_along_axis", "reshape", "scatter", "squeeze", "unsqueeze"]


def reshape(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """Return x with another shape.

    shape: -1 is inferred, 0 copies the size of x.

    x [*] -> [*shape]
    """
    ints, tensors = split_shape_into_ints_and_tensors(shape, "reshape")
    if tensors is None:
        return OPS["reshape2"](x, shape=ints)
    return OPS["reshape2"](x, None, tensors, shape=ints)


def transpose(x: Tensor, perm: Sequence[int], name: str | None = None) -> Tensor:
    """Permute axes: axis i of the result is axis perm[i] of x.

    x [*S] -> [S[perm[0]], ...]
    """
    return OPS["transpose2"](x, axis=list(perm))


def t(input: Tensor, name: str | None = None) -> Tensor:
    """Transpose a matrix; vectors and scalars are unchanged.

    input [N, M] -> [M, N]
    """
    try:
        rank = input.ndim
    except AttributeError:
        raise not_a_tensor_error(input) from None
    if rank > 2:
        check_tensors(input)
        raise OpError(append_user_line(f"t: the rank must be at most 2 (X={input.meta})"))
    return transpose(input, [1, 0]) if rank == 2 else input


def cast(x: Tensor, dtype: Any) -> Tensor:
    """Cast `x` to another dtype. The result is always a copy, even if `x` already has the dtype.

    x [*] -> [*]
    """
    out = as_dtype(x, dtype)
    return OPS["assign"](x) if out is x else out


def moveaxis(x: Tensor, source: Any, destination: Any, name: str | None = None) -> Tensor:
    """Move axes to new positions; the others keep their order."""
    check_tensors(x)
    src, dst = (
        [normalize_axis(a, x, "moveaxis") for a in axis_list(v)] for v in (source, destination)
    )
    order = [a for a in range(x.ndim) if a not in src]
    for d, s in sorted(zip(dst, src, strict=True)):
        order.insert(d, s)
    return transpose(x, order)


def flatten(x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
    """Merge the axes start_axis to stop_axis into one.

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
    """Remove axes of size 1: those of `axis`, or all."""
    axis = unwrap_single_tensor_axis(axis)
    if isinstance(axis, Tensor) and state.mode.static:
        return call_with_possibly_symbolic_axis(
            axis, x.ndim, lambda a: OPS["squeeze2"](x, axes=[a])
        )
    axes = axis_list(axis)
    if state.mode.static and not axes and isinstance(x, Tensor) and -1 in x.meta.shape:
        problem = (
            f"an axis with a dynamic size is not removed, even if its size is 1 at run time "
            f"(X={x.meta}); specify the axis"
        )
        warnings.warn(append_user_line(f"squeeze: {problem}"), stacklevel=2)
    return OPS["squeeze2"](x, axes=axes)


def unsqueeze(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Insert axes of size 1 at `axis`: an int, a list of ints and tensors, or a tensor of ints."""
    if isinstance(axis, Tensor) and state.mode.static:
        return OPS["unsqueeze2"](x, OPS["reshape2"](axis, shape=[-1]), None)
    axes, tensors = (
        split_into_ints_and_tensors(axis)
        if isinstance(axis, list | tuple)
        else (axis_list(axis), None)
    )
    return (
        OPS["unsqueeze2"](x, axes=axes) if tensors is None else OPS["unsqueeze2"](x, None, tensors)
    )


def concat(x: Sequence[Tensor], axis: Any = 0, name: str | None = None) -> Tensor:
    """Concatenate along an existing axis.

    [*, Ni, *] each -> [*, sum Ni, *]
    """
    if (
        isinstance(axis, Tensor)
        and state.mode.static
        and not hasattr(x, "concat_or_stack_elements")
    ):
        return OPS["concat"](list(x), OPS["reshape2"](axis, shape=[1]))
    axis = axis.item() if isinstance(axis, Tensor) else axis
    return (
        x.concat_or_stack_elements(axis, False)
        if hasattr(x, "concat_or_stack_elements")
        else OPS["concat"](list(x), axis=axis)
    )


def stack(x: Sequence[Tensor], axis: int = 0, name: str | None = None) -> Tensor:
    """Stack along a new axis.

    [*S] each -> [*, N, *]
    """
    if hasattr(x, "concat_or_stack_elements"):
        return x.concat_or_stack_elements(axis, True)
    tensors = list(x)
    if isinstance(axis, Tensor):
        return call_with_possibly_symbolic_axis(
            axis, tensors[0].ndim + 1, lambda a: OPS["stack"](tensors, axis=a)
        )
    return OPS["stack"](tensors, axis=axis)


def split(x: Tensor, num_or_sections: Any, axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """Split along an axis into `num_or_sections` equal parts, or parts of these sizes, one of which
    may be -1.
    """
    if isinstance(axis, Tensor) and state.mode.static:
        return _split_along_axis_tensor(x, num_or_sections, axis)
    axis = normalize_axis(axis, x, "split")
    if isinstance(num_or_sections, int):
        return OPS["split"](x, num=num_or_sections, axis=axis)
    if isinstance(num_or_sections, Tensor) and state.mode.static and not num_or_sections.ndim:
        problem = (
            "num_or_sections is known only at run time, but a program has a static number of "
            "outputs"
        )
        raise TraceError(append_user_line(f"split: {problem}"))
    sections, tensors = split_into_ints_and_tensors(
        _infer_size_among_symbolic_sections(num_or_sections, x, axis)
    )
    return OPS["split"](x, None, tensors, sections=sections, num=0, axis=axis)


def _split_along_axis_tensor(x: Tensor, num_or_sections: Any, axis: Tensor) -> list[Tensor]:
    """Split along a symbolic axis."""
    if isinstance(num_or_sections, int):
        return OPS["split"](x, axis, num=num_or_sections)
    sections, tensors = split_into_ints_and_tensors(list(num_or_sections))
    return OPS["split"](x, axis, tensors, sections=sections, num=0)


def _infer_size_among_symbolic_sections(sections: Any, x: Tensor, axis: int) -> list[Any]:
    """Replace -1 in sections of which some are symbolic."""
    items = list(sections)
    if not state.mode.static or not any(isinstance(s, Tensor) for s in items):
        return items
    others = [s for s in items if isinstance(s, Tensor) or s >= 0]
    return [s if isinstance(s, Tensor) or s >= 0 else x.shape[axis] - sum(others) for s in items]


def chunk(x: Tensor, chunks: int, axis: Any = 0, name: str | None = None) -> list[Tensor]:
    """Split along an axis into `chunks` equal parts."""
    return split(x, chunks, axis)


def unbind(input: Tensor, axis: int = 0) -> list[Tensor]:
    """Return the slices along an axis, without the axis.

    [N, *] -> N of [*]
    """
    return OPS["unbind"](input, axis=axis)


def unstack(x: Tensor, axis: int = 0, num: int | None = None) -> list[Tensor]:
    """Return the slices along an axis, without the axis.

    [N, *] -> N of [*]
    """
    axis = axis if not isinstance(axis, Tensor) else int(axis.item())
    try:
        count = x.meta.shape[axis] if num is None else num
    except AttributeError:
        raise not_a_tensor_error(x) from None
    except IndexError:
        raise axis_out_of_range_error(x, axis) from None
    return OPS["unstack"](x, axis=axis, num=count)


def expand(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """Broadcast x to a shape; -1 keeps the size of x.

    x [*] -> [*shape]
    """
    ints, tensors = split_shape_into_ints_and_tensors(
        _fill_minus_one_in_symbolic_expand_shape(shape, x), "expand"
    )
    return OPS["expand_v2"](x, None, tensors, shape=ints)


def _fill_minus_one_in_symbolic_expand_shape(shape: Any, x: Tensor) -> Any:
    """Replace -1 by static sizes of x if the shape contains tensors: then the op cannot infer
    them.
    """
    if not isinstance(shape, list | tuple) or not any(isinstance(d, Tensor) for d in shape):
        return shape
    x_sizes = [-1] * (len(shape) - x.ndim) + list(x.meta.shape)
    return [
        o if isinstance(d, int) and d == -1 else d for d, o in zip(shape, x_sizes, strict=False)
    ]


broadcast_to = expand


def expand_as(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Broadcast x to the shape of y.

    x [*], y [*S] -> [*S]
    """
    try:
        shape = list(y.meta.shape)
    except AttributeError:
        raise not_a_tensor_error(y) from None
    return OPS["expand_as_v2"](x, y, target_shape=shape)


def tile(x: Tensor, repeat_times: Any, name: str | None = None) -> Tensor:
    """Repeat x along its axes.

    x [*S] -> [*S * repeat_times]
    """
    ints, tensors = split_shape_into_ints_and_tensors(repeat_times, "tile")
    return OPS["tile"](x, None, tensors, repeat_times=ints)


def repeat_interleave(
    x: Tensor, repeats: Any, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Repeat each slice along `axis` (None: each element of the flattened tensor).

    x [*, N, *], repeats int or [N]: one number for each slice
    """
    x, axis = (flatten(x), 0) if axis is None else (x, normalize_axis(axis, x, "repeat_interleave"))
    if isinstance(repeats, Tensor):
        return OPS["repeat_interleave"](x, repeats, dim=axis)
    return OPS["repeat_interleave"](x, Repeats=int(repeats), dim=axis)


def broadcast_tensors(input: Sequence[Tensor], name: str | None = None) -> list[Tensor]:
    """Broadcast all tensors to their common shape.

    input: [*Ai] each -> list of [*broadcast(A)]
    """
    tensors = list(input)
    check_tensors(*tensors)
    for tensor in tensors[1:]:
        if tensor.meta.dtype != tensors[0].meta.dtype:
            raise mixed_dtypes_error("broadcast_tensors", tensors[0], tensor)
    return OPS["broadcast_tensors"](tensors)


def flip(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Reverse x along axes.

    x [*] -> [*]
    """
    return OPS["flip"](x, axis=axis_list(axis))


def roll(x: Tensor, shifts: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Shift elements cyclically along axes.

    x [*] -> [*]
    """
    shift_tensor = tensor_of_symbolic_ints_or_none(
        shifts if isinstance(shifts, list | tuple) else [shifts]
    )
    return OPS["roll"](
        x,
        shift_tensor,
        shifts=axis_list(shifts) if shift_tensor is None else [],
        axis=axis_list(axis),
    )


def slice(input: Tensor, axes: Sequence[int], starts: Any, ends: Any) -> Tensor:
    """Slice a range of each of `axes`; negative bounds count from the end.

    input [*] -> [*]
    """
    (start_ints, start_tensors), (end_ints, end_tensors) = (
        split_into_ints_and_tensors(starts),
        split_into_ints_and_tensors(ends),
    )
    axes = [normalize_axis(a, input, "slice") for a in axes]
    flags = [-1 if start_tensors or end_tensors else 1] * len(start_ints)
    return OPS["slice"](
        input,
        None,
        None,
        start_tensors,
        end_tensors,
        axes=axes,
        starts=start_ints,
        ends=end_ints,
        infer_flags=flags,
    )


def strided_slice(
    x: Tensor, axes: Sequence[int], starts: Any, ends: Any, strides: Any, name: str | None = None
) -> Tensor:
    """Slice a range with a stride of each of `axes`.

    x [*] -> [*]
    """
    inputs = {
        key: split_into_ints_and_tensors(v)
        for key, v in {"starts": starts, "ends": ends, "strides": strides}.items()
    }
    ints, tensors = {key: v[0] for key, v in inputs.items()}, [v[1] for v in inputs.values()]
    axes = [normalize_axis(a, x, "strided_slice") for a in axes]
    flags = [-1 if any(tensors) else 1] * len(axes)
    return OPS["strided_slice"](x, None, None, None, *tensors, axes=axes, infer_flags=flags, **ints)


def shape(input: Tensor) -> Tensor:
    """Sizes of the axes as a tensor.

    input [*] -> int32 [rank]
    """
    return OPS["shape"](input)


def numel(x: Tensor, name: str | None = None) -> Tensor:
    """Number of elements.

    x [*] -> int64 []
    """
    return OPS["size"](x)


def rank(input: Tensor) -> Tensor:
    """Number of axes.

    input [*] -> int32 []
    """
    try:
        ndim = input.ndim
    except AttributeError:
        raise not_a_tensor_error(input) from None
    return full([], ndim, "int32")


def gather(x: Tensor, index: Tensor, axis: Any = None, name: str | None = None) -> Tensor:
    """Slices of x along an axis at `index`.

    x [*, N, *], index [M] -> [*, M, *]
    """
    if isinstance(axis, Tensor) and state.mode.static:
        return OPS["gather"](x, index, OPS["reshape2"](axis, shape=[1]))
    axis = 0 if axis is None else normalize_axis(axis, x, "gather")
    return OPS["gather"](x, index, axis=axis)


def gather_nd(x: Tensor, index: Tensor, name: str | None = None) -> Tensor:
    """Slices of x at index tuples.

    x [*S], index [*I, K] -> [*I, *S[K:]]
    """
    return OPS["gather_nd"](x, index)


def scatter(
    x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None
) -> Tensor:
    """Return x with the rows at `index` replaced by the rows of `updates`.

    overwrite: if False, these rows are set to 0, and then all updates are added to them.

    x [N, *], index [M], updates [M, *] -> [N, *]
    """
    return OPS["scatter"](x, index, updates, overwrite=overwrite)


def scatter_nd_add(x: Tensor, index: Tensor, updates: Tensor, name: str | None = None) -> Tensor:
    """Return x with `updates` added at index tuples.

    x [*S], index [*I, K], updates [*I, *S[K:]] -> [*S]
    """
    return OPS["scatter_nd_add"](x, index, updates)


def index_select(x: Tensor, index: Tensor, axis: int = 0, name: str | None = None) -> Tensor:
    """Slices of x along an axis at `index`.

    x [*, N, *], index [M] -> [*, M, *]
    """
    return OPS["index_select"](x, index, dim=normalize_axis(axis, x, "index_select"))


def index_sample(x: Tensor, index: Tensor) -> Tensor:
    """Elements of each row at the row's indices.

    x [N, M], index [N, K] -> [N, K]
    """
    return OPS["index_sample"](x, index)


def take_along_axis(arr: Tensor, indices: Tensor, axis: int, broadcast: bool = True) -> Tensor:
    """Elements of arr at one index along `axis` per element.

    arr [*], indices [*] -> [*]

    broadcast: broadcast indices against arr except along `axis`
    """
    axis = normalize_axis(axis, arr, "take_along_axis")
    return OPS["take_along_axis"](
        arr,
        _broadcast_indices_except_along_axis(arr, indices, axis) if broadcast else indices,
        Axis=axis,
    )


def _broadcast_indices_except_along_axis(arr: Tensor, indices: Tensor, axis: int) -> Tensor:
    """Broadcast indices to the shape of arr except along `axis`."""
    check_tensors(arr, indices)
    target_shape = list(arr.meta.shape)
    target_shape[axis] = indices.meta.shape[axis]
    return indices if list(indices.meta.shape) == target_shape else expand(indices, target_shape)


def put_along_axis(
    arr: Tensor,
    indices: Tensor,
    values: Any,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Tensor:
    """Return arr with values written at one index along `axis` per element.

    arr [*], indices [*], values [*] -> [*]

    include_self: include the old element in a reduction.
    broadcast: broadcast indices and values against arr except along `axis`.
    """
    axis = normalize_axis(axis, arr, "put_along_axis")
    indices = _broadcast_indices_except_along_axis(arr, indices, axis) if broadcast else indices
    source = values if isinstance(values, Tensor) else full([1] * indices.ndim, values, arr.dtype)
    if source.meta.shape != indices.meta.shape:
        source = _cut_and_broadcast_values_to_indices(source, indices)
    return OPS["put_along_axis"](
        arr, indices, source, Axis=axis, Reduce=reduce, Include_self=include_self
    )


def _cut_and_broadcast_values_to_indices(values: Tensor, indices: Tensor) -> Tensor:
    """Broadcast values to the shape of the indices; surplus values are cut off, as in Paddle."""
    shape, target_shape = values.meta.shape, indices.meta.shape
    is_static = -1 not in (*shape, *target_shape)
    if (
        len(shape) == len(target_shape)
        and is_static
        and all(h >= w or h == 1 for h, w in zip(shape, target_shape, strict=True))
    ):
        values = slice(
            values, list(range(len(target_shape))), [0] * len(target_shape), list(target_shape)
        )
    if is_static:
        return expand(values, list(target_shape))
    return (
        values
        if len(shape) == len(target_shape) and 1 not in shape
        else expand(values, indices.shape)
    )


def masked_select(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """Elements where mask is True.

    x [*], mask bool [*] -> [count]
    """
    return OPS["masked_select"](x, mask)


def where(condition: Tensor, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """x where condition is True, otherwise y. If x and y are not given, returns the indices where
    `condition` is True, one tensor [count, 1] per axis.
    """
    if x is None or y is None:
        return unbind_columns(OPS["where_index"](condition))
    operands = [
        v if isinstance(v, Tensor) else full([], v, _scalar_operand_dtype(v, o))
        for v, o in ((x, y), (y, x))
    ]
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        operands = list(promote_operands_or_raise("where", *operands))
    if isinstance(condition, Tensor) and condition.meta.dtype != bool:
        condition = as_dtype(condition, "bool")
    shapes = {tuple(v.meta.shape) for v in (condition, *operands)}
    if len(shapes) > 1:
        condition, *operands = broadcast_with_condition(condition, operands)
    return OPS["where"](condition, *operands)


def _scalar_operand_dtype(number: Any, other: Any) -> Any:
    """Return the dtype of a scalar operand: that of the other tensor, but float64 if it would
    truncate a fraction; NumPy's common dtype if the other operand is a scalar.
    """
    if not isinstance(other, Tensor):
        return np.result_type(np.asarray(number), np.asarray(other))
    truncates = isinstance(number, float) and other.meta.dtype.kind in "biu"
    return "float64" if truncates else other.dtype


def broadcast_with_condition(condition: Tensor, operands: list[Tensor]) -> list[Tensor]:
    """Broadcast a condition and operands to one shape.

    In a program they are cast to one dtype, which Paddle's op requires.
    """
    dtypes = {v.meta.dtype for v in operands}
    if state.mode.is_eager or len(dtypes) > 1 or bool in dtypes:
        return list(OPS["broadcast_tensors"]([condition, *operands]))
    first, *others = OPS["broadcast_tensors"]([as_dtype(condition, operands[0].dtype), *operands])
    return [as_dtype(first, "bool"), *others]


def unbind_columns(index: Tensor) -> tuple[Tensor, ...]:
    """Return the columns of a matrix as matrices of one column.

    [N, K] -> K of [N, 1]
    """
    return tuple(unsqueeze(c, 1) for c in unbind(index, axis=1))


def one_hot(x: Tensor, num_classes: Any, name: str | None = None) -> Tensor:
    """One-hot encoding: 1 at the class, 0 elsewhere.

    x int [*].
    num_classes: an int or a tensor -> float32 [*, num_classes].
    """
    if isinstance(num_classes, Tensor) and state.mode.static:
        depth = OPS["reshape2"](num_classes, shape=[1])
        return OPS["one_hot_v2"](x, depth, dtype=parse_dtype("float32").proto)
    depth = int(num_classes) if isinstance(num_classes, Tensor) else num_classes
    return OPS["one_hot_v2"](x, depth=depth, dtype=parse_dtype("float32").proto)


def indices_to_tensor(value: Any, x: Tensor) -> Tensor:
    """Convert a list or ndarray of indices to a tensor on the device of x."""
    return (
        value
        if isinstance(value, Tensor)
        else array_to_tensor_on_device_of(x, to_array(np.asarray(value)))
    )


def tolist(x: Tensor) -> Any:
    """Return the elements as nested lists."""
    try:
        method = x.tolist
    except AttributeError:
        raise not_a_tensor_error(x) from None
    return method()


def apply_in_place(x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Set x to `function(x)`, e.g. for `x.add_(y)` and `x[i] = y`.

    Raises OpError for a leaf that requires a gradient.
    """
    mode = state.mode
    try:
        is_leaf = not x.stop_gradient and x.node is None
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if is_leaf and mode.tape and not mode.static:
        raise OpError(
            append_user_line(
                f"in place: a leaf that requires a gradient cannot be changed in place (X={x.meta})"
            )
        )
    mode.assign_inplace(x, function(mode.make_inplace_op_input(x)))
    return x
