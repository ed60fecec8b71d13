"""Other shapes, blocks, diagonals and places of the same elements."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.dtype import dtype_of
from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from . import creation, linalg, manipulation, math
from .convert import beside, cast, from_front, full, sizes, tensor_like, to_tensor

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


def _at_least(rank: int, name: str) -> Any:
    def function(*inputs: Any, name: str | None = None) -> Any:
        found = [_widened(t if isinstance(t, Tensor) else to_tensor(t), rank) for t in inputs]
        return found[0] if len(found) == 1 else found

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Each input with axes of one element added until it has {rank}.   [*] -> [*]"
    )
    return function


def _widened(x: Tensor, rank: int) -> Tensor:
    places = {
        (1, 0): [0],
        (2, 0): [0, 1],
        (2, 1): [0],
        (3, 0): [0, 1, 2],
        (3, 1): [0, 2],
        (3, 2): [2],
    }.get((rank, x.ndim))
    return x if places is None else manipulation.unsqueeze(x, places)


atleast_1d = _at_least(1, "atleast_1d")
atleast_2d = _at_least(2, "atleast_2d")
atleast_3d = _at_least(3, "atleast_3d")


def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """The shape that two shapes broadcast to.

    Raises OpError where they do not.
    """
    try:
        return list(np.broadcast_shapes(tuple(x_shape), tuple(y_shape)))
    except ValueError:
        raise OpError(
            with_user_line(f"broadcast_shape: {list(x_shape)} and {list(y_shape)} do not broadcast")
        ) from None


def view(x: Tensor, shape_or_dtype: Any, name: str | None = None) -> Tensor:
    """x in another shape, or its bytes as another dtype; a tensor of its own, not a window on x.

    x [*] -> [*]
    """
    if isinstance(shape_or_dtype, list | tuple):
        return manipulation.reshape(x, shape_or_dtype)
    check_tensors(x)
    return beside(x, np.ascontiguousarray(x.numpy()).view(dtype_of(shape_or_dtype).np))


def view_as(x: Tensor, other: Tensor, name: str | None = None) -> Tensor:
    """x in the shape of other.

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
    """Elements of x, in order, picked in steps of `stride` for each axis from `offset` on.

    x [*] -> [*shape]
    """
    check_tensors(x)
    places = np.full(tuple(shape), offset, np.int64)
    for axis, (size, step) in enumerate(zip(shape, stride, strict=True)):
        places += (np.arange(size) * step).reshape(
            [-1 if i == axis else 1 for i in range(len(shape))]
        )
    if places.size and not 0 <= int(places.max()) < x.size:
        raise OpError(
            with_user_line(
                f"as_strided: shape={list(shape)} and stride={list(stride)} reach beyond "
                f"the elements (X={x.meta})"
            )
        )
    picked = manipulation.gather(
        manipulation.flatten(x) if x.ndim else manipulation.reshape(x, [1]),
        beside(x, places.reshape(-1)),
    )
    return manipulation.reshape(picked, list(shape))


def unflatten(x: Tensor, axis: int, shape: Any, name: str | None = None) -> Tensor:
    """An axis split into several, -1 for one that is worked out.

    x [*, N, *] -> [*, *shape, *]
    """
    axis, old = from_front(axis, x, "unflatten"), x.shape
    return manipulation.reshape(
        x,
        [*old[:axis], *(shape.tolist() if isinstance(shape, Tensor) else shape), *old[axis + 1 :]],
    )


def unfold(x: Tensor, axis: int, size: int, step: int, name: str | None = None) -> Tensor:
    """Windows of `size` along axis, every `step` elements, as a last axis.

    x [*, N, *] -> [*, (N - size) // step + 1, *, size]
    """
    check_tensors(x)
    axis = from_front(axis, x, "unfold")
    if not 0 < size <= x.shape[axis] or step < 1:
        raise OpError(
            with_user_line(
                f"unfold: size={size} and step={step} do not fit axis {axis} (X={x.meta})"
            )
        )
    count = (x.shape[axis] - size) // step + 1
    places = np.arange(count)[:, None] * step + np.arange(size)
    picked = manipulation.gather(x, beside(x, places.reshape(-1)), axis)
    split = manipulation.reshape(picked, [*x.shape[:axis], count, size, *x.shape[axis + 1 :]])
    return manipulation.moveaxis(split, axis + 1, -1)


