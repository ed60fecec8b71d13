"""Idioms of model libraries: caches under two keys, masks of fewer axes, stored names, static
sizes.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn
from oarlock.nn import functional as F

from .table import MATRICES, Table, f32, i64

program = Table()
A, B, C = MATRICES
_rng = np.random.default_rng(5)
HEADS = _rng.standard_normal((2, 2, 3, 3)).astype(np.float32)
TOKEN = _rng.standard_normal((2, 1, 4)).astype(np.float32)
Cache = namedtuple("Cache", ["k", "v"])


@program(HEADS, HEADS[:1, :, :2, :2], dims=[[None, 2, None, None]])
def scores_under_a_mask_of_fewer_axes(scores: Any) -> Any:
    size = scores.shape[-1]
    seen = paddle.tril(paddle.ones([size, size], "bool"))
    return paddle.where(seen, scores, paddle.to_tensor(-1e4)), paddle.where(seen, 1, 0)


@program(HEADS, HEADS[:1, :, :2, :2], dims=[[None, 2, None, None]])
def scores_under_a_mask_of_numbers(scores: Any) -> Any:
    size = scores.shape[-1]
    seen = paddle.tril(paddle.ones([size, size])).reshape([1, 1, size, size])
    return F.softmax(paddle.where(seen, scores, paddle.full([1], -1e4)))


@program((A, B[:1] > 0), (A[:1], B[:1] < 0), dims=[[None, 4], [1, 4]])
def columns_under_a_mask_of_one_row(x: Any, mask: Any) -> Any:
    y = x * 1
    y[mask.expand(x.shape)] = 0.5
    return y


@program(A, B, C)
class Queries(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.queries = self.create_parameter([1, 3, 4])
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        queries = self.fc(self.queries.expand([x.shape[0], -1, -1]))
        if queries.shape[1] > 3:  # Python's: the size is kept
            queries = self.absent(queries)
        return queries + x.unsqueeze(1)


@program((TOKEN, i64([3])), (TOKEN[:1], i64([0])), dims=[[None, 1, 4], [1]])
class CachesUnderTwoKeys(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def step(self, x: Any, cache: Any = None, past: Any = None) -> Any:
        k = self.fc(x)
        if cache is not None:
            k = paddle.concat([cache[0].k, k], 1)
        return k[:, -1:], [Cache(k, k * 2)]

    def keep(self, found: Any, kept: Any) -> Any:
        kept["cache"] = found[1]
        kept["past"] = found[1]
        return kept

    def forward(self, x: Any, n: Any) -> Any:
        kept: dict[str, Any] = {}
        found = self.step(x, **kept)
        kept = self.keep(found, kept)
        y = found[0]
        i = paddle.zeros([1], "int64")
        while i < n:
            found = self.step(y, **kept)
            kept = self.keep(found, kept)
            y = found[0]
            i = i + 1
        return y, kept["past"][0].v


@program((A, i64([0, 4])), (f32([[1, 2, 3, 4]]), i64([4])), dims=[[None, 4], [None]])
def positions_beyond_the_text_are_ignored(logits: Any, positions: Any) -> Any:
    length = paddle.shape(logits)[1]
    return nn.CrossEntropyLoss(ignore_index=length, reduction="sum")(
        logits, positions.clip(0, length)
    )


@program(A, B, C)
def what_recording_asks(x: Any) -> Any:
    if not paddle.in_dynamic_mode():
        return x * 2 + paddle.to_tensor(0.0, place=x.place)
    return x + x
