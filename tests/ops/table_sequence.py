"""Rows of ctc, tree, sequence, log_loss, attention and segment."""

from __future__ import annotations

import itertools

import numpy as np

from .rows import Numbers, Row

n = Numbers(37)
f, pos, ints, distinct = n.f, n.pos, n.ints, n.distinct


def soft(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def ctc(x, labels, times, lengths, blank=0):
    """CTC by definition: the sum over all paths that produce the label."""
    p, out = soft(x.astype("d")), []
    for b in range(x.shape[1]):
        wanted, total = labels[b, : lengths[b]].tolist(), 0.0
        for way in itertools.product(range(x.shape[2]), repeat=int(times[b])):
            said = [c for c, _ in itertools.groupby(way) if c != blank]
            total += np.prod([p[t, b, c] for t, c in enumerate(way)]) if said == wanted else 0
        out.append([-np.log(total)])
    return np.array(out), None


def walk(label, classes):
    leaf, way = int(label) + classes, []
    while leaf > 1:
        way.append((leaf // 2 - 1, leaf % 2))
        leaf //= 2
    return way


def tree(classes, longest):
    def of(x, w, label, table=None, code=None, bias=None):
        out = []
        for i in range(len(x)):
            way = (
                walk(label[i, 0], classes)
                if table is None
                else [(a, b) for a, b in zip(table[i], code[i], strict=True) if a >= 0]
            )
            scores = np.array([x[i] @ w[a] + (0 if bias is None else bias[a, 0]) for a, _ in way])
            loss = np.log1p(np.exp(scores)).sum() - sum(
                s * b for s, (_, b) in zip(scores, way, strict=True)
            )
            out.append([loss + (longest - len(way)) * np.log(2)])
        return np.array(out), None, None

    return of


def mask(count, dtype):
    return lambda x, *_: (np.arange(count) < x[..., None]).astype(dtype)


def levenshtein(a, b):
    return (
        max(len(a), len(b))
        if not len(a) or not len(b)
        else min(
            levenshtein(a[1:], b) + 1,
            levenshtein(a, b[1:]) + 1,
            levenshtein(a[1:], b[1:]) + (a[0] != b[0]),
        )
    )


def edits(normalized):
    def of(h, r, hn=None, rn=None):
        cut = lambda a, k, i: a[i].tolist() if k is None else a[i, : k[i]].tolist()
        found = [
            [levenshtein(cut(h, hn, i), cut(r, rn, i)) / (len(cut(r, rn, i)) if normalized else 1)]
            for i in range(len(h))
        ]
        return np.array([len(h)]), np.array(found)

    return of


def beams(ids, parents):
    out = ids.copy()
    for b, w in np.ndindex(*ids.shape[1:]):
        at = w
        for t in reversed(range(len(ids))):
            out[t, b, w], at = ids[t, b, at], parents[t, b, at]
    return out


def best(tags):
    def of(x, transition, length):
        scores, paths = [], np.zeros((len(x), length.max()), int)
        for b in range(len(x)):

            def score(way, b=b):
                total = sum(x[b, t, c] for t, c in enumerate(way)) + sum(
                    transition[i, j] for i, j in itertools.pairwise(way)
                )
                return total + (transition[-1, way[0]] + transition[-2, way[-1]] if tags else 0)

            ways = list(itertools.product(range(x.shape[2]), repeat=int(length[b])))
            found = max(ways, key=score)
            scores.append(score(found))
            paths[b, : length[b]] = found
        return np.array(scores), paths

    return of


JOIN = {"SUM": np.sum, "MEAN": np.mean, "MAX": np.max, "MIN": np.min}


def joined(word, rows, places, count):
    return np.stack(
        [
            JOIN[word](rows[places == i], axis=0)
            if (places == i).any()
            else np.zeros(rows.shape[1:], "f")
            for i in range(count)
        ]
    )


def sent(word, count):
    return lambda x, s, d, *_: (joined(word, x[s], d, count), np.bincount(d, minlength=count))


def sent_with(message, word, count):
    """The reference of graph_send_ue_recv."""
    join = np.add if message == "ADD" else np.multiply
    return lambda x, y, s, d, *_: (
        joined(word, join(x[s], y), d, count),
        np.bincount(d, minlength=count),
    )


TIMES, LENGTHS = np.array([4, 3], "int64"), np.array([2, 1], "int64")
WORDS = ints(2, 2, low=1, high=3, dtype="int32")
TABLE, CODE = (
    np.array([[0, 2, 3], [1, 0, -1], [3, -1, -1]]),
    np.array([[1, 0, 1], [1, 1, -1], [0, -1, -1]]),
)
IDS = np.array([0, 0, 1, 3, 3, 3])
SRC, DST = np.array([0, 1, 2, 0, 3]), np.array([1, 2, 1, 0, 0])
SIZES = np.array([3, 0, 2])
TAGS = ints(3, 4, 5)
ONLY = "2.6.2 has no CPU kernel"
ROWS = [
    Row("warpctc", [f(4, 2, 3), WORDS, TIMES, LENGTHS], ref=ctc, second=False, tol=2e-5),
    Row("warpctc", [f(4, 2, 3), np.array([[1, 1], [2, 0]], "int32"), TIMES, LENGTHS], ref=ctc, second=False, tol=2e-5),
    Row("warpctc", [f(4, 2, 3), WORDS - 1, TIMES, LENGTHS], {"blank": 2}, ref=lambda *a: ctc(*a, blank=2), second=False, tol=2e-5),
    Row("warpctc", [f(4, 2, 3), WORDS, TIMES, LENGTHS], {"norm_by_times": True}, ref=ctc, grad=False, tol=2e-5),
    Row("warpctc", [f(12, 3, 7), ints(3, 5, low=1, high=7, dtype="int32"), np.array([12, 11, 9]), np.array([5, 1, 3])], second=False, tol=5e-5),
    Row("hierarchical_sigmoid", [f(4, 3), f(5, 3), ints(4, 1, high=6)], {"num_classes": 6}, ref=tree(6, 3), second=False),
    Row("hierarchical_sigmoid", [f(4, 3), f(7, 3), ints(4, 1, high=8), None, None, f(7, 1)], {"num_classes": 8}, ref=tree(8, 3), second=False),
    Row("hierarchical_sigmoid", [f(3, 2), f(4, 2), ints(3, 1, high=4), TABLE, CODE, f(4, 1)], {"num_classes": 4}, ref=tree(4, 3), second=False),
    Row("log_loss", [pos(4, 1) * 0.9, pos(4, 1)], {"epsilon": 1e-4},
        ref=lambda p, y: -y * np.log(p + 1e-4) - (1 - y) * np.log(1 - p + 1e-4), constant=frozenset({"Labels"}), tol=2e-5),
    Row("sequence_mask", [SIZES], {"maxlen": 4, "out_dtype": 3}, ref=mask(4, "int64")),
    Row("sequence_mask", [SIZES.reshape(3, 1)], {"out_dtype": 5}, ref=mask(3, "f")),
    Row("sequence_mask", [SIZES, np.array([5], "int32")], {"out_dtype": 0}, ref=mask(5, bool)),
    Row("edit_distance", [ints(3, 4), ints(3, 5)], ref=edits(False), paddle="without lengths 2.6.2 requires LoD inputs"),
    Row("edit_distance", [ints(3, 4), ints(3, 5), np.array([4, 0, 2]), np.array([5, 2, 3])], {"normalized": True}, ref=edits(True)),
    Row("gather_tree", [ints(4, 2, 3, high=9), ints(4, 2, 3, high=3)], ref=beams),
    Row("gather_tree", [ints(3, 1, 2, high=9, dtype="int32"), ints(3, 1, 2, high=2, dtype="int32")], ref=beams),
    Row("viterbi_decode", [f(2, 4, 4), f(4, 4), np.array([4, 2])], ref=best(True)),
    Row("viterbi_decode", [f(6, 4, 5), f(5, 5), np.array([4, 2, 3, 1, 4, 3])], ref=best(True)),
    Row("viterbi_decode", [f(3, 3, 3), f(3, 3), np.array([1, 3, 2])], {"include_bos_eos_tag": False}, ref=best(False)),
    Row("fused_softmax_mask", [f(2, 3, 4, 5), f(2, 1, 4, 5)], ref=lambda x, m: soft(x + m), paddle=ONLY),
    Row("fused_softmax_mask_upper_triangle", [f(2, 3, 4, 4)], paddle=ONLY,
        ref=lambda x: soft(np.where(np.arange(4) > np.arange(4)[:, None], -np.inf, x))),
    *[Row("segment_pool", [distinct(6, 3), IDS], {"pooltype": w}, ref=lambda x, i, w=w: (joined(w, x, i, 4), None),
          unset=frozenset({"SummedIds"})) for w in JOIN],
    *[Row("segment_pool", [ints(6, 3, low=-9), IDS], {"pooltype": w}, ref=lambda x, i, w=w: (np.trunc(joined(w, x, i, 4)), None),
          unset=frozenset({"SummedIds"})) for w in JOIN],
    *[Row("graph_send_recv", [ints(4, 3, low=-9), SRC, DST], {"reduce_op": w}, ref=lambda *a, w=w: (np.trunc(sent(w, 4)(*a)[0]), None),
          unset=frozenset({"Dst_count"})) for w in JOIN],
    Row("segment_pool", [f(6), IDS.astype("int32")], ref=lambda x, i: (joined("SUM", x, i, 4), None), unset=frozenset({"SummedIds"})),
    *[Row("graph_send_recv", [distinct(4, 3), SRC, DST], {"reduce_op": w}, ref=sent(w, 4), unset=frozenset({"Dst_count"})) for w in JOIN],
    Row("graph_send_recv", [distinct(4, 2, 3), SRC.astype("int32"), DST.astype("int32")], {"out_size": [3]}, ref=sent("SUM", 3),
        unset=frozenset({"Dst_count"})),
    Row("graph_send_recv", [f(4, 3), SRC, DST, np.array([6])], {"reduce_op": "MEAN"}, ref=sent("MEAN", 6), unset=frozenset({"Dst_count"})),
    *[Row("graph_send_ue_recv", [distinct(4, 3), distinct(*edges), SRC, DST], {"message_op": m, "reduce_op": w}, ref=sent_with(m, w, 4),
          unset=frozenset({"Dst_count"})) for w in JOIN for m, edges in (("ADD", (5, 3)), ("MUL", (5, 1)))],
    Row("graph_send_ue_recv", [f(4, 3), f(5, 3), SRC.astype("int32"), DST.astype("int32"), np.array([6])], ref=sent_with("ADD", "SUM", 6),
        unset=frozenset({"Dst_count"})),
    Row("graph_send_ue_recv", [f(4, 2, 1), f(5, 1, 3), SRC, DST], {"message_op": "MUL"}, ref=sent_with("MUL", "SUM", 4),
        paddle="2.6.2 writes out of bounds if both inputs broadcast"),
    Row("graph_send_uv", [f(4, 3), f(5, 3), SRC, np.array([4, 0, 1, 1, 2])], ref=lambda x, y, s, d: x[s] + y[d]),
    Row("graph_send_uv", [f(4, 3), f(4, 1), SRC.astype("int32"), DST.astype("int32")], {"message_op": "MUL"}, ref=lambda x, y, s, d: x[s] * y[d]),
    Row("shard_index", [np.array([[1], [9], [10], [19]])], {"index_num": 20, "nshards": 2, "shard_id": 0}, ref=lambda x: np.where(x < 10, x, -1)),
    Row("shard_index", [np.array([[1], [9], [5]], "int32")], {"index_num": 10, "nshards": 3, "shard_id": 1, "ignore_value": -7},
        ref=lambda x: np.where((x >= 4) & (x < 8), x - 4, -7)),
]  # fmt: skip
