"""`while` and `for` with break, continue, else and return, over tensors, ranges and growing lists."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import POSITIVE, f32, paddle, program


def while_on_a_tensor(x):
    i = paddle.zeros([1], "int32")
    while i < 4:
        x = x * 1.5
        i += 1
    return x


program(while_on_a_tensor)


def while_until_a_value(x):
    s = x.abs()
    while s.sum() < 50:
        s = s * 2
    return s


program(while_until_a_value)


def for_range_of_a_tensor(x):
    n = paddle.full([], 3, "int64")
    out = x
    for i in range(n):
        out = out + i * x
    return out


program(for_range_of_a_tensor)


def for_range_of_an_input(x, n):
    for i in range(n):
        x = x + 1
    return x


program(
    for_range_of_an_input, (POSITIVE, np.array([3], "int64")), (POSITIVE, np.array([0], "int64"))
)


def for_range_of_a_number(x, n):
    for i in range(n):
        x = x + i
    return x


program(for_range_of_a_number, (POSITIVE, 3), (POSITIVE, 2))


def for_over_rows(x):
    total = paddle.zeros([3])
    for row in x:
        total = total + row * row
    return total


program(for_over_rows)


def for_enumerate_rows(x):
    total = paddle.zeros([3])
    for i, row in enumerate(x):
        total = total + row * (i + 1)
    return total


program(for_enumerate_rows)


def for_enumerate_from_one(x):
    total = paddle.zeros([3])
    for i, row in enumerate(x, 1):
        total = total + row * i
    return total


program(for_enumerate_from_one)


def for_zip(x):
    total = 0
    for a, b in zip([x, x * 2], [1.0, 3.0]):
        total = total + a * b
    return total


program(for_zip)


def for_over_a_python_list_of_tensors(x):
    out = []
    for v in [x, x + 1, x + 2]:
        out.append(v * v)
    return out


program(for_over_a_python_list_of_tensors)


def break_on_a_tensor(x):
    for i in range(10):
        if x.abs().sum() > 40:
            break
        x = x * 2
    return x


program(break_on_a_tensor)


def continue_on_a_tensor(x):
    out = x
    for i in range(4):
        if out.sum() > 5:
            out = out - 1
            continue
        out = out * 2
    return out


program(continue_on_a_tensor)


def break_and_continue_in_while(x):
    i = paddle.to_tensor(0)
    out = x
    while i < 10:
        i = i + 1
        if i % 2 == 0:
            continue
        if i > 6:
            break
        out = out + i.astype("float32")
    return out


program(break_and_continue_in_while)


def loops_in_loops(x):
    out = x * 0
    i = paddle.zeros([], "int64")
    while i < 3:
        j = paddle.zeros([], "int64")
        while j < i:
            out = out + x * 0.5
            j = j + 1
        i = i + 1
    return out


program(loops_in_loops)


def a_branch_in_a_loop_without_gradient_choice(x):
    x = x.detach()
    for i in range(paddle.full([], 4, "int64")):
        if i % 2 == 0:
            x = x + 1
        else:
            x = x * 2
    return x


program(a_branch_in_a_loop_without_gradient_choice)


def while_true_with_break(x):
    while True:
        x = x * 2
        if x.abs().max() > 8:
            break
    return x


program(while_true_with_break)


def a_list_grown_and_stacked(x):
    parts = []
    for i in range(x.shape[0]):
        parts.append(x[i] * (i + 1))
    return paddle.stack(parts)


program(a_list_grown_and_stacked)


def a_list_grown_over_rows_and_concatenated(x):
    parts = []
    for row in x:
        parts.append(row.unsqueeze(0))
    return paddle.concat(parts, axis=0)


program(a_list_grown_over_rows_and_concatenated)


def a_list_grown_in_a_dynamic_loop_and_stacked(x):
    parts = []
    for i in range(x.shape[0]):
        parts.append(x[i] * 2)
    return paddle.stack(parts, axis=0)


program(
    a_list_grown_in_a_dynamic_loop_and_stacked,
    spec=lambda S: [S([None, 3], "float32")],
    grads=False,
)


def a_list_grown_in_a_tensor_loop_and_concatenated(x):
    parts = []
    n = paddle.full([], 3, "int64")
    for i in range(n):
        parts.append(x + i)
    return paddle.concat(parts, axis=1)


program(a_list_grown_in_a_tensor_loop_and_concatenated, grads=False)


def a_list_grown_in_while_and_stacked(x):
    parts = []
    i = paddle.zeros([], "int64")
    while i < 3:
        parts.append(x * i.astype("float32"))
        i = i + 1
    return paddle.stack(parts)


program(a_list_grown_in_while_and_stacked, grads=False)


def the_last_of_a_grown_list(x):
    parts = [x]
    i = paddle.zeros([], "int64")
    while i < 3:
        parts.append(parts[-1] * 2)
        i = i + 1
    return parts[-1]


program(the_last_of_a_grown_list, grads=False)


def two_counters(x):
    i, j = 0, 10
    while i < j:
        x = x + 0.1
        i += 2
        j -= 1
    return x * i + j


program(two_counters)


def loop_variable_after_the_loop(x):
    for i in range(3):
        y = x * i
    return y + i


program(loop_variable_after_the_loop)


def loop_variable_of_a_tensor_range_after_the_loop(x):
    k = x * 0
    for i in range(paddle.full([], 3, "int64")):
        k = k + 1
    return k * i.astype("float32") if isinstance(i, paddle.Tensor) else k * i


program(loop_variable_of_a_tensor_range_after_the_loop)


def an_accumulator_that_starts_as_a_number(x):
    total = 0
    for row in x:
        total += row.sum()
    return total


program(an_accumulator_that_starts_as_a_number)


def an_accumulator_in_a_tensor_loop_that_starts_as_a_number(x):
    total = 0.0
    for i in range(paddle.full([], 3, "int64")):
        total = total + x.sum()
    return total


program(an_accumulator_in_a_tensor_loop_that_starts_as_a_number)


class LoopOverSublayers(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = paddle.nn.LayerList([paddle.nn.Linear(3, 3) for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = paddle.tanh(layer(x))
        return x


program(LoopOverSublayers)


class LoopWithState(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.cell = paddle.nn.Linear(3, 3)

    def forward(self, x):
        h = paddle.zeros([2, 3])
        t = paddle.zeros([], "int64")
        while t < 3:
            h = paddle.tanh(self.cell(x) + h)
            t = t + 1
        return h


program(LoopWithState)


def a_loop_over_a_dict(x):
    d = {"a": x, "b": x * 2}
    total = 0
    for key in d:
        total = total + d[key]
    for key, value in d.items():
        total = total + value
    for value in d.values():
        total = total * value
    return total


program(a_loop_over_a_dict)


def while_with_and(x):
    i = paddle.zeros([], "int64")
    while i < 10 and x.abs().sum() < 30:
        x = x * 2
        i = i + 1
    return x, i


program(while_with_and)


def while_with_not(x):
    done = paddle.to_tensor(False)
    while not done:
        x = x * 2
        done = x.abs().sum() > 20
    return x


program(while_with_not)


def for_over_a_vector(x):
    total = paddle.zeros([])
    for v in x:
        if v > 1.5:
            total = total + v
    return total


program(for_over_a_vector, (f32([1.0, 2.0, 3.0, 4.0]),))


def range_with_start_and_step(x):
    stop = paddle.full([], 7, "int64")
    out = x
    for i in range(1, stop, 2):
        out = out + i
    return out


program(range_with_start_and_step)


def a_tuple_swapped_in_a_loop(x):
    a, b = x, x + 1
    for i in range(paddle.full([], 3, "int64")):
        a, b = b, a + b
    return a, b


program(a_tuple_swapped_in_a_loop)


def a_loop_in_a_branch(x):
    if x.sum() > 0:
        i = paddle.zeros([], "int64")
        while i < 2:
            x = x * 2
            i = i + 1
    return x


program(a_loop_in_a_branch)


def comprehension_over_rows(x):
    rows = [row * 2 for row in x]
    return paddle.stack(rows)


program(comprehension_over_rows)


def comprehension_with_a_condition(x):
    return paddle.stack([x[i] for i in range(2) if i >= 0]), {str(k): x * k for k in range(2)}


program(comprehension_with_a_condition)


def reversed_and_sorted(x):
    out = x
    for i in reversed(range(3)):
        out = out * 2 + i
    for i in sorted([3, 1, 2]):
        out = out + i
    return out


program(reversed_and_sorted)


def del_in_a_loop(x):
    for i in range(2):
        t = x * i
        x = x + t
        del t
    return x


program(del_in_a_loop)
