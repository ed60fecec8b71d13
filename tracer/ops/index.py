"""Gather and scatter by index.

An index out of range raises an error. Paddle has this check in some of these ops only.
"""

from __future__ import annotations

import math
from typing import Any

from ..core import native
from ..core.arrays import is_running_kernel_on_gpu, np
from ..core.op import (
    NO_GRAD_NON_FLOAT_RESULT,
    NO_GRAD_VALUE_INDEPENDENT,
    OPS,
    Long,
    Meta,
    check,
    check_dtype,
    kernel_selection,
    op,
)
from .elementwise import floor_divide_arrays, masked, zeros_like
from .scatter_at import (
    add_slices_in_place,
    assign_in_place_at,
    linear_row_indices,
    merge_leading_axes,
    try_take_compiled,
)
from .shared_op_rules import (
    Shape,
    broadcast_shapes,
    dims_match,
    like_x_meta,
    normalize_axis,
    numpy_dtype_of_proto,
    shapes_match,
)


def check_index_range(index: Any, size: int) -> None:
    """Raise OpError for an index outside of [0, size)."""
    if not index.size:
        return
    low, high = index.min(), index.max()
    check(
        low >= 0 and high < size, f"an index is {low if low < 0 else high}, outside of [0, {size})"
    )


def check_integers(index: Any) -> None:
    """Raise OpError unless the index tensor has an integer dtype."""
    check_dtype(
        index.dtype.kind in "iu",
        f"an index has the dtype {index.dtype}; convert it with astype('int64')",
    )


# If no index occurs more often than this, `scatter_add_rows` uses one NumPy call per occurrence.
MAX_ONE_BY_ONE_OCCURRENCES = 16


def scatter_add_rows(out: Any, index: Any, rows: Any, axis: int = 0) -> None:
    """Add `rows` to the slices `index` [N] of `out` along the axis; duplicates accumulate."""
    if not index.size or add_slices_in_place(out, index, rows, axis):
        return
    out, rows = np.moveaxis(out, axis, 0), np.moveaxis(rows, axis, 0)
    order = np.argsort(index, kind="stable")
    index = index[order]
    first = np.flatnonzero(np.concatenate((np.ones_like(index[:1], bool), index[1:] != index[:-1])))
    counts = np.diff(np.append(first, index.size))
    if counts.max() > MAX_ONE_BY_ONE_OCCURRENCES:
        out[index[first]] += np.add.reduceat(rows[order], first, axis=0)
        return
    nth = np.arange(index.size) - np.repeat(first, counts)
    # In round k, add the rows that belong to the k-th occurrence of each index, so that no round
    # contains an index twice.
    for k in range(int(counts.max())):
        now = nth == k
        out[index[now]] += rows[order[now]]


# -- slices along one axis
# --------------------------------------------------------------------------------------


def index_as_vector(index: Any) -> Any:
    """Reshape an index [N, 1] to [N]; return an index [N] or a 0-D index unchanged."""
    return index if index.ndim < 2 else index.reshape(-1)


def _take_slices(x: Any, index: Any, axis: int) -> Any:
    """`np.take`, which copies all of x if x is a view, for example transposed or expanded."""
    if x.flags.c_contiguous or not index.ndim:
        return np.take(x, index, axis)
    return x[(slice(None),) * (axis % x.ndim) + (index,)]


def require_vector_index_shape(index: Any) -> Shape:
    """Raise OpError unless the index is int [N], [N, 1] or []; return the shape that it contributes
    to the result.
    """
    check_integers(index)
    check(
        len(index.shape) < 2 or (len(index.shape) == 2 and dims_match(index.shape[1], 1)),
        "Index should have the shape [n] or [n, 1]",
    )
    return index.shape[:1]


@op("gather", "X, Index, Axis? -> Out", breaks_lod=True)
def gather(x, index, axis_tensor=None, *, axis: int = 0):
    """Out = the slices of X at Index along the axis.

    X [*, N, *], Index int [M], [M, 1] or [] -> Out [*, M, *]; [] removes the axis
    """
    axis = axis if axis_tensor is None else int(axis_tensor.item())
    require_vector_index_shape(index)
    check_index_range(index, x.shape[axis])
    return _take_slices(x, index_as_vector(index), axis)


