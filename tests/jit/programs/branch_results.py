"""Results of branches: variables, numbers, containers, changes in place; cond, case and
switch_case.
"""

from __future__ import annotations

from typing import Any

import oarlock as paddle

from .table import MATRICES, Table, f32, i64, one_row

program = Table()
A, B, C = MATRICES
BIG = f32([[9.0, 8.0, 7.0, 6.0]])


@program()
def several_variables(x: Any) -> Any:
    a, b, c = x, x + 1, x + 2
    if x.sum() > 0:
        a = b * 2
        c = a + 1
    else:
        b = c - 1
    return a, b, c


@program()
def swapped_in_a_branch(x: Any) -> Any:
    a, b = x, x + 1
    if x.sum() > 0:
        a, b = b, a
    return a - b * 2


@program()
def augmented_assignment(x: Any) -> Any:
    y = x * 1
    if x.sum() > 0:
        y += 2
        y *= 3
    else:
        y -= 1
        y /= 2
    return y


@program()
def numbers_become_tensors(x: Any) -> Any:
    k = 1.0
    if x.sum() > 0:
        k = 2.5
    return x * k


@program()
def integers_become_tensors(x: Any) -> Any:
    n = 1
    if x.sum() > 0:
        n = 3
    return x * n


@program()
def number_beside_tensor(x: Any) -> Any:
    if x.sum() > 0:
        k = x.mean()
    else:
        k = 2.0
    return x * k


@program()
def bool_becomes_tensor(x: Any) -> Any:
    done = False
    if x.sum() > 0:
        done = True
    if done:
        return x * 3
    return x


@program()
def defined_in_both_branches_only(x: Any) -> Any:
    if x.sum() > 0:
        y, z = x * 2, x.sum()
    else:
        y, z = x * 3, x.mean()
    return y + z


