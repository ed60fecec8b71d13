"""Rows of ops on sequences of different lengths.

Their offsets are operands here; in programs they come with the values.
"""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from .rows import Numbers, Row

n = Numbers(43)
f, ints, distinct = n.f, n.ints, n.distinct

ENDS = [0, 3, 4, 8]
AT = [np.array(ENDS, np.int64)]
TWO = [np.array([0, 2, 3], np.int64), np.array(ENDS, np.int64)]
REAL = (
    "2.6.2 takes the LoD from the tensor only; tests/fluid compares programs with real Paddle 1.8.5"
)
OwnRow = partial(
    Row,
    paddle=REAL,
    half="offsets do not mind the dtype",
    second=False,
    engine="the graph has no offsets",
)


def parts(x, ends=ENDS):
    return [x[a:b] for a, b in itertools.pairwise(ends)]


def pooled(of):
    return lambda x, lod: (np.stack([of(p) for p in parts(x)]), None)


def soft(x, lod):
    return np.concatenate([np.exp(p) / np.exp(p).sum() for p in parts(x)])


def repeated(x, lod, y, y_lod):
    return np.concatenate([np.repeat(x[i : i + 1], len(p), axis=0) for i, p in enumerate(parts(y))])


def convolved(x, lod, padding, w, first=-1):
    width = w.shape[0] // x.shape[1]

    def window(p, i):
        rows = [p[k] if 0 <= k < len(p) else 0 * p[0] for k in range(i + first, i + first + width)]
        return np.concatenate(rows)

    return np.stack([window(p, i) for p in parts(x) for i in range(len(p))]) @ w


def looking_ahead(x, lod, w):
    def row(p, i):
        return sum(
            (p[i + k] * w[k] for k in range(len(w)) if i + k < len(p)),
            np.zeros(p.shape[1], p.dtype),
        )

    pieces = parts(x) if x.ndim == 2 else list(x)
    return np.stack([row(p, i) for p in pieces for i in range(len(p))]).reshape(x.shape)


def joined(x, lods):
    return np.concatenate(
        [p for k in range(3) for a, at in zip(x, lods, strict=True) for p in [a[at[k] : at[k + 1]]]]
    )


def padded(x, lod, fill, width=4):
    rows = [
        np.concatenate([p, np.broadcast_to(fill, (width - len(p), *x.shape[1:]))]) for p in parts(x)
    ]
    return np.stack(rows), np.diff(ENDS)


def windows(x, lod):
    return np.array(
        [
            [p[i + k, 0] if i + k < len(p) else 9 for k in range(3)]
            for p in parts(x)
            for i in range(len(p))
        ]
    )


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, lod, h0, c0, w, b, back=False, peep=True):
    d = w.shape[0]
    hs, cs = np.zeros((len(x), d)), np.zeros((len(x), d))
    looks = b.reshape(-1)[4 * d :].reshape(3, d) if peep else np.zeros((3, d))
    for k, (a, e) in enumerate(itertools.pairwise(ENDS)):
        h, c = (np.zeros(d) if h0 is None else h0[k]), (np.zeros(d) if c0 is None else c0[k])
        for t in reversed(range(a, e)) if back else range(a, e):
            new, i, g, o = np.split(x[t] + h @ w + b.reshape(-1)[: 4 * d], 4)
            c = sigmoid(g + c * looks[1]) * c + sigmoid(i + c * looks[0]) * np.tanh(new)
            h = sigmoid(o + c * looks[2]) * np.tanh(c)
            hs[t], cs[t] = h, c
    return hs, cs, None, None


def gru(x, lod, h0, w, b, back=False, origin=False, ends=ENDS):
    d = w.shape[0]
    first, last = (
        w.reshape(-1)[: 2 * d * d].reshape(d, 2 * d),
        w.reshape(-1)[2 * d * d :].reshape(d, d),
    )
    hs = np.zeros((len(x), d))
    for k, (a, e) in enumerate(itertools.pairwise(ends)):
        h = np.zeros(d) if h0 is None else h0[k]
        for t in reversed(range(a, e)) if back else range(a, e):
            u, r = np.split(sigmoid(x[t, : 2 * d] + b[0, : 2 * d] + h @ first), 2)
            new = np.tanh(x[t, 2 * d :] + b[0, 2 * d :] + (r * h) @ last)
            h = u * h + (1 - u) * new if origin else (1 - u) * h + u * new
            hs[t] = h
    return None, None, None, hs


def scattered(x, ids, lod, updates):
    out = x.copy()
    for i, (places, values) in enumerate(zip(parts(ids), parts(updates), strict=True)):
        for k, v in zip(places, values, strict=True):
            out[i, k] += v
    return out


MASK = np.array([[True], [False], [True], [True], [False]])

