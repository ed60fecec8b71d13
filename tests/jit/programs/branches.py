"""if, elif, else and the ternary; kinds of conditions; early returns."""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import MATRICES, Table, f32, i64, one_row

program = Table()
A, B, C = MATRICES
BIG = f32([[9.0, 8.0, 7.0, 6.0]])


@program()
def if_else(x: Any) -> Any:
    if paddle.mean(x) > 0:
        y = x + 1
    else:
        y = x - 1
    return y


@program()
def if_only(x: Any) -> Any:
    y = x * 1
    if paddle.mean(x) > 0:
        y = y * 3
    return y


@program(A, B, C, BIG, one_row(0.1))
def elif_chain(x: Any) -> Any:
    s = x.sum()
    if s > 10:
        y = x
    elif s > 3:
        y = x + 1
    elif s > 0:
        y = x + 2
    else:
        y = x + 3
    return y


@program(A, B, C, BIG, one_row(0.0))
def nested_if(x: Any) -> Any:
    if x.sum() > 0:
        if x.max() > 3:
            y = x * 10
        else:
            y = x * 5
    else:
        if x.min() < -0.7:
            y = x * 2
        else:
            y = x
    return y


@program()
def early_return(x: Any) -> Any:
    if paddle.mean(x) > 0:
        return x + 1
    return x - 1


@program(A, B, C, BIG)
def three_returns(x: Any) -> Any:
    if x.sum() > 10:
        return x * 2
    x = x + 1
    if x.sum() > 5:
        return x * 3
    return x * 4


@program(A, B, C, BIG, one_row(0.0))
def return_in_both_sides(x: Any) -> Any:
    if x.sum() > 0:
        if x.max() > 3:
            return x * 10
        x = x + 1
    else:
        if x.min() < -0.7:
            return x * 20
    return x


@program(A, B, C, BIG)
def return_in_else(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
    else:
        return x - 100
    return y + 1


@program()
def both_sides_return(x: Any) -> Any:
    if x.sum() > 0:
        return x
    else:
        return -x


@program()
def return_pair(x: Any) -> Any:
    if x.sum() > 0:
        return x, x + 1
    return x * 2, x - 1


@program()
def return_dict(x: Any) -> Any:
    if x.sum() > 0:
        return {"a": x, "b": x + 1}
    return {"a": -x, "b": x}


@program()
def ternary(x: Any) -> Any:
    return x * 2 if x.mean() > 0 else x / 2


@program(A, B, C, BIG)
def ternary_in_ternary(x: Any) -> Any:
    return x if x.sum() > 10 else (x * 2 if x.sum() > 0 else x * 3)


@program()
def ternary_as_operand(x: Any) -> Any:
    return x + (1.0 if x.mean() > 0 else 2.0)


@program()
def ternary_argument(x: Any) -> Any:
    return paddle.add(x, x * 2 if x.sum() > 0 else x * 3)


@program(A, B, C, BIG)
def and_or(x: Any) -> Any:
    if x.mean() > 0 and x.max() < 5:
        y = x
    elif x.mean() > 4 or x.min() < -1:
        y = x * 2
    else:
        y = x * 3
    return y


@program()
def not_of_a_condition(x: Any) -> Any:
    if not x.sum() > 0:
        x = x * 2
    return x


@program(A, B, C, BIG)
def mixed_python_and_tensor_conditions(x: Any) -> Any:
    flag = True
    if flag and x.sum() > 0:
        x = x * 2
    if not flag or x.max() > 3:
        x = x - 1
    return x


@program()
def tensor_then_python_condition(x: Any) -> Any:
    flag = False
    if x.sum() > 0 or flag:
        x = x + 10
    if x.sum() > 0 and flag:
        x = x + 100
    return x


@program(A, B, C, BIG)
def chained_comparison(x: Any) -> Any:
    if -0.5 < x.mean() < 0.6:
        return x
    return x * 0


@program(A, B, C, BIG)
def long_chain(x: Any) -> Any:
    if -10 < x.min() <= x.max() < 5.0:
        return x + 1
    return x - 1


@program()
def condition_of_an_integer(x: Any) -> Any:
    n = (x > 0).astype("int64").sum()
    if n > 3:
        return x * 2
    return x


@program()
def truth_of_a_number(x: Any) -> Any:
    if (x > 0.2).astype("int64").sum():
        return x * 2
    return x


@program()
def truth_of_a_bool_tensor(x: Any) -> Any:
    positive = (x > 0).all()
    if positive:
        return x + 5
    return x


@program(A, B, C)
def condition_of_shape_one(x: Any) -> Any:
    if x.sum().reshape([1]) > 0:
        return x * 7
    return x


@program(untaken="only what is not a number differs from itself")
def equal_shapes_other_values(x: Any) -> Any:
    if paddle.all(x == x):
        x = x * 2
    return x


@program()
def compare_equal(x: Any) -> Any:
    if x[0, 0] == 0.5:
        return x + 1
    return x


@program()
def compare_not_equal(x: Any) -> Any:
    if x[0, 0] != 0.5:
        return x + 1
    return x


@program()
def logical_functions(x: Any) -> Any:
    if paddle.logical_and(x.sum() > 0, x.max() < 3):
        return x + 1
    return x


@program()
def rebound_on_one_way_and_changed_in_place_on_the_other(x: Any) -> Any:
    s = paddle.zeros([2, 2])
    if x.sum() > 0:
        s = s + x.sum()
    else:
        s[1] = 5.0
    held = [paddle.ones([2]), s]
    if x.sum() > 0:
        held[0].add_(paddle.ones([2]))
    else:
        held[0] = held[0] * 7
    return s, held[0]
