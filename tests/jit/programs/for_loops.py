"""`for` over ranges, rows, enumerations and pairs, over values and over Python objects."""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import MATRICES, Table, f32, i64, one_row

program = Table()
A, B, C = MATRICES
BIG = f32([[9.0, 8.0, 7.0, 6.0]])


@program()
def for_range_of_python(x: Any) -> Any:
    for k in range(3):
        x = x + k
    return x


@program((A, i64(3)), (B, i64(0)), (C, i64(5)), dims=[[None, 4], []])
def for_range_of_a_tensor(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x + i
    return x


@program((A, i64([3])), (C, i64([1])), dims=[[None, 4], [1]])
def for_range_of_a_tensor_of_one(x: Any, n: Any) -> Any:
    s = x * 0
    for i in range(n):
        s = s + x * i
    return s


@program((A, i64(1), i64(4)), (B, i64(2), i64(3)), (C, i64(3), i64(3)), dims=[[None, 4], [], []])
def for_range_from_to(x: Any, a: Any, b: Any) -> Any:
    for i in range(a, b):
        x = x * 2 + i
    return x


@program((A, i64(9)), (B, i64(2)), dims=[[None, 4], []])
def for_range_with_a_step(x: Any, n: Any) -> Any:
    for i in range(1, n, 3):
        x = x + i
    return x


@program((A, i64(4)), (B, i64(1)), dims=[[None, 4], []])
def for_range_backwards(x: Any, n: Any) -> Any:
    for i in range(n, 0, -1):
        x = x * 2 + i
    return x


@program(dims=[[None, 4]])
def for_rows(x: Any) -> Any:
    s = paddle.zeros([4])
    for row in x:
        s = s + row
    return s


@program(dims=[[None, 4]])
def for_range_of_a_size(x: Any) -> Any:
    s = paddle.zeros([4])
    for i in range(x.shape[0]):
        s = s + x[i] * i
    return s


@program(dims=[[None, 4]])
def for_range_of_len(x: Any) -> Any:
    s = paddle.zeros([4])
    for i in range(len(x)):
        s = s * 0.5 + x[i]
    return s


@program(dims=[[None, 4]])
def for_enumerate(x: Any) -> Any:
    s = paddle.zeros([4])
    for i, row in enumerate(x):
        s = s + row * i
    return s


@program(dims=[[None, 4]])
def for_enumerate_from_one(x: Any) -> Any:
    s = paddle.zeros([4])
    for i, row in enumerate(x, 1):
        s = s + row / i
    return s


@program((A, A + 1), (C, C * 2), dims=[[None, 4], [None, 4]])
def for_zip(x: Any, y: Any) -> Any:
    s = paddle.zeros([4])
    for a, b in zip(x, y):
        s = s + a * b
    return s


@program(dims=[[None, 4]])
def for_enumerate_zip(x: Any) -> Any:
    s = paddle.zeros([4])
    for i, (a, b) in enumerate(zip(x, x * 2)):
        s = s + a * b * i
    return s


@program(dims=[[None, 4]])
def for_target_used_after_it(x: Any) -> Any:
    row = x[0]
    for row in x:
        x = x + row
    return row + x


@program(dims=[[None, 4]])
def for_made_inside(x: Any) -> Any:
    for i in range(x.shape[0]):
        y = x[i] * 2
    return y


@program(dims=[[None, 4]])
def for_continue(x: Any) -> Any:
    s = paddle.zeros([4])
    for row in x:
        if row.sum() < 0:
            continue
        s = s + row
    return s


@program(dims=[[None, 4]])
def for_break(x: Any) -> Any:
    s = paddle.zeros([4])
    for row in x:
        if s.sum() > 1.5:
            break
        s = s + row.abs()
    return s


@program(dims=[[None, 4]])
def for_return(x: Any) -> Any:
    for row in x:
        if row.sum() < 0:
            return row * 2
    return x[0]


@program(A, B, C, BIG)
def python_for_with_break_on_a_value(x: Any) -> Any:
    for k in range(5):
        x = x * 2
        if x.sum() > 50:
            break
    return x


@program(A, B, C, BIG)
def python_for_with_return_on_a_value(x: Any) -> Any:
    for k in range(4):
        x = x * 2
        if x.sum() > 50:
            return x + k
    return x - 1


@program(A, B, C, BIG, one_row(0.0), one_row(5.0))
def python_list_with_break_on_a_value(x: Any) -> Any:
    for k in [1.0, 2.0, 4.0]:
        if x.sum() > 20:
            break
        x = x + k
    return x


@program(A, B, C, BIG)
def python_for_else(x: Any) -> Any:
    for k in range(3):
        if x.sum() > 10:
            break
        x = x * 2
    else:
        x = x + 1000
    return x


@program(A, B, BIG)
def python_for_continue_on_a_value(x: Any) -> Any:
    for k in range(4):
        if x.sum() > 10:
            continue
        x = x * 2 + k
    return x


@program(dims=[[None, 4]])
def for_in_for(x: Any) -> Any:
    s = paddle.zeros([])
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s = s + x[i, j] * (i + j)
    return s


@program(dims=[[None, 4]])
def for_in_for_rows(x: Any) -> Any:
    s = paddle.zeros([])
    for row in x:
        for value in row:
            if value > 0:
                s = s + value
    return s


@program(dims=[[None, 4]])
def assigned_rows(x: Any) -> Any:
    y = x * 1
    for i in range(x.shape[0]):
        y[i] = y[i] * 2 + i
    return y
