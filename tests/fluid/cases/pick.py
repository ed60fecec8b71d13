"""Indexing, gather and scatter."""

import numpy as np

from .common import family, integers, numbers

ROWS = np.array([2, 0], "int64")
X = {
    "x": numbers(3, 4),
    "i": ROWS,
    "u": numbers(2, 4, seed=9),
    "label": integers(3, 1, below=4),
    "nd": np.array([[0, 1], [2, 3]], "int64"),
    "n": np.array([4, 2, 4, 7, 2], "int64"),
}
family(
    globals(),
    [
        ("gather", lambda f, v: f.gather(v["x"], v["i"])),
        ("gather_nd", lambda f, v: f.gather_nd(v["x"], v["nd"])),
        ("scatter", lambda f, v: f.scatter(v["x"], v["i"], v["u"]), X, ("u",)),
        ("scatter_add", lambda f, v: f.scatter(v["x"], v["i"], v["u"], overwrite=False), X, ("u",)),
        ("index_select", lambda f, v: f.index_select(v["x"], v["i"], dim=1)),
        (
            "multiplex",
            lambda f, v: f.multiplex(
                [v["x"], f.scale(v["x"], 2.0), f.scale(v["x"], 3.0), f.scale(v["x"], 4.0)],
                f.cast(v["label"], "int32"),
            ),
        ),
        ("index_sample", lambda f, v: f.index_sample(v["x"], f.expand(v["label"], [1, 2]))),
        ("scatter_nd_add", lambda f, v: f.scatter_nd_add(v["x"], v["nd"], f.ones([2], "float32"))),
    ],
    X,
)
family(
    globals(),
    [
        ("topk", lambda f, v: f.topk(v["x"], 2)),
        ("one_hot", lambda f, v: f.one_hot(v["label"], 4)),
        ("where", lambda f, v: f.where(f.greater_than(v["x"], f.zeros([3, 4], "float32")))),
        ("unique", lambda f, v: f.unique(v["n"])),
        ("unique_with_counts", lambda f, v: f.unique_with_counts(v["n"])),
        ("scatter_nd", lambda f, v: f.scatter_nd(v["nd"], f.ones([2], "float32"), [3, 4])),
        (
            "sequence_mask",
            lambda f, v: [f.sequence_mask(v["i"], 3), f.sequence_mask(v["i"], dtype="float32")],
        ),
        ("shard_index", lambda f, v: f.shard_index(v["label"], 4, 2, 1)),
    ],
    X,
    (),
)
