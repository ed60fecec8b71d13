"""Rows of ops that models of Paddle 1.x had: beam search, LSTMs with projections, tables of pairs
of sequences, trees, tags of clicks.
"""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from oarlock.ops.legacy.hash import xxh64_of_rows

from .rows import Numbers, Row
from .table_lod import AT, ENDS, REAL, parts, sigmoid

n = Numbers(47)
f, distinct = n.f, n.distinct

ONLY = "in Paddle it is of float32 and float64 only"
OLD = "tests/fluid compares it with real Paddle 1.8.5"
OwnRow = partial(
    Row,
    paddle=REAL,
    half="offsets do not mind the dtype",
    second=False,
    engine="the graph has no offsets",
)
OldRow = partial(Row, paddle=OLD, half=ONLY, second=False)

# -- beam search: two sources, of two beams and one
# -----------------------------------------------------------------

BEAMS = [np.array([0, 2, 3], np.int64), np.array([0, 1, 2, 3], np.int64)]
BEFORE = np.array([[4], [9], [5]]), np.array([[-0.5], [-0.25], [-1.0]], "float32")
NEXT = np.array([[1, 2], [3, 9], [9, 7]])
SUMS = np.array([[-1.0, -0.75], [-0.1, -0.2], [-2.0, -3.0]], "float32")


def step(*_):
    """The second beam had ended, with -0.25; the first goes on with 2, and not with 1."""
    return (
        np.array([[2], [9], [9], [7]]),
        np.array([[-0.75], [-0.25], [-2.0], [-3.0]], "float32"),
        np.array([0, 1, 2, 2], "int32"),
    )


