"""Loop-carried values: tensors changed in place, numbers, containers, attributes."""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import MATRICES, Table, f32, i64, one_row

program = Table()
A, B, C = MATRICES
BIG = f32([[9.0, 8.0, 7.0, 6.0]])


@program()
def in_place_in_a_loop(x: Any) -> Any:
    y = x * 1
    i = paddle.zeros([], "int64")
    while i < 3:
        y.add_(x)
        i.add_(paddle.ones([], "int64"))
    return y


@program(A, B, C)
def newton_root(x: Any) -> Any:
    a = x.abs() + 1
    r = a
    i = 0
    while (r * r - a).abs().max() > 1e-3 and i < 30:
        r = (r + a / r) / 2
        i += 1
    return r


@program(dims=[[None, 4]])
def cumulative_product(x: Any) -> Any:
    p = paddle.ones([4])
    for row in x:
        p = p * (row + 1)
    return p


@program(dims=[[None, 4]])
def running_maximum(x: Any) -> Any:
    best = x[0]
    for row in x:
        if row.sum() > best.sum():
            best = row
    return best


@program(dims=[[None, 4]])
def count_positive_rows(x: Any) -> Any:
    n = 0
    for row in x:
        if row.sum() > 0:
            n += 1
    return x.sum() * 0 + n


@program(dims=[[None, 4]])
def first_negative_row(x: Any) -> Any:
    found = paddle.full([], -1, "int64")
    for i in range(x.shape[0]):
        if x[i].sum() < 0:
            found = paddle.full([], 1, "int64") * i
            break
    return found


@program(A, B)
def dict_carried(x: Any) -> Any:
    d = {"h": x, "n": 0}
    i = paddle.zeros([], "int64")
    while i < 3:
        d["h"] = d["h"] * 2 + 1
        d["n"] = d["n"] + 1
        i = i + 1
    return d["h"] + d["n"]


@program(A, B)
def tuple_carried(x: Any) -> Any:
    state = (x, x.sum())
    i = paddle.zeros([], "int64")
    while i < 3:
        h, c = state
        state = (h + c, c * 0.5)
        i = i + 1
    return state[0] * state[1]


@program(A, B)
def list_of_fixed_length_carried(x: Any) -> Any:
    state = [x, x + 1]
    i = paddle.zeros([], "int64")
    while i < 3:
        state[0] = state[1] * 2
        state[1] = state[0] + 1
        i = i + 1
    return state[0] + state[1]


@program()
def static_while_loop(x: Any) -> Any:
    i = paddle.zeros([1], "int64")
    i, y = paddle.static.nn.while_loop(lambda i, y: i < 4, lambda i, y: [i + 1, y * 2], [i, x])
    return y


@program(A, B)
def loop_invariant_parameters(x: Any) -> Any:
    w = x.mean()
    i = paddle.zeros([], "int64")
    while i < 2:
        x = x * w + w
        i = i + 1
    return x


@program(A, B, C)
def condition_computed_in_the_body(x: Any) -> Any:
    go = x.sum() < 20
    while go:
        x = x.abs() * 2 + 1
        go = x.sum() < 20
    return x


@program(A, B, C)
def walrus_in_while(x: Any) -> Any:
    while (m := x.abs().sum()) < 50 and m > 0:
        x = x * 2
    return x, m


@program(A, B, C)
def power_iteration(x: Any) -> Any:
    m = paddle.matmul(x, x, transpose_x=True) + paddle.eye(4)
    v = paddle.ones([4, 1])
    for _ in range(5):
        v = paddle.matmul(m, v)
        v = v / v.norm()
    return v


@program(dims=[[None, 4]])
def prefix_sums_until_large(x: Any) -> Any:
    total = x[0] * 0
    count = paddle.zeros([], "int64")
    for row in x:
        if total.abs().sum() > 3:
            break
        total = total + row
        count = count + 1
    return total, count


@program(A, B, C, one_row(9.0), one_row(-9.0))
def loop_with_two_exits(x: Any) -> Any:
    i = 0
    while i < 6:
        if x.max() > 8:
            return x - 8
        if x.min() < -8:
            break
        x = x * 2
        i += 1
    return x


@program((A, i64(2), i64(2)), (B, i64(0), i64(3)), (C, i64(3), i64(0)), dims=[[None, 4], [], []])
def ranges_in_ranges(x: Any, n: Any, m: Any) -> Any:
    s = x.sum() * 0
    for i in range(n):
        for j in range(m):
            s = s + x.mean() * (i + j)
    return s


@program(A, B)
def condition_uses_a_function(x: Any) -> Any:
    def far(v: Any) -> Any:
        return v.abs().max() < 10

    while far(x):
        x = x * 2
    return x


