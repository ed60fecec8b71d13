"""Rows of ops that select, count or look up by order or value."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(54)
f, pos, distinct, ints = n.f, n.pos, n.distinct, n.ints


def kth(k, axis=-1, keep=False):
    def of(x):
        where = np.take(np.argsort(x, axis, kind="stable"), [k - 1], axis)
        out = np.take_along_axis(x, where, axis)
        return (out, where) if keep else (out.squeeze(axis), where.squeeze(axis))

    return of


def uniques(axis=None):
    def of(x, dtype="int64"):
        out, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
        return out, first, inverse.ravel(), counts

    return of


def first_come(x):
    return (
        np.array([3, 1, 2]),
        np.array([0, 1, 3]),
        np.array([0, 1, 1, 2, 2, 2, 0, 0]),
        np.array([3, 2, 3]),
    )


def gaps(*shape):
    """Distinct numbers, every fourth of them missing."""
    x = distinct(*shape)
    x.ravel()[::4] = np.nan
    return x


GAPS = {"odd": gaps(3, 5), "even": gaps(3, 6)}
SORTED = np.sort(f(2, 6), axis=1)
REPEATED = np.array([3, 1, 1, 2, 2, 2, 3, 3], "int64")
OTHERS = {"return_index": True, "return_inverse": True, "return_counts": True, "is_sorted": True}
ROWS = [
    Row("kthvalue", [distinct(3, 5)], {"k": 2}, ref=kth(2), second=False),
    Row("kthvalue", [distinct(3, 5, 2)], {"k": 3, "axis": 1, "keepdim": True}, ref=kth(3, 1, True), second=False),
    Row("kthvalue", [ints(4, 3)], {"k": 1, "axis": 0}, ref=kth(1, 0), unset=frozenset({"Indices"})),
    Row("kthvalue", [f()], ref=lambda x: (x, 0), second=False, paddle_grad="the gradient of 2.6.2 is 1 whatever the output gradient is"),
    *[Row("nanmedian", [GAPS[shape]], attrs, ref=lambda x, a=attrs: (np.nanmedian(x, tuple(a.get("axis", ())) or None, keepdims=a.get("keepdim", True)), None),
          unset=frozenset({"MedianIndex"}), second=False)
      for shape in ("odd", "even") for attrs in ({}, {"axis": [1]}, {"axis": [-1], "keepdim": False}, {"axis": [0, 1], "keepdim": False})],
    Row("nanmedian", [ints(3, 4, low=-9)], {"axis": [1]}, ref=lambda x: (np.trunc(np.median(x, 1, keepdims=True)), None), unset=frozenset({"MedianIndex"})),
    Row("nanmedian", [np.full((2, 3), np.nan, "f")], {"axis": [1], "keepdim": False}, ref=lambda x: (x[:, 0], None), grad=False,
        unset=frozenset({"MedianIndex"})),
    Row("nanmedian", [np.array([np.inf, 1, -np.inf, np.nan], "f")], {"keepdim": False}, ref=lambda x: (1, None), grad=False,
        unset=frozenset({"MedianIndex"})),
    Row("nanmedian", [np.array([60000, 65504], "float16")], {"keepdim": False}, ref=lambda x: (62752, None), grad=False, unset=frozenset({"MedianIndex"}),
        paddle="2.6.2 has no kernel for float16"),
    Row("nanmedian", [np.zeros((2, 0, 3), "f")], {"axis": [2], "keepdim": False}, ref=lambda x: (x[:, :, 0], None), grad=False,
        unset=frozenset({"MedianIndex"}), paddle="2.6.2 crashes"),
    Row("mode", [np.array([[np.nan] * 3, [1, np.nan, 1]], "f")], grad=False, ref=lambda x: (np.array([np.nan, 1]), np.array([2, 2])),
        paddle="2.6.2 returns the index 0 for NaN only"),
    Row("mode", [np.array([[1, 2, 2, 3], [4, 4, 5, 5], [9, 8, 7, 6]], "f")], second=False,
        ref=lambda x: (np.array([2, 4, 6]), np.array([2, 1, 3])), grad=False),
    Row("mode", [distinct(3, 4)], {"axis": 0, "keepdim": True}, ref=lambda x: (x.min(0, keepdims=True), x.argmin(0)[None]), second=False),
    Row("unique", [REPEATED], OTHERS, ref=uniques()),
    Row("unique", [f(2, 3)], {**OTHERS, "dtype": 2}, ref=uniques()),
    Row("unique", [np.array([[1, 2, 1], [0, 1, 0], [5, 5, 5]], "f")], {**OTHERS, "axis": [1]}, ref=uniques(1)),
    Row("unique", [REPEATED], {**OTHERS, "is_sorted": False}, ref=first_come),
    Row("unique_with_counts", [REPEATED], {"dtype": 3}, ref=lambda x: [first_come(x)[i] for i in (0, 2, 3)]),
    Row("unique_consecutive", [REPEATED], {"return_inverse": True, "return_counts": True, "dtype": 3},
        ref=lambda x: (np.array([3, 1, 2, 3]), np.array([0, 1, 1, 2, 2, 2, 3, 3]), np.array([1, 2, 3, 2]))),
    Row("unique_consecutive", [np.array([[1, 2], [1, 2], [2, 1]], "f")], {"axis": [0], "return_inverse": True, "return_counts": True, "dtype": 2},
        ref=lambda x: (x[1:], np.array([0, 0, 1]), np.array([2, 1]))),
    Row("unique_consecutive", [f(4, 1)], {"axis": [1], "dtype": 3}, ref=lambda x: (x, np.array([0]), np.array([1])), paddle="2.6.2 returns no counts unless they are requested"),
    Row("searchsorted", [SORTED[0], f(3, 2)], ref=np.searchsorted),
    Row("searchsorted", [np.array([1, 2, 2, 3], "f"), np.array([2.0, 0.0, 9.0], "f")], {"right": True, "out_int32": True},
        ref=lambda s, v: np.searchsorted(s, v, "right")),
    Row("searchsorted", [SORTED, f(2, 0)], ref=lambda s, v: np.zeros((2, 0))),
    Row("searchsorted", [SORTED, f(2, 3)], ref=lambda s, v: np.array([np.searchsorted(a, b) for a, b in zip(s, v, strict=True)])),
    Row("histogram", [f(20)], {"bins": 5, "min": -1, "max": 1}, ref=lambda x: np.histogram(x, 5, (-1, 1))[0]),
    Row("histogram", [f(4, 5)], {"bins": 4}, ref=lambda x: np.histogram(x, 4)[0]),
    Row("histogram", [ints(9)], {"bins": 3, "min": 1, "max": 4}, ref=lambda x: np.histogram(x, 3, (1, 4))[0]),
    Row("histogram", [np.full(3, 2.0, "f")], {"bins": 2}, ref=lambda x: np.array([0, 3])),
    Row("bincount", [ints(9)], {"minlength": 7}, ref=lambda x: np.bincount(x, minlength=7)),
    Row("bincount", [ints(9), f(9)], ref=lambda x, w: np.bincount(x, w)),
    Row("bincount", [ints(0)], ref=lambda x: np.zeros(0), paddle="2.6.2 returns one element"),
    Row("multiplex", [np.array([[1], [0], [1]], "int32"), [f(3, 2), f(3, 2)]], ref=lambda i, x: np.stack([x[k][r] for r, k in enumerate(i.ravel())])),
    Row("multiplex", [np.array([[2], [0]], "int32"), [f(2, 2, 3), f(2, 2, 3), f(2, 2, 3)]],
        ref=lambda i, x: np.stack([x[k][r] for r, k in enumerate(i.ravel())])),
    Row("repeat_interleave", [f(2, 3)], {"Repeats": 2, "dim": 1}, ref=lambda x, r=None: np.repeat(x, 2, 1)),
    Row("repeat_interleave", [f(2, 3)], {"Repeats": 3, "dim": 0}, ref=lambda x, r=None: np.repeat(x, 3, 0)),
    Row("repeat_interleave", [f(2, 3), np.array([1, 0, 2], "int32")], {"dim": 1}, ref=lambda x, r: np.repeat(x, r, 1),
        paddle="2.6.2 requires another dtype for RepeatsTensor"),
]  # fmt: skip
