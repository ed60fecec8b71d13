"""Rows of ops of Paddle 1.x that repeat elements, resize images, and test whole tensors."""

from __future__ import annotations

import math

import numpy as np

from .rows import Numbers, Row
from .table_interp import resized
from .table_lod import AT, ENDS, REAL

n = Numbers(83)
f = n.f
GONE = "2.6.2 does not register the op; tests/fluid compares it with real Paddle 1.8.5"
TWICE = np.array([2, 1, 3], "int32")
EACH = [np.array([k], "int32") for k in (2, 1, 3)]
KINDS = {
    "nearest": (2, 3, 4, 5),
    "linear": (2, 3, 4),
    "bilinear": (2, 3, 4, 5),
    "trilinear": (1, 2, 3, 4, 2),
    "bicubic": (2, 3, 5, 4),
}
NAMES = ("out_d", "out_h", "out_w")


def pictures(kind):
    shape, inner = KINDS[kind], len(KINDS[kind]) - 2
    word = {"bicubic": "cubic", "nearest": "nearest"}.get(kind, "linear")
    own = {"interp_method": kind}
    out = [7, 6, 5][3 - inner :]
    sizes = dict(zip(NAMES[3 - inner :], out, strict=True))
    doubled = [2 * d for d in shape[2:]]
    flat = {**own, "align_corners": False, "align_mode": 0}
    return [
        Row(f"{kind}_interp", [f(*shape)], {**own, **sizes}, ref=resized(word, out)),
        Row(
            f"{kind}_interp",
            [f(*shape)],
            {**flat, "scale": 2.0},
            ref=resized(word, doubled, None, False, 0),
        ),
        Row(
            f"{kind}_interp",
            [f(*shape), np.array(out, "int32")],
            flat,
            ref=resized(word, out, None, False, 0),
        ),
        Row(
            f"{kind}_interp",
            [f(*shape), None, None, np.array([2.0], "f")],
            flat,
            ref=resized(word, doubled, None, False, 0),
        ),
        Row(
            f"{kind}_interp",
            [f(*shape), None, None, np.array([1.5], "f")],
            flat,
            ref=resized(word, [int(1.5 * d) for d in shape[2:]], None, False, 0),
        ),
    ]


def waves(places, width, beta):
    half = width // 2
    table = np.zeros((len(places), width))
    for row, place in zip(table, places, strict=True):
        for k in range(half):
            angle = place / 10000 ** (k / (half - 1))
            row[k], row[half + k] = math.sin(angle), math.cos(angle)
    return table * beta


def in_sequences(x, lod):
    places = [
        i for start, end in zip([0, *ENDS[:-1]], ENDS, strict=True) for i in range(end - start)
    ]
    return x + waves(places[-len(x) :], x.shape[1], 1.0)


HOLES = (
    np.array([[1.0, np.inf], [0.0, 2.0]], "float32"),
    np.array([[1.0, np.nan], [0.0, 2.0]], "float32"),
)
ROWS = [
    *(row for kind in KINDS for row in pictures(kind)),
    Row("expand", [f(2, 3, 2)], {"expand_times": [2, 1, 3]}, ref=lambda x: np.tile(x, (2, 1, 3))),
    Row("expand", [f(2, 3, 2), TWICE], ref=lambda x, _: np.tile(x, (2, 1, 3))),
    Row("expand", [f(2, 3, 2), None, EACH], ref=lambda x, *_: np.tile(x, (2, 1, 3))),
    Row("expand_as", [f(2, 1, 2), f(4, 3, 2)], ref=lambda x, _: np.tile(x, (2, 3, 1)), paddle=GONE),
    Row("expand_as_often_grad", [f(2, 1, 2), f(4, 3, 2)], ref=lambda _, g: g.reshape(2, 2, 3, 2).sum((0, 2))[:, None], constant=frozenset({"X"})),
    Row("flatten2", [f(2, 3, 4)], {"axis": 2}, ref=lambda x: x.reshape(6, 4)),
    Row("flatten2", [f(2, 3)], {"axis": 0}, ref=lambda x: x.reshape(1, 6)),
    Row("flatten2", [f(0, 3)], {"axis": 1}, ref=lambda x: x.reshape(0, 3)),
    Row("diag", [f(4)], ref=np.diag, paddle=GONE),
    *(Row("isinf", [x], ref=lambda x: np.isinf(x).any()[None]) for x in (f(2, 3), HOLES[0])),
    *(Row("isnan", [x], ref=lambda x: np.isnan(x).any()[None]) for x in (f(2, 3), HOLES[1])),
    *(Row("isfinite", [x], ref=lambda x: np.isfinite(x).all()[None], paddle=GONE) for x in (f(2, 3), *HOLES)),
    Row("sampling_id", [n.pos(5, 3)], random=True),
    Row("add_position_encoding", [f(2, 3, 6)], {"alpha": 0.5, "beta": 2.0}, ref=lambda x: x * 0.5 + waves(range(3), 6, 2.0)),
    Row("add_position_encoding", [f(ENDS[-1], 4), AT], ref=in_sequences, paddle=REAL, second=False, engine="the graph has no offsets",
        half="offsets do not mind the dtype"),
]  # fmt: skip