@program(A, B, C)
def collatz(x: Any) -> Any:
    n = (x.abs().sum() * 3).astype("int64") + 1
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = n * 3 + 1
        steps += 1
    return n, x.sum() * 0 + steps


@program(A, B)
def bool_flag_ends_the_loop(x: Any) -> Any:
    done = False
    while not done:
        x = x * 2
        done = x.abs().max() > 5
    return x


@program(dims=[[None, 4]])
def rows_backwards(x: Any) -> Any:
    s = x[0] * 0
    for i in range(x.shape[0] - 1, -1, -1):
        s = s * 0.5 + x[i]
    return s


@program(dims=[[None, 4]])
def neighbors(x: Any) -> Any:
    s = x[0] * 0
    for i in range(1, x.shape[0]):
        s = s + (x[i] - x[i - 1]).abs()
    return s


@program(A, B)
def loop_in_a_called_function(x: Any) -> Any:
    def repeated(v: Any, n: int) -> Any:
        i = paddle.zeros([], "int64")
        while i < n:
            v = v + 1
            i = i + 1
        return v

    return repeated(x, 2) + repeated(x, 3)


@program(A, B, C)
def sum_that_starts_as_a_number(x: Any) -> Any:
    s = 0
    for _ in range(3):
        i = paddle.zeros([], "int64")
        while i < 2:
            s = s + x
            i = i + 1
    return s


class Foo:
    def __init__(self) -> None:
        self.a, self.b, self.c = 3, 4, 5


@program(A, B)
def attributes_of_an_object(x: Any) -> Any:
    foo = Foo()
    i = paddle.zeros([1], "int64")
    while i < 3:
        foo.b = paddle.zeros([1], "float32") + x.sum()
        foo.c = foo.b + foo.a
        i += 1
        if foo.c < 0:
            break
    return foo.c


@program(A, B, C)
def numpy_of_a_value(x: Any) -> Any:
    s = paddle.zeros([4])
    for i, row in enumerate(x.numpy(), 1):
        if row.sum() > 1:
            continue
        s = s + row * i
    return s * x.sum().item()


@program(A, C)
def unpacked_rows_in_a_for(x: Any) -> Any:
    s, t = paddle.zeros([]), paddle.zeros([])
    for a, b, c, d in x:
        s += a * b
        t += c - d
    return s, t


@program()
def counted_in_place(x: Any) -> Any:
    n = paddle.full([1], 4, "int32")
    last = paddle.zeros([1])
    for i in range(n):
        last = x.sum().reshape([1]) * i
        paddle.increment(last, 2.0)
    return last


def attended(x: Any, cache: dict[str, Any]) -> Any:
    cache["k"] = cache["k"] * 0.1 + x
    return x + cache["k"]


def squashed(cache: dict[str, Any]) -> dict[str, Any]:
    for key, value in cache.items():
        cache[key] = paddle.tanh(value)
    return cache


@program()
def a_cache_that_functions_write(x: Any) -> Any:
    cache = {"k": paddle.zeros_like(x)}
    for _ in range(paddle.full([1], 3, "int32")):
        x = attended(x, cache)
        cache = squashed(cache)
    return x


def noted(found: dict[str, Any], more: float) -> None:
    found["b"] = found["a"] + more


@program()
def a_dict_that_each_round_makes(x: Any) -> Any:
    for _ in range(paddle.full([1], 3, "int32")):
        found = {"a": x}
        noted(found, 1.0)
        x = found["b"]
    return x


@program()
def a_list_that_each_round_makes(x: Any) -> Any:
    s = paddle.zeros_like(x)
    for i in range(paddle.full([1], 3, "int32")):
        held = [x, x]

        def change(values: list[Any], by: Any = i) -> None:
            values[0] = values[0] + by

        change(held)
        s = s + held[0]
    return s


@program()
def what_a_round_makes_is_changed_in_place(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    while i < 3:
        y = x * 2
        y[0] = 1.0
        x = y
        i = i + 1
    return x


@program()
def changed_in_place_then_rebound(x: Any) -> Any:
    total, i = paddle.zeros([2]), paddle.zeros([], "int64")
    while i < 3:
        if x.sum() > 0:
            total[0] = total[0] * 2 + 1
        total = total + x.sum()
        i = i + 1
    return total


@program()
def the_last_value_changed_in_place_under_another_name(x: Any) -> Any:
    y, z, i = x * 1, x, paddle.zeros([], "int64")
    while i < 3:
        z = y
        y = y * 2
        z.add_(paddle.ones([1]))
        i = i + 1
    return y, z
