"""Tuples that loops extend or shorten, and attributes that only some paths assign."""

from __future__ import annotations

from typing import Any

import oarlock as paddle
from oarlock import nn

from .table import MATRICES, Table, i64

program = Table()
A, B, C = MATRICES
COUNTS = [(A, i64(0)), (A, i64(1)), (B, i64(3)), (C, i64(2))]
DIMS: list[list[int | None]] = [[None, 4], []]


@program(*COUNTS, dims=DIMS)
def a_tuple_and_one_more(x: Any, k: Any) -> Any:
    t: Any = ()
    for i in range(k):
        t = t + (x * i,)
    return paddle.stack(list(t)) if len(t) > 0 else paddle.stack([x])


@program(*COUNTS, dims=DIMS)
def a_tuple_that_is_added_to(x: Any, k: Any) -> Any:
    t: Any = (x,)
    total = x * 0
    for _ in range(k):
        before = t
        t += (x * 2,)
        total = total + len(before)
    for v in t:
        total = total + v
    return total, t[0], t[-1]


@program(*COUNTS, dims=DIMS)
def two_tuples_from_nothing(x: Any, k: Any) -> Any:
    rows: Any = ()
    sums: Any = (x.sum(),)
    for i in range(k):
        if i > 0:
            rows = (x * i, *()) + rows
        sums = sums + (x.mean(),)
        if isinstance(rows, tuple):
            x = x + 1
        if len(sums) > 3:
            sums = sums[1:]
    total = x * len(rows)
    for v in rows:
        total = total + v
    return total, paddle.stack(sums)


@program(*COUNTS, dims=DIMS)
def a_tuple_of_a_fixed_length(x: Any, k: Any) -> Any:
    t = (x, x * 2)
    for i in range(k):
        t = t[1:] + (t[0] + i,)
    return t


class Held:
    """An object of the user's."""


@program(*COUNTS, dims=DIMS)
def an_attribute_that_is_asked_for(x: Any, k: Any) -> Any:
    held: Any = Held()
    for i in range(k):
        if i > 0:
            held.last = x * i
    if hasattr(held, "last"):
        x = x + held.last
    if not hasattr(held, "last"):
        held.last = x - 1
    return x, held.last


@program((A, i64(1)), (B, i64(3)), (C, i64(2)), dims=DIMS)
class AnAttributeOfInnerRounds(nn.Layer):
    def forward(self, x: Any, k: Any) -> Any:
        held: Any = Held()
        for i in range(k):
            for j in range(i):
                held.last = x * j
        return x + held.last if k > 1 else x
