"""Reshaping, joining, splitting and indexing of tensors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from ..core.dtype import parse_dtype
from ..core.errors import (
    ArgumentAssertionError,
    OperandError,
    OpError,
    TraceError,
    append_user_line,
)
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import (
    axis_out_of_range_error,
    called_function_name,
    check_tensors,
    not_a_tensor_error,
    reject_several_numbers,
)
from ..core.tensor import Tensor
from ..core.type_aliases import Axes, DTypeLike, Operand, Scalar, Shape, Size
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


def reshape(x: Tensor, shape: Shape, name: str | None = None) -> Tensor:
    """Return a tensor with the same elements in another shape.

    Parameters
    ----------
    x : Tensor [*], any dtype
    shape : int, list of int and of Tensor, or Tensor [K] of integers
        The sizes of the new axes. One -1 is replaced by the size that fits; 0 copies the size of x
        at the same position.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype of x

    Raises
    ------
    OpError
        If the shape does not hold as many elements as x, or contains more than one -1.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
    >>> paddle.reshape(x, [3, -1]).tolist()
    [[1, 2], [3, 4], [5, 6]]
    >>> paddle.reshape(x, [0, 1, 3]).shape
    [2, 1, 3]
    """
    if name is not None:
        reject_several_numbers("reshape", shape, name)
    ints, tensors = split_shape_into_ints_and_tensors(shape, "reshape")
    if tensors is None:
        return OPS["reshape2"](x, shape=ints)
    return OPS["reshape2"](x, None, tensors, shape=ints)


def transpose(x: Tensor, perm: Sequence[int], name: str | None = None) -> Tensor:
    """Permute the axes of a tensor.

    Axis i of the result is axis perm[i] of x.

    Parameters
    ----------
    x : Tensor [*S], any dtype
    perm : list of int
        Each axis of x once. A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [S[perm[0]], S[perm[1]], ...], dtype of x

    Raises
    ------
    OpError
        If `perm` does not name each axis exactly once.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
    >>> paddle.transpose(x, [1, 0]).tolist()
    [[1, 4], [2, 5], [3, 6]]
    >>> paddle.transpose(paddle.zeros([2, 3, 4]), [2, 0, 1]).shape
    [4, 2, 3]
    """
    if isinstance(perm, int):
        reject_several_numbers("transpose", perm, name)
    return OPS["transpose2"](x, axis=list(perm))


def t(input: Tensor, name: str | None = None) -> Tensor:
    """Transpose a matrix; return vectors and scalars as they are.

    Parameters
    ----------
    input : Tensor [N, M], [N] or [], any dtype
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [M, N], [N] or [], dtype of input

    Raises
    ------
    OpError
        If the rank is above 2.

    Examples
    --------
    >>> paddle.t(paddle.to_tensor([[1, 2, 3], [4, 5, 6]])).tolist()
    [[1, 4], [2, 5], [3, 6]]
    """
    try:
        rank = input.ndim
    except AttributeError:
        raise not_a_tensor_error(input) from None
    if rank > 2:
        check_tensors(input)
        raise OpError(append_user_line(f"t: the rank must be at most 2 (X={input.meta})"))
    return transpose(input, [1, 0]) if rank == 2 else input


def cast(x: Tensor, dtype: DTypeLike) -> Tensor:
    """Convert the elements to another dtype.

    Parameters
    ----------
    x : Tensor [*], any dtype
    dtype : str or dtype
        Such as "float32", paddle.float32 or np.float32.

    Returns
    -------
    Tensor [*], dtype
        A copy, even if x already has the dtype.

    Raises
    ------
    OpError
        If the dtype is unknown, or x is not a Tensor.

    Notes
    -----
    Floats are rounded towards zero if cast to integers. All values but 0 become True if cast to
    bool.

    Examples
    --------
    >>> x = paddle.to_tensor([1.7, -1.7, 0.0])
    >>> paddle.cast(x, "int32").tolist()
    [1, -1, 0]
    >>> paddle.cast(x, paddle.bool).tolist()
    [True, True, False]
    """
    out = as_dtype(x, dtype)
    return OPS["assign"](x) if out is x else out


def moveaxis(
    x: Tensor,
    source: int | Sequence[int],
    destination: int | Sequence[int],
    name: str | None = None,
) -> Tensor:
    """Move axes to new positions; the others keep their order.

    Parameters
    ----------
    x : Tensor [*], any dtype
    source : int or list of int
        The axes to move. A negative axis counts from the end.
    destination : int or list of int
        Their positions in the result, as many as in `source`.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If an axis is out of range, or `source` and `destination` differ in length.

    Examples
    --------
    >>> x = paddle.zeros([2, 3, 4])
    >>> paddle.moveaxis(x, 0, -1).shape
    [3, 4, 2]
    >>> paddle.moveaxis(x, [0, 1], [1, 0]).shape
    [3, 2, 4]
    """
    check_tensors(x)
    src, dst = (
        [normalize_axis(a, x, "moveaxis") for a in axis_list(v)] for v in (source, destination)
    )
    if len(src) != len(dst):
        raise ArgumentAssertionError(
            append_user_line(
                f"moveaxis: source={source} and destination={destination} differ in length "
                f"(X={x.meta})"
            )
        )
    order = [a for a in range(x.ndim) if a not in src]
    for d, s in sorted(zip(dst, src, strict=True)):
        order.insert(d, s)
    return transpose(x, order)


def flatten(x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
    """Merge neighboring axes into one.

    Parameters
    ----------
    x : Tensor [*S], any dtype
    start_axis, stop_axis : int, default 0 and -1
        The first and the last axis to merge. A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*S[:start_axis], product of the merged sizes, *S[stop_axis + 1:]], dtype of x
        [1] if x has no axis.

    Raises
    ------
    OpError
        If an axis is out of range, or `stop_axis` comes before `start_axis`.

    Examples
    --------
    >>> x = paddle.zeros([2, 3, 4])
    >>> paddle.flatten(x).shape
    [24]
    >>> paddle.flatten(x, start_axis=1).shape
    [2, 12]
    """
    try:
        rank = x.ndim
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if rank == 0:
        return reshape(x, [1])
    return OPS["flatten_contiguous_range"](x, start_axis=start_axis, stop_axis=stop_axis)


def squeeze(x: Tensor, axis: Axes | Tensor | None = None, name: str | None = None) -> Tensor:
    """Remove axes of size 1.

    Parameters
    ----------
    x : Tensor [*], any dtype
    axis : int, list of int or Tensor, optional
        The axes to remove; a negative axis counts from the end. Axes of another size are kept.
        Default: all axes of size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without the axes], dtype of x

    Raises
    ------
    OpError
        If an axis is out of range.

    Notes
    -----
    In programs, `squeeze` without `axis` keeps axes with a dynamic size and warns.

    Examples
    --------
    >>> x = paddle.zeros([1, 3, 1, 2])
    >>> paddle.squeeze(x).shape
    [3, 2]
    >>> paddle.squeeze(x, axis=0).shape
    [3, 1, 2]
    """
    if name is not None:
        reject_several_numbers("squeeze", axis, name)
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


def unsqueeze(x: Tensor, axis: Axes | Tensor, name: str | None = None) -> Tensor:
    """Insert axes of size 1.

    Parameters
    ----------
    x : Tensor [*], any dtype
    axis : int, list of int and of Tensor, or Tensor of integers
        The positions, inserted one after another; a negative one counts from the end of the result.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* with the axes], dtype of x

    Raises
    ------
    OpError
        If a position is out of range.

    Examples
    --------
    >>> x = paddle.zeros([3, 2])
    >>> paddle.unsqueeze(x, 1).shape
    [3, 1, 2]
    >>> paddle.unsqueeze(x, [0, -1]).shape
    [1, 3, 2, 1]
    """
    if name is not None:
        reject_several_numbers("unsqueeze", axis, name)
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


def concat(x: Sequence[Tensor], axis: int | Tensor = 0, name: str | None = None) -> Tensor:
    """Join tensors along an existing axis.

    Parameters
    ----------
    x : list of Tensor [*, Ni, *], any dtype
        At least one Tensor; all have the same dtype, and the same sizes except along `axis`.
    axis : int or Tensor, default 0
        The axis to join along. A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, sum of all Ni, *], dtype of the tensors

    Raises
    ------
    OpError
        If the list is empty, dtypes or shapes do not fit, or the axis is out of range.

    See Also
    --------
    stack : Join along a new axis.

    Examples
    --------
    >>> x, y = paddle.to_tensor([[1, 2]]), paddle.to_tensor([[3, 4], [5, 6]])
    >>> paddle.concat([x, y]).tolist()
    [[1, 2], [3, 4], [5, 6]]
    >>> paddle.concat([y, y], axis=1).tolist()
    [[3, 4, 3, 4], [5, 6, 5, 6]]
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
    """Join tensors of one shape along a new axis.

    Parameters
    ----------
    x : list of N Tensor [*], any dtype
        At least one Tensor; all have the same shape and dtype.
    axis : int, default 0
        Position of the new axis in the result. A negative one counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, N, *], dtype of the tensors

    Raises
    ------
    OpError
        If the list is empty, shapes or dtypes differ, or the axis is out of range.

    See Also
    --------
    concat : Join along an existing axis.

    Examples
    --------
    >>> x, y = paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])
    >>> paddle.stack([x, y]).tolist()
    [[1, 2], [3, 4]]
    >>> paddle.stack([x, y], axis=1).tolist()
    [[1, 3], [2, 4]]
    """
    if hasattr(x, "concat_or_stack_elements"):
        return x.concat_or_stack_elements(axis, True)
    tensors = list(x)
    if isinstance(axis, Tensor):
        return call_with_possibly_symbolic_axis(
            axis, tensors[0].ndim + 1, lambda a: OPS["stack"](tensors, axis=a)
        )
    return OPS["stack"](tensors, axis=axis)


