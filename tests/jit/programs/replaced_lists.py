"""Lists that loops and branches replace by others of another length: slices, sums, literals."""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import MATRICES, Table, i64

# ruff: noqa: RET503 - that is what is tested

program = Table()
A, B, C = MATRICES
COUNTS = [(A, i64(0)), (A, i64(1)), (B, i64(3)), (C, i64(2))]
DIMS: list[list[int | None]] = [[None, 4], []]


@program(*COUNTS, dims=DIMS)
def the_rest_of_a_queue(x: Any, k: Any) -> Any:
    q = [x, x + 1, x + 2, x * 3]
    s = x * 0
    for _ in range(k):
        s = s + q[0]
        q = q[1:]
    return s, paddle.stack(q)


@program(*COUNTS, dims=DIMS)
def a_list_and_one_more(x: Any, k: Any) -> Any:
    q = [x]
    for i in range(k):
        q = q + [x * i]
    return paddle.stack(q)


@program(*COUNTS, dims=DIMS)
def one_more_before_a_list(x: Any, k: Any) -> Any:
    q = [x]
    for i in range(k):
        q = [x * i] + q
    return paddle.stack(q)


@program(*COUNTS, dims=DIMS)
def all_but_the_last(x: Any, k: Any) -> Any:
    q = [x, x + 1, x + 2, x + 3]
    for _ in range(k):
        q = q[:-1]
    return paddle.stack(q), q[-1]


@program(*COUNTS, dims=DIMS)
def a_window_of_the_last(x: Any, k: Any) -> Any:
    q = []
    for i in range(k + 1):
        q = [x + i] + q[:2]
    return paddle.stack(q)


@program(*COUNTS, dims=DIMS)
def a_queue_is_appended_to_and_cut(x: Any, k: Any) -> Any:
    q = [x, x + 1]
    for i in range(k):
        q.append(x * i)
        q = q[1:] + [x]
    return paddle.stack(q)


@program(A, B, C)
def a_branch_replaces_a_list(x: Any) -> Any:
    q = [x]
    if x.sum() > 0:
        q = q + [x * 2]
    return paddle.stack(q)


@program(A, B, C)
def each_branch_makes_a_list(x: Any) -> Any:
    if x.sum() > 0:
        q = [x, x + 1]
    else:
        q = [x * 2]
    return paddle.stack(q), q[0]


@program(A, B, C)
def an_expression_chooses_a_list(x: Any) -> Any:
    q = [x, x + 1] if x.sum() > 0 else [x]
    r = q + [x * 3] if x[0, 0] > 0 else q
    return paddle.stack(q), paddle.stack(r)


@program(*COUNTS, dims=DIMS)
def branches_of_rounds_replace_a_list(x: Any, k: Any) -> Any:
    q = [x]
    for i in range(k):
        if x.sum() > 0:
            q = q + [q[-1] * 2]
        else:
            q = q[:1] + [x - i]
    return paddle.stack(q)


@program(*COUNTS, dims=DIMS)
def a_list_twice(x: Any, k: Any) -> Any:
    q = [x]
    while len(q) < k + 1:
        q = q + q
    return paddle.stack(q)


@program(A, B, C)
def a_stack_of_work(x: Any) -> Any:
    stack = [x.mean()]
    out = x.mean() * 0
    while len(stack) > 0:
        top = stack[-1]
        stack = stack[:-1]
        out = out + top
        if top > 0.1:
            stack = stack + [top * 0.3, top * 0.2]
    return out


@program(*COUNTS, dims=DIMS)
def each_item_and_one_more(x: Any, k: Any) -> Any:
    q = [x, x + 1]
    for _ in range(k):
        q = [v * 0.5 for v in q] + [x]
    return paddle.stack(q)


@program(*COUNTS, dims=DIMS)
def a_list_grows_in_place_by_a_sum(x: Any, k: Any) -> Any:
    q = [x]
    for _ in range(k):
        q += [x * 2, x]
    q *= 2
    return paddle.stack(q)


@program(*COUNTS, dims=DIMS)
def a_list_is_emptied(x: Any, k: Any) -> Any:
    q, sums = [], [x]
    for i in range(k + 2):
        q = q + [x * i]
        if len(q) >= 2:
            sums = sums + [paddle.stack(q).sum(0)]
            q = []
    return paddle.stack(sums), x * len(q)


