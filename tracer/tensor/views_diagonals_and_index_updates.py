"""Views, blocks, diagonals, combinations, and reads and updates at indices."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error, reject_several_numbers
from ..core.tensor import Tensor
from ..core.type_aliases import Axes, DTypeLike, Scalar, Shape, Size, TensorLike
from . import creation, linalg, manipulation, math
from .convert import (
    array_to_tensor_on_device_of,
    as_operand,
    cast,
    full,
    normalize_axis,
    split_shape_into_ints_and_tensors,
    to_tensor,
)

__all__ = [
    "as_strided",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_shape",
    "combinations",
    "crop",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "index_add",
    "index_fill",
    "index_put",
    "masked_fill",
    "renorm",
    "reverse",
    "rot90",
    "scatter_nd",
    "select_scatter",
    "shard_index",
    "take",
    "tolist",
    "trace",
    "unflatten",
    "unfold",
    "vander",
    "view",
    "view_as",
    "vsplit",
]
METHODS = [n for n in __all__ if n not in ("shard_index", "tolist")] + ["shard_index"]
IN_PLACE = ["index_add", "index_fill", "index_put", "masked_fill", "renorm"]


# -- shapes
# ------------------------------------------------------------------------------


def _make_atleast(rank: int, name: str) -> Any:
    """Return the function atleast_<rank>d."""

    def function(*inputs: TensorLike, name: str | None = None) -> Any:
        outs = [
            _unsqueeze_as_numpy_atleast(t if isinstance(t, Tensor) else to_tensor(t), rank)
            for t in inputs
        ]
        return outs[0] if len(outs) == 1 else outs

    function.__name__ = function.__qualname__ = name
    # the result's shape for a vector of five elements
    example_shape = {1: [5], 2: [1, 5], 3: [1, 5, 1]}[rank]
    function.__doc__ = f"""Insert axes of size 1 until each tensor has at least {rank} axes.

    Parameters
    ----------
    *inputs : Tensor [*], array or number, any dtype
        The new axes are those of `numpy.{name}`.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], or list of Tensor for several inputs, dtype of the inputs

    Raises
    ------
    OpError
        If an input cannot be converted to a Tensor.

    Examples
    --------
    >>> paddle.{name}(paddle.to_tensor(3.0)).shape
    {[1] * rank}
    >>> paddle.{name}(paddle.zeros([5])).shape
    {example_shape}
    """
    return function


def _unsqueeze_as_numpy_atleast(x: Tensor, rank: int) -> Tensor:
    """Insert axes of size 1 until the rank is at least `rank`."""
    axes = {
        (1, 0): [0],
        (2, 0): [0, 1],
        (2, 1): [0],
        (3, 0): [0, 1, 2],
        (3, 1): [0, 2],
        (3, 2): [2],
    }.get((rank, x.ndim))
    return x if axes is None else manipulation.unsqueeze(x, axes)


atleast_1d = _make_atleast(1, "atleast_1d")
atleast_2d = _make_atleast(2, "atleast_2d")
atleast_3d = _make_atleast(3, "atleast_3d")


def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """Shape that two shapes broadcast to.

    Parameters
    ----------
    x_shape, y_shape : list of int

    Returns
    -------
    list of int

    Raises
    ------
    OpError
        If they do not broadcast.

    Examples
    --------
    >>> paddle.broadcast_shape([2, 1, 3], [4, 1])
    [2, 4, 3]
    """
    try:
        return list(np.broadcast_shapes(tuple(x_shape), tuple(y_shape)))
    except ValueError:
        raise OpError(
            append_user_line(
                f"broadcast_shape: {list(x_shape)} and {list(y_shape)} do not broadcast"
            )
        ) from None


def view(x: Tensor, shape_or_dtype: Shape | DTypeLike, name: str | None = None) -> Tensor:
    """Return a tensor with the same elements in another shape, or the same bytes in another dtype.

    Parameters
    ----------
    x : Tensor [*], any dtype
    shape_or_dtype : list of int, str or dtype
        The new shape (as for `reshape`), or the new dtype. A dtype of another size changes the size
        of the last axis.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], or [*] of the dtype
        A copy; in Paddle it shares the memory of x.

    Raises
    ------
    OpError
        If the elements do not fit the shape, or the dtype is unknown.
    ValueError
        If the bytes of the last axis are not a multiple of the size of the dtype.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> x.view([2, 1]).tolist()
    [[1.0], [2.0]]
    >>> x.view("int32").tolist()
    [1065353216, 1073741824]
    """
    if isinstance(shape_or_dtype, int):
        reject_several_numbers("view", shape_or_dtype, name)
    if isinstance(shape_or_dtype, list | tuple):
        return manipulation.reshape(x, shape_or_dtype)
    check_tensors(x)
    dtype = parse_dtype(shape_or_dtype)
    itemsize = dtype.np.itemsize
    if itemsize != x.meta.dtype.itemsize and (
        not x.shape or x.shape[-1] * x.meta.dtype.itemsize % itemsize
    ):
        problem = f"the bytes of the last axis are no multiple of those of {dtype.name}"
        raise OpError(append_user_line(f"view: {problem} (X={x.meta})"))
    return array_to_tensor_on_device_of(x, np.ascontiguousarray(x.numpy()).view(dtype.np))


def view_as(x: Tensor, other: Tensor, name: str | None = None) -> Tensor:
    """Return a tensor with the same elements in the shape of another one.

    Parameters
    ----------
    x : Tensor [*], any dtype
    other : Tensor [*S], any dtype
        Only its shape is used.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*S], dtype of x
        A copy; in Paddle it shares the memory of x.

    Raises
    ------
    OpError
        If the numbers of elements differ.

    Examples
    --------
    >>> x = paddle.to_tensor([1, 2, 3, 4])
    >>> x.view_as(paddle.zeros([2, 2])).tolist()
    [[1, 2], [3, 4]]
    """
    try:
        shape = other.shape
    except AttributeError:
        raise not_a_tensor_error(other) from None
    return manipulation.reshape(x, shape)


def as_strided(
    x: Tensor, shape: Sequence[int], stride: Sequence[int], offset: int = 0, name: str | None = None
) -> Tensor:
    """Return the elements at given strides, in a new shape.

    out[i, j, ...] = element offset + i * stride[0] + j * stride[1] + ... of the flattened x

    Parameters
    ----------
    x : Tensor [*], any dtype
    shape : list of int
    stride : list of int
        Distance of neighbors along each axis of the result, in elements of x.
    offset : int, default 0
        Position of the first element.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype of x
        A copy; in Paddle it shares the memory of x.

    Raises
    ------
    OpError
        If a position is outside of x, or `shape` and `stride` differ in length.

    Examples
    --------
    >>> x = paddle.to_tensor([0, 1, 2, 3, 4, 5])
    >>> paddle.as_strided(x, shape=[4, 3], stride=[1, 1]).tolist()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]
    """
    check_tensors(x)
    if len(shape) != len(stride):
        raise OpError(
            append_user_line(
                f"as_strided: shape={list(shape)} and stride={list(stride)} differ in length "
                f"(X={x.meta})"
            )
        )
    positions = np.full(tuple(shape), offset, np.int64)
    for axis, (size, step) in enumerate(zip(shape, stride, strict=True)):
        positions += (np.arange(size) * step).reshape(
            [-1 if i == axis else 1 for i in range(len(shape))]
        )
    if positions.size and not 0 <= int(positions.max()) < x.size:
        raise OpError(
            append_user_line(
                f"as_strided: shape={list(shape)} and stride={list(stride)} reach beyond "
                f"the elements (X={x.meta})"
            )
        )
    gathered = manipulation.gather(
        manipulation.flatten(x) if x.ndim else manipulation.reshape(x, [1]),
        array_to_tensor_on_device_of(x, positions.reshape(-1)),
    )
    return manipulation.reshape(gathered, list(shape))


def unflatten(
    x: Tensor, axis: int, shape: Sequence[Size] | Tensor, name: str | None = None
) -> Tensor:
    """Split one axis into several.

    Parameters
    ----------
    x : Tensor [*, N, *], any dtype
    axis : int
        A negative axis counts from the end.
    shape : list of int or Tensor
        The new sizes, whose product is N. One -1 is replaced by the size that fits.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, *shape, *], dtype of x

    Raises
    ------
    OpError
        If the sizes do not fit N, or the axis is out of range.

    Examples
    --------
    >>> paddle.unflatten(paddle.zeros([2, 6]), axis=1, shape=[3, -1]).shape
    [2, 3, 2]
    """
    axis, sizes = normalize_axis(axis, x, "unflatten"), x.shape
    return manipulation.reshape(
        x,
        [
            *sizes[:axis],
            *(shape.tolist() if isinstance(shape, Tensor) else shape),
            *sizes[axis + 1 :],
        ],
    )


def unfold(x: Tensor, axis: int, size: int, step: int, name: str | None = None) -> Tensor:
    """Sliding windows along one axis, as a new last axis.

    out[..., i, ..., k] = x[..., i * step + k, ...]

    Parameters
    ----------
    x : Tensor [*, N, *], any dtype
    axis : int
        A negative axis counts from the end.
    size : int
        Size of a window, in [1, N].
    step : int
        Distance of the windows, at least 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, (N - size) // step + 1, *, size], dtype of x

    Raises
    ------
    OpError
        If `size` or `step` do not fit, or the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([0, 1, 2, 3, 4])
    >>> paddle.unfold(x, axis=0, size=3, step=2).tolist()
    [[0, 1, 2], [2, 3, 4]]
    """
    check_tensors(x)
    axis = normalize_axis(axis, x, "unfold")
    if not 0 < size <= x.shape[axis] or step < 1:
        raise OpError(
            append_user_line(
                f"unfold: size={size} and step={step} do not fit axis {axis} (X={x.meta})"
            )
        )
    count = (x.shape[axis] - size) // step + 1
    positions = np.arange(count)[:, None] * step + np.arange(size)
    gathered = manipulation.gather(x, array_to_tensor_on_device_of(x, positions.reshape(-1)), axis)
    split = manipulation.reshape(gathered, [*x.shape[:axis], count, size, *x.shape[axis + 1 :]])
    return manipulation.moveaxis(split, axis + 1, -1)


def vsplit(
    x: Tensor, num_or_sections: int | Sequence[Size], name: str | None = None
) -> list[Tensor]:
    """Split a tensor along its first axis.

    Parameters
    ----------
    x : Tensor [N, M, *], any dtype
    num_or_sections : int or list of int
        The number of equal parts, or the size of each part, one of which may be -1 (the rest).
    name : str, optional
        Not used.

    Returns
    -------
    list of Tensor [size of the part, M, *], dtype of x

    Raises
    ------
    OpError
        If x has fewer than two axes, or the parts do not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4], [5, 6]])
    >>> [part.tolist() for part in paddle.vsplit(x, [1, 2])]
    [[[1, 2]], [[3, 4], [5, 6]]]
    """
    check_tensors(x)
    if x.ndim < 2:
        raise OpError(append_user_line(f"vsplit: the rank must be at least 2 (X={x.meta})"))
    return manipulation.split(x, num_or_sections, 0)


def reverse(x: Tensor, axis: Axes | Tensor, name: str | None = None) -> Tensor:
    """Reverse the order of the elements along axes, the same as `flip`.

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
    >>> paddle.reverse(paddle.to_tensor([[1, 2], [3, 4]]), axis=0).tolist()
    [[3, 4], [1, 2]]
    """
    return manipulation.flip(x, axis)


def rot90(x: Tensor, k: int = 1, axes: Sequence[int] = (0, 1), name: str | None = None) -> Tensor:
    """Rotate by multiples of 90 degrees in the plane of two axes.

    Parameters
    ----------
    x : Tensor [*], any dtype
    k : int, default 1
        Number of turns from the first axis towards the second; for a matrix, counterclockwise.
    axes : list of two int, default [0, 1]
        A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x
        With the sizes of the axes exchanged if k is odd.

    Raises
    ------
    OpError
        If an axis is out of range, or both are the same.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.rot90(x).tolist()
    [[2, 4], [1, 3]]
    >>> paddle.rot90(x, k=-1).tolist()
    [[3, 1], [4, 2]]
    """
    first, second = (normalize_axis(a, x, "rot90") for a in axes)
    if first == second:
        raise OpError(append_user_line(f"rot90: axes={list(axes)} must differ (X={x.meta})"))
    permutation = [second if i == first else first if i == second else i for i in range(x.ndim)]
    num_turns = k % 4
    if num_turns == 0:
        return math.scale(x, 1.0)
    if num_turns == 2:
        return manipulation.flip(x, [first, second])
    if num_turns == 1:
        return linalg.transpose(manipulation.flip(x, [second]), permutation)
    return manipulation.flip(linalg.transpose(x, permutation), [second])


tolist = manipulation.tolist


# -- blocks and indexed updates
# ------------------------------------------------------------------------------------------


def crop(
    x: Tensor, shape: Shape | None = None, offsets: Shape | None = None, name: str | None = None
) -> Tensor:
    """Return a rectangular block of a tensor.

    Parameters
    ----------
    x : Tensor [*], any dtype
    shape : list of int and of Tensor, or Tensor of integers, optional
        The sizes of the block; -1 means up to the end of the axis. Default: the shape of x.
    offsets : list of int and of Tensor, or Tensor of integers, optional
        The position of the block. Default: zeros.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype of x

    Raises
    ------
    OpError
        If the block is not inside of x, or there is not one size and offset for each axis.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> paddle.crop(x, shape=[2, -1], offsets=[0, 1]).tolist()
    [[2, 3], [5, 6]]
    """
    ints, tensors = (
        ([], None) if shape is None else split_shape_into_ints_and_tensors(shape, "crop")
    )
    starts, start_tensors = (
        ([], None) if offsets is None else split_shape_into_ints_and_tensors(offsets, "crop")
    )
    if ints and not starts:
        starts = [0] * len(ints)
    return OPS["crop_tensor"](x, None, tensors, None, start_tensors, shape=ints, offsets=starts)


def diagonal(
    x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """Diagonal of two axes, as the last axis.

    out[i] = x[i, i + offset] for a matrix

    Parameters
    ----------
    x : Tensor [*], rank at least 2, any dtype
    offset : int, default 0
        Above the main diagonal if positive.
    axis1, axis2 : int, default 0 and 1
        A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [other axes, length of the diagonal], dtype of x
        Of size 0 if there is no such diagonal. A copy; in Paddle it shares the memory of x.

    Raises
    ------
    OpError
        If x has fewer than two axes.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
    >>> paddle.diagonal(x).tolist()
    [1, 5]
    >>> paddle.diagonal(x, offset=1).tolist()
    [2, 6]
    """
    return OPS["diagonal"](x, offset=offset, axis1=axis1, axis2=axis2)


def trace(
    x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """Sum of the elements on a diagonal of two axes.

    out = sum over i of x[i, i + offset] for a matrix

    Parameters
    ----------
    x : Tensor [*], rank at least 2
    offset : int, default 0
        Above the main diagonal if positive.
    axis1, axis2 : int, default 0 and 1
        A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [other axes], dtype of x
        0 if there is no such diagonal.

    Raises
    ------
    OpError
        If x has fewer than two axes.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> int(paddle.trace(x)), int(paddle.trace(x, offset=1))
    (5, 2)
    """
    return OPS["trace"](x, offset=offset, axis1=axis1, axis2=axis2)


def diag_embed(input: TensorLike, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Diagonal matrices whose diagonals are the vectors in the last axis.

    out[..., i, i + offset] = input[..., i]; zeros elsewhere

    Parameters
    ----------
    input : Tensor [*, N], array or list, any dtype
    offset : int, default 0
        Above the main diagonal if positive.
    dim1, dim2 : int, default -2 and -1
        The axes of the matrices in the result.

    Returns
    -------
    Tensor [*, N + |offset|, N + |offset|], dtype of input

    Raises
    ------
    OpError
        If both axes are the same.

    Examples
    --------
    >>> F.diag_embed(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
    [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
    """
    return OPS["diag_embed"](
        input if isinstance(input, Tensor) else to_tensor(input),
        offset=offset,
        dim1=dim1,
        dim2=dim2,
    )


