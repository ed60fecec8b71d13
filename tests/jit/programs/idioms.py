"""Ways of writing that a program meets sooner or later: classes of the user's, patterns, `:=`, `else` of loops, what the library gives."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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


@program()
def setattr_of_a_name(x: Any) -> Any:
    class Box:
        pass

    box = Box()
    for name in ("a", "b"):
        setattr(box, name, x)
    for k, name in enumerate(("a", "b")):
        if x.sum() > k:
            setattr(box, name, getattr(box, name) * 2)
    return box.a, box.b  # type: ignore[attr-defined]


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


class Chosen:
    """Chooses when it is made."""

    def __init__(self, v: Any) -> None:
        self.v = v
        if v.sum() > 0:
            self.v = v + 1


class ChosenTwice(Chosen):
    def __init__(self, v: Any) -> None:
        super().__init__(v)
        self.w = self.v * 2 if self.v.sum() > 1 else self.v


@program()
def objects_that_choose_when_they_are_made(x: Any) -> Any:
    made = ChosenTwice(x)
    return made.v, made.w


@program(*MATRICES, one_row(1.0))
def an_object_made_in_a_branch(x: Any) -> Any:
    if x.max() > 0.6:
        y = ChosenTwice(x).w
    else:
        y = Chosen(x).v * 3
    return y


class Halved:
    """Goes round when it is made."""

    def __init__(self, v: Any, most: int = 3, *rest: float, by: float = 2.0, **more: float) -> None:
        self.n = 0
        while v.abs().sum() > 1 and self.n < most:
            v = v / by
            self.n += 1
        self.v = v + len(rest) + sum(more.values())


@program()
def objects_made_in_a_loop(x: Any) -> Any:
    y = x[0] * 0
    for row in x:
        c = Halved(row, 2, 1.0, by=3.0, shift=1.0)
        y = y + c.v * c.n + Halved(row).v
    return y


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


@program(*MATRICES, BIG)
def walrus_of_a_while(x: Any) -> Any:
    while (m := x.abs().mean()) > 0.6:
        x = x / 2
    return x * m


@program(*MATRICES, BIG, one_row(2.0), f32([[10.2, -12.8, 2.1, -2.9]]))
def walrus_of_a_while_that_breaks(x: Any) -> Any:
    n = 0
    while (m := x.abs().mean()) > 0.6 and m < 7.4:
        if m > 5:
            n += 2
            continue_at = m * 1.1
            x = x + continue_at
            continue
        x = x / 2 + m * 0.2
        n += 1
        if n > 3:
            break
    return x, m, n


@program(*MATRICES, BIG, one_row(0.3))
def walrus_of_a_while_with_else_and_return(x: Any) -> Any:
    n = 0
    while (s := x.abs().sum()) > 1:
        x = x / 2
        n += 1
        if x.max() < -0.2:
            return x * 100 + s
        if n > 2:
            break
    else:
        return x * s
    return x + s


@program(*MATRICES, BIG, f32([[-3.0, 1.0, 1.0, 1.0]]))
def walrus_of_a_while_in_a_while(x: Any) -> Any:
    n = 0
    while (s := x.abs().sum()) > 5:
        while (m := x.abs().max()) > 2:
            x = x * 0.7
            n += 1
        if m > 1.5:
            x = x - 0.1
            continue
        x = x * 0.8
    return x, n, s


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


@program(*MATRICES, one_row(-1.0))
def while_true_with_two_breaks(x: Any) -> Any:
    i = 0
    while True:
        x = x + 0.5
        i += 1
        if x.sum() > 3:
            break
        if i >= 3:
            break
    return x, i


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


@program(*MATRICES, MATRICES[0] * 2)
def else_of_a_loop_gives_the_value(x: Any) -> Any:
    for row in x:
        if row.sum() > 2.1:
            y = row * 2
            break
    else:
        y = x[0] * 0
    return y


@program(*MATRICES, MATRICES[0] * 2)
def found_or_not(x: Any) -> Any:
    found = False
    for row in x:
        if row.sum() > 2.1:
            y = row * 2
            found = True
            break
    if not found:
        y = x[0] * 0
    return y


@program()
def reduce_and_product(x: Any) -> Any:
    y = functools.reduce(lambda a, k: a * k, [1.0, 2.0, 3.0], x)
    for a, b in itertools.product((1, 2), (3, 4)):
        y = y + a * b if y.mean() > 0 else y
    return y


@program(*MATRICES, one_row(0.1), MATRICES[0] * 0)
def return_inside_of_try_in_a_loop(x: Any) -> Any:
    for k in range(2):
        try:
            if x.sum() > k * 3:
                return x * (k + 1)
        finally:
            x = x + 0.4
    return x


@program(*MATRICES, BIG)
def break_inside_of_with(x: Any) -> Any:
    i = 0
    while i < 5:
        with paddle.no_grad():
            if x.sum() > 3:
                break
            x = x + 1
        i += 1
    return x, i


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


@program(*MATRICES, one_row(-2.0))
def functions_made_in_a_loop(x: Any) -> Any:
    def make(k: int) -> Callable[[Any], Any]:
        def f(v: Any) -> Any:
            return v * k if v.sum() > -k else v + k

        return f

    for f in [make(k) for k in (1, 2)]:
        x = f(x)
    return x


@dataclass
class Progress:
    v: Any
    n: int = 0


@program(*MATRICES, BIG * 100)
def a_dataclass_goes_from_round_to_round(x: Any) -> Any:
    s = Progress(x)
    while s.v.abs().sum() > 1 and s.n < 5:
        s.v = s.v / 2
        s.n += 1
    return s.v, s.n


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


class Body(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def body(self, x: Any) -> Any:
        return self.fc(x) if x.sum() > 0 else x


@program(*MATRICES, one_row(1.0))
class SuperOfAMethod(Body):
    def body(self, x: Any) -> Any:
        if x.max() > 0.6:
            return super().body(x) + 1
        return super(SuperOfAMethod, self).body(x)  # noqa: UP008 - both ways are written

    def forward(me, x: Any) -> Any:
        return me.body(x)


@program(*MATRICES, one_row(-2.0))
class LayersByName(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.chosen = lambda v: v * 2 if v.sum() > 0 else v
        self.acts = {"relu": nn.ReLU(), "tanh": nn.Tanh()}
        for i in range(2):
            setattr(self, f"fc{i}", nn.Linear(4, 4))

    def forward(self, x: Any) -> Any:
        for i in range(2):
            fc = getattr(self, f"fc{i}")
            x = fc(x) if x.sum() > 0 else x - fc(x)
        if hasattr(self, "fc9"):
            x = F.relu(x)
        for name in sorted(self.acts):
            x = self.acts[name](self.chosen(x))
        return x