def vsplit(x: Tensor, num_or_sections: Any, name: str | None = None) -> list[Tensor]:
    """split along the first axis.

    x [N, M, *] -> list of [n, M, *]
    """
    check_tensors(x)
    if x.ndim < 2:
        raise OpError(with_user_line(f"vsplit: needs two axes (X={x.meta})"))
    return manipulation.split(x, num_or_sections, 0)


def reverse(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """Reversed along axes.

    x [*] -> [*]
    """
    return manipulation.flip(x, axis)


def rot90(x: Tensor, k: int = 1, axes: Sequence[int] = (0, 1), name: str | None = None) -> Tensor:
    """Turned k times by 90 degrees from the first axis towards the second.

    x [*] -> [*]
    """
    first, second = (from_front(a, x, "rot90") for a in axes)
    if first == second:
        raise OpError(with_user_line(f"rot90: axes={list(axes)} are the same (X={x.meta})"))
    swapped = [second if i == first else first if i == second else i for i in range(x.ndim)]
    turn = k % 4
    if turn == 0:
        return math.scale(x, 1.0)
    if turn == 2:
        return manipulation.flip(x, [first, second])
    if turn == 1:
        return linalg.transpose(manipulation.flip(x, [second]), swapped)
    return manipulation.flip(linalg.transpose(x, swapped), [second])


tolist = manipulation.tolist


# -- blocks and places
# ------------------------------------------------------------------------------------------


def crop(x: Tensor, shape: Any = None, offsets: Any = None, name: str | None = None) -> Tensor:
    """The block of x that starts at offsets (zeros) and has `shape` (-1: all that is left, None: of
    x).

    x [*] -> [*shape]
    """
    ints, tensors = ([], None) if shape is None else sizes(shape, "crop")
    starts, start_tensors = ([], None) if offsets is None else sizes(offsets, "crop")
    if ints and not starts:
        starts = [0] * len(ints)
    return OPS["crop_tensor"](x, None, tensors, None, start_tensors, shape=ints, offsets=starts)


def diagonal(
    x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """A diagonal of the matrices in two axes, as the last axis.

    x [*] -> [the other axes, length]
    """
    return OPS["diagonal"](x, offset=offset, axis1=axis1, axis2=axis2)


def trace(
    x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """The sum of a diagonal.

    x [*] -> [the other axes]
    """
    return OPS["trace"](x, offset=offset, axis1=axis1, axis2=axis2)


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last axis of input on a diagonal, in the new axes dim1 and dim2.

    input [*, N] -> [*, M, M]
    """
    return OPS["diag_embed"](
        input if isinstance(input, Tensor) else to_tensor(input),
        offset=offset,
        dim1=dim1,
        dim2=dim2,
    )


def diagflat(x: Tensor, offset: int = 0, name: str | None = None) -> Tensor:
    """A matrix with all elements of x on a diagonal.

    x [*] -> [M, M]
    """
    return creation.diag(manipulation.reshape(x, [-1]), offset)


def diagonal_scatter(
    x: Tensor, y: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """x with y on a diagonal.

    x [*], y [the other axes, length] -> [*]
    """
    return OPS["fill_diagonal_tensor"](x, y, offset=offset, dim1=axis1, dim2=axis2)


def index_add(
    x: Tensor, index: Tensor, axis: int, value: Tensor, name: str | None = None
) -> Tensor:
    """x with value added to the slices that index names along axis.

    x [*, N, *], index int [M], value [*, M, *] -> [*, N, *]
    """
    return OPS["index_add"](x, index, value, axis=axis)


def index_fill(x: Tensor, index: Tensor, axis: int, value: Any, name: str | None = None) -> Tensor:
    """x with a number (or 0-D tensor) in the slices that index names along axis.

    x [*, N, *], index int [M] -> [*, N, *]
    """
    axis = from_front(axis, x, "index_fill")
    chosen = cast(math.any(OPS["one_hot_v2"](index, depth=x.shape[axis]).astype("bool"), 0), "bool")
    mask = manipulation.reshape(chosen, [-1 if i == axis else 1 for i in range(x.ndim)])
    return masked_fill(x, mask, value)


def index_put(
    x: Tensor, indices: Any, value: Tensor, accumulate: bool = False, name: str | None = None
) -> Tensor:
    """x with value written (or added) where indices say, as x[indices] = value.

    x [*], indices: int or bool tensors -> [*]
    """
    return OPS["index_put"](x, list(indices), value, accumulate=accumulate)


def masked_fill(x: Tensor, mask: Tensor, value: Any, name: str | None = None) -> Tensor:
    """x with a number (or 0-D tensor) where mask is true.

    x [*A], mask bool [*B] -> [*broadcast(A, B)]
    """
    check_tensors(x)
    filler = cast(value, x.dtype) if isinstance(value, Tensor) else full([], value, x.dtype)
    mask, x, filler = manipulation.broadcast_beside(mask, [x, filler])
    return manipulation.where(mask, filler, x)


def renorm(x: Tensor, p: float, axis: int, max_norm: float) -> Tensor:
    """Each slice along axis whose p-norm is above max_norm scaled down to it.

    x [*] -> [*]
    """
    return OPS["renorm"](
        x, p=float(p), axis=from_front(axis, x, "renorm"), max_norm=float(max_norm)
    )


def scatter_nd(index: Tensor, updates: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """Zeros with updates added where index says.

    index int [*, K], updates [*, shape[K:]] -> [*shape]
    """
    check_tensors(updates)
    return manipulation.scatter_nd_add(creation.zeros(shape, updates.dtype), index, updates)


def select_scatter(
    x: Tensor, values: Tensor, axis: int, index: int, name: str | None = None
) -> Tensor:
    """x with values as the slice number `index` along axis.

    x [*, N, *], values [*, *] -> [*, N, *]
    """
    check_tensors(x, values)
    axis = from_front(axis, x, "select_scatter")
    shape = [*x.shape[:axis], *x.shape[axis + 1 :]]
    if values.shape != shape:
        raise OpError(
            with_user_line(
                f"select_scatter: values is not a slice (X={x.meta}, values={values.meta})"
            )
        )
    found = math.scale(x, 1.0)
    found[(slice(None),) * axis + (index,)] = values
    return found


def take(x: Tensor, index: Tensor, mode: str = "raise", name: str | None = None) -> Tensor:
    """Elements of x, in order, at index; mode: 'raise', 'wrap' or 'clip' what is beyond.

    x [*], index int [*I] -> [*I]
    """
    check_tensors(x, index)
    if mode not in ("raise", "wrap", "clip"):
        raise OpError(
            with_user_line(
                f"take: mode={mode!r} is not one of 'raise', 'wrap', 'clip' (X={x.meta})"
            )
        )
    if index.meta.dtype.kind not in "iu":
        raise OpError(with_user_line(f"take: needs integers (Index={index.meta})"))
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
    """Indices counted from the start of a shard, ignore_value for those of other shards.

    input int [*, 1] -> [*, 1]
    """
    check_tensors(input)
    if not 0 <= shard_id < nshards:
        raise OpError(
            with_user_line(
                f"shard_index: shard_id={shard_id} is not in [0, {nshards}) (X={input.meta})"
            )
        )
    return OPS["shard_index"](
        input, index_num=index_num, nshards=nshards, shard_id=shard_id, ignore_value=ignore_value
    )


def combinations(
    x: Tensor, r: int = 2, with_replacement: bool = False, name: str | None = None
) -> Tensor:
    """All ways to take r elements of x.

    x [N] -> [number of ways, r]
    """
    check_tensors(x)
    if x.ndim != 1 or r < 0:
        raise OpError(
            with_user_line(f"combinations: needs one axis, and r={r} of zero or more (X={x.meta})")
        )
    ways = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(ways(range(x.shape[0]), r)), np.int64).reshape(-1, r)
    if not places.size:
        return creation.empty([len(places), r] if r else [0], x.dtype)
    return manipulation.reshape(
        manipulation.gather(x, beside(x, places.reshape(-1))), list(places.shape)
    )


def vander(
    x: Tensor, n: int | None = None, increasing: bool = False, name: str | None = None
) -> Tensor:
    """Powers of x from n - 1 down to 0, or up.

    x [N] -> [N, n]
    """
    check_tensors(x)
    if x.ndim != 1:
        raise OpError(with_user_line(f"vander: needs one axis (X={x.meta})"))
    count = x.shape[0] if n is None else n
    if count < 0:
        raise OpError(with_user_line(f"vander: n={n} is negative (X={x.meta})"))
    powers = range(count) if increasing else range(count - 1, -1, -1)
    columns = [math.pow(x, tensor_like(p, x, "vander")) for p in powers]
    return manipulation.stack(columns, 1) if columns else creation.empty([x.shape[0], 0], x.dtype)