def gather_meta(x: Meta, index: Meta, axis: int, what: str) -> Meta:
    """The Meta of the result of selecting slices of `x` along `axis` by `index`."""
    at = normalize_axis(axis, len(x.shape), what)
    check(bool(x.shape), "a 0-D tensor has no slices")
    return Meta((*x.shape[:at], *require_vector_index_shape(index), *x.shape[at + 1 :]), x.dtype)


@gather.meta
def _(x, index, axis_tensor, *, axis):
    if axis_tensor is None:
        return gather_meta(x, index, axis, "axis")
    return Meta((-1,) * (len(x.shape) - 1 + len(require_vector_index_shape(index))), x.dtype)


@gather.vjp
def _(g, x, index, axis_tensor, *, axis):
    return gather_grad(x, index, axis_tensor, g, axis=axis), None, None


@op("gather_grad", "X, Index, Axis?, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
def gather_grad(x, index, axis_tensor, g, *, axis: int = 0):
    """Scatter-add the slices of Out@GRAD at Index into zeros like X.

    X [*, N, *], Out@GRAD [*, M, *] -> X@GRAD [*, N, *]
    """
    axis = axis if axis_tensor is None else int(axis_tensor.item())
    out = np.zeros_like(x)
    slices = g if index.ndim else np.expand_dims(g, axis)
    scatter_add_rows(out, index.reshape(-1), slices, axis)
    return out


@gather_grad.vjp
def _(gg, x, index, axis_tensor, g, *, axis):
    return None, None, None, gather(gg, index, axis_tensor, axis=axis)


@op("index_select", "X, Index -> Out")
def index_select(x, index, *, dim: int = 0):
    """Out = the slices of X at Index along `dim`.

    X [*, N, *], Index int [M] or [M, 1] -> Out [*, M, *]
    """
    check(index.ndim > 0, "Index is 0-D")
    require_vector_index_shape(index)
    check_index_range(index, x.shape[dim])
    return _take_slices(x, index_as_vector(index), dim)


@index_select.meta
def _(x, index, *, dim):
    check(len(index.shape) > 0, "Index is 0-D")
    return gather_meta(x, index, dim, "dim")


@index_select.vjp
def _(g, x, index, *, dim):
    return gather_grad(x, index, None, g, axis=dim), None


@op("lookup_table_v2", "W, Ids -> Out", amp_class="deny_at_o2", public_name="embedding")
def lookup_table_v2(w, ids, *, padding_idx: Long = -1):
    """Out = the rows of W at Ids; zeros where Ids is padding_idx.

    padding_idx: -1 for no padding.

    W [N, D], Ids int [*] -> Out [*, D]
    """
    check(w.ndim == 2, "W does not have two axes")
    check_index_range(ids, w.shape[0])
    out = _take_slices(w, ids, 0)
    if padding_idx != -1:
        out[ids == padding_idx] = 0
    return out


@lookup_table_v2.meta
def _(w, ids, *, padding_idx):
    check(len(w.shape) == 2, "W does not have two axes")
    check_integers(ids)
    return Meta((*ids.shape, w.shape[1]), w.dtype)


@lookup_table_v2.vjp
def _(g, w, ids, *, padding_idx):
    return lookup_table_v2_grad(w, ids, g, padding_idx=padding_idx), None


@op("lookup_table_v2_grad", "W, Ids, Out@GRAD -> W@GRAD", meta=like_x_meta, internal=True)
def lookup_table_v2_grad(w, ids, g, *, padding_idx: Long = -1):
    """Scatter-add the rows of Out@GRAD at Ids into zeros like W; the row padding_idx is zero.

    W [N, D], Ids int [*], Out@GRAD [*, D] -> W@GRAD [N, D]
    """
    out = np.zeros_like(w)
    scatter_add_rows(out, ids.reshape(-1), g.reshape(-1, w.shape[1]))
    if padding_idx != -1:
        out[padding_idx] = 0
    return out


@lookup_table_v2_grad.vjp
def _(gg, w, ids, g, *, padding_idx):
    return (
        None,
        None,
        OPS["reshape_like"](lookup_table_v2(gg, ids, padding_idx=padding_idx), g),
    )  # the op lookup_table passes Ids with an additional axis of size 1


@op("lookup_table", "W, Ids -> Out", amp_class="deny_at_o2", public_name="embedding")
def lookup_table(
    w, ids, *, padding_idx: Long = -1, is_sparse: bool = False, is_distributed: bool = False
):
    """lookup_table_v2 of Paddle 1.x: Ids have a last axis of size 1, which is removed.

    W [N, D], Ids int [*, 1] -> Out [*, D]
    """
    return lookup_table_v2.kernel(w, ids.reshape(ids.shape[:-1]), padding_idx=padding_idx)


@lookup_table.meta
def _(w, ids, *, padding_idx, **_):
    check(len(w.shape) == 2, "W does not have two axes")
    check_integers(ids)
    check(
        len(ids.shape) > 0 and dims_match(ids.shape[-1], 1), "Ids do not end in an axis of size 1"
    )
    return Meta((*ids.shape[:-1], w.shape[1]), w.dtype)


@lookup_table.vjp
def _(g, w, ids, *, padding_idx):
    return lookup_table_v2_grad(w, ids, g, padding_idx=padding_idx), None


@op("scatter", "X, Ids, Updates -> Out", amp_class="deny_at_o2")
def scatter(x, ids, updates, *, overwrite: bool = True):
    """Out = X with the rows at Ids replaced by Updates.

    overwrite: for equal Ids, the last row of Updates is used; otherwise, the sum of these rows.

    X [N, *], Ids int [M] or [M, 1], Updates [M, *] (or Ids [], Updates [*]) -> Out [N, *]
    """
    check_index_range(ids, x.shape[0])
    check_dtype(x.dtype == updates.dtype, "the dtypes of X and Updates differ")
    check_updates_shape(updates.shape, required_scatter_updates_shape(x.shape, ids.shape))
    index, out = index_as_vector(ids), x.copy()
    if overwrite:
        assign_in_place_at(out, (index,), updates)
    else:
        out[index] = 0
        scatter_add_rows(out, index.reshape(-1), updates.reshape(index.size, *x.shape[1:]))
    return out


def required_scatter_updates_shape(x: Shape, ids: Shape) -> Shape:
    """The shape that the input Updates of scatter must have for these X and Ids."""
    return (*ids[:1], *x[1:])


def check_updates_shape(updates: Shape, wanted: Shape) -> None:
    """Raise OpError unless the shape of Updates is `wanted`."""
    check(shapes_match(tuple(updates), wanted), f"Updates is not of the shape {list(wanted)}")


@scatter.meta
def _(x, ids, updates, *, overwrite):
    check(bool(x.shape), "a 0-D tensor has no rows")
    require_vector_index_shape(ids)
    check_dtype(x.dtype == updates.dtype, "the dtypes of X and Updates differ")
    check_updates_shape(updates.shape, required_scatter_updates_shape(x.shape, ids.shape))
    return x


@scatter.vjp
def _(g, x, ids, updates, *, overwrite):
    def updates_grad() -> Any:
        rows = gather(g, ids)
        return masked(rows, mask_of_last_occurrences(ids, updates)) if overwrite else rows

    return lambda: scatter(g, ids, zeros_like(updates)), None, updates_grad


_LAST_WRITE_MASK = native.compiled_function_or_placeholder("last_write_mask")

# A table with an entry for each id up to the largest one is faster than sorting, if it has at most
# this number of entries per given id.
MAX_TABLE_SIZE_PER_ID = 16


@op("last_of_each", "Ids, Y -> Out", no_grad_reason=NO_GRAD_VALUE_INDEPENDENT, internal=True)
def mask_of_last_occurrences(ids, y):
    """Out = a mask like Y, true in each row that is the last row with its id.

    Ids int [M], Y [M, *] -> Out bool like Y
    """
    if not ids.ndim:
        return np.ones_like(y, dtype=bool)
    last = _last_occurrences(ids.reshape(-1))
    # copied, because operations on a broadcast mask are slow for short rows
    return np.repeat(last, math.prod(y.shape[1:])).reshape(y.shape)


@native.OptionallyNativeFunction
def _last_occurrences(ids: Any) -> Any:
    """Whether no later id is equal to an id. ids [M] -> bool [M]"""
    _, from_the_end = np.unique(ids[::-1], return_index=True)
    last = np.zeros_like(ids, dtype=bool)
    last[ids.size - 1 - from_the_end] = True
    return last


@_last_occurrences.native
def _(ids):
    size = int(ids.max()) + 1 if ids.size else 0
    if ids.dtype.kind != "i" or size > MAX_TABLE_SIZE_PER_ID * ids.size:
        return NotImplemented
    return _LAST_WRITE_MASK((size,), ids.astype(np.int64, copy=False), 0)


@mask_of_last_occurrences.meta
def _(ids, y):
    return Meta(y.shape, np.dtype(bool))


# -- index tuples
# -----------------------------------------------------------------------------------------------


def split_and_check_index_tuples(x: Any, index: Any) -> tuple[Any, ...]:
    """The index tuples in the last axis of `index`, as one array per indexed axis of `x`."""
    found = tuple(index[..., i] for i in range(index.shape[-1]))
    for axis, column in enumerate(found):
        check_index_range(np.asarray(column), x.shape[axis])
    return found


def linear_indices_of_tuples(x: Any, index: Any) -> Any:
    """The row-major positions [M] in the indexed axes of `x` of the M index tuples in the last axis
    of `index`.
    """
    count = index.shape[-1]
    if not count:
        return np.zeros(index.shape[:-1], np.int64).reshape(-1)
    if kernel_selection.native_enabled and not is_running_kernel_on_gpu():
        tuples = index.reshape(-1, count)
        rows = linear_row_indices(
            x.shape, [tuples[:, i] for i in range(count)], allows_negative=False
        )
        if rows is not NotImplemented:
            return rows
    rows = np.zeros_like(index[..., :1].reshape(-1))
    for axis, column in enumerate(split_and_check_index_tuples(x, index)):
        rows = rows * x.shape[axis] + column.reshape(-1)
    return rows


def gather_nd_shape(x: Shape, index: Meta) -> Shape:
    """The shape of the result of `gather_nd`, the elements of `x` at the index tuples in
    `index`.
    """
    check_integers(index)
    check(bool(index.shape), "Index is 0-D")
    count = index.shape[-1]
    check(count >= 0, "the size of the last axis of Index is not known")
    check(count <= len(x), f"a row of Index has {count} positions, but X has {len(x)} axes")
    return (*index.shape[:-1], *x[count:])


@op("gather_nd", "X, Index -> Out")
def gather_nd(x, index):
    """Out = the slices of X at index tuples. X [*S], Index int [*I, K] -> Out [*I, *S[K:]]"""
    if not index.shape[-1]:
        return np.broadcast_to(x, index.shape[:-1] + x.shape)
    found = try_take_compiled(x, list(np.moveaxis(index, -1, 0)), allows_negative=False)
    return x[split_and_check_index_tuples(x, index)] if found is None else found


@gather_nd.meta
def _(x, index):
    return Meta(gather_nd_shape(x.shape, index), x.dtype)


@gather_nd.vjp
def _(g, x, index):
    return scatter_nd_add(zeros_like(x), index, g), None


@op("scatter_nd_add", "X, Index, Updates -> Out")
def scatter_nd_add(x, index, updates):
    """Out = X with Updates added at index tuples. Updates with equal indices accumulate.

    X [*S], Index int [*I, K], Updates [*I, *S[K:]] -> Out [*S]
    """
    count = index.shape[-1]
    check_dtype(x.dtype == updates.dtype, "the dtypes of X and Updates differ")
    check_updates_shape(updates.shape, index.shape[:-1] + x.shape[count:])
    out = x.copy()
    rows = linear_indices_of_tuples(x, index)
    scatter_add_rows(
        merge_leading_axes(out, count), rows, merge_leading_axes(updates, index.ndim - 1)
    )
    return out


@scatter_nd_add.meta
def _(x, index, updates):
    check_dtype(x.dtype == updates.dtype, "the dtypes of X and Updates differ")
    check_updates_shape(updates.shape, gather_nd_shape(x.shape, index))
    return x


@scatter_nd_add.vjp
def _(g, x, index, updates):
    return g, None, lambda: gather_nd(g, index)


# -- select by value
# ------------------------------------------------------------------------------------


@op(
    "where_index",
    "Condition -> Out",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    value_dependent_shape=True,
    public_name="nonzero",
)
def where_index(condition):
    """Out = the indices of the nonzero elements of Condition, in order.

    Condition [*] -> Out int64 [count, rank]
    """
    check(condition.ndim > 0, "Condition is 0-D")
    flat = np.flatnonzero(condition)
    out = np.zeros((flat.size, condition.ndim), np.int64)
    for axis in range(condition.ndim - 1, 0, -1) if flat.size else ():
        rows = floor_divide_arrays(flat, np.array(condition.shape[axis]))
        out[:, axis] = flat - rows * condition.shape[axis]
        flat = rows
    out[:, 0] = flat
    return out


@where_index.meta
def _(condition):
    check(len(condition.shape) > 0, "Condition is 0-D")
    return Meta((-1, len(condition.shape)), np.dtype(np.int64))


@op("masked_select", "X, Mask -> Y", value_dependent_shape=True)
def masked_select(x, mask):
    """Y = the elements of X where Mask is true, in order. X [*A], Mask bool [*B] -> Y [count]"""
    check_dtype(mask.dtype == np.bool_, "Mask is not bool")
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


@masked_select.meta
def _(x, mask):
    check_dtype(mask.dtype == np.bool_, "Mask is not bool")
    broadcast_shapes(x.shape, mask.shape)
    return Meta((-1,), x.dtype)


@masked_select.vjp
def _(g, x, mask):
    return masked_select_grad(x, mask, g), None


@op("masked_select_grad", "X, Mask, Y@GRAD -> X@GRAD", internal=True)
def masked_select_grad(x, mask, g):
    """X@GRAD = Y@GRAD at the selected elements, 0 elsewhere.

    X [*A], Mask bool [*B], Y@GRAD [count] -> X@GRAD [*broadcast(A, B)]
    """
    mask = np.broadcast_to(mask, np.broadcast_shapes(x.shape, mask.shape))
    out = np.zeros_like(x, shape=mask.shape)
    out[mask] = g
    return out


@masked_select_grad.meta
def _(x, mask, g):
    return Meta(broadcast_shapes(x.shape, mask.shape), x.dtype)


@masked_select_grad.vjp
def _(gg, x, mask, g):
    return None, None, masked_select(gg, mask)


@op(
    "one_hot_v2",
    "X, depth_tensor? -> Out",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    public_name="one_hot",
)
def one_hot_v2(
    x, depth_tensor=None, *, depth: int = -1, dtype: int = 5, allow_out_of_range: bool = False
):
    """Out = one-hot vectors: 1 at the class that X states, 0 elsewhere.

    allow_out_of_range: rows of classes out of range are all 0; otherwise they raise OpError.

    X int [*] -> Out [*, depth]
    """
    check_integers(x)
    depth = depth if depth_tensor is None else int(depth_tensor.item())
    if not allow_out_of_range:
        check_index_range(x, depth)
    out = np.zeros((x.size, depth), numpy_dtype_of_proto(dtype))
    classes = x.reshape(-1)
    inside = np.nonzero((classes >= 0) & (classes < depth))[0]
    out[inside, classes[inside]] = 1
    return out.reshape(*x.shape, depth)


@one_hot_v2.meta
def _(x, depth_tensor, *, depth, dtype, allow_out_of_range):
    check_integers(x)
    check(depth_tensor is not None or depth > 0, f"depth={depth} is not positive")
    return Meta((*x.shape, depth if depth_tensor is None else -1), numpy_dtype_of_proto(dtype))
