"""Elements that loops read before they exist in the first iteration, and elements whose type
changes before they are assigned again.
"""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import MATRICES, Table, i64

program = Table()
A, B, C = MATRICES


@program((A, i64(3)), (B, i64(4)), (C, i64(5)), dims=[[None, 4], []])
def the_one_before_the_last(x: Any, k: Any) -> Any:
    held: Any = {"rows": []}
    last = x - 1
    for i in range(k):
        if i > 1:
            last = held["rows"][-2]
        held["rows"].append(x * i)
    return last


@program((A, i64(1)), (B, i64(2)), (C, i64(3)), dims=[[None, 4], []])
def one_before_in_rounds_of_rounds(x: Any, k: Any) -> Any:
    rows: Any = []
    total = x * 0
    for i in range(k):
        for j in range(k):
            if i + j > 0:
                total = total + rows[-1]
            rows.append(x * j)
    return total, paddle.stack(rows)


@program(A, B, C)
def an_element_that_is_set_anew(x: Any) -> Any:
    rows: Any = []
    if x.sum() > 0:
        rows.append(x)
    else:
        rows.append(paddle.full([1], 9, "int64"))
    rows[0] = x + 1
    return rows[0]
