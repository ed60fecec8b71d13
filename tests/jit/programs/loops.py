"""Loops whose number of iterations depends on values."""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import MATRICES, Table, f32, i64, one_row

program = Table()
A, B, C = MATRICES
BIG = f32([[9.0, 8.0, 7.0, 6.0]])


@program()
def while_counter_tensor(x: Any) -> Any:
    i = paddle.zeros([1], "int64")
    while i < 5:
        x = x * 2
        i = i + 1
    return x


@program()
def while_scalar_counter(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    y = x
    while i < 3:
        y = y + i.astype("float32")
        i += 1
    return y, i


@program(A, C, BIG)
def while_on_values(x: Any) -> Any:
    while x.abs().sum() < 50:
        x = x * 2
    return x


@program(A, B, untaken="that is what is tested")
def while_with_no_rounds(x: Any) -> Any:
    while x.sum() > 1000:
        x = x / 2
    return x


@program()
def while_python_counter(x: Any) -> Any:
    i = 0
    while i < 3:
        x = x + i
        i += 1
    return x


@program(A, C, BIG)
def while_two_conditions(x: Any) -> Any:
    i = 0
    while x.abs().sum() < 40 and i < 4:
        x = x * 2
        i += 1
    return x, x.sum() + i


@program(A, BIG, one_row(20.0))
def while_true_with_break(x: Any) -> Any:
    n = 0
    while True:
        x = x + 1
        n += 1
        if x.sum() > 60:
            break
    return x, x * n


@program(A, B, C, BIG)
def while_break_first(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    while i < 10:
        if x.sum() > 20:
            break
        x = x + 1
        i = i + 1
    return x


@program(A, B, C)
def while_continue(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    s = x * 0
    while i < 6:
        i = i + 1
        if i % 2 == 0:
            continue
        s = s + x * i.astype("float32")
    return s


@program(A, B, C, BIG)
def while_break_and_continue(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    s = x.sum() * 0
    while i < 8:
        i = i + 1
        if i == 2:
            continue
        if s > 25:
            break
        s = s + x.abs().sum()
    return s, i


@program(A, B, BIG)
def while_else(x: Any) -> Any:
    i = 0
    while i < 3:
        i += 1
        x = x * 2
        if x.sum() > 20:
            break
    else:
        x = x - 5
    return x


@program(A, B, C, BIG)
def while_return(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    while i < 6:
        x = x * 2
        i = i + 1
        if x.sum() > 50:
            return x + 1
    return x - 1


@program(A, C)
def nested_while(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    s = x.sum() * 0
    while i < 3:
        j = paddle.zeros([], "int64")
        while j < i:
            s = s + x.mean() * j.astype("float32")
            j = j + 1
        i = i + 1
    return s


@program(A, B, C)
def inner_break_leaves_the_inner_loop_only(x: Any) -> Any:
    n = paddle.zeros([], "float32")
    i = paddle.zeros([], "int64")
    while i < 3:
        j = paddle.zeros([], "int64")
        while j < 5:
            if j > i:
                break
            n = n + x.sum()
            j = j + 1
        i = i + 1
    return n


@program(A, B, C, BIG)
def if_in_while(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    while i < 4:
        if x.sum() > 10:
            x = x / 2
        else:
            x = x * 3 + 0.1
        i = i + 1
    return x


@program()
def while_in_if(x: Any) -> Any:
    if x.sum() > 0:
        i = paddle.zeros([], "int64")
        while i < 3:
            x = x * 2
            i = i + 1
    return x


@program()
def swapped_in_a_loop(x: Any) -> Any:
    a, b = x, x + 1
    i = paddle.zeros([], "int64")
    while i < 3:
        a, b = b, a + b
        i = i + 1
    return a - b * 2


@program()
def fibonacci_of_tensors(x: Any) -> Any:
    a, b = x.mean(), x.sum()
    n = paddle.full([], 6, "int64")
    while n > 0:
        a, b = b, a + b
        n = n - 1
    return a


@program(A, B)
def number_becomes_float_in_the_loop(x: Any) -> Any:
    s = 0
    i = paddle.zeros([], "int64")
    while i < 3:
        s = s + x.mean()
        i = i + 1
    return s


@program()
def grows_from_round_to_round(x: Any) -> Any:
    y = x
    i = paddle.zeros([], "int64")
    while i < 2:
        y = paddle.concat([y, x])
        i = i + 1
    return y


@program(A, B, C)
def halved_until_small(x: Any) -> Any:
    y = x.abs()
    while y.max() > 0.1:
        y = y / 2
    return y


@program()
def made_in_the_loop_and_used_after_it(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    while i < 3:
        last = x * i.astype("float32")
        i = i + 1
    return last


@program(untaken="the second round inside sees what the first saw")
def return_from_a_loop_in_a_loop(x: Any) -> Any:
    y, i, n = x, paddle.zeros([], "int64"), 0
    while i < 4:
        y = y + x
        for j in range(2):
            n += 1
            if y.sum() > 8:
                return y + j
        i = i + 1
    return y + n


@program(*MATRICES, one_row(0.1), one_row(0.3), one_row(0.5))
def return_from_loops_three_deep(x: Any) -> Any:
    for i in range(3):
        for j in range(2):
            k = paddle.zeros([], "int64")
            while k < 2:
                x = x * 1.5
                if x.sum() > 8:
                    return x + i
                k = k + 1
            x = x + j
        else:
            x = x - 1
    else:
        x = x * 10
    return x


@program()
def return_of_several_from_a_loop(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    while i < 4:
        x = x * 2
        if x.sum() > 8:
            return x, (i, x + 1)
        i = i + 1
    return x, (i, x)


@program(A, B, C, BIG, one_row(0.0))
def while_else_return(x: Any) -> Any:
    y = x
    while y.sum() < 30:
        y = y + 1
        if y.max() > 5:
            break
    else:
        return y * 100
    return y - 1


@program(A, B, C, BIG, f32([[3.0, -10.0, -8.0, -48.0], [36.0, -17.0, 10.0, 25.0]]))
def for_else_return(x: Any) -> Any:
    y = x
    for row in x:
        y = y + row
        if y.sum() > 50:
            break
        if row.sum() > 40:
            return y * 2
    else:
        y = y * 3
        return y * 100
    return y - 1


@program(
    A,
    B,
    C,
    BIG,
    f32([[150.0, -223.0, -6.0, -30.0], [73.0, -165.0, 57.0, 203.0]]),
    untaken="a second round outside adds up to more than 40 again",
)
def inner_else_leaves_the_outer_loop(x: Any) -> Any:
    y = x
    for i in range(3):
        for row in x:
            y = y + row
            if y.sum() > 40:
                break
        else:
            if y.sum() < 0:
                return y * 7
            break
        y = y + i
    else:
        return y - 2
    return y