@program()
def defined_in_one_branch_and_used_there_again(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
    if x.sum() > 0:
        z = y
    else:
        z = x
    return z


@program()
def temporary_of_other_dtype_in_each_branch(x: Any) -> Any:
    if x.sum() > 0:
        t = x.astype("float64")
        y = (t * 2).astype("float32")
    else:
        t = x.astype("int32")
        y = t.astype("float32")
    return y


@program()
def none_then_tensor(x: Any) -> Any:
    y = None
    if x.sum() > 0:
        y = x
    else:
        y = x + 1
    return y


@program()
def is_none_in_python(x: Any) -> Any:
    y = None
    if y is None:
        y = x * 2
    if y is not None and x.sum() > 0:
        y = y + 1
    return y


@program()
def isinstance_in_python(x: Any) -> Any:
    if isinstance(x, paddle.Tensor) and x.sum() > 0:
        return x + 3
    return x


@program(A, B, f32([[1, 2, 3, 4]]), dims=[[None, 4]])
def rows_in_a_condition(x: Any) -> Any:
    if x.shape[0] > 2:
        return x * 2
    return x


@program(A, C, f32([[1, 2, 3, 4]]), dims=[[None, 4]])
def size_known_to_python(x: Any) -> Any:
    if x.shape[1] > 3:
        y = x + x.shape[1]
    else:
        y = x
    return y


@program(A, B, C, dims=[[None, 4]])
def len_in_a_condition(x: Any) -> Any:
    if len(x) >= 3:
        return x - 1
    return x + 1


@program(A, B, C, dims=[[None, 4]])
def sizes_compared(x: Any) -> Any:
    if x.shape[0] < x.shape[1]:
        return x.sum(axis=0)
    return x.mean(axis=0)


@program(A, B, C, dims=[[None, 4]])
def other_sizes_in_each_branch(x: Any) -> Any:
    if x.sum() > 0:
        y = x[:1]
    else:
        y = x[:2]
    return y


@program()
def in_place_in_a_branch(x: Any) -> Any:
    y = x * 1
    if x.sum() > 0:
        y.add_(paddle.ones([1]))
    return y


@program()
def set_item_in_a_branch(x: Any) -> Any:
    y = x * 1
    if x.sum() > 0:
        y[0] = 5.0
    else:
        y[0, 1] = -5.0
    return y


@program()
def dict_changed_in_a_branch(x: Any) -> Any:
    d = {"a": x, "b": x + 1}
    if x.sum() > 0:
        d["a"] = x * 2
    return d["a"] + d["b"]


@program()
def list_item_changed_in_a_branch(x: Any) -> Any:
    a = [x, x + 1]
    if x.sum() > 0:
        a[0] = x * 2
    return a[0] + a[1]


@program()
def tuple_made_in_each_branch(x: Any) -> Any:
    if x.sum() > 0:
        t = (x, x * 2)
    else:
        t = (x * 3, x * 4)
    return t[0] + t[1]


@program()
def dict_made_in_each_branch(x: Any) -> Any:
    if x.sum() > 0:
        d = {"k": x, "l": [x + 1]}
    else:
        d = {"k": -x, "l": [x + 2]}
    return d["k"] + d["l"][0]


@program()
def empty_else(x: Any) -> Any:
    if x.sum() > 0:
        x = x + 1
    else:
        pass
    return x


@program()
def unused_branch_result(x: Any) -> Any:
    if x.sum() > 0:
        unused = x * 100
        del unused
    return x


@program()
def branch_with_reductions(x: Any) -> Any:
    if x.std() > 0.5:
        return x.sum(axis=1)
    return x.max(axis=1)


@program(*MATRICES, one_row(0.0))
def branch_on_a_branch(x: Any) -> Any:
    if x.sum() > 0:
        k = x.sum()
    else:
        k = x.sum() * -2
    if k > 3:
        x = x + k
    return x


@program((A, i64(0)), (A, i64(1)), (B, i64(2)), dims=[[None, 4], []])
def branch_on_an_argument(x: Any, mode: Any) -> Any:
    if mode == 0:
        return x
    elif mode == 1:
        return x * 2
    return x * 3


@program((A, C[:2]), (B, C[:3]), dims=[[None, 4], [None, 4]])
def two_arguments(x: Any, y: Any) -> Any:
    if x.sum() > y.sum():
        return x - y
    return y - x


@program(*MATRICES, f32([[2.04, -2.56, 0.42, -0.57]]))
def any_and_all_of_python_lists(x: Any) -> Any:
    conditions = [x.sum() > 0, x.max() < 2]
    if all(conditions):
        return x + 1
    if any(conditions):
        return x + 2
    return x + 3


@program()
def max_and_min(x: Any) -> Any:
    return max(x.sum(), x.mean()) + min(x.max(), 0.25)


@program(*MATRICES, one_row(0.1))
def member_of_a_list(x: Any) -> Any:
    n = (x > 0).astype("int64").sum()
    if n in [0, 8]:
        return x * 2
    return x


@program()
def condition_kept_in_a_variable(x: Any) -> Any:
    c = x.sum() > 0
    if c:
        x = x + 1
    if not c:
        x = x - 1
    return x


@program()
def static_cond(x: Any) -> Any:
    return paddle.static.nn.cond(x.sum() > 0, lambda: x + 1, lambda: x - 1)


@program(A, B, C, BIG)
def static_case(x: Any) -> Any:
    return paddle.static.nn.case(
        [(x.sum() < 0, lambda: x + 1), (x.sum() < 5, lambda: x + 2)], default=lambda: x + 3
    )


@program((A, i64(0)), (A, i64(1)), (B, i64(5)), dims=[[None, 4], []])
def static_switch_case(x: Any, k: Any) -> Any:
    return paddle.static.nn.switch_case(
        k, {0: lambda: x + 1, 1: lambda: x + 2}, default=lambda: x + 3
    )


@program(A, B, C, BIG)
def flags_decide_later(x: Any) -> Any:
    large = x.sum() > 10
    positive = x.sum() > 0
    y = x
    if large:
        y = y - 1
    elif positive:
        y = y + 1
    if positive and not large:
        y = y * 2
    return y


@program(A, B, C, BIG)
def condition_on_what_a_branch_made(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
        if y.max() > 5:
            y = y - 5
    else:
        y = -x
        if y.max() > 0.8:
            y = y + 0.2
    return y


@program(*MATRICES, one_row(0.0))
def subtraction_of_conditions(x: Any) -> Any:
    sign = (x > 0).astype("float32") - (x < 0).astype("float32")
    if sign.sum() == 0:
        return x
    return x * sign


@program(A, B, C, BIG)
def where_and_if(x: Any) -> Any:
    y = paddle.where(x > 0, x, x * 0.1)
    if y.sum() > 10:
        y = paddle.clip(y, 0, 1)
    return y


@program()
def nothing_returned_on_one_side_of_python(x: Any) -> Any:
    def maybe(v: Any, go: bool) -> Any:
        if go:
            return v * 2
        return None

    y = maybe(x, True)
    return x if y is None else (y if y.sum() > 0 else x)


@program(A, B, C, BIG, one_row(0.3))
def returns_after_loops_and_branches(x: Any) -> Any:
    for _ in range(2):
        if x.sum() > 10:
            return x * 0
        x = x * 3
    if x.min() > 1:
        return x
    for k in range(2):
        x = x + k
    return x + 1


@program()
def half_precision_in_a_branch(x: Any) -> Any:
    if x.sum() > 0:
        y = x.astype("float16").astype("float32")
    else:
        y = x
    return y * 2


@program((A, f32(1.0)), (A, f32(-1.0)), (one_row(-0.1), f32(0.0)), dims=[[None, 4], []])
def pair_of_conditions_from_arguments(x: Any, k: Any) -> Any:
    if k > 0 and x.sum() > 0:
        return x + k
    elif k < 0 or x.sum() < -100:
        return x - k
    return x


@program(A, B, C)
def changed_and_returned_early(x: Any) -> Any:
    if x.sum() > 0:
        x -= 1
        return -x
    x += 3
    return x


@program(A, B, C)
def numbers_of_one_way_only(x: Any) -> Any:
    index, k = 0, 1
    if x.sum() > 0:
        y = x[index] + 1
        index = index + 1
        k *= 2
        return y * k
    y = x[index] + 2
    index = index + 1
    return y * k + index


@program(A, B, C)
def what_a_branch_makes_is_changed_in_place(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2
        y[0] = 5.0
        y.add_(paddle.ones([1]))
    else:
        y = x
    return y
