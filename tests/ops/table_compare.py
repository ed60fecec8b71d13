"""Rows of compare."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(4)
f, ints, bools = n.f, n.ints, n.bools
STRANGE = np.array([0.0, np.nan, np.inf, -np.inf, 1.0], "f")

COMPARISONS = [
    ("equal", np.equal), ("not_equal", np.not_equal), ("less_than", np.less), ("less_equal", np.less_equal),
    ("greater_than", np.greater), ("greater_equal", np.greater_equal),
]  # fmt: skip
LOGIC = [
    ("logical_and", np.logical_and),
    ("logical_or", np.logical_or),
    ("logical_xor", np.logical_xor),
]
BITS = [
    ("bitwise_and", np.bitwise_and),
    ("bitwise_or", np.bitwise_or),
    ("bitwise_xor", np.bitwise_xor),
]

ROWS = [
    row
    for type, function in COMPARISONS
    for row in (
        Row(type, [ints(2, 3), ints(2, 3)], ref=function),
        Row(type, [ints(2, 1, 3), ints(4, 1)], ref=function),
        Row(type, [STRANGE, STRANGE[::-1].copy()], ref=function),
        Row(type, [f(), f()], ref=function),
        Row(type, [bools(5), bools(5)], ref=function),
        Row(type, [ints(2, 3), ints(2)], {"axis": 0}, ref=lambda x, y, function=function: function(x, y[:, None]),
            paddle="2.6 ignores axis, which older programs rely on"),
    )
]  # fmt: skip
ROWS += [Row(t, [bools(4, 1), bools(5)], ref=r) for t, r in LOGIC] + [
    Row(t, [f(3), ints(3)], ref=r, paddle="2.6.2 requires equal dtypes") for t, r in LOGIC
]
ROWS += [Row(t, [ints(2, 1), ints(3)], ref=r) for t, r in BITS] + [
    Row(t, [bools(5), bools(5)], ref=r) for t, r in BITS
]
ROWS += [
    Row("logical_not", [bools(2, 3)], ref=np.logical_not),
    Row("logical_not", [ints(2, 3)], ref=np.logical_not),
    Row("bitwise_not", [bools(2, 3)], ref=np.invert),
    Row("bitwise_not", [ints(2, 3)], ref=np.invert),
    Row("isnan_v2", [STRANGE], ref=np.isnan),
    Row("isinf_v2", [STRANGE], ref=np.isinf),
    Row("isfinite_v2", [STRANGE], ref=np.isfinite),
    Row("isnan_v2", [ints(3)], ref=np.isnan),
    Row("isfinite_v2", [f()], ref=np.isfinite),
    Row("where", [bools(2, 3), f(2, 3), f(2, 3)], ref=np.where, second=False),
    Row("where", [bools(), f(), f()], ref=np.where, second=False),
    Row("where", [bools(4), ints(4), ints(4)], ref=np.where),
]  # fmt: skip
