"""Lists that loops read before anything was written to them, and early exits: suppression, stacks,
searches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn
from oarlock.nn import functional

from .table import MATRICES, Table, f32, i64

program = Table()
_rng = np.random.default_rng(3)
CORNERS = _rng.random((6, 2)).astype("float32")
BOXES = np.concatenate([CORNERS, CORNERS + 0.2 + _rng.random((6, 2)).astype("float32")], 1)
SCORES = _rng.random(6).astype("float32")


def overlap(a: Any, b: Any) -> Any:
    low, high = paddle.maximum(a[:2], b[:2]), paddle.minimum(a[2:], b[2:])
    both = functional.relu(high - low).prod()
    return both / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - both)


@program((BOXES, SCORES), (BOXES[:3], SCORES[:3]), dims=[[None, 4], [None]])
def suppression(boxes: Any, scores: Any) -> Any:
    order = paddle.argsort(scores, descending=True)
    keep: list[Any] = []
    for i in range(order.shape[0]):
        idx = order[i]
        alone = True
        for k in keep:
            if overlap(boxes[idx], boxes[k]) > 0.2:
                alone = False
                break
        if alone:
            keep.append(idx)
    return paddle.stack(keep), len(keep)


@program(
    *MATRICES,
    f32([[3.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0], [9.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0]]),
)
def rising_rows(x: Any) -> Any:
    stack: list[Any] = []
    for row in x:
        v = row.sum()
        if len(stack) > 0:
            if stack[-1] < v:
                stack.append(v)
        else:
            stack.append(v)
    return paddle.stack(stack)


@program(*MATRICES)
def rows_unlike_those_before(x: Any) -> Any:
    seen: list[Any] = []
    count = 0
    for row in x:
        known = False
        for i, other in enumerate(seen):
            if paddle.abs(row - other).sum() < 0.1:
                known = True
                count += i + 1
        if not known:
            seen.append(row)
    return x + len(seen) + count


@program(
    (MATRICES[2], i64([0, 3, -1, 1, 2])), (MATRICES[0], i64([-1, -1])), dims=[[None, 4], [None]]
)
def loss_of_the_labeled(logits: Any, label: Any) -> Any:
    total, n = 0.0, 0
    for i in range(logits.shape[0]):
        if label[i] < 0:
            continue
        total += -functional.log_softmax(logits[i])[label[i]]
        n += 1
    if n == 0:
        return logits.sum() * 0
    return total / n


@program(
    *MATRICES[:2],
    f32([[9.0, -9.0, 9.0, -9.0]]),
    MATRICES[0] * 0,
    MATRICES[1] * 0,
    MATRICES[0][:1] * 0,
)
class EarlyExit(nn.Layer):
    """Returns the first head whose confidence suffices for the number of rows, and its index."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.LayerList([nn.Linear(4, 4) for _ in range(3)])
        self.heads = nn.LayerList([nn.Linear(4, 3) for _ in range(3)])

    def forward(self, x: Any) -> Any:
        for i, (block, head) in enumerate(zip(self.blocks, self.heads, strict=True)):  # noqa: B007
            x = functional.relu(block(x))
            p = functional.softmax(head(x))
            if p.max() > 0.5 or i + x.shape[0] > 3:
                return p, i
        return p, i
