"""Ops that pick elements by index, or put them back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.op import OPS, Long, Meta, check, op
from .elementwise import mul, zeros_like
from .meta import Shape, agree, agree_all, broadcast_shapes, like_x, normal_axis, proto_dtype, size_of


def inside(index: Any, size: int, what: str = "Index") -> None:
    """Raise OpError for an index outside of 0 ... size-1; Paddle would read beyond the tensor."""
    if index.size:
        low, high = int(np.min(index)), int(np.max(index))
        check(0 <= low and high < size, f"{what} holds {low if low < 0 else high}, outside of 0 ... {size - 1}")


def wrapped(index: Any, size: int, what: str = "Index") -> Any:
    """Indices counted from the front.   Raises OpError for one that does not exist."""
    if index.size:
        low, high = int(np.min(index)), int(np.max(index))
        check(
            -size <= low and high < size,
            f"{what} holds {low if low < -size else high}, outside of -{size} ... {size - 1}",
        )
        if low < 0:
            return np.where(index < 0, index + size, index)
    return index


def check_index(index: Meta, what: str = "Index") -> None:
    """Raise OpError unless the operand is of integers."""
    check(index.dtype.kind in "iu", f"{what} is not of integers")


def add_rows(like_this: Any, rows: int, index: Any, values: Any) -> Any:
    """Zeros [rows,K] with each of `values` [I,K] added at its row of `index` [I].

    Sorted by row and summed run by run: many times faster than adding one by one.
    """
    total = np.zeros_like(like_this, shape=(rows, values.shape[1]))
    if not len(index):
        return total
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    total[ordered[starts]] = (
        np.add.reduceat(values[order], starts, axis=0) if len(starts) < len(order) else values[order]
    )
    return total


# -- along one axis -----------------------------------------------------------------------------------------------


def _axis_of(tensor: Any, axis: int) -> int:
    return axis if tensor is None else int(tensor.reshape(()).item())


@op("gather", "X, Index, Axis? -> Out")
def gather(x, index, axis_tensor=None, *, axis: int = 0):
    """Out = the slices of X along the axis that Index names.   X [*], Index int [I] or [] -> Out [*]"""
    along = normal_axis(_axis_of(axis_tensor, axis), x.ndim)
    index = index.reshape(-1) if index.ndim == 2 else index
    inside(index, x.shape[along])
    return np.take(x, index, axis=along)


@gather.meta
def _(x, index, axis_tensor, *, axis):
    check_index(index)
    check(len(x.shape) > 0, "X has no axis")
    check(len(index.shape) < 2 or index.shape[1:] in ((1,), (-1,)), "Index needs one axis")
    picked = index.shape[:1]
    if axis_tensor is not None:
        return Meta((-1,) * (len(x.shape) - 1 + len(picked)), x.dtype)
    along = normal_axis(axis, len(x.shape))
    return Meta(x.shape[:along] + picked + x.shape[along + 1 :], x.dtype)


@gather.vjp
def _(g, x, index, axis_tensor, *, axis):
    return gather_grad(x, index, axis_tensor, g, axis=axis), None, None


@op("gather_grad", "X, Index, Axis?, Out@GRAD -> X@GRAD", meta=like_x)
def gather_grad(x, index, axis_tensor, g, *, axis: int = 0):
    """X@GRAD = zeros like X with Out@GRAD added at Index.   X [*S], Index int [I], Out@GRAD [*] -> X@GRAD [*S]"""
    along = normal_axis(_axis_of(axis_tensor, axis), x.ndim)
    index = index.reshape(-1)
    before, after = x.shape[:along], x.shape[along + 1 :]
    values = np.moveaxis(g.reshape(*before, index.size, *after), along, 0).reshape(index.size, -1)
    total = add_rows(g, x.shape[along], index, values)
    return np.moveaxis(total.reshape(x.shape[along], *before, *after), 0, along)


@gather_grad.vjp
def _(gg, x, index, axis_tensor, g, *, axis):
    return None, None, None, gather(gg, index, axis_tensor, axis=axis)


@op("index_select", "X, Index -> Out")
def index_select(x, index, *, dim: int = 0):
    """Out = the slices of X along the axis that Index names.   X [*], Index int [I] -> Out [*]"""
    along = normal_axis(dim, x.ndim, "dim")
    return np.take(x, wrapped(index, x.shape[along]), axis=along)


@index_select.meta
def _(x, index, *, dim):
    check_index(index)
    check(len(index.shape) == 1, "Index needs one axis")
    along = normal_axis(dim, len(x.shape), "dim")
    return Meta(x.shape[:along] + index.shape + x.shape[along + 1 :], x.dtype)


@index_select.vjp
def _(g, x, index, *, dim):
    return gather_grad(x, index, None, g, axis=dim), None


@op("lookup_table_v2", "W, Ids -> Out")
def embedding(w, ids, *, padding_idx: Long = -1):
    """Out = the rows of W that Ids name, zeros for padding_idx unless that is -1.   W [V,D], Ids int [*] -> Out [*,D]"""
    inside(ids, w.shape[0], "Ids")
    rows = np.take(w, ids, axis=0)
    if padding_idx >= 0:
        rows = np.where((ids == padding_idx)[..., None], rows.dtype.type(0), rows)
    return rows


@embedding.meta
def _(w, ids, *, padding_idx):
    check_index(ids, "Ids")
    check(len(w.shape) == 2, "W needs two axes")
    check(
        padding_idx == -1 or w.shape[0] < 0 or 0 <= padding_idx < w.shape[0],
        f"padding_idx={padding_idx} is no row of W",
    )
    return Meta((*ids.shape, w.shape[1]), w.dtype)


@embedding.vjp
def _(g, w, ids, *, padding_idx):
    return embedding_grad(w, ids, g, padding_idx=padding_idx), None


@op("lookup_table_v2_grad", "W, Ids, Out@GRAD -> W@GRAD", meta=like_x)
def embedding_grad(w, ids, g, *, padding_idx: Long = -1):
    """W@GRAD = zeros like W with Out@GRAD added at the rows Ids, but for padding_idx.   W [V,D], Out@GRAD [*,D] -> W@GRAD [V,D]"""
    ids, g = ids.reshape(-1), g.reshape(-1, w.shape[1])
    if padding_idx >= 0:
        used = ids != padding_idx
        ids, g = ids[used], g[used]
    return add_rows(g, w.shape[0], ids, g)


@embedding_grad.vjp
def _(gg, w, ids, g, *, padding_idx):
    return None, None, embedding(gg, ids, padding_idx=padding_idx)


@op("lookup_table", "W, Ids -> Out")
def lookup_table(w, ids, *, is_sparse: bool = False, is_distributed: bool = False, padding_idx: Long = -1):
    """Out = the rows of W that Ids name; the older form, whose Ids end in an axis of 1.   W [V,D], Ids int [*,1] -> Out [*,D]"""
    return embedding.kernel(w, ids.reshape(ids.shape[:-1]), padding_idx=padding_idx)


@lookup_table.meta
def _(w, ids, *, padding_idx, **_):
    check(bool(ids.shape) and agree(ids.shape[-1], 1), "Ids do not end in an axis of 1")
    check_index(ids, "Ids")
    return Meta((*ids.shape[:-1], w.shape[1]), w.dtype)


@lookup_table.vjp
def _(g, w, ids, *, padding_idx):
    return embedding_grad(w, ids, g, padding_idx=padding_idx), None


# -- by tuples ----------------------------------------------------------------------------------------------------


def _tuples(index: Any, shape: Shape) -> tuple[Any, ...]:
    return tuple(wrapped(index[..., k], shape[k]) for k in range(index.shape[-1]))


def _tuples_meta(x: Meta, index: Meta) -> Shape:
    check_index(index)
    check(len(index.shape) > 0 and index.shape[-1] >= 0, "how many axes Index names is not known")
    check(index.shape[-1] <= len(x.shape), "Index names more axes than there are")
    return index.shape[:-1] + x.shape[index.shape[-1] :]


@op("gather_nd", "X, Index -> Out")
def gather_nd(x, index):
    """Out = the slices of X that the rows of Index name.   X [*S], Index int [*I,K] -> Out [*I,*S[K:]]"""
    if not index.shape[-1]:
        return np.broadcast_to(x, index.shape[:-1] + x.shape)
    return x[_tuples(index, x.shape)]


@gather_nd.meta
def _(x, index):
    return Meta(_tuples_meta(x, index), x.dtype)


@gather_nd.vjp
def _(g, x, index):
    return scatter_nd_add(zeros_like(x), index, g), None


@op("scatter_nd_add", "X, Index, Updates -> Out")
def scatter_nd_add(x, index, updates):
    """Out = X with each of Updates added at its row of Index.   X [*S], Index int [*I,K], Updates [*I,*S[K:]] -> Out [*S]"""
    k = index.shape[-1]
    if not k:
        return x + np.sum(updates.reshape(-1, *x.shape), axis=0)
    rows, width = math.prod(x.shape[:k]), math.prod(x.shape[k:])
    flat = np.zeros(index.shape[:-1], dtype=np.int64)
    for i, place in zip(x.shape[:k], _tuples(index, x.shape), strict=True):
        flat = flat * i + place
    return x + add_rows(updates, rows, flat.reshape(-1), updates.reshape(flat.size, width)).reshape(x.shape)


@scatter_nd_add.meta
def _(x, index, updates):
    check(x.dtype == updates.dtype, "the dtypes of X and Updates differ")
    check(agree_all(updates.shape, _tuples_meta(x, index)), "Updates do not fit Index")
    return x


@scatter_nd_add.vjp
def _(g, x, index, updates):
    return g, None, lambda: gather_nd(g, index)


@op("scatter", "X, Ids, Updates -> Out")
def scatter(x, ids, updates, *, overwrite: bool = True):
    """Out = X with its rows at Ids replaced by Updates, the last one winning, or by their sums.   X [V,*], Ids int [I], Updates [I,*]"""
    ids = wrapped(ids.reshape(-1), x.shape[0], "Ids")
    updates = updates.reshape(len(ids), *x.shape[1:])
    out = x.copy()
    out[ids] = updates if overwrite else 0
    if overwrite:
        return out
    return out + add_rows(x, x.shape[0], ids, updates.reshape(len(ids), math.prod(x.shape[1:]))).reshape(x.shape)


@scatter.meta
def _(x, ids, updates, *, overwrite):
    check_index(ids, "Ids")
    check(x.dtype == updates.dtype, "the dtypes of X and Updates differ")
    count = size_of(ids.shape)
    rows = updates.shape[:1] if len(updates.shape) == len(x.shape) else ()
    check(not rows or agree(rows[0], count), "Updates do not fit Ids")
    check(agree_all(updates.shape[len(rows) :], x.shape[1:]), "Updates do not fit X")
    return x


@scatter.vjp
def _(g, x, ids, updates, *, overwrite):
    flat = OPS["reshape2"](ids, shape=[-1])

    def to_x() -> Any:
        return scatter(g, ids, zeros_like(updates))

    def to_updates() -> Any:
        picked = OPS["reshape_like"](OPS["index_select"](g, flat), updates)
        return mul(picked, OPS["reshape_like"](last_of_each(flat, updates), updates)) if overwrite else picked

    return to_x, None, to_updates


@op("last_of_each", "Ids, Y -> Out")
def last_of_each(ids, y):
    """Out = like Y, 1 in the rows whose id does not come again later, else 0: those that overwriting leaves.   Ids [I] -> Out like Y"""
    _, back = np.unique(ids[::-1], return_index=True)
    kept = np.zeros_like(y, shape=(len(ids),))
    kept[len(ids) - 1 - back] = 1
    return np.broadcast_to(kept.reshape(-1, *(1,) * (y.ndim - 1)) if y.ndim else kept.reshape(()), y.shape)


@last_of_each.meta
def _(ids, y):
    return y


# -- along an axis, one index per element ------------------------------------------------------------------------


@op("take_along_axis", "Input, Index -> Result")
def take_along_axis(x, index, *, Axis: int):
    """Result[.., i, ..] = Input[.., Index[.., i, ..], ..], broadcast beside the axis.   Input [*], Index int [*] -> Result [*]"""
    along = normal_axis(Axis, x.ndim, "Axis")
    check(x.ndim == index.ndim, "the ranks differ")
    return np.take_along_axis(x, wrapped(index, x.shape[along]).astype(np.int64, copy=False), axis=along)


@take_along_axis.meta
def _(x, index, *, Axis):
    check_index(index)
    check(len(x.shape) == len(index.shape) and len(x.shape) > 0, "the ranks differ")
    at = normal_axis(Axis, len(x.shape), "Axis")
    beside = broadcast_shapes(x.shape[:at] + (1,) + x.shape[at + 1 :], index.shape[:at] + (1,) + index.shape[at + 1 :])
    return Meta(beside[:at] + (index.shape[at],) + beside[at + 1 :], x.dtype)


@take_along_axis.vjp
def _(g, x, index, *, Axis):
    return take_along_axis_grad(x, index, g, Axis=Axis), None


def _open_grid(shape: Shape, along: int, index: Any) -> tuple[Any, ...]:
    """An index of every element, with `index` for the axis."""
    grid: list[Any] = list(np.ogrid[tuple(slice(d) for d in shape)])
    grid[along] = index
    return tuple(grid)


@op("take_along_axis_grad", "Input, Index, Result@GRAD -> Input@GRAD", meta=like_x)
def take_along_axis_grad(x, index, g, *, Axis: int):
    """Input@GRAD = zeros like Input with Result@GRAD added at Index.   Input [*S], Index int [*], Result@GRAD [*] -> Input@GRAD [*S]"""
    along = normal_axis(Axis, x.ndim, "Axis")
    places = np.broadcast_to(wrapped(index, x.shape[along]), g.shape)
    spread = tuple(d if i == along else e for i, (d, e) in enumerate(zip(x.shape, g.shape, strict=True)))
    total = np.zeros_like(g, shape=spread)
    np.add.at(total, _open_grid(g.shape, along, places), g)
    return OPS["sum_like"].kernel(total, x)


@take_along_axis_grad.vjp
def _(gg, x, index, g, *, Axis):
    return None, None, take_along_axis(gg, index, Axis=Axis)


@op("put_along_axis", "Input, Index, Value -> Result")
def put_along_axis(x, index, value, *, Axis: int, Reduce: str = "assign", Include_self: bool = True):
    """Result = Input with Value assigned, added or multiplied in at Index along the axis.   Input [*S], Index int [*], Value [*]"""
    along = normal_axis(Axis, x.ndim, "Axis")
    check(Reduce in _AT and Include_self, f"Reduce={Reduce}, Include_self={Include_self} is not supported")
    places = wrapped(index, x.shape[along])
    where = _open_grid(places.shape, along, places)
    out = x.copy()
    if Reduce == "assign":
        out[where] = np.broadcast_to(value, places.shape)
    else:
        _AT[Reduce].at(out, where, np.broadcast_to(value, places.shape))
    return out


_AT: dict[str, Any] = {"assign": None, "add": np.add, "mul": np.multiply, "multiply": np.multiply}


@put_along_axis.meta
def _(x, index, value, *, Axis, Reduce, Include_self):
    check_index(index)
    check(x.dtype == value.dtype, "the dtypes of Input and Value differ")
    check(len(x.shape) == len(index.shape) and len(x.shape) > 0, "the ranks differ")
    at = normal_axis(Axis, len(x.shape), "Axis")
    fits = all(d < 0 or e < 0 or e <= d for i, (d, e) in enumerate(zip(x.shape, index.shape, strict=True)) if i != at)
    check(fits, "Index reaches beyond Input")
    check(broadcast_shapes(index.shape, value.shape) is not None, "Value does not fit Index")
    check(Reduce in _AT and Include_self, f"Reduce={Reduce}, Include_self={Include_self} is not supported")
    return x


@put_along_axis.vjp
def _(g, x, index, value, *, Axis, Reduce):
    if Reduce == "add":
        return g, None, lambda: at_index(g, index, Axis=Axis)
    check(Reduce == "assign", f"Reduce={Reduce} has no gradient")

    def to_x() -> Any:
        return put_along_axis(g, index, zeros_like(value), Axis=Axis)

    return to_x, None, lambda: at_index(g, index, Axis=Axis)


@op("at_index", "X, Index -> Out")
def at_index(x, index, *, Axis: int):
    """Out = X at Index along the axis, of the shape of Index.   X [*S], Index int [*I] -> Out [*I]"""
    along = normal_axis(Axis, x.ndim, "Axis")
    places = wrapped(index, x.shape[along])
    return x[_open_grid(places.shape, along, places)]


@at_index.meta
def _(x, index, *, Axis):
    return Meta(index.shape, x.dtype)


@at_index.vjp
def _(g, x, index, *, Axis):
    return put_along_axis(zeros_like(x), index, g, Axis=Axis, Reduce="add"), None


@op("index_sample", "X, Index -> Out")
def index_sample(x, index):
    """Out[n, i] = X[n, Index[n, i]].   X [N,D], Index int [N,I] -> Out [N,I]"""
    check(x.ndim == 2 and index.ndim == 2 and x.shape[0] == index.shape[0], "X and Index need as many rows")
    inside(index, x.shape[1])
    return np.take_along_axis(x, index.astype(np.int64, copy=False), axis=1)


@index_sample.meta
def _(x, index):
    check_index(index)
    check(
        len(x.shape) == 2 and len(index.shape) == 2 and agree(x.shape[0], index.shape[0]),
        "X and Index need as many rows",
    )
    return Meta((max(x.shape[0], index.shape[0]), index.shape[1]), x.dtype)


@index_sample.vjp
def _(g, x, index):
    return take_along_axis_grad(x, index, g, Axis=1), None


# -- by condition -------------------------------------------------------------------------------------------------


@op("where_index", "Condition -> Out")
def where_index(condition):
    """Out = the indices of what is not 0, one row each.   Condition [*] -> Out int64 [N,rank]"""
    return np.argwhere(condition).astype(np.int64, copy=False)


@where_index.meta
def _(condition):
    return Meta((-1, len(condition.shape)), np.dtype(np.int64))


@op("masked_select", "X, Mask -> Y")
def masked_select(x, mask):
    """Y = the X where Mask, in order.   X [*S], Mask bool [*S] -> Y [N]"""
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


@masked_select.meta
def _(x, mask):
    check(mask.dtype == np.bool_, "Mask is not bool")
    broadcast_shapes(x.shape, mask.shape)
    return Meta((-1,), x.dtype)


@masked_select.vjp
def _(g, x, mask):
    return masked_select_grad(x, mask, g), None


@op("masked_select_grad", "X, Mask, Y@GRAD -> X@GRAD", meta=like_x)
def masked_select_grad(x, mask, g):
    """X@GRAD = zeros like X with Y@GRAD where Mask.   X [*S], Mask bool [*S], Y@GRAD [N] -> X@GRAD [*S]"""
    full = np.broadcast_shapes(x.shape, mask.shape)
    total = np.zeros_like(g, shape=full)
    total[np.broadcast_to(mask, full)] = g
    return OPS["sum_like"].kernel(total, x)


@masked_select_grad.vjp
def _(gg, x, mask, g):
    return None, None, masked_select(gg, mask)


@op("one_hot_v2", "X, depth_tensor? -> Out")
def one_hot(x, depth_tensor=None, *, depth: int = -1, dtype: int = 5, allow_out_of_range: bool = False):
    """Out = 1 at the place that X names along a new last axis, else 0.   X int [*] -> Out [*,depth]"""
    count = depth if depth_tensor is None else int(depth_tensor.reshape(()).item())
    if not allow_out_of_range:
        inside(x, count, "X")
    return (x[..., None] == np.arange(count, dtype=x.dtype)).astype(proto_dtype(dtype))


@one_hot.meta
def _(x, depth_tensor, *, depth, dtype, allow_out_of_range):
    check_index(x, "X")
    check(depth_tensor is not None or depth > 0, f"depth={depth} is not positive")
    return Meta((*x.shape, depth if depth_tensor is None else -1), proto_dtype(dtype))