@program(*COUNTS, dims=DIMS)
def the_old_list_stays(x: Any, k: Any) -> Any:
    q = [x, x + 1]
    p = q
    for _ in range(k):
        q = q + [x * 2]
    return paddle.stack(q), paddle.stack(p)


@program(A, B, C)
def pairs_are_added_until_one_is_left(x: Any) -> Any:
    q = [x, x * 2, x * 3]
    while len(q) > 1:
        a, b = q[0], q[1]
        q = q[2:] + [a * 0.5 + b]
    return q[0]


@program(*COUNTS, dims=DIMS)
def a_called_function_gives_a_longer_list(x: Any, k: Any) -> Any:
    def pushed(q: Any, v: Any) -> Any:
        return q + [v]

    q = [x]
    for i in range(k):
        q = pushed(q, x * i)
    return paddle.stack(q)


@program(*COUNTS, dims=DIMS)
def a_list_in_a_dict_is_replaced(x: Any, k: Any) -> Any:
    d = {"q": [x]}
    for i in range(k):
        d["q"] = d["q"] + [x * i]
    return paddle.stack(d["q"])


@program(*COUNTS, dims=DIMS)
def lists_in_nested_loops(x: Any, k: Any) -> Any:
    q = [x, x + 1]
    for i in range(k):
        q.append(x * i)
        q = q[1:]
        for j in range(i):
            q = q + [x + j]
    return paddle.stack(q)


@program((A, i64(0)), (A, i64(2)), (B, i64(1)), (C, i64(-1)), dims=DIMS)
def an_element_is_set_at_a_position_that_a_run_knows(x: Any, k: Any) -> Any:
    items = [x, x + 1, x * 2]
    items[k] = x * 9
    items[k - 1] += x
    return items[0], items[1], items[2]


@program((A, i64(0)), (A, i64(2)), (B, i64(1)), dims=DIMS)
def an_element_is_set_in_a_branch(x: Any, k: Any) -> Any:
    items, numbers = [x, x + 1, x * 2], [1, 2, 3]
    if x.sum() > 0:
        items[k] = x * 9
        numbers[k] = 7
    return paddle.concat(items), x * numbers[0] + numbers[2]


@program((A, i64(0)), (A, i64(2)), (B, i64(1)), dims=DIMS)
def elements_are_set_in_rounds_of_python(x: Any, k: Any) -> Any:
    items = [x, x + 1, x * 2]
    for i in range(3):
        items[(k + i) % 3] = items[i] + i
    return items[0], items[1], items[2]


@program((A, i64(1)), (B, i64(1)), (C, i64(2)), dims=DIMS)
def what_may_come_to_an_end_without_a_value(x: Any, k: Any) -> Any:
    def doubled(v: Any) -> Any:
        if v.sum() > 0:
            return v * 2

    def first(v: Any) -> Any:
        for i in range(k):
            if v.sum() > i:
                return v - i

    y, z = doubled(x), first(x)
    if z is not None:
        x = x + z
    return x if y is None else y + x


@program(*COUNTS, dims=DIMS)
def the_first_and_others_are_taken_away(x: Any, k: Any) -> Any:
    q = [x, x + 1, x * 5]
    for i in range(k):
        q.append(x * i)
    first, second = q.pop(0), q.pop(1)
    left = q.pop(-2) if k > 0 else x
    return first + second * 2 + left * 3, paddle.stack(q).sum(0)


@program()
def a_queue_that_grows_at_its_end(x: Any) -> Any:
    q, seen, s = [x[0]], 0, x[0] * 0
    while len(q) > 0 and seen < 6:
        v = q.pop(0)
        seen += 1
        s = s * 0.5 + v
        if v.sum() > -1:
            q.append(v * 0.5)
            q.append(v - 1)
    return s, seen


@program()
def one_of_two_is_taken_away(x: Any) -> Any:
    q = [row * 2 for row in x]
    if x.sum() > 0:
        q.pop(0)
    else:
        q.pop(1)
    return paddle.stack(q).sum(0)
