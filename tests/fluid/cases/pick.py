"""Elements by their places."""

import numpy as np

from .common import family, integers, numbers

ROWS = np.array([2, 0], "int64")
X = {"x": numbers(3, 4), "i": ROWS, "u": numbers(2, 4, seed=9), "label": integers(3, 1, below=4), "nd": np.array([[0, 1], [2, 3]], "int64"), "n": np.array([4, 2, 4, 7, 2], "int64")}
family(globals(), [
    ("gather", lambda l, v: l.gather(v["x"], v["i"])), ("gather_nd", lambda l, v: l.gather_nd(v["x"], v["nd"])), ("scatter", lambda l, v: l.scatter(v["x"], v["i"], v["u"])),
    ("scatter_add", lambda l, v: l.scatter(v["x"], v["i"], v["u"], overwrite=False)), ("index_select", lambda l, v: l.index_select(v["x"], v["i"], dim=1)),
    ("multiplex", lambda l, v: l.multiplex([v["x"], l.scale(v["x"], 2.0), l.scale(v["x"], 3.0), l.scale(v["x"], 4.0)], l.cast(v["label"], "int32"))),
    ("index_sample", lambda l, v: l.index_sample(v["x"], l.expand(v["label"], [1, 2]))),
    ("scatter_nd_add", lambda l, v: l.scatter_nd_add(v["x"], v["nd"], l.ones([2], "float32"))),
], X)  # fmt: skip
family(globals(), [
    ("topk", lambda l, v: l.topk(v["x"], 2)), ("one_hot", lambda l, v: l.one_hot(v["label"], 4)), ("where", lambda l, v: l.where(l.greater_than(v["x"], l.zeros([3, 4], "float32")))),
    ("unique", lambda l, v: l.unique(v["n"])), ("unique_with_counts", lambda l, v: l.unique_with_counts(v["n"])), ("scatter_nd", lambda l, v: l.scatter_nd(v["nd"], l.ones([2], "float32"), [3, 4])),
    ("sequence_mask", lambda l, v: [l.sequence_mask(v["i"], 3), l.sequence_mask(v["i"], dtype="float32")]), ("shard_index", lambda l, v: l.shard_index(v["label"], 4, 2, 1)),
], X, ())  # fmt: skip