def split(
    x: Tensor,
    num_or_sections: int | Sequence[Size],
    axis: int | Tensor = 0,
    name: str | None = None,
) -> list[Tensor]:
    """Split a tensor along one axis into equal parts, or into parts of given sizes.

    Parameters
    ----------
    x : Tensor [*, N, *], any dtype
    num_or_sections : int or list of int
        The number of equal parts, or the size of each part, one of which may be -1 (the rest).
    axis : int or Tensor, default 0
        The axis to split. A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    list of Tensor [*, size of the part, *], dtype of x

    Raises
    ------
    OpError
        If N is not divisible by the number, the sizes do not add up to N, or the axis is out of
        range.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3, 4], [5, 6, 7, 8]])
    >>> [part.tolist() for part in paddle.split(x, 2, axis=1)]
    [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
    >>> [part.shape for part in paddle.split(x, [1, -1], axis=1)]
    [[2, 1], [2, 3]]
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


def chunk(x: Tensor, chunks: int, axis: int | Tensor = 0, name: str | None = None) -> list[Tensor]:
    """Split a tensor along one axis into equal parts.

    Parameters
    ----------
    x : Tensor [*, N, *], any dtype
    chunks : int
        The number of parts. It divides N.
    axis : int or Tensor, default 0
        The axis to split. A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    list of Tensor [*, N / chunks, *], dtype of x

    Raises
    ------
    OpError
        If N is not divisible by `chunks`, or the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([1, 2, 3, 4, 5, 6])
    >>> [part.tolist() for part in paddle.chunk(x, 3)]
    [[1, 2], [3, 4], [5, 6]]
    """
    return split(x, chunks, axis)


def unbind(input: Tensor, axis: int = 0) -> list[Tensor]:
    """Return the slices along one axis, without that axis.

    Parameters
    ----------
    input : Tensor [*, N, *], any dtype
    axis : int, default 0
        The axis to remove. A negative axis counts from the end.

    Returns
    -------
    list of N Tensor [* without axis], dtype of input

    Raises
    ------
    OpError
        If the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
    >>> [row.tolist() for row in paddle.unbind(x)]
    [[1, 2, 3], [4, 5, 6]]
    >>> [column.tolist() for column in paddle.unbind(x, axis=1)]
    [[1, 4], [2, 5], [3, 6]]
    """
    return OPS["unbind"](input, axis=axis)


def unstack(x: Tensor, axis: int = 0, num: int | None = None) -> list[Tensor]:
    """Return the slices along one axis, without that axis.

    Parameters
    ----------
    x : Tensor [*, N, *], any dtype
    axis : int, default 0
        The axis to remove. A negative axis counts from the end.
    num : int, optional
        The number of slices, N. Default: N.

    Returns
    -------
    list of N Tensor [* without axis], dtype of x

    Raises
    ------
    OpError
        If the axis is out of range, or `num` is not N.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
    >>> [column.tolist() for column in paddle.unstack(x, axis=1)]
    [[1, 4], [2, 5], [3, 6]]
    """
    axis = axis if not isinstance(axis, Tensor) else int(axis.item())
    try:
        count = x.meta.shape[axis] if num is None else num
    except AttributeError:
        raise not_a_tensor_error(x) from None
    except IndexError:
        raise axis_out_of_range_error(x, axis) from None
    return OPS["unstack"](x, axis=axis, num=count)


def expand(x: Tensor, shape: Shape, name: str | None = None) -> Tensor:
    """Broadcast a tensor to a shape.

    Parameters
    ----------
    x : Tensor [*], any dtype
        Axes of size 1 are repeated; missing axes are added in front.
    shape : list of int and of Tensor, or Tensor [K] of integers
        -1 keeps the size of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype of x

    Raises
    ------
    OpError
        If x does not broadcast to the shape, or the shape has fewer axes than x.

    Notes
    -----
    `expand` and `broadcast_to` are the same function.

    Examples
    --------
    >>> x = paddle.to_tensor([1, 2])
    >>> paddle.expand(x, [3, 2]).tolist()
    [[1, 2], [1, 2], [1, 2]]
    >>> paddle.expand(paddle.zeros([4, 1]), [-1, 5]).shape
    [4, 5]
    """
    if name is not None:
        reject_several_numbers("expand", shape, name)
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
    """Broadcast a tensor to the shape of another one.

    Parameters
    ----------
    x : Tensor [*], any dtype
    y : Tensor [*S], any dtype
        Only its shape is used.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*S], dtype of x

    Raises
    ------
    OpError
        If x does not broadcast to the shape of y.

    Examples
    --------
    >>> x = paddle.to_tensor([1, 2])
    >>> paddle.expand_as(x, paddle.zeros([3, 2])).tolist()
    [[1, 2], [1, 2], [1, 2]]
    """
    try:
        shape = list(y.meta.shape)
    except AttributeError:
        raise not_a_tensor_error(y) from None
    return OPS["expand_as_v2"](x, y, target_shape=shape)


def tile(x: Tensor, repeat_times: Shape, name: str | None = None) -> Tensor:
    """Repeat a tensor along its axes.

    Parameters
    ----------
    x : Tensor [*S], any dtype
    repeat_times : int, list of int and of Tensor, or Tensor [K] of integers
        Positive numbers of repetitions, the last one of the last axis. If x has fewer axes, axes
        are added in front; axes without a number are not repeated.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*S * repeat_times], dtype of x

    Raises
    ------
    OpError
        If a number is not positive.

    Examples
    --------
    >>> x = paddle.to_tensor([1, 2])
    >>> paddle.tile(x, 2).tolist()
    [1, 2, 1, 2]
    >>> paddle.tile(x, [2, 2]).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    if name is not None:
        reject_several_numbers("tile", repeat_times, name)
    ints, tensors = split_shape_into_ints_and_tensors(repeat_times, "tile")
    return OPS["tile"](x, None, tensors, repeat_times=ints)


