"""Other Python features: with, try, match, walrus, f-strings, generators, attributes, asserts."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

import oarlock as paddle

from .table import MATRICES, Table, f32, one_row

program = Table()


FACTOR = 3


class Pair(NamedTuple):
    first: Any
    second: Any


@program()
def with_no_grad(x: Any) -> Any:
    with paddle.no_grad():
        if x.sum() > 0:
            y = x * 2
        else:
            y = x * 3
    return y + x


@program()
def return_inside_of_with(x: Any) -> Any:
    with paddle.no_grad():
        if x.sum() > 0:
            return x * 2
    return x


@program()
def try_finally(x: Any) -> Any:
    try:
        if x.sum() > 0:
            x = x * 2
    finally:
        x = x + 1
    return x


@program()
def try_except_in_python(x: Any) -> Any:
    try:
        k = {"a": 1}["b"]
    except KeyError:
        k = 4
    if x.sum() > 0:
        x = x * k
    return x


@program()
def match_on_python(x: Any) -> Any:
    match x.shape[1]:
        case 4:
            if x.sum() > 0:
                x = x * 2
        case _:
            x = x - 1
    return x


@program()
def walrus(x: Any) -> Any:
    if (m := x.mean()) > 0:
        return x * m
    return x - m


@program()
def f_string(x: Any) -> Any:
    name = f"{'a'}{1 + 1}"
    d = {"a2": x, "b": x * 2}
    if x.sum() > 0:
        name = "a2"
    return d[name]


@program()
def asserts_and_raises_on_values(x: Any) -> Any:
    assert x.abs().sum() >= 0, "a sum of squares"
    if x.isnan().any():
        raise ValueError("not a number")
    if x.shape[0] > 100:
        raise ValueError(f"too many rows, of {x.shape[1]}")
    y = x * 2
    assert (y == y).all()
    return y


@program()
def prints_values(x: Any) -> Any:
    print("values", x.sum(), x.shape[1])
    return x * 2


@program()
def assertion_on_python(x: Any) -> Any:
    assert x.shape[1] == 4, "four columns"
    return x


@program()
def assertion_on_a_value(x: Any) -> Any:
    assert x.sum() > -1000, "not too small"
    return x * 2


@program()
def printing(x: Any) -> Any:
    print("rows", x.shape[1])
    return x


@program()
def casts(x: Any) -> Any:
    n = int(x.sum())
    f = float(x.max())
    b = bool(x.sum() > 0)
    return x * f + n, x.sum() * 0 + b


@program()
def int_as_a_bound(x: Any) -> Any:
    n = int(x.sum() > 0) + 1
    for i in range(n):
        x = x + 1
    return x


@program()
def generator_of_python(x: Any) -> Any:
    def powers() -> Any:
        for k in (1, 2, 3):
            yield k

    for k in powers():
        if x.sum() > 0:
            x = x + k
    return x


@program()
def getattr_and_setattr(x: Any) -> Any:
    class Box:
        pass

    box = Box()
    box.v = x
    if x.sum() > 0:
        box.v = x * 2
    return box.v + getattr(box, "w", 1)


@program()
def named_tuple(x: Any) -> Any:
    p = Pair(x, x + 1)
    if x.sum() > 0:
        p = Pair(p.second, p.first)
    return p.first - p.second * 2


@program()
def numpy_on_static_values(x: Any) -> Any:
    k = float(np.sqrt(16.0)) * np.arange(4)[3]
    if x.sum() > 0:
        return x * float(k)
    return x


@program()
def global_name(x: Any) -> Any:
    return x * FACTOR if x.sum() > 0 else x


@program()
def deleted_name(x: Any) -> Any:
    y = x * 2
    if x.sum() > 0:
        x = y
    del y
    return x


@program(untaken="the last round multiplies by 0")
def while_python_and_del(x: Any) -> Any:
    k = 3
    while k:
        k -= 1
        t = x * k
        if t.sum() > 1:
            x = x + t
        del t
    return x


@program()
def pass_and_docstring(x: Any) -> Any:
    """Text."""
    if x.sum() > 0:
        pass
    return x


@program()
def conditional_import(x: Any) -> Any:
    if x.sum() > 0:
        import math

        x = x * math.pi
    return x


@program()
def string_choice(x: Any) -> Any:
    kind = "relu" if x.shape[1] == 4 else "tanh"
    return getattr(paddle.nn.functional, kind)(x)


@program()
def chained_assignment(x: Any) -> Any:
    a = b = x
    if x.sum() > 0:
        a = b = x * 2
    return a + b


@program()
def nested_unpacking(x: Any) -> Any:
    (a, b), c = (x, x + 1), x + 2
    if x.sum() > 0:
        (a, b), c = (b, c), a
    return a + b * 2 + c * 3


@program()
def slices(x: Any) -> Any:
    k = (x.sum() > 0).astype("int64") + 1
    return x[:, :k].sum(axis=1), x[-1], x[:1, 1:3]


@program()
def ifs_in_a_comprehension(x: Any) -> Any:
    parts = [x * k if x.sum() > k else x for k in range(3)]
    return paddle.concat(parts)


@program(*MATRICES, one_row(0.3), one_row(0.0))
def early_return_before_a_loop(x: Any) -> Any:
    if x.sum() < 0:
        return x * 0
    for k in range(3):
        if x.sum() > 3:
            return x
        x = x * 2
    return x + 1


@program(*MATRICES, one_row(5.0))
def set_of_python_values(x: Any) -> Any:
    kinds = {1, 2, 3}
    for k in sorted(kinds):
        if x.sum() > k:
            x = x - k
    return x


@program(*MATRICES, one_row(-2.0))
def string_methods(x: Any) -> Any:
    parts = "2,3".split(",")
    for part in parts:
        x = x * int(part) if x.sum() > 0 else x + int(part)
    return x


@program()
def ellipsis_and_none_index(x: Any) -> Any:
    y = x[..., None]
    if x.sum() > 0:
        y = y[:, :2, 0]
    else:
        y = y[:, 2:, 0]
    return y


@program(*MATRICES, one_row(-2.0))
def while_else_of_python(x: Any) -> Any:
    k = 0
    while k < 2:
        k += 1
    else:
        x = x + k
    return x if x.sum() > 0 else -x
