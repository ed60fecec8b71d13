"""Rows of indexing, gather and scatter."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(18)
f, pos, ints, distinct = n.f, n.pos, n.ints, n.distinct

I32 = np.int32
NEGATIVE_AXIS = (
    "2.6.2's op does not count negative axes from the front; its Python code does that before"
)
WRONG_GRADIENT = "2.6.2 permutes the rows of the gradient for an axis other than 0"
OVERWRITTEN = "2.6.2 also passes the gradient to overwritten rows"


def ix(*values, dtype="int64"):
    """Indices."""
    return np.array(values, dtype)


def take(axis):
    """The reference that takes slices along an axis."""
    return lambda x, i, *_: np.take(x, i.reshape(-1) if i.ndim else i, axis)


def scattered(overwrite=True):
    """The reference of scatter, row by row."""

    def ref(x, ids, updates):
        out = x.copy()
        rows = list(zip(ids.reshape(-1), updates.reshape(-1, *x.shape[1:]), strict=True))
        for i, _ in rows:
            out[i] = 0
        for i, row in rows:
            out[i] = row if overwrite else out[i] + row
        return out

    return ref


def scattered_nd(x, index, updates):
    """The reference of scatter_nd_add, index by index."""
    out = x.copy()
    for at in np.ndindex(index.shape[:-1]):
        out[tuple(index[at])] += updates[at]
    return out


def taken_along(axis):
    """The reference of take_along_axis, element by element."""

    def ref(x, index):
        out = np.zeros(index.shape, x.dtype)
        for at in np.ndindex(index.shape):
            out[at] = x[(*at[:axis], index[at], *at[axis + 1 :])]
        return out

    return ref


WAYS = {
    "assign": lambda own, put: put[-1], "add": lambda own, put: sum(own + put), "mul": lambda own, put: np.prod(own + put),
    "multiply": lambda own, put: np.prod(own + put), "mean": lambda own, put: np.mean(own + put),
    "amin": lambda own, put: min(own + put), "amax": lambda own, put: max(own + put),
}  # fmt: skip


def put_along(axis, way="assign", include=True):
    """The reference of put_along_axis: combines all values of a position."""

    def ref(x, index, value):
        met: dict[tuple[int, ...], list[float]] = {}
        for at in np.ndindex(index.shape):
            met.setdefault((*at[:axis], int(index[at]), *at[axis + 1 :]), []).append(value[at])
        out = x.copy()
        for at, put in met.items():
            out[at] = WAYS[way]([x[at]] if include else [], put)
        return out

    return ref


def looked_up(padding=None):
    """The reference of lookup_table_v2."""
    return lambda w, ids: np.where((ids == padding)[..., None], 0, w[ids])


def hot(depth):
    """The reference of one_hot_v2."""
    return lambda x, *_: (x[..., None] == np.arange(depth)).astype(float)


GONE = "2.6.2 has removed the op; tests/fluid compares programs with real Paddle 1.8.5"

# fmt: off
SLICES = [
    Row("gather", [f(3, 2), ix(2, 0, 2)], {}, take(0)),
    Row("gather", [f(3, 2), ix(1, 0, 1)], {"axis": 1}, take(1), paddle_grad=WRONG_GRADIENT),
    Row("gather", [f(3, 2), np.array([[1], [0]])], {}, take(0)),
    Row("gather", [f(3, 2), np.array(1)], {}, take(0)),
    Row("gather", [f(2, 3, 2), np.array(1)], {"axis": 1}, take(1), paddle_grad=WRONG_GRADIENT),
    Row("gather", [f(3, 2), ix(1, 0, 1, dtype="int32")], {"axis": -1}, take(1), paddle=NEGATIVE_AXIS),
    Row("gather", [f(3, 2), ix(1, 0, 1), np.array([1], I32)], {}, take(1), paddle_grad=WRONG_GRADIENT),
    Row("gather", [f(4), ix(3, 3, 0)], {}, take(0)),
    Row("gather", [ints(4, 2), ix(3, 0)], {}, take(0)),
    Row("gather", [f(3, 2), np.zeros(0, "int64")], {}, take(0), paddle_grad="2.6.2 has no gradient for empty tensors"),
    Row("index_select", [f(3, 2), ix(2, 0)], {"dim": -2}, take(0)),
    Row("index_select", [f(3, 4, 2), ix(2, 2, 0)], {"dim": 1}, take(1)),
    Row("index_select", [f(3, 2), np.array([[1], [0]], I32)], {}, take(0)),
    Row("lookup_table_v2", [f(4, 2), ix(1, 3, 1)], {}, looked_up()),
    Row("lookup_table_v2", [f(4, 2), ints(2, 3, high=4)], {"padding_idx": 3}, looked_up(3)),
    Row("lookup_table_v2", [f(4, 2), np.array(1, I32)], {}, looked_up()),
    Row("lookup_table_v2", [f(4, 2), np.zeros((2, 0), "int64")], {}, looked_up(), paddle_grad="2.6.2 has no gradient for empty tensors"),
    Row("lookup_table", [f(4, 2), np.array([[1], [3]])], {"padding_idx": 3}, lambda w, ids: looked_up(3)(w, ids[:, 0]),
        paddle_grad="2.6.2 has removed the gradient"),
    Row("scatter", [f(4, 2), ix(2, 0), f(2, 2)], {}, scattered()),
    Row("scatter", [f(3, 2), ix(2, 2, 0), f(3, 2)], {}, scattered(), paddle_grad=OVERWRITTEN),
    Row("scatter", [f(3, 2), ix(2, 2, 0), f(3, 2)], {"overwrite": False}, scattered(overwrite=False)),
    Row("scatter", [f(3, 2), np.array([[1], [1]], I32), f(2, 2)], {"overwrite": False}, scattered(overwrite=False)),
    Row("scatter", [f(3, 2), np.array(1), f(2)], {}, scattered()),
    Row("scatter", [f(3), ix(1), f(1)], {}, scattered()),
    Row("scatter", [ints(3), ix(1), ints(1)], {}, scattered()),
]

TUPLES = [
    Row("gather_nd", [f(3, 2), np.array([[2, 0], [0, 1]])], {}, lambda x, i: x[i[:, 0], i[:, 1]]),
    Row("gather_nd", [f(3, 2, 2), np.array([[2], [2]])], {}, lambda x, i: x[i[:, 0]]),
    Row("gather_nd", [f(3, 2), np.array([2, 0], I32)], {}, lambda x, i: x[2, 0]),
    Row("gather_nd", [f(3, 2), ints(2, 2, 1, high=3)], {}, lambda x, i: x[i[..., 0]]),
    Row("gather_nd", [f(3, 2), np.zeros((2, 0), "int64")], {}, lambda x, i: np.stack([x, x])),
    Row("scatter_nd_add", [f(3, 2), np.array([[2], [2]]), f(2, 2)], {}, scattered_nd),
    Row("scatter_nd_add", [f(3, 2), np.array([[2, 1], [0, 0], [2, 1]], I32), f(3)], {}, scattered_nd),
    Row("scatter_nd_add", [f(3, 2), ix(2), f(2)], {}, scattered_nd),
    Row("scatter_nd_add", [f(3, 2), ix(2, 1), f()], {}, scattered_nd),
    Row("scatter_nd_add", [f(3, 2), ints(2, 2, 1, high=3), f(2, 2, 2)], {}, scattered_nd),
    Row("scatter_nd_add", [f(3, 2), np.zeros((2, 0), "int64"), f(2, 3, 2)], {}, scattered_nd),
]

AGAIN = np.array([[1, 1, 0], [2, 2, 2]])
ONCE = np.array([[1, 0], [2, 0]])
MIXED = "2.6.2 computes wrong positions if Index is shorter than Input after Axis"

ALONG = [
    Row("take_along_axis", [f(2, 3), AGAIN], {"Axis": 1}, taken_along(1)),
    Row("take_along_axis", [f(3, 2), np.array([[2, 0]], I32)], {"Axis": 0}, taken_along(0)),
    Row("take_along_axis", [f(2, 3), np.array([[2, 0]])], {"Axis": -1}, taken_along(1), paddle="2.6.2 crashes on a negative Axis"),
    Row("take_along_axis", [f(2, 3, 4), np.array([[[1, 0], [0, 1]]])], {"Axis": 0}, taken_along(0), paddle=MIXED),
    Row("take_along_axis", [f(4), ix(3, 3)], {"Axis": 0}, taken_along(0)),
    Row("put_along_axis", [f(2, 3), ONCE, f(2, 2)], {"Axis": 1}, put_along(1)),
    Row("put_along_axis", [f(2, 3), ONCE, f(3, 4)], {"Axis": 1}, lambda x, i, v: put_along(1)(x, i, v[:2, :2]), grad=False),
    Row("put_along_axis", [f(2, 3), AGAIN, f(2, 3)], {"Axis": 1}, put_along(1)),
    Row("put_along_axis", [f(3, 2), np.array([[2, 0]], I32), f(1, 2)], {"Axis": 0, "Reduce": "add"}, put_along(0, "add")),
    Row("put_along_axis", [ints(2, 3), ONCE, ints(2, 2)], {"Axis": 1, "Reduce": "add"}, put_along(1, "add")),
    Row("put_along_axis", [np.array([[-2, 3]]), np.array([[0, 0]]), np.array([[-2, -1]])], {"Axis": 1, "Reduce": "mean"},
        lambda x, i, v: np.array([[-1, 3]])),
    Row("put_along_axis", [np.array([[-(2**63), 3]]), np.array([[0]]), np.array([[0]])], {"Axis": 1, "Reduce": "mean"},
        lambda x, i, v: np.array([[-(2**62), 3]])),
    *(Row("put_along_axis", [distinct(2, 3) + 2, AGAIN, distinct(2, 3) + 2.03], {"Axis": 1, "Reduce": way, "Include_self": include},
          put_along(1, way, include), second=way not in ("amin", "amax"))
      for way in WAYS for include in (True, False)),
    Row("index_sample", [f(2, 3), AGAIN], {}, taken_along(1)),
    Row("index_sample", [f(2, 3), np.array([[2], [0]], I32)], {}, taken_along(1)),
]

TRUE = [
    Row("where_index", [n.bools(3, 4)], {}, np.argwhere),
    Row("where_index", [np.array([0, 2, -1, 0], "int64")], {}, np.argwhere),
    Row("where_index", [np.array([0.0, 0.5], "float32")], {}, np.argwhere),
    Row("where_index", [np.zeros((2, 2), bool)], {}, np.argwhere),
    Row("masked_select", [f(3, 4), np.eye(3, 4, dtype=bool)], {}, lambda x, m: x[m]),
    Row("masked_select", [f(2, 3), np.array([True, False, True])], {}, lambda x, m: x[:, m].reshape(-1)),
    Row("masked_select", [f(3), np.array([[True, False, True], [True, True, False]])], {}, lambda x, m: x[[0, 2, 0, 1]]),
    Row("masked_select", [f(), np.array(True)], {}, lambda x, m: x.reshape(1)),
    Row("masked_select", [f(3), np.zeros(3, bool)], {}, lambda x, m: x[:0], grad=False),
    Row("one_hot_v2", [ix(1, 0, 2)], {"depth": 3}, hot(3)),
    Row("one_hot_v2", [np.array([[1], [0]], I32)], {"depth": 3, "dtype": 3}, hot(3)),
    Row("one_hot", [np.array([[1], [0]])], {"depth": 3}, lambda x: hot(3)(x[:, 0]), paddle=GONE),
    Row("one_hot", [np.array([[1], [0]], I32), np.array([4], I32)], {"depth": 3}, lambda x, _: hot(4)(x[:, 0]),
        paddle=GONE),
    Row("one_hot_v2", [np.array(1)], {"depth": 2}, hot(2)),
    Row("one_hot_v2", [ix(1, 0), np.array([4], I32)], {"depth": 3}, hot(4)),
    Row("one_hot_v2", [ix(1, 7, -1)], {"depth": 3, "allow_out_of_range": True}, hot(3),
        paddle="2.6.2 rejects the indices although it has the attribute allow_out_of_range"),
]

ROWS = SLICES + TUPLES + ALONG + TRUE