def diagflat(x: Tensor, offset: int = 0, name: str | None = None) -> Tensor:
    """Diagonal matrix of all elements of a tensor, which is flattened.

    out[i, i + offset] = x[i]; zeros elsewhere

    Parameters
    ----------
    x : Tensor with N elements, any dtype
    offset : int, default 0
        Above the main diagonal if positive.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N + |offset|, N + |offset|], dtype of x

    Raises
    ------
    OpError
        If x is not a Tensor.

    Examples
    --------
    >>> paddle.diagflat(paddle.to_tensor([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    return creation.diag(manipulation.reshape(x, [-1]), offset)


def diagonal_scatter(
    x: Tensor, y: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """Return a copy of a tensor with given elements on a diagonal of two axes.

    out[i, i + offset] = y[i] for a matrix; the other elements are those of x

    Parameters
    ----------
    x : Tensor [*], any dtype
    y : Tensor [other axes, length of the diagonal]
        Other axes are those of x without axis1 and axis2.
    offset : int, default 0
        Above the main diagonal if positive.
    axis1, axis2 : int, default 0 and 1
        The axes of the matrices.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If y has another shape.

    Examples
    --------
    >>> x = paddle.zeros([2, 3], dtype="int64")
    >>> paddle.diagonal_scatter(x, paddle.to_tensor([7, 8]), offset=1).tolist()
    [[0, 7, 0], [0, 0, 8]]
    """
    return OPS["fill_diagonal_tensor"](x, y, offset=offset, dim1=axis1, dim2=axis2)


def index_add(
    x: Tensor, index: Tensor, axis: int, value: Tensor, name: str | None = None
) -> Tensor:
    """Add values to slices along one axis.

    out[..., index[m], ...] += value[..., m, ...]; values at repeated positions are summed

    Parameters
    ----------
    x : Tensor [*, N, *]
    index : Tensor [M], int32 or int64
        Positions in [0, N).
    axis : int
        The axis of the slices. A negative axis counts from the end.
    value : Tensor [*, M, *], dtype of x
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, N, *], dtype of x

    Raises
    ------
    OpError
        If a position is out of range (also if it is negative), or shapes or dtypes do not fit.

    Examples
    --------
    >>> x, value = paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[10, 10], [100, 100]])
    >>> paddle.index_add(x, paddle.to_tensor([0, 0]), 0, value).tolist()
    [[111, 112], [3, 4]]
    """
    return OPS["index_add"](x, index, value, axis=axis)


def index_fill(
    x: Tensor, index: Tensor, axis: int, value: Scalar, name: str | None = None
) -> Tensor:
    """Set slices along one axis to one value.

    out[..., index[m], ...] = value

    Parameters
    ----------
    x : Tensor [*, N, *]
    index : Tensor [M], int32 or int64
        Positions in [0, N).
    axis : int
        The axis of the slices. A negative axis counts from the end.
    value : number or Tensor with one element
        Cast to the dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, N, *], dtype of x

    Raises
    ------
    OpError
        If a position is out of range (also if it is negative), or the axis is.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4], [5, 6]])
    >>> paddle.index_fill(x, paddle.to_tensor([0, 2]), 0, -1).tolist()
    [[-1, -1], [3, 4], [-1, -1]]
    """
    axis = normalize_axis(axis, x, "index_fill")
    is_selected = cast(
        math.any(OPS["one_hot_v2"](index, depth=x.shape[axis]).astype("bool"), 0), "bool"
    )
    mask = manipulation.reshape(is_selected, [-1 if i == axis else 1 for i in range(x.ndim)])
    return masked_fill(x, mask, value)


def index_put(
    x: Tensor,
    indices: Sequence[Tensor],
    value: Tensor,
    accumulate: bool = False,
    name: str | None = None,
) -> Tensor:
    """Assign values at indices, or add them.

    out[indices] = value, or out[indices] += value with repeated positions added up

    Parameters
    ----------
    x : Tensor [*S]
    indices : tuple or list of Tensor, int32, int64 or bool
        One Tensor of positions for each of the first axes, which broadcast, or masks. Negative
        positions count from the end.
    value : Tensor, dtype of x
        Broadcast to the shape of the selected elements.
    accumulate : bool, default False
        Whether the values are added.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*S], dtype of x

    Raises
    ------
    OpError
        If a position is out of range, or shapes or dtypes do not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> indices = (paddle.to_tensor([0, 1]), paddle.to_tensor([1, 1]))
    >>> paddle.index_put(x, indices, paddle.to_tensor([9, 8])).tolist()
    [[1, 9], [3, 8]]
    >>> paddle.index_put(x, indices, paddle.to_tensor([9, 8]), accumulate=True).tolist()
    [[1, 11], [3, 12]]
    """
    return OPS["index_put"](x, list(indices), value, accumulate=accumulate)


def masked_fill(x: Tensor, mask: Tensor, value: Scalar, name: str | None = None) -> Tensor:
    """Replace elements at which a mask is True by one value.

    Parameters
    ----------
    x : Tensor [*A]
    mask : Tensor [*B], bool
    value : number or Tensor with one element
        Cast to the dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B)], dtype of x

    Raises
    ------
    OpError
        If the shapes do not broadcast, or x is not a Tensor.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 5], [4, 2]])
    >>> paddle.masked_fill(x, x > 2, 0).tolist()
    [[1, 0], [0, 2]]
    """
    check_tensors(x)
    filler = cast(value, x.dtype) if isinstance(value, Tensor) else full([], value, x.dtype)
    mask, x, filler = manipulation.broadcast_with_condition(mask, [x, filler])
    return manipulation.where(mask, filler, x)


def renorm(x: Tensor, p: float, axis: int, max_norm: float) -> Tensor:
    """Scale slices along one axis so that their p-norm is at most a limit.

    out = x * min(1, max_norm / norm of the slice)

    Parameters
    ----------
    x : Tensor [*], floating
    p : float
        Exponent of the norm, positive.
    axis : int
        The axis of the slices: each has one position along it. A negative axis counts from the end.
    max_norm : float
        The largest norm of the result.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If p is not positive, x is not floating, or the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[3.0, 4.0], [0.3, 0.4]])
    >>> print(paddle.renorm(x, p=2.0, axis=0, max_norm=1.0).numpy().round(3))
    [[0.6 0.8]
     [0.3 0.4]]
    """
    return OPS["renorm"](
        x, p=float(p), axis=normalize_axis(axis, x, "renorm"), max_norm=float(max_norm)
    )


def scatter_nd(index: Tensor, updates: Tensor, shape: Shape, name: str | None = None) -> Tensor:
    """Add values to a tensor of zeros, at positions along its first axes.

    out = zeros(shape), then out[index[i, 0], ..., index[i, K - 1]] += updates[i] for all i

    Parameters
    ----------
    index : Tensor [*I, K], int32 or int64
        Each row holds positions along the first K axes. Repeated positions are added up.
    updates : Tensor [*I, *shape[K:]]
    shape : list of int and of Tensor, or Tensor of integers
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype of updates

    Raises
    ------
    OpError
        If a position is out of range (also if it is negative), or the shapes do not fit.

    Examples
    --------
    >>> index, updates = paddle.to_tensor([[1], [1], [3]]), paddle.to_tensor([2, 3, 4])
    >>> paddle.scatter_nd(index, updates, [4]).tolist()
    [0, 5, 0, 4]
    """
    check_tensors(updates)
    return manipulation.scatter_nd_add(creation.zeros(shape, updates.dtype), index, updates)


def select_scatter(
    x: Tensor, values: Tensor, axis: int, index: int, name: str | None = None
) -> Tensor:
    """Return a copy of a tensor with one slice along an axis replaced.

    out[..., index, ...] = values; the other elements are those of x

    Parameters
    ----------
    x : Tensor [*A, N, *B]
    values : Tensor [*A, *B]
        Cast to the dtype of x.
    axis : int
        The axis of size N. A negative axis counts from the end.
    index : int
        Position of the slice. A negative one counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*A, N, *B], dtype of x

    Raises
    ------
    OpError
        If `values` has another shape, or the axis is out of range.
    IndexError
        If `index` is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.select_scatter(x, paddle.to_tensor([8, 9]), axis=1, index=0).tolist()
    [[8, 2], [9, 4]]
    """
    check_tensors(x, values)
    axis = normalize_axis(axis, x, "select_scatter")
    shape = [*x.shape[:axis], *x.shape[axis + 1 :]]
    if values.shape != shape:
        raise OpError(
            append_user_line(
                "select_scatter: values must have the shape of a slice "
                f"(X={x.meta}, values={values.meta})"
            )
        )
    out = math.scale(x, 1.0)
    out[(slice(None),) * axis + (index,)] = values
    return out


def take(x: Tensor, index: Tensor, mode: str = "raise", name: str | None = None) -> Tensor:
    """Take elements of a tensor at positions in its flattened form.

    out[i] = x.flatten()[index[i]]

    Parameters
    ----------
    x : Tensor with N elements, any dtype
    index : Tensor [*I], int32 or int64
        Positions in [-N, N).
    mode : "raise", "wrap" or "clip", default "raise"
        Positions out of range raise an error, are taken modulo N, or become 0 or N - 1. With "clip"
        all negative positions become 0.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*I], dtype of x

    Raises
    ------
    OpError
        If a position is out of range with "raise", the index is not of integers, or `mode` is
        another string.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.take(x, paddle.to_tensor([0, 3, -1])).tolist()
    [1, 4, 4]
    >>> paddle.take(x, paddle.to_tensor([5, -9]), mode="clip").tolist()
    [4, 1]
    """
    check_tensors(x, index)
    if mode not in ("raise", "wrap", "clip"):
        raise OpError(
            append_user_line(
                f"take: mode={mode!r} is not one of 'raise', 'wrap', 'clip' (X={x.meta})"
            )
        )
    if index.meta.dtype.kind not in "iu":
        raise OpError(append_user_line(f"take: the index must be integer (Index={index.meta})"))
    flat, size = manipulation.reshape(x, [-1]), x.size
    if mode == "wrap":
        index = math.mod(index, size)
    elif mode == "clip":
        index = math.clip(index, 0, size - 1)
    else:
        index = manipulation.where(index < 0, index + size, index)
    return manipulation.reshape(
        manipulation.gather(flat, manipulation.reshape(index, [-1])), index.shape
    )


def shard_index(
    input: Tensor, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
) -> Tensor:
    """Convert indices of classes to indices within one shard of the classes.

    out = input - shard_id * S if it is in [0, S), otherwise ignore_value, with S = ceil(index_num /
    nshards)

    Parameters
    ----------
    input : Tensor [*], int32 or int64
        Indices in [0, index_num).
    index_num : int
        Number of classes.
    nshards : int
        Number of shards.
    shard_id : int
        The shard, in [0, nshards).
    ignore_value : int, default -1
        Result for classes of other shards.

    Returns
    -------
    Tensor [*], dtype of input

    Raises
    ------
    OpError
        If `shard_id` or an index is out of range.

    Examples
    --------
    >>> classes = paddle.to_tensor([[1], [6], [9]])
    >>> paddle.shard_index(classes, index_num=10, nshards=2, shard_id=1).tolist()
    [[-1], [1], [4]]
    """
    check_tensors(input)
    if not 0 <= shard_id < nshards:
        raise OpError(
            append_user_line(
                f"shard_index: shard_id={shard_id} is not in [0, {nshards}) (X={input.meta})"
            )
        )
    return OPS["shard_index"](
        input, index_num=index_num, nshards=nshards, shard_id=shard_id, ignore_value=ignore_value
    )


def combinations(
    x: Tensor, r: int = 2, with_replacement: bool = False, name: str | None = None
) -> Tensor:
    """All combinations of r elements of a vector.

    Parameters
    ----------
    x : Tensor [N], any dtype
    r : int, default 2
        Elements in a combination, not negative.
    with_replacement : bool, default False
        Whether an element may occur several times in a combination.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [number of combinations, r], dtype of x
        In the order of `itertools.combinations`.

    Raises
    ------
    OpError
        If x does not have one axis, or r is negative.

    Examples
    --------
    >>> paddle.combinations(paddle.to_tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    check_tensors(x)
    if x.ndim != 1 or r < 0:
        raise OpError(
            append_user_line(
                f"combinations: the rank must be 1 and r={r} not negative (X={x.meta})"
            )
        )
    generate = (
        itertools.combinations_with_replacement if with_replacement else itertools.combinations
    )
    positions = np.array(list(generate(range(x.shape[0]), r)), np.int64).reshape(-1, r)
    if not positions.size:
        return creation.empty([len(positions), r] if r else [0], x.dtype)
    return manipulation.reshape(
        manipulation.gather(x, array_to_tensor_on_device_of(x, positions.reshape(-1))),
        list(positions.shape),
    )


def vander(
    x: Tensor, n: int | None = None, increasing: bool = False, name: str | None = None
) -> Tensor:
    """Vandermonde matrix: powers of the elements of a vector.

    out[i, j] = x[i] ** (n - 1 - j); x[i] ** j if increasing

    Parameters
    ----------
    x : Tensor [N]
    n : int, optional
        The number of columns. Default: N.
    increasing : bool, default False
        Whether the exponents increase from 0.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, n], dtype of x

    Raises
    ------
    OpError
        If x does not have one axis, or n is negative.

    Examples
    --------
    >>> paddle.vander(paddle.to_tensor([1, 2, 3])).tolist()
    [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    """
    check_tensors(x)
    if x.ndim != 1:
        raise OpError(append_user_line(f"vander: the rank must be 1 (X={x.meta})"))
    count = x.shape[0] if n is None else n
    if count < 0:
        raise OpError(append_user_line(f"vander: n={n} is negative (X={x.meta})"))
    powers = range(count) if increasing else range(count - 1, -1, -1)
    columns = [math.pow(x, as_operand(p, x, "vander")) for p in powers]
    return manipulation.stack(columns, 1) if columns else creation.empty([x.shape[0], 0], x.dtype)