def of_probabilities(before, sums, ids, chance, lod):
    """Return the best tokens of one source."""
    whole = (sums + np.log(chance)).reshape(-1)
    best = np.argsort(-whole)[:2]
    order = sorted(best, key=lambda i: (i // chance.shape[1], -whole[i]))
    return (
        np.array(order)[:, None] % chance.shape[1],
        whole[order][:, None],
        np.array(order, "int32") // chance.shape[1],
    )


# -- lstmp
# ------------------------------------------------------------------------------


def lstmp(x, lod, h0, c0, w, p, b, back=False, peep=True, clips=(9, 9)):
    d = p.shape[0]
    rs, cs = np.zeros((len(x), p.shape[1])), np.zeros((len(x), d))
    looks = b.reshape(-1)[4 * d :].reshape(3, d) if peep else np.zeros((3, d))
    for k, (start, end) in enumerate(itertools.pairwise(ENDS)):
        r, c = (
            (np.zeros(p.shape[1]) if h0 is None else h0[k]),
            (np.zeros(d) if c0 is None else c0[k]),
        )
        for t in reversed(range(start, end)) if back else range(start, end):
            new, i, g, o = np.split(x[t] + r @ w + b.reshape(-1)[: 4 * d], 4)
            c = sigmoid(g + c * looks[1]) * c + sigmoid(i + c * looks[0]) * np.tanh(new)
            c = np.clip(c, -clips[0], clips[0])
            h = sigmoid(o + c * looks[2]) * np.tanh(c)
            r = np.clip(np.tanh(h @ p), -clips[1], clips[1])
            rs[t], cs[t] = r, c
    return rs, cs, None, None, None


# -- pairs
# ------------------------------------------------------------------------------

# tables of 2 x 3 and 1 x 2
ROW, COLUMN = [np.array([0, 2, 3], np.int64)], [np.array([0, 3, 5], np.int64)]
TABLES = 2 * (2 * 3 + 1 * 2)


def products(x, x_lod, y, y_lod, w):
    pairs = [(x[:2], y[:3]), (x[2:], y[3:])]
    return np.concatenate(
        [(a @ w[:, t] @ b.T).reshape(-1) for a, b in pairs for t in range(w.shape[1])]
    )[:, None], None


def tables(x):
    return [x[:12].reshape(2, 2, 3), x[12:].reshape(2, 1, 2)]


def largest(x, *_, ks=(1, 3)):
    rows = [
        [np.sort(table[c, r])[::-1][:k].sum() / k for c in range(2) for k in ks]
        for table in tables(x)
        for r in range(table.shape[1])
    ]
    return np.array(rows), None


def convolved(x, *rest, size=(3, 3), stride=(1, 1)):
    w = rest[-1].reshape(3, 2, *size)
    found = []
    for table in tables(x):
        wide = np.pad(table, [(0, 0), (size[0] // 2, size[0]), (size[1] // 2, size[1])])
        places = [
            (i, j)
            for i in range(0, table.shape[1], stride[0])
            for j in range(0, table.shape[2], stride[1])
        ]
        windows = [wide[:, i : i + size[0], j : j + size[1]] for i, j in places]
        found += [(w[o] * window).sum() for o in range(3) for window in windows]
    return np.array(found)[:, None], None


# -- trees
# ------------------------------------------------------------------------------

EDGES = np.array([[[1, 2], [1, 3], [2, 4], [0, 0]]], "int32")


def tree(x, edges, w):
    """Node 1 has children 2 and 3, node 2 has child 4; max_depth 2, so that children have weight
    1/2.
    """
    left, right, top = (np.einsum("nf,fdk->ndk", x[0], w[:, k]) for k in range(3))
    out = top.copy()
    out[0] += 0.5 * (top[1] + top[2]) + 0.5 * right[1] + 0.5 * left[2] + 0.25 * right[2]
    out[1] += 0.5 * top[3] + 0.25 * left[3] + 0.375 * right[3]
    return out[None]


# -- clicks
# ------------------------------------------------------------------------------

TAGS, OF = np.array([[1], [2], [3], [1]]), [np.array([0, 2, 3, 4], np.int64)]
SAMPLES = np.array([[1, 0, 2], [3, 1, 0], [0, 4, 2]])


def logits(x, y, s, p, hits=True):
    found = np.take_along_axis(x, s, 1) - np.log(p)
    if hits:
        found[:, 1:] -= 1e20 * (s[:, 1:] == y)
    return found, np.zeros_like(y), s, p


def focused(x):
    """Of each sample the table of the first channel: the largest, then the largest outside of its
    row and column.
    """
    out = np.zeros_like(x)
    for sample, table in zip(out, x[:, 0].copy(), strict=True):
        for _ in range(min(table.shape)):
            row, column = np.unravel_index(np.argmax(table), table.shape)
            sample[:, row, column] = 1
            table[row], table[:, column] = -99, -99
    return out


RANKED = np.array([[2, 4], [0, 3], [1, 1]])  # of the sequences in AT, the longest first
COUNTS = np.array([[1, 2], [0, 3], [2, 2]], "float32")
ROWS = [
    OwnRow("beam_search", [*BEFORE, NEXT, SUMS, BEAMS], {"level": 0, "beam_size": 2, "end_id": 9}, step),
    OwnRow(
        "beam_search", [*(a[:2] for a in BEFORE), None, n.pos(2, 12), [np.array([0, 2]), np.arange(3)]],
        {"level": 0, "beam_size": 2, "end_id": 11, "is_accumulated": False}, of_probabilities,
    ),
    OwnRow("lstmp", [f(8, 8), AT, None, None, f(3, 8), f(2, 3), f(1, 14)], {}, lstmp, tol=1e-4),
    OwnRow(
        "lstmp", [f(8, 8), AT, f(3, 3), f(3, 2), f(3, 8), f(2, 3), f(1, 8)], {"use_peepholes": False, "is_reverse": True},
        partial(lstmp, back=True, peep=False), tol=1e-4,
    ),
    OwnRow(
        "lstmp", [f(8, 8), AT, None, None, f(3, 8), f(2, 3), f(1, 14)], {"cell_clip": 0.3, "proj_clip": 0.1},
        partial(lstmp, clips=(0.3, 0.1)), tol=1e-4,
    ),
    OwnRow("match_matrix_tensor", [f(3, 2), ROW, f(5, 3), COLUMN, f(2, 2, 3)], {"dim_t": 2}, products),
    OwnRow(
        "sequence_topk_avg_pooling", [distinct(TABLES, 1), None, f(3, 1), ROW, f(5, 1), COLUMN], {"topks": [1, 3], "channel_num": 2}, largest,
    ),
    OwnRow(
        "var_conv_2d", [f(TABLES, 1), None, f(3, 1), ROW, f(5, 1), COLUMN, f(3, 18)],
        {"InputChannel": 2, "OutputChannel": 3, "KernelH": 3, "KernelW": 3}, convolved, tol=1e-4,
    ),
    OwnRow(
        "var_conv_2d", [f(TABLES, 1), None, f(3, 1), ROW, f(5, 1), COLUMN, f(3, 12)],
        {"InputChannel": 2, "OutputChannel": 3, "KernelH": 2, "KernelW": 3, "StrideW": 2}, partial(convolved, size=(2, 3), stride=(1, 2)),
        tol=1e-4,
    ),
    OldRow("tree_conv", [f(1, 4, 3), EDGES, f(3, 3, 2, 2)], {}, tree),
    OwnRow("cvm", [n.pos(3, 4), None, COUNTS], {"use_cvm": False}, lambda x, *_: x[:, 2:], grad=False),
    # Its gradient puts CVM where the counts were, which is the slope for zeros alone.
    OwnRow("cvm", [n.pos(3, 4), None, 0 * COUNTS], {"use_cvm": False}, lambda x, *_: x[:, 2:]),
    OwnRow(
        "cvm", [n.pos(8, 4), AT, COUNTS], {},
        lambda x, *_: np.concatenate([np.log(x[:, :1] + 1), np.log(x[:, 1:2] + 1) - np.log(x[:, :1] + 1), x[:, 2:]], 1), grad=False,
    ),
    OwnRow(
        "filter_by_instag", [f(3, 2), None, TAGS, OF, np.array([1, 9])], {"is_lod": False},
        lambda x, *_: (x[[0, 2]], np.ones((2, 1), "float32"), np.array([[0, 0, 1], [1, 2, 1]])),
    ),
    OwnRow(
        "filter_by_instag", [f(8, 2), AT, TAGS, OF, np.array([3])], {"is_lod": True},
        lambda x, *_: (parts(x)[1], np.ones((1, 1), "float32"), np.array([[0, 3, 1]])),
    ),
    OwnRow(
        "filter_by_instag", [f(3, 2), None, TAGS, OF, np.array([8])], {"is_lod": False, "out_val_if_empty": 3},
        lambda x, *_: (np.full((1, 2), 3, x.dtype), np.zeros((1, 1), "float32"), np.array([[0, 1, 1]])), grad=False,
    ),
    Row("hash", [n.ints(4, 3)], {"num_hash": 2, "mod_by": 100},
           lambda x: np.stack([xxh64_of_rows(x.view("<u4"), s) % np.uint64(100) for s in (0, 1)], 1)[:, :, None].astype("int64")),
    Row("similarity_focus", [distinct(2, 2, 3, 4)], {"axis": 1, "indexes": [0]}, focused, half=ONLY),
    OldRow("sample_logits", [f(3, 6), SAMPLES[:, :1], SAMPLES, n.pos(3, 3)],
           {"num_samples": 2, "use_customized_samples": True, "remove_accidental_hits": False}, partial(logits, hits=False), random=False),
    OldRow("sample_logits", [f(3, 6), SAMPLES[:, :1]], {"num_samples": 2}, random=True),
    OwnRow("max_sequence_len", [RANKED], {}, lambda *_: np.array([4])),
    OwnRow("shrink_rnn_memory", [f(3, 2), None, RANKED, np.array([1])], {}, lambda x, *_: x[:2]),
    OwnRow("shrink_rnn_memory", [f(8, 2), [np.array([0, 4, 7, 8])], RANKED, np.array([3])], {}, lambda x, *_: x[:4]),
    OwnRow("lod_rank_table", [f(8, 1), AT], {}, lambda *_: RANKED),
    OwnRow("reorder_lod_tensor_by_rank", [f(8, 2), AT, RANKED], {}, lambda x, *_: x[[4, 5, 6, 7, 0, 1, 2, 3]]),
    OwnRow("reorder_lod_tensor_by_rank", [f(3, 2), None, RANKED], {}, lambda x, *_: x[[2, 0, 1]]),
]  # fmt: skip