LABELS = np.array([[0], [2], [1], [3], [3], [0], [1], [2]])


def ways(x, w):
    """Iterate over all label paths of one sequence with their scores."""
    for way in itertools.product(range(x.shape[1]), repeat=len(x)):
        steps = sum(w[2 + a, b] for a, b in itertools.pairwise(way))
        yield way, w[0, way[0]] + w[1, way[-1]] + steps + sum(x[t, k] for t, k in enumerate(way))


def crf(x, lod, w, y, n=None):
    """Return the negative log likelihood of the label path."""
    found = []
    for p, q in zip(parts(x), parts(y), strict=True):
        gains = dict(ways(p.astype("d"), w))
        found.append([np.log(sum(np.exp(g) for g in gains.values())) - gains[tuple(q.reshape(-1))]])
    return None, None, None, np.array(found)


def best(x, lod, w, y=None, n=None):
    path = np.concatenate([max(ways(p, w), key=lambda found: found[1])[0] for p in parts(x)])[
        :, None
    ]
    return path if y is None else (path == y).astype("int64")


def side_by_side(x, fill=0):
    return padded(x, None, np.asarray(fill, x.dtype))[0]


def gru_unit(x, h, w, b, origin=False):
    steps = [
        gru(x[i : i + 1], None, h[i : i + 1], w, b, origin=origin, ends=[0, 1])[3]
        for i in range(len(x))
    ]
    return None, None, np.concatenate(steps)


EMISSION, TRANSITION = f(8, 4), f(6, 4)
LENGTHS = np.array([[3], [1], [4]])


def said(x, lod, n=None):
    texts = [[k for k, _ in itertools.groupby(p.reshape(-1).tolist()) if k] for p in parts(x)]
    return np.concatenate(texts)[:, None], np.array([[len(t)] for t in texts])


def seen(x, y=None):
    full = np.pad(x, [(0, 0), (0, 0), (1, 0), (0, 1)])
    places = itertools.product(
        range(len(x)), range(0, full.shape[2] - 1), range(0, full.shape[3] - 2, 2)
    )
    return np.stack([full[n, :, i : i + 2, j : j + 3].reshape(-1) for n, i, j in places])


SAID = np.array([[1], [1], [0], [2], [3], [3], [0], [3]])
TAGS = (
    np.array([[0], [1], [4], [2], [3], [3], [2], [0]]),
    np.array([[0], [1], [2], [2], [3], [4], [2], [0]]),
)


def shares(*_):
    """Predicted chunks: 0-1, 3, 4-5 (one chunk of kind 1 that continues), 6, 7; labels: 0-1, 2, 3,
    4, 6, 7.
    """
    return *(np.array([v], "float32") for v in (4 / 5, 4 / 6, 8 / 11)), *(
        np.array([v]) for v in (5, 6, 4)
    )


