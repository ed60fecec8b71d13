"""Lists whose length called functions change, and lists, ranges and slices whose length is known
only at run time.
"""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import MATRICES, Table, f32

program = Table()
UP, DOWN, MIXED = (
    f32([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    f32([[-1.0, -2.0], [-3.0, -4.0]]),
    f32([[-1.0, 2.0], [3.0, -9.0]]),
)


@program(UP, DOWN, MIXED)
def inner_function_appends(x: Any) -> Any:
    out = []

    def add(v: Any) -> None:
        out.append(v)

    if x.sum() > 0:
        add(x)
    add(x * 2)
    return paddle.stack(out).sum()


def push(held: Any, v: Any) -> Any:
    if v.sum() > 0:
        held.append(v)
    return held


@program(UP, DOWN, MIXED)
def called_function_appends(x: Any) -> Any:
    out = [x]
    push(out, x + 1)
    return paddle.stack(out).sum() + len(out)


@program(UP, DOWN, MIXED)
def called_function_appends_in_rounds(x: Any) -> Any:
    out: list[Any] = []
    for row in x:
        push(out, row)
    return x + len(out)


@program(UP, DOWN, MIXED)
def list_in_a_dict_grows(x: Any) -> Any:
    held: dict[str, Any] = {"items": [], "count": 0}

    def add(v: Any) -> None:
        held["items"].append(v)
        held["count"] += 1

    for row in x:
        if row.sum() > 0:
            add(row)
    return x * len(held["items"]) + held["count"]


class Beam:
    """Stores the values that it gets."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    def push(self, v: Any) -> None:
        """One more."""
        self.items.append(v)

    def best(self) -> Any:
        """The largest."""
        found = self.items[0]
        for v in self.items:
            if v.sum() > found.sum():
                found = v
        return found


@program(UP, DOWN, MIXED)
def list_of_an_object_grows(x: Any) -> Any:
    beam = Beam()
    beam.push(x[0])
    for row in x:
        if row.sum() > 1:
            beam.push(row)
    return beam.best() * len(beam.items), beam.items[-1]


@program(UP, DOWN, MIXED)
def list_under_two_names_grows(x: Any) -> Any:
    held = [x[0]]
    other = held
    for row in x:
        held.append(row)
    return x + len(other), other[-1]


@program(*MATRICES)
def sum_of_a_range(x: Any) -> Any:
    return x + sum(range(x.shape[0]))


@program(*MATRICES)
def range_as_a_list(x: Any) -> Any:
    places = list(range(x.shape[0]))
    return x + places[-1], paddle.gather(x, paddle.to_tensor(places)), x * len(places)


@program(*MATRICES)
def rounds_over_a_listed_range(x: Any) -> Any:
    total = x[0] * 0
    for i in list(range(x.shape[0])):
        total = total + x[i] * i
    for i in reversed(range(x.shape[0])):
        total = total * 0.5 + x[i]
    return total


@program(*MATRICES)
def slices_of_a_list(x: Any) -> Any:
    rows = []
    for row in x:
        rows.append(row)
    return (
        paddle.stack(rows[:2]),
        paddle.stack(rows[1:]).sum(),
        paddle.stack(rows[::-1]),
        paddle.stack(rows[-1:]),
    )


@program(*MATRICES)
def as_many_as_a_run_says(x: Any) -> Any:
    rows = [x[0], x[0] * 2, x[0] * 3]
    n = (x[:, 0] > 0).sum()
    return sum(rows[: int(n)], x[0] * 0), len(rows[int(n) :]) + x[0]


@program(*MATRICES)
def sum_of_a_list(x: Any) -> Any:
    sums = []
    for row in x:
        sums.append(row.sum())
    return sum(sums), x * sum(i * i for i in range(x.shape[0])), sum([row * 2 for row in x])


@program(*MATRICES)
def largest_of_a_range(x: Any) -> Any:
    return x * max(range(x.shape[0])), max([row.sum() for row in x]), min(row.max() for row in x)


@program(*MATRICES)
def row_sums_without_a_loop(x: Any) -> Any:
    return sum(row for row in x)


@program(*MATRICES)
def list_read_in_many_loops(x: Any) -> Any:
    rows = []
    for row in x:
        rows.append(row)
    a = b = c = x[0] * 0
    for row in rows:
        a = a + row
    for row in rows:
        b = b + row * 2
    for row in rows:
        c = c + row * row
    return a, b, c, paddle.stack(rows), paddle.stack(rows) * 3


@program(UP, DOWN, MIXED)
def comprehension_with_conditions(x: Any) -> Any:
    large = [row for row in x if row.sum() > 0]
    scaled = [row * i for i, row in enumerate(x) if row.sum() > -20 if i < 2]
    return x + len(large), paddle.stack(scaled), sum(row.max() for row in x if row.max() > 1) + x


@program(UP, DOWN, MIXED)
def comprehension_over_pairs(x: Any) -> Any:
    doubled = [row * 2 for row in x]
    numbered = [row + i for i, row in enumerate(doubled)]
    weights = [a * b for a, b in [(1, 2), (3, 4)] if a > 1]
    return paddle.stack(numbered), paddle.stack([a + b for a, b in zip(x, doubled)]) * sum(weights)


@program(UP, DOWN, MIXED)
def shape_of_an_array(x: Any) -> Any:
    i = paddle.full([1], 3, "int32")
    return x * 2 if x.mean() > 0 and i.numpy().shape == (1,) else x


@program(UP, DOWN, MIXED)
def lists_in_a_tuple(x: Any) -> Any:
    held: tuple[list[Any], list[Any]] = ([x[0]], [x[0] * 2])
    for row in x:
        held[0].append(row)
        if row.sum() > 0:
            held[1].append(row)
    if x.sum() > 0:
        held[1][0] = x[0] * 5
    return x + len(held[0]), x + len(held[1]), held[1][-1], held[1][0]


@program(UP, DOWN, MIXED)
def list_deep_in_a_dict(x: Any) -> Any:
    held: dict[str, Any] = {"a": {"items": [x[0]]}}

    def add(v: Any) -> None:
        held["a"]["items"].append(v)

    for row in x:
        if row.sum() > 0:
            add(row)
        else:
            held["a"]["items"].append(row * 2)
        if row.sum() > 5:
            held["a"]["items"].append(row)
    return x + len(held["a"]["items"]) + held["a"]["items"][-1]


@program(UP, DOWN, MIXED)
def members_of_a_list(x: Any) -> Any:
    seen: list[int] = []
    for row in x:
        sign = int(row.sum() > 0)
        if sign not in seen:
            seen.append(sign)
    return x + len(seen)


@program(UP, DOWN, MIXED)
def copies_of_a_list(x: Any) -> Any:
    rows = [x[0]]
    for row in x:
        rows.append(row)
    other = list(rows)
    other.append(x[0])
    third = rows.copy()
    return x + len(rows), x + len(other), x + len(third), paddle.add_n(rows)


@program(UP, DOWN, MIXED, untaken="there is always a first row")
def guarded_position(x: Any) -> Any:
    i = 0
    while i < x.shape[0] and x[i].sum() > 0:
        i += 1
    return x * i


@program(UP, DOWN, MIXED, real="the slice op of 2.6.2 gives no empty list")
def guarded_by_a_list(x: Any) -> Any:
    rows: list[Any] = []
    for row in x:
        if rows and rows[-1].sum() > row.sum():
            rows.pop()
        rows.append(row)
    return paddle.stack(rows)


@program(UP, DOWN, MIXED)
def list_of_each_round(x: Any) -> Any:
    total = x.sum() * 0
    for row in x:
        positive = []
        for v in row:
            if v > 0:
                positive.append(v)
        if len(positive) > 0:
            total = total + paddle.stack(positive).mean()
    return total


@program(UP, DOWN, MIXED)
def list_of_a_branch_of_each_round(x: Any) -> Any:
    total = x.sum() * 0
    for row in x:
        if row.sum() > -5:
            large = []
            for v in row:
                if v > 1:
                    large.append(v * 2)
            if len(large) > 0:
                total = total + paddle.stack(large).sum() + len(large)
    return total
