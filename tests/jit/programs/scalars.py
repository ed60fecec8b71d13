"""Python numbers that depend on values, and variables that are None on some paths."""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import Table, f32

program = Table()
UP, DOWN, MIXED = f32([1.0, 2.0, 3.0]), f32([-1.0, -2.0, -3.0, -4.0]), f32([0.5, -2.0, 1.75])
KNOWN = {1: "a", 5: "b"}


@program(UP, DOWN, MIXED, untaken="both numbers are keys")
def entry_by_number(x: Any) -> Any:
    v = 1
    if x.sum() > 0:
        v = 2
    return x * {1: 3, 2: 5}.get(v, 0)


@program(UP, DOWN, MIXED, untaken="the number is 1 or 7")
def entry_or_default(x: Any) -> Any:
    v = 1
    if x.sum() > 0:
        v = 7
    return x * {1: 3.5, 2: 5.5}.get(v, 2.0)


@program(UP, DOWN, MIXED)
def number_in_a_dict(x: Any) -> Any:
    v = 1
    if x.sum() > 0:
        v = 2
    return x * 7 if v in KNOWN else x


@program(UP, DOWN, MIXED)
def class_of_a_number(x: Any) -> Any:
    v = 3
    if x.sum() > 0:
        v = v * 2
    scale = 2 if isinstance(v, int) and type(v / 2) is float else 5
    return x - scale if not hasattr(v, "shape") else x + 1


@program(UP, DOWN, MIXED)
def identity_of_a_truth(x: Any) -> Any:
    v = False
    if x.sum() > 0:
        v = True
    return x + 5 if v is True else x


@program(UP, DOWN, MIXED)
def negative_power(x: Any) -> Any:
    v, n = 2, 0
    if x.sum() > 0:
        v = 3
    for row in x:
        if row > 1:
            n += 1
    return x * v**-1, x * 2**-n, x * 2**n


@program(UP, DOWN, MIXED)
def integer_operators(x: Any) -> Any:
    v = 5
    if x.sum() > 0:
        v = 6
    quotient, rest = divmod(-v, 4)
    return x * (v << 1), x * (v >> 1) + (v & 3), x * round(v / 4) + quotient, x * rest


@program(UP, DOWN, MIXED)
def truths_are_numbers(x: Any) -> Any:
    v = 1
    if x.sum() > 0:
        v = 2
    return x * ((v > 1) + (v > 0)), x * ((v > 1) * 4 - 1)


@program(UP, DOWN, MIXED)
def position_by_truth(x: Any) -> Any:
    return [x, x * 2][x.sum() > 0]


@program(UP, DOWN, MIXED)
def number_of_two_kinds(x: Any) -> Any:
    v, w = 1, 2.5
    if x.sum() > 0:
        v = 2
    if x.max() > 1:
        w = v
    return x * w, x * max(v, 1.5)


@program(
    (f32([1.0]), f32([2.0])), (f32([0.5]), f32([-2.0])), (f32([0.0]), f32([2.0])), dims=[[1], [1]]
)
def or_and_and_of_tensors(x: Any, y: Any) -> Any:
    return (x or y) * 3.0, x and y


@program((f32([1.0]), f32([2.0])), (f32([0.0]), f32([2.0])), dims=[[1], [1]])
def or_of_a_tensor_and_a_number(x: Any, y: Any) -> Any:
    return (x or 5.0) * y, y * (x and 2.0)


@program(UP, DOWN, MIXED)
def none_then_set_in_a_branch(x: Any) -> Any:
    r = None
    if x.sum() > 0:
        r = x * 2
    if r is None:
        r = x - 1
    return r


@program(UP, DOWN, MIXED)
def none_and_not_none(x: Any) -> Any:
    r = None
    if x.sum() > 0:
        r = x * 2
    if r is not None and r.max() > 3:
        x = r + 1
    return x


@program(UP, DOWN, MIXED, untaken="there is a first row, and it is larger than None")
def largest_row_from_none(x: Any) -> Any:
    best = None
    for i in range(x.shape[0]):
        if best is None or x[i] > best:
            best = x[i]
    if best is not None:
        return best * 2
    return x.sum()


@program(UP, DOWN, MIXED)
def row_before_from_none(x: Any) -> Any:
    before, total = None, x.sum() * 0
    for row in x:
        if before is not None:
            total = total + (row - before) ** 2
        before = row
    return total


@program(UP, DOWN, MIXED, f32([3.9, 2.3]))
def none_again_in_a_loop(x: Any) -> Any:
    r = x[0]
    for row in x:
        if r is None:
            r = row
        elif row > 2:
            r = None
    return x * 5 if r is None else x + r


@program(UP, DOWN, MIXED)
def none_on_one_side(x: Any) -> Any:
    m = x if x.sum() > 0 else None
    return x * 2 if m is None else m + 5


@program(UP, DOWN, MIXED)
def number_or_none(x: Any) -> Any:
    k = None
    if x.sum() > 0:
        k = 2
    return x * (3 if k is None else k)


@program(UP, DOWN, MIXED)
def loop_until_set(x: Any) -> Any:
    r = None
    while r is None:
        x = x + 1
        if x.sum() > 0:
            r = x * 2
    return r


@program(UP, DOWN, MIXED)
def list_that_may_be_empty(x: Any) -> Any:
    large = []
    for row in x:
        if row > 0:
            large.append(row)
    return large[0] if large else x[0]


@program(UP, DOWN, MIXED, real="the slice op of 2.6.2 gives no empty list")
def list_until_empty(x: Any) -> Any:
    large = []
    for row in x:
        if row > 0:
            large.append(row)
    total = x.sum() * 0
    while large:
        total = total * 2 + large.pop()
    return total


@program(UP, DOWN, MIXED)
def float_counted_in_rounds(x: Any) -> Any:
    s = 0.0
    for _ in x:
        s += 0.1
    return x.astype("float64") + s


@program(UP, DOWN, MIXED)
def float_as_exact_as_pythons(x: Any) -> Any:
    s, rounds = 0, 0
    while s < 1 and x.sum() > -100:
        s += 0.1
        rounds += 1
    return x + rounds


@program(UP, DOWN, MIXED)
def float_beside_other_dtypes(x: Any) -> Any:
    s, k = 0.5, 2
    if x.sum() > 0:
        s, k = 1.5, 3
    n = x.astype("int32")
    return (
        n * s,
        s * n,
        n * k,
        k - n,
        x / k,
        n > k,
        x > s,
        x.astype("float64") * s,
        x.astype("bool") * s,
    )


@program(UP, DOWN, MIXED)
def float_given_to_functions(x: Any) -> Any:
    s = 0.1
    if x.sum() > 0:
        s = s * 3
    x = x * 1
    x[0] = s
    return (
        paddle.clip(x, min=-s, max=s),
        paddle.full([2], s),
        paddle.to_tensor(s) + x,
        x * min(s, 0.2),
        paddle.scale(x, s),
    )


@program(UP, DOWN, MIXED)
def floats_in_a_list(x: Any) -> Any:
    steps = []
    s = 0.0
    for _ in x:
        s += 0.1
        steps.append(s)
    return paddle.to_tensor(steps), x * sum(steps)
