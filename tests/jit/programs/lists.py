"""Lists that grow in loops and branches, comprehensions, and Paddle's TensorArray functions."""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import MATRICES, Table, i64

program = Table()
A, B, C = MATRICES


@program()
def append_in_while(x: Any) -> Any:
    a = []
    i = paddle.zeros([1], "int64")
    while i < 3:
        a.append(x * i.astype("float32"))
        i = i + 1
    return paddle.concat(a, axis=0)


@program()
def append_and_stack(x: Any) -> Any:
    a = []
    i = paddle.zeros([], "int64")
    while i < 3:
        a.append(x + i.astype("float32"))
        i = i + 1
    return paddle.stack(a, axis=1)


@program(dims=[[None, 4]])
def append_rows(x: Any) -> Any:
    a = []
    for row in x:
        a.append(row * 2)
    return paddle.stack(a)


@program(dims=[[None, 4]])
def append_to_a_list_that_has_something(x: Any) -> Any:
    a = [x[0]]
    for i in range(x.shape[0]):
        a.append(a[-1] + x[i])
    return paddle.stack(a), a[0], a[-1]


@program(dims=[[None, 4]])
def length_of_a_list(x: Any) -> Any:
    a = []
    for row in x:
        if row.sum() > 0:
            a.append(row)
    return x.sum() * 0 + len(a)


@program(dims=[[None, 4]])
def read_at_a_position(x: Any) -> Any:
    a = []
    for row in x:
        a.append(row * row)
    s = x[0] * 0
    for i in range(x.shape[0]):
        s = s + a[i] * i
    return s


@program(dims=[[None, 4]])
def write_at_a_position(x: Any) -> Any:
    a = []
    for row in x:
        a.append(row)
    for i in range(x.shape[0]):
        a[i] = a[i] + i
    return paddle.stack(a)


@program(dims=[[None, 4]])
def pop_the_last(x: Any) -> Any:
    a = []
    for row in x:
        a.append(row)
    last = a.pop()
    return last, x.sum() * 0 + len(a)


@program(dims=[[None, 4]])
def go_over_a_list(x: Any) -> Any:
    a = []
    for row in x:
        a.append(row + 1)
    s = x[0] * 0
    for item in a:
        s = s * 0.5 + item
    return s


@program()
def python_list_in_a_python_loop(x: Any) -> Any:
    a = []
    for k in range(3):
        a.append(x * k)
    return paddle.concat(a)


@program()
def python_list_with_branches(x: Any) -> Any:
    a = []
    for k in range(3):
        if x.sum() > k:
            y = x * k
        else:
            y = x - k
        a.append(y)
    return paddle.concat(a)


@program(dims=[[None, 4]])
def comprehension_over_rows(x: Any) -> Any:
    return paddle.stack([row * 2 for row in x])


@program(dims=[[None, 4]])
def comprehension_over_a_range(x: Any) -> Any:
    return paddle.stack([x[i] + i for i in range(x.shape[0])])


@program()
def comprehension_in_python(x: Any) -> Any:
    return paddle.concat([x * k for k in range(3) if k != 1])


@program()
def dict_comprehension(x: Any) -> Any:
    d = {k: x * k for k in range(3)}
    if x.sum() > 0:
        d[2] = x
    return d[0] + d[1] + d[2]


@program()
def list_of_lists(x: Any) -> Any:
    a = [[x, x + 1], [x + 2]]
    if x.sum() > 0:
        a[0][1] = x * 5
    return a[0][0] + a[0][1] + a[1][0]


@program()
def extended_list(x: Any) -> Any:
    a = [x]
    a.extend([x + 1, x + 2])
    a.insert(0, x * 9)
    a.remove(a[0]) if False else a.pop(0)
    return paddle.concat(a)


@program((A, i64(0)), (A, i64(2)), (B, i64(1)), dims=[[None, 4], []])
def position_from_a_tensor(x: Any, i: Any) -> Any:
    choices = [x, x + 1, x * 2]
    return choices[i]


@program()
def position_from_a_condition(x: Any) -> Any:
    ws = (x, x * 10)
    return ws[(x.sum() > 0).astype("int64")]


@program(A, B)
def two_lists_in_one_loop(x: Any) -> Any:
    a, b = [], []
    i = paddle.zeros([], "int64")
    while i < 3:
        a.append(x + i.astype("float32"))
        b.append(x.sum() * i.astype("float32"))
        i = i + 1
    return paddle.concat(a), paddle.stack(b)


@program(A, B)
def list_and_break(x: Any) -> Any:
    a = []
    i = paddle.zeros([], "int64")
    while i < 10:
        if i > 3:
            break
        a.append(x * i.astype("float32"))
        i = i + 1
    return paddle.concat(a)


@program(dims=[[None, 4]])
def list_in_nested_loops(x: Any) -> Any:
    a = []
    for row in x:
        s = row * 0
        i = paddle.zeros([], "int64")
        while i < 2:
            s = s + row
            i = i + 1
        a.append(s)
    return paddle.stack(a)


@program(A, B)
def python_sum_of_a_list(x: Any) -> Any:
    return sum([x, x * 2, x * 3])


@program(A, B)
def unpacking_with_a_star(x: Any) -> Any:
    first, *rest = [x, x + 1, x + 2]
    if x.sum() > 0:
        first = first + rest[0]
    return first + rest[1]


@program(A, B)
def paddle_arrays(x: Any) -> Any:
    a = paddle.tensor.create_array("float32")
    i = paddle.zeros([1], "int64")
    a = paddle.tensor.array_write(x, i, a)
    a = paddle.tensor.array_write(x * 2, i + 1, a)
    return paddle.tensor.array_read(a, i + 1) * (paddle.tensor.array_length(a) + i).astype(
        "float32"
    )


@program(A, B)
def sorted_zip_map(x: Any) -> Any:
    pairs = sorted(zip([3, 1, 2], "abc"))
    d = dict(zip("abc", map(lambda k: x * k, [p[0] for p in pairs])))
    return d["a"] + d["b"] * d["c"]


@program(A, B, real="the slice op of 2.6.2 gives no empty list")
def a_branch_in_a_loop_pops(x: Any) -> Any:
    a = []
    i = paddle.zeros([], "int64")
    while i < 3:
        a.append(x + i.astype("float32"))
        i = i + 1
        if i % 2 == 1:
            a.pop()
    return a[0]


@program(A, B)
def a_loop_pops(x: Any) -> Any:
    a = []
    b = [x - 1, x + 1]
    for i in range(paddle.full([1], 3, "int32")):
        a.append(x + i)
        b.append(x * 2)
    last = x
    for _ in range(paddle.ones([1], "int32")):
        last = a.pop()
    b.pop()
    return a[0], last, b[1]


@program(A, B)
def elements_as_a_tensor(x: Any) -> Any:
    return paddle.to_tensor([x[0, 0], x[0, 1]]), paddle.to_tensor(
        [[x[0, 0], 2.0], [3, x.sum()]], dtype="float64"
    )
