"""Views, blocks, diagonals, combinations, and reads and updates at indices."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
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

    def function(*inputs: Any, name: str | None = None) -> Any:
        outs = [
            _unsqueeze_as_numpy_atleast(t if isinstance(t, Tensor) else to_tensor(t), rank)
            for t in inputs
        ]
        return outs[0] if len(outs) == 1 else outs

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Insert axes of size 1 until the rank of each input is at least {rank}: [*] -> [*]."
    )
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
    """Return the shape that two shapes broadcast to.

    Raises OpError if they do not broadcast.
    """
    try:
        return list(np.broadcast_shapes(tuple(x_shape), tuple(y_shape)))
    except ValueError:
        raise OpError(
            append_user_line(
                f"broadcast_shape: {list(x_shape)} and {list(y_shape)} do not broadcast"
            )
        ) from None


def view(x: Tensor, shape_or_dtype: Any, name: str | None = None) -> Tensor:
    """Reshape x, or reinterpret its bytes as another dtype. In contrast to Paddle, the result of
    `view` is a copy.

    x [*] -> [*]
    """
    if isinstance(shape_or_dtype, list | tuple):
        return manipulation.reshape(x, shape_or_dtype)
    check_tensors(x)
    return array_to_tensor_on_device_of(
        x, np.ascontiguousarray(x.numpy()).view(parse_dtype(shape_or_dtype).np)
    )


def view_as(x: Tensor, other: Tensor, name: str | None = None) -> Tensor:
    """Reshape x to the shape of `other`.

    x [*], other [*S] -> [*S]
    """
    try:
        shape = other.shape
    except AttributeError:
        raise not_a_tensor_error(other) from None
    return manipulation.reshape(x, shape)


def as_strided(
    x: Tensor, shape: Sequence[int], stride: Sequence[int], offset: int = 0, name: str | None = None
) -> Tensor:
    """Copy elements of x in row-major order, with a stride per axis and an offset.

    x [*] -> [*shape]
    """
    check_tensors(x)
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


def unflatten(x: Tensor, axis: int, shape: Any, name: str | None = None) -> Tensor:
    """Split an axis into several; -1 for a size that is inferred.

    x [*, N, *] -> [*, *shape, *]
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
    """Sliding windows along an axis, as a new last axis.

    x [*, N, *] -> [*, (N - size) // step + 1, *, size]
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


def vsplit(x: Tensor, num_or_sections: Any, name: str | None = None) -> list[Tensor]:
    """Split along the first axis.

    x [N, M, *] -> list of [n, M, *]
    """
    check_tensors(x)
    if x.ndim < 2:
        raise OpError(append_user_line(f"vsplit: the rank must be at least 2 (X={x.meta})"))
    return manipulation.split(x, num_or_sections, 0)


def reverse(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Reverse x along axes.

    x [*] -> [*]
    """
    return manipulation.flip(x, axis)


def rot90(x: Tensor, k: int = 1, axes: Sequence[int] = (0, 1), name: str | None = None) -> Tensor:
    """Rotate by k * 90 degrees from the first axis towards the second.

    x [*] -> [*]
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


def crop(x: Tensor, shape: Any = None, offsets: Any = None, name: str | None = None) -> Tensor:
    """Return the block of x that starts at `offsets` (default 0) and has `shape` (-1: up to the
    end; None: that of x).

    x [*] -> [*shape]
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

    x [*] -> [the other axes, length]
    """
    return OPS["diagonal"](x, offset=offset, axis1=axis1, axis2=axis2)


def trace(
    x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """Sum of a diagonal of two axes.

    x [*] -> [the other axes]
    """
    return OPS["trace"](x, offset=offset, axis1=axis1, axis2=axis2)


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Diagonal matrices of the last axis, in the new axes dim1 and dim2.

    input [*, N] -> [*, M, M]
    """
    return OPS["diag_embed"](
        input if isinstance(input, Tensor) else to_tensor(input),
        offset=offset,
        dim1=dim1,
        dim2=dim2,
    )


def diagflat(x: Tensor, offset: int = 0, name: str | None = None) -> Tensor:
    """Diagonal matrix of all elements of x.

    x [*] -> [M, M]
    """
    return creation.diag(manipulation.reshape(x, [-1]), offset)


def diagonal_scatter(
    x: Tensor, y: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """Return x with y on a diagonal.

    x [*], y [the other axes, length] -> [*]
    """
    return OPS["fill_diagonal_tensor"](x, y, offset=offset, dim1=axis1, dim2=axis2)


def index_add(
    x: Tensor, index: Tensor, axis: int, value: Tensor, name: str | None = None
) -> Tensor:
    """Add values to slices along one axis.

    out[..., index[m], ...] += value[..., m, ...]; repeated positions are added up

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


def index_fill(x: Tensor, index: Tensor, axis: int, value: Any, name: str | None = None) -> Tensor:
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
    x: Tensor, indices: Any, value: Tensor, accumulate: bool = False, name: str | None = None
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


def masked_fill(x: Tensor, mask: Tensor, value: Any, name: str | None = None) -> Tensor:
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


def scatter_nd(index: Tensor, updates: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """Return a tensor of zeros of the given shape to which `updates` are added at the index tuples
    `index`.

    index int [*, K], updates [*, shape[K:]] -> [*shape]
    """
    check_tensors(updates)
    return manipulation.scatter_nd_add(creation.zeros(shape, updates.dtype), index, updates)


def select_scatter(
    x: Tensor, values: Tensor, axis: int, index: int, name: str | None = None
) -> Tensor:
    """Return x with `values` assigned to slice `index` of an axis.

    x [*, N, *], values [*, *] -> [*, N, *]
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
    """Elements of flattened x at `index`.

    x [*], index int [*I] -> [*I]

    mode: 'raise', 'wrap' or 'clip' for indices out of range
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
    """Convert class indices to indices within a shard; ignore_value for those of other shards.

    input int [*, 1] -> [*, 1]
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
    """All combinations of r elements of x.

    x [N] -> [number of combinations, r]
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
    """Vandermonde matrix: powers of x from n - 1 down to 0, or ascending.

    x [N] -> [N, n]
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