def repeat_interleave(
    x: Tensor, repeats: int | Tensor, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Repeat each slice along one axis several times in a row.

    Parameters
    ----------
    x : Tensor [*, N, *], any dtype
    repeats : int or Tensor [N] of integers
        The number of repetitions of all slices, or of each slice.
    axis : int, optional
        The axis of the slices; a negative axis counts from the end. Default: x is flattened.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, sum of the repetitions, *], dtype of x

    Raises
    ------
    OpError
        If `repeats` has another size than N, or the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.repeat_interleave(x, 2).tolist()
    [1, 1, 2, 2, 3, 3, 4, 4]
    >>> paddle.repeat_interleave(x, paddle.to_tensor([1, 2]), axis=0).tolist()
    [[1, 2], [3, 4], [3, 4]]
    """
    x, axis = (flatten(x), 0) if axis is None else (x, normalize_axis(axis, x, "repeat_interleave"))
    if isinstance(repeats, Tensor):
        return OPS["repeat_interleave"](x, repeats, dim=axis)
    if not isinstance(repeats, int | np.integer):
        problem = f"repeats is {type(repeats).__name__}, neither an int nor a Tensor"
        raise OperandError(append_user_line(f"repeat_interleave: {problem}"))
    return OPS["repeat_interleave"](x, Repeats=int(repeats), dim=axis)


def broadcast_tensors(input: Sequence[Tensor], name: str | None = None) -> list[Tensor]:
    """Broadcast several tensors to their common shape.

    Parameters
    ----------
    input : list of Tensor [*Ai], any dtype
        All have the same dtype.
    name : str, optional
        Not used.

    Returns
    -------
    list of Tensor [*broadcast of all Ai], dtype of the tensors

    Raises
    ------
    OpError
        If the shapes do not broadcast, or the dtypes differ.

    Examples
    --------
    >>> x, y = paddle.to_tensor([1, 2]), paddle.to_tensor([[3], [4]])
    >>> [out.tolist() for out in paddle.broadcast_tensors([x, y])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    tensors = list(input)
    check_tensors(*tensors)
    for tensor in tensors[1:]:
        if tensor.meta.dtype != tensors[0].meta.dtype:
            raise mixed_dtypes_error("broadcast_tensors", tensors[0], tensor)
    return OPS["broadcast_tensors"](tensors)


def flip(x: Tensor, axis: Axes | Tensor, name: str | None = None) -> Tensor:
    """Reverse the order of the elements along axes.

    Parameters
    ----------
    x : Tensor [*], any dtype
    axis : int or list of int
        The axes to reverse. A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If an axis is out of range or named twice.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.flip(x, 0).tolist()
    [[3, 4], [1, 2]]
    >>> paddle.flip(x, [0, 1]).tolist()
    [[4, 3], [2, 1]]
    """
    if name is not None:
        reject_several_numbers("flip", axis, name)
    return OPS["flip"](x, axis=axis_list(axis))


def roll(
    x: Tensor, shifts: Axes | Tensor, axis: Axes | Tensor | None = None, name: str | None = None
) -> Tensor:
    """Shift the elements cyclically along axes.

    out[i] = x[(i - shift) mod N] along each axis of size N

    Parameters
    ----------
    x : Tensor [*], any dtype
    shifts : int, list of int or Tensor
        One shift for each axis, in elements. Negative ones shift to the front.
    axis : int or list of int, optional
        The axes to shift; a negative axis counts from the end. Default: the elements of the
        flattened x are shifted, and the result has the shape of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If the numbers of shifts and axes differ, or an axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4], [5, 6]])
    >>> paddle.roll(x, 1, axis=0).tolist()
    [[5, 6], [1, 2], [3, 4]]
    >>> paddle.roll(x, 1).tolist()
    [[6, 1], [2, 3], [4, 5]]
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


def slice(
    input: Tensor,
    axes: Sequence[int],
    starts: Sequence[Size] | Tensor,
    ends: Sequence[Size] | Tensor,
) -> Tensor:
    """Take a range of positions along each of several axes.

    out = input[..., start:end, ...] for each axis

    Parameters
    ----------
    input : Tensor [*], any dtype
    axes : list of int
        A negative axis counts from the end.
    starts, ends : list of int and of Tensor, or Tensor of integers
        The range of each axis, without the end. Negative positions count from the end of the axis;
        positions beyond the axis are replaced by its first position or its end.

    Returns
    -------
    Tensor [*], dtype of input
        An empty range results in an axis of size 0.

    Raises
    ------
    OpError
        If an axis is out of range, or the three lists differ in length.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> paddle.slice(x, axes=[0, 1], starts=[1, 0], ends=[3, -1]).tolist()
    [[4, 5], [7, 8]]
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
    x: Tensor,
    axes: Sequence[int],
    starts: Sequence[Size] | Tensor,
    ends: Sequence[Size] | Tensor,
    strides: Sequence[Size] | Tensor,
    name: str | None = None,
) -> Tensor:
    """Take every n-th position of a range along each of several axes.

    out = x[..., start:end:stride, ...] for each axis

    Parameters
    ----------
    x : Tensor [*], any dtype
    axes : list of int
        A negative axis counts from the end.
    starts, ends, strides : list of int and of Tensor, or Tensor of integers
        The range of each axis, without the end, and its step. Negative positions count from the end
        of the axis; a negative stride goes backwards.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If an axis is out of range, or a stride is 0.

    Examples
    --------
    >>> x = paddle.to_tensor([0, 1, 2, 3, 4, 5])
    >>> paddle.strided_slice(x, axes=[0], starts=[1], ends=[6], strides=[2]).tolist()
    [1, 3, 5]
    >>> paddle.strided_slice(x, axes=[0], starts=[-1], ends=[2], strides=[-1]).tolist()
    [5, 4, 3]
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
    """Sizes of the axes of a tensor, as a tensor.

    In programs this is how to read sizes that are known only at run time.

    Parameters
    ----------
    input : Tensor [*], any dtype

    Returns
    -------
    Tensor [rank], int32

    Raises
    ------
    OpError
        If `input` is not a Tensor.

    Examples
    --------
    >>> paddle.shape(paddle.zeros([2, 3])).tolist()
    [2, 3]
    """
    return OPS["shape"](input)


def numel(x: Tensor, name: str | None = None) -> Tensor:
    """Number of elements of a tensor, as a tensor.

    Parameters
    ----------
    x : Tensor [*], any dtype
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [], int64

    Raises
    ------
    OpError
        If x is not a Tensor.

    Examples
    --------
    >>> int(paddle.numel(paddle.zeros([2, 3])))
    6
    """
    return OPS["size"](x)


def rank(input: Tensor) -> Tensor:
    """Number of axes of a tensor, as a tensor.

    Parameters
    ----------
    input : Tensor [*], any dtype

    Returns
    -------
    Tensor [], int32

    Raises
    ------
    OpError
        If `input` is not a Tensor.

    Examples
    --------
    >>> int(paddle.rank(paddle.zeros([2, 3])))
    2
    """
    try:
        ndim = input.ndim
    except AttributeError:
        raise not_a_tensor_error(input) from None
    return full([], ndim, "int32")


def gather(
    x: Tensor, index: Tensor, axis: int | Tensor | None = None, name: str | None = None
) -> Tensor:
    """Take slices of a tensor along one axis.

    out[..., m, ...] = x[..., index[m], ...]

    Parameters
    ----------
    x : Tensor [*, N, *], any dtype
    index : Tensor [M], [M, 1] or [], int32 or int64
        Positions in [0, N).
    axis : int or Tensor, default 0
        The axis to take slices of. A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M, *], dtype of x
        Without the axis if `index` is 0-D.

    Raises
    ------
    OpError
        If an index is out of range (also if it is negative) or not an integer, or the axis is out
        of range.

    Notes
    -----
    The gradient adds up the gradients of slices that are taken several times.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4], [5, 6]])
    >>> paddle.gather(x, paddle.to_tensor([2, 0])).tolist()
    [[5, 6], [1, 2]]
    >>> paddle.gather(x, paddle.to_tensor([1]), axis=1).tolist()
    [[2], [4], [6]]
    """
    if isinstance(axis, Tensor) and state.mode.static:
        return OPS["gather"](x, index, OPS["reshape2"](axis, shape=[1]))
    axis = 0 if axis is None else normalize_axis(axis, x, "gather")
    return OPS["gather"](x, index, axis=axis)


def gather_nd(x: Tensor, index: Tensor, name: str | None = None) -> Tensor:
    """Take elements or slices of a tensor at positions along its first axes.

    out[i] = x[index[i, 0], ..., index[i, K - 1]]

    Parameters
    ----------
    x : Tensor [*S], any dtype
    index : Tensor [*I, K], int32 or int64
        Each row holds positions along the first K axes of x, K <= rank of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*I, *S[K:]], dtype of x

    Raises
    ------
    OpError
        If a position is out of range (also if it is negative) or not an integer, or K is larger
        than the rank.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4], [5, 6]])
    >>> paddle.gather_nd(x, paddle.to_tensor([[0, 1], [2, 0]])).tolist()
    [2, 5]
    >>> paddle.gather_nd(x, paddle.to_tensor([[2]])).tolist()
    [[5, 6]]
    """
    return OPS["gather_nd"](x, index)


def scatter(
    x: Tensor, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None
) -> Tensor:
    """Replace rows of a tensor, or add to rows that are set to zero first.

    out[index[m]] = updates[m] if overwrite, otherwise the sum of all updates[m] with this index;
    the other rows are those of x

    Parameters
    ----------
    x : Tensor [N, *], any dtype
    index : Tensor [M] or [], int32 or int64
        Rows in [0, N). If overwrite, the last update of a row counts.
    updates : Tensor [M, *], dtype of x
    overwrite : bool, default True
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, *], dtype of x

    Raises
    ------
    OpError
        If a row is out of range (also if it is negative), or shapes or dtypes do not fit.

    See Also
    --------
    scatter_nd_add : Add to elements or slices without setting them to zero.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4], [5, 6]])
    >>> index, updates = paddle.to_tensor([2, 2]), paddle.to_tensor([[9, 9], [7, 7]])
    >>> paddle.scatter(x, index, updates).tolist()
    [[1, 2], [3, 4], [7, 7]]
    >>> paddle.scatter(x, index, updates, overwrite=False).tolist()
    [[1, 2], [3, 4], [16, 16]]
    """
    return OPS["scatter"](x, index, updates, overwrite=overwrite)


def scatter_nd_add(x: Tensor, index: Tensor, updates: Tensor, name: str | None = None) -> Tensor:
    """Add values to elements or slices of a tensor, at positions along its first axes.

    out = x, then out[index[i, 0], ..., index[i, K - 1]] += updates[i] for all i

    Parameters
    ----------
    x : Tensor [*S], any dtype
    index : Tensor [*I, K], int32 or int64
        Each row holds positions along the first K axes of x. Repeated positions are added up.
    updates : Tensor [*I, *S[K:]], dtype of x
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*S], dtype of x

    Raises
    ------
    OpError
        If a position is out of range (also if it is negative), or shapes or dtypes do not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> index = paddle.to_tensor([[0, 1], [0, 1]])
    >>> paddle.scatter_nd_add(x, index, paddle.to_tensor([10, 100])).tolist()
    [[1, 112], [3, 4]]
    """
    return OPS["scatter_nd_add"](x, index, updates)


def index_select(x: Tensor, index: Tensor, axis: int = 0, name: str | None = None) -> Tensor:
    """Take slices of a tensor along one axis.

    out[..., m, ...] = x[..., index[m], ...]

    Parameters
    ----------
    x : Tensor [*, N, *], any dtype
    index : Tensor [M], int32 or int64
        Positions in [0, N).
    axis : int, default 0
        The axis to take slices of. A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M, *], dtype of x

    Raises
    ------
    OpError
        If an index is out of range (also if it is negative), or the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4], [5, 6]])
    >>> paddle.index_select(x, paddle.to_tensor([1, 1, 0]), axis=1).tolist()
    [[2, 2, 1], [4, 4, 3], [6, 6, 5]]
    """
    return OPS["index_select"](x, index, dim=normalize_axis(axis, x, "index_select"))


def index_sample(x: Tensor, index: Tensor) -> Tensor:
    """Take elements of each row of a matrix.

    out[n, k] = x[n, index[n, k]]

    Parameters
    ----------
    x : Tensor [N, M], any dtype
    index : Tensor [N, K], int32 or int64
        Columns in [0, M).

    Returns
    -------
    Tensor [N, K], dtype of x

    Raises
    ------
    OpError
        If a column is out of range (also if it is negative), or the numbers of rows differ.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
    >>> paddle.index_sample(x, paddle.to_tensor([[2, 0], [1, 1]])).tolist()
    [[3, 1], [5, 5]]
    """
    return OPS["index_sample"](x, index)


def take_along_axis(arr: Tensor, indices: Tensor, axis: int, broadcast: bool = True) -> Tensor:
    """Take elements at positions along one axis, with different positions per row.

    out[i, j] = arr[indices[i, j], j] for a matrix and axis 0, arr[i, indices[i, j]] for axis 1

    Parameters
    ----------
    arr : Tensor [*, N, *], any dtype
    indices : Tensor [*, M, *], int32 or int64
        Positions in [0, N); the rank is that of arr.
    axis : int
        A negative axis counts from the end.
    broadcast : bool, default True
        Whether indices are broadcast to the shape of arr except along `axis`.

    Returns
    -------
    Tensor [*, M, *], dtype of arr
        Without broadcasting, the shape of indices.

    Raises
    ------
    OpError
        If a position is out of range (also if it is negative), the shapes do not broadcast, or the
        axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
    >>> paddle.take_along_axis(x, paddle.to_tensor([[2, 0], [1, 1]]), axis=1).tolist()
    [[3, 1], [5, 5]]
    >>> paddle.take_along_axis(x, paddle.to_tensor([[1]]), axis=0).tolist()
    [[4, 5, 6]]
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
    if arr.ndim != indices.ndim:
        raise OpError(
            append_user_line(
                f"{called_function_name()}: arr and indices must have the same rank "
                f"(arr={arr.meta}, indices={indices.meta})"
            )
        )
    target_shape = list(arr.meta.shape)
    target_shape[axis] = indices.meta.shape[axis]
    return indices if list(indices.meta.shape) == target_shape else expand(indices, target_shape)


