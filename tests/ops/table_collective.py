"""Rows of collectives.

Here there is one rank; tests/distributed has more.
"""

from __future__ import annotations

from .rows import Numbers, Row

n = Numbers(77)
NONE = "2.6.2 needs several processes"


def same(x, cond=None):
    return x


ROWS = [
    Row(type, [n.f(2, 3)] + [None] * (type == "c_allreduce_sum"), ref=same, paddle=NONE)
    for type in ("c_allreduce_sum", "c_allreduce_max", "c_allreduce_min", "c_allreduce_prod")
]
