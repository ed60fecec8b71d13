"""Common idioms: augmented assignments, patterns, comprehensions, the standard library."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn
from oarlock.nn import functional as F

from .table import MATRICES, Table, f32, one_row

program = Table()
BIG = f32([[9.0, 8.0, 7.0, 6.0]])


@program(*MATRICES, BIG)
def augmented_numbers(x: Any) -> Any:
    y, n = x, 7
    while x.sum() > 4 * n - 30:
        y -= x * 0.5
        y /= 2
        n -= 1
        n //= 2
        if n < 2:
            break
        y **= 2
        n %= 5
        n += 2
    return y, x * n


@program()
def augmented_product_of_matrices(x: Any) -> Any:
    if x.sum() > 0:
        x @= paddle.ones([4, 4])
    else:
        x *= 2
    return x


@program()
def augmented_conditions(x: Any) -> Any:
    m = x > 0
    if x.sum() > 0:
        m &= x < 0.6
    else:
        m |= x < -5
    m ^= x > 100
    return m


@program(*MATRICES, one_row(2.0))
def filter_and_reversed(x: Any) -> Any:
    for k in reversed(list(filter(lambda v: v % 2, range(6)))):
        x = x + k if x.sum() > k else x - k
    return x


@program()
def tensors_from_the_last_to_the_first(x: Any) -> Any:
    y = x * 0
    for v in reversed([x, x * 2, x * 3]):
        y = y * 2 + (v if v.sum() > 0 else -v)
    return y


@program()
def extend_update_and_setdefault(x: Any) -> Any:
    held, named = [x], {"a": x}
    if x.sum() > 0:
        held.extend([x * 2, x * 3])
        named.update(b=x * 4)
    else:
        held.extend([x * 5, x * 6])
        named.update({"b": x * 7})
    named.setdefault("a", x * 8)
    named.setdefault("c", x * 9)
    return held, named


@program()
def a_context_manager_of_ones_own(x: Any) -> Any:
    @contextlib.contextmanager
    def scaled() -> Iterator[float]:
        yield 2.0

    with scaled() as k:
        if x.sum() > 0:
            x = x * k
        else:
            x = x / k
    return x


@program(*MATRICES, one_row(2.0))
def patterns(x: Any) -> Any:
    things: list[Any] = [{"kind": "scale", "by": 2}, ("add", 3), 5, None, [1, 2, 3]]
    for thing in things:
        match thing:
            case {"kind": "scale", "by": k}:
                x = x * k if x.sum() > 0 else x / k
            case ("add", k):
                x = x + k
            case int(k) if k > 4:
                x = x - k
            case [a, *rest]:
                x = x + a + len(rest)
            case None:
                if x.sum() > 0:
                    x = -x
    return x


@program()
def unpacking_with_a_star(x: Any) -> Any:
    a, *b, c = [x, x * 2, x * 3, x * 4]
    if x.sum() > 0:
        a, c = c, a
    return a, b[0] - b[1], c


@program(*MATRICES, one_row(1.0))
def comprehensions_of_dicts_and_lists(x: Any) -> Any:
    d = {k: x * k if x.sum() > k else x + k for k in range(3) if k != 1}
    return d, [[v * j for j in range(2)] for v in d.values()]


@program()
def enumerate_from_three_of_a_zip(x: Any) -> Any:
    y = x[0] * 0
    for i, (a, b) in enumerate(zip(x, x * 2), 3):
        y = y + a * i if a.sum() > 0 else y - b
    return y


@program()
def reduce_and_product(x: Any) -> Any:
    y = functools.reduce(lambda a, k: a * k, [1.0, 2.0, 3.0], x)
    for a, b in itertools.product((1, 2), (3, 4)):
        y = y + a * b if y.mean() > 0 else y
    return y


@program()
def as_many_rounds_as_the_shape_says(x: Any) -> Any:
    y = x[0] * 0
    for i in range(paddle.shape(x)[0]):
        y = y + x[i] * i
    return y


@program(*MATRICES, one_row(-1.0))
def tensors_and_others_are_told_apart(x: Any) -> Any:
    def go(v: Any) -> Any:
        if isinstance(v, list | tuple):
            return [go(u) for u in v]
        if isinstance(v, paddle.Tensor) and paddle.is_tensor(v):
            return v * 2 if v.sum() > 0 else v
        return v(x) if callable(v) else v

    return go([x, (x + 1, lambda t: t - 1 if t.sum() > 0 else t)]) if x.dim() == 2 else x


@program(*MATRICES, one_row(0.0))
def chains_and_not(x: Any) -> Any:
    s = x.sum()
    if not (s > 0 and s < 5) or not s > -1:
        x = x + 1
    if -4 < s <= 4.0 != s:
        x = x * 3
    return x


@program()
def errors_of_python_that_are_caught(x: Any) -> Any:
    for k in (0, 1):
        try:
            y = x / k if k else x * [][0]
        except IndexError as error:
            assert error
            y = x
        if y.sum() > 0:
            x = x + y
    return x


@program()
def arrays_of_numpy_become_tensors(x: Any) -> Any:
    w = np.linspace(0, 1, 4).astype("float32")
    if np.all(w >= 0) and x.sum() > 0:
        return x * paddle.to_tensor(w)
    return x - paddle.to_tensor(np.stack([w, w]).sum(0))


@program()
def texts_of_what_python_knows(x: Any) -> Any:
    n = 3
    print(f"{n=} and {n + 1:>4}")
    print("x", x, sep=": ", end="!\n")
    if x.sum() > 0:
        print("positive", x.mean())
    return x * 1


@program(*MATRICES, one_row(2.0))
def a_dict_from_round_to_round(x: Any) -> Any:
    d = {"n": 0, "s": x * 0}
    while d["n"] < 3:
        d["s"] = d["s"] + x
        d["n"] += 1
        if d["s"].sum() > 4:
            break
    return d


@program()
def steps_of_two_and_backwards(x: Any) -> Any:
    y = x
    for i in range(0, x.shape[0], 2):
        y = y + x[i]
    for i in range(x.shape[0] - 1, -1, -1):
        y = y * 0.5 + x[i]
    return y


def _counted_up() -> Any:
    n = 0
    while True:
        n += 1
        yield n


@program()
def any_and_all_of_rows(x: Any) -> Any:
    if any(row.sum() > 1 for row in x):
        x = x * 2
    if all(abs(row.min()) < 1 and row.max() < 2 for row in x if row.sum() > -1):
        x = x + 1
    if any(n > 3 for n in _counted_up()):  # asks for no more than it needs
        x = x * 3
    return x


@program()
def annotated_variables(x: Any) -> Any:
    held = SimpleNamespace()
    total: Any = x
    late: int
    if x.sum() > 0:
        times: int = 2
        held.by: float = 0.5
        late = times + 1
    else:
        times: int = 3
        held.by: float = 0.25
        late = 1
    rows: list[Any] = []
    for i in range(x.shape[0]):
        row: Any = x[i]
        total: Any = total + row * times
        rows.append(total)
    return total * held.by, rows[-1] * late