def put_along_axis(
    arr: Tensor,
    indices: Tensor,
    values: Scalar,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Tensor:
    """Write values at positions along one axis, with different positions per row.

    out[indices[i, j], j] = values[i, j] for a matrix and axis 0, out[i, indices[i, j]] for axis 1;
    the other elements are those of arr

    Parameters
    ----------
    arr : Tensor [*, N, *], any dtype
    indices : Tensor [*, M, *], int32 or int64
        Positions in [0, N); the rank is that of arr.
    values : number or Tensor [*], dtype of arr
        Broadcast to the shape of indices; surplus values are cut off.
    axis : int
        A negative axis counts from the end.
    reduce : "assign", "add", "mul", "multiply", "mean", "amin" or "amax", default "assign"
        How several values for one element, and its old value, are combined.
    include_self : bool, default True
        Whether the old value is part of the reduction.
    broadcast : bool, default True
        Whether indices are broadcast to the shape of arr except along `axis`.

    Returns
    -------
    Tensor [*, N, *], dtype of arr

    Raises
    ------
    OpError
        If a position is out of range (also if it is negative), shapes or dtypes do not fit, or
        `reduce` is another string.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> index = paddle.to_tensor([[0, 0]])
    >>> paddle.put_along_axis(x, index, 9, axis=1).tolist()
    [[9, 2], [9, 4]]
    >>> paddle.put_along_axis(x, index, 9, axis=1, reduce="add").tolist()
    [[19, 2], [21, 4]]
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
    """Elements at which a mask is True, as a vector.

    Parameters
    ----------
    x : Tensor [*], any dtype
    mask : Tensor [*], bool
        x and mask broadcast.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [number of True elements], dtype of x
        In the order of the elements in memory: the last axis changes fastest.

    Raises
    ------
    OpError
        If the mask is not bool, or the shapes do not broadcast.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 5], [4, 2]])
    >>> paddle.masked_select(x, x > 1).tolist()
    [5, 4, 2]
    """
    return OPS["masked_select"](x, mask)


@overload
def where(condition: Tensor, x: Operand, y: Operand, name: str | None = None) -> Tensor: ...
@overload
def where(
    condition: Tensor, x: None = None, y: None = None, name: str | None = None
) -> tuple[Tensor, ...]: ...
def where(
    condition: Tensor, x: Operand | None = None, y: Operand | None = None, name: str | None = None
) -> Any:
    """Choose elements of x where a condition is True, otherwise of y.

    out = x where condition is True, y where it is False

    Parameters
    ----------
    condition : Tensor [*A], bool
        Of other dtypes, all values but 0 count as True.
    x, y : number or Tensor [*B], [*C], any dtype, optional
        Two Tensors have the same dtype, or both are floating or one is complex; then the result has
        the wider dtype (in programs, the dtypes must be equal). Default: return the positions where
        `condition` is True.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B, C)], or tuple of Tensor [count, 1], int64
        With x and y the chosen elements. A float and an integer Tensor give float64. Without x and
        y one Tensor per axis, the positions along this axis.

    Raises
    ------
    OpError
        If the shapes do not broadcast, or the dtypes of x and y do not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 5], [4, 2]])
    >>> paddle.where(x > 2, x, 0).tolist()
    [[0, 5], [4, 0]]
    >>> rows, columns = paddle.where(x > 2)
    >>> rows.tolist(), columns.tolist()
    ([[0], [1]], [[1], [0]])
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


def one_hot(x: Tensor, num_classes: Size, name: str | None = None) -> Tensor:
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
    """Return the elements of a tensor as nested Python lists.

    Parameters
    ----------
    x : Tensor [*], any dtype

    Returns
    -------
    list of lists, or a Python number for a Tensor without axes

    Raises
    ------
    OpError
        If x is not a Tensor.

    Examples
    --------
    >>> paddle.tolist(paddle.to_tensor([[1, 2], [3, 4]]))
    [[1, 2], [3, 4]]
    """
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
                f"{called_function_name()}: a tensor that requires a gradient cannot be changed in "
                "place; create a new tensor, or change it in `with paddle.no_grad()` "
                f"(X={x.meta})"
            )
        )
    mode.assign_inplace(x, function(mode.make_inplace_op_input(x)))
    return x