ROWS = [
    OwnRow("ctc_align", [SAID, AT], {}, said),
    Row(
        "ctc_align", [side_by_side(SAID)[..., 0], None, LENGTHS], {"padding_value": 9},
        lambda *_: (np.array([[1, 9, 9, 9], [2, 9, 9, 9], [3, 3, 9, 9]]), np.array([[1], [1], [2]])),
    ),
    OwnRow("sequence_erase", [SAID, AT], {"tokens": [0, 2]}, lambda x, lod: x[[0, 1, 4, 5, 7]]),
    OwnRow("im2sequence", [f(2, 2, 3, 4)], {"kernels": [2, 3], "strides": [1, 2], "paddings": [1, 0, 0, 1]}, seen),
    OwnRow("chunk_eval", [TAGS[0], AT, TAGS[1], AT], {"num_chunk_types": 2}, shares),
    OwnRow("linear_chain_crf", [EMISSION, AT, TRANSITION, LABELS], {}, crf, tol=1e-4),
    Row(
        "linear_chain_crf", [side_by_side(EMISSION), None, TRANSITION, side_by_side(LABELS), LENGTHS], {},
        lambda *_: crf(EMISSION, None, TRANSITION, LABELS), tol=1e-4, second=False,
    ),
    OwnRow("crf_decoding", [EMISSION, AT, TRANSITION], {}, best),
    OwnRow("crf_decoding", [EMISSION, AT, TRANSITION, LABELS], {}, best),
    Row(
        "crf_decoding", [side_by_side(EMISSION), None, TRANSITION, None, LENGTHS], {},
        lambda *_: side_by_side(best(EMISSION, None, TRANSITION))[..., 0],
    ),
    Row("gru_unit", [f(3, 6), f(3, 2), f(2, 6), f(1, 6)], {}, gru_unit, tol=1e-4, second=False),
    Row("gru_unit", [f(3, 6), f(3, 2), f(2, 6), f(1, 6)], {"origin_mode": True}, partial(gru_unit, origin=True), tol=1e-4, second=False),
    OwnRow("split_lod_tensor", [f(5, 2), MASK], {}, lambda x, m: (x[[0, 2, 3]], x[[1, 4]])),
    OwnRow("merge_lod_tensor", [f(5, 2), MASK, f(3, 2), f(2, 2)], {}, lambda x, m, a, b: np.stack([a[0], b[0], a[1], a[2], b[1]])),
    OwnRow("sequence_pool", [f(8, 2), AT], {}, pooled(lambda p: p.mean(0))),
    OwnRow("sequence_pool", [f(8, 2), AT], {"pooltype": "SUM"}, pooled(lambda p: p.sum(0))),
    OwnRow("sequence_pool", [f(8, 2), TWO], {"pooltype": "SQRT"}, pooled(lambda p: p.sum(0) / len(p) ** 0.5)),
    OwnRow("sequence_pool", [distinct(8, 2), AT], {"pooltype": "MAX"}, pooled(lambda p: p.max(0))),
    OwnRow("sequence_pool", [f(8, 2), AT], {"pooltype": "LAST"}, pooled(lambda p: p[-1])),
    OwnRow("sequence_pool", [f(8, 2), AT], {"pooltype": "FIRST"}, pooled(lambda p: p[0])),
    OwnRow("sequence_softmax", [f(8, 1), AT], {}, soft),
    OwnRow("sequence_softmax", [f(8), AT], {}, soft),
    OwnRow("sequence_expand", [f(3, 2), None, f(8, 1), AT], {}, repeated),
    OwnRow("sequence_expand", [f(8, 2), AT, f(6, 1), [np.array([0, 2, 2, 3], np.int64)]], {}, lambda x, *_: np.concatenate([x[:3], x[:3], x[4:]])),
    OwnRow("sequence_expand_as", [f(3, 2), f(8, 1), AT], {}, lambda x, y, lod: repeated(x, None, y, lod)),
    OwnRow("sequence_conv", [f(8, 2), AT, None, f(6, 3)], {"contextLength": 3, "contextStart": -1}, convolved),
    OwnRow("sequence_conv", [f(8, 2), AT, None, f(4, 3)], {"contextLength": 2}, partial(convolved, first=0)),
    OwnRow("row_conv", [f(8, 2), AT, f(3, 2)], {}, looking_ahead),
    Row("row_conv", [f(2, 4, 3), None, f(3, 3)], {}, looking_ahead, second=False),
    OwnRow("sequence_concat", [[f(8, 2), f(6, 2)], [np.array(ENDS, np.int64), np.array([0, 1, 3, 6], np.int64)]], {}, joined),
    OwnRow("sequence_reverse", [f(8, 2), AT], {}, lambda x, lod: np.concatenate([p[::-1] for p in parts(x)])),
    OwnRow("sequence_pad", [f(8, 2), AT, f(1)], {}, padded),
    OwnRow("sequence_pad", [f(8, 2), AT, f(2)], {"padded_length": 6}, partial(padded, width=6)),
    OwnRow("sequence_unpad", [f(3, 4, 2), np.array([3, 1, 4])], {}, lambda x, n: np.concatenate([x[0, :3], x[1, :1], x[2]])),
    OwnRow("sequence_reshape", [f(8, 4), AT], {"new_dim": 2}, lambda x, lod: x.reshape(-1, 2)),
    OwnRow("sequence_enumerate", [ints(8, 1), AT], {"win_size": 3, "pad_value": 9}, windows),
    OwnRow("sequence_slice", [f(8, 2), AT, np.array([[1], [0], [2]]), np.array([[2], [1], [1]])], {}, lambda x, *_: x[[1, 2, 3, 6]]),
    OwnRow("sequence_scatter", [f(3, 4), np.array([[0], [1], [1], [3], [2], [0], [2], [3]]), AT, f(8, 1)], {}, scattered),
    OwnRow("lod_reset", [f(8, 2), AT], {"target_lod": [0, 2, 8]}, lambda x, lod: x),
    OwnRow("lstm", [f(8, 8), AT, None, None, f(2, 8), f(1, 14)], {}, lstm, tol=1e-4),
    OwnRow(
        "lstm", [f(8, 8), AT, f(3, 2), f(3, 2), f(2, 8), f(1, 8)], {"use_peepholes": False, "is_reverse": True},
        partial(lstm, back=True, peep=False), tol=1e-4,
    ),
    OwnRow("gru", [f(8, 6), AT, None, f(2, 6), f(1, 6)], {}, gru, tol=1e-4),
    OwnRow("gru", [f(8, 6), AT, f(3, 2), f(2, 6), f(1, 6)], {"is_reverse": True, "origin_mode": True}, partial(gru, back=True, origin=True), tol=1e-4),
]  # fmt: skip
