"""Elements and attributes that branches, iterations and conditions change, also in called
functions.
"""

from __future__ import annotations

from typing import Any

from oarlock import nn

from .table import MATRICES, Table, one_row

program = Table()


class Held:
    """An object of the user's."""

    def __init__(self, t: Any) -> None:
        self.t, self.n = t, 1

    def grow(self, x: Any) -> Any:
        self.t = self.t + x
        return self.t.sum() < 20


def read(q: dict[str, Any]) -> Any:
    return q["k"] * 1.0


@program()
def a_branch_sets_an_element_that_a_closure_reads(x: Any) -> Any:
    d = {"k": x}
    a, b = x * 5, x

    def h() -> Any:
        return d["k"] * 1.0

    if x.sum() < 0:
        d["k"] = a
        b = h()
    return b, d["k"] * 1


@program()
def a_branch_sets_an_element_and_gives_it_on(x: Any) -> Any:
    d = {"k": x}
    b = x
    if x.sum() < 0:
        d["k"] = x * 2
        b = read(d)
    return b, d["k"] * 1


@program()
def a_number_in_a_list_that_a_closure_reads(x: Any) -> Any:
    numbers = [1]

    def h() -> Any:
        return x * numbers[0]

    b = x
    if x.sum() < 0:
        numbers[0] = 5
        b = h()
    return b, x * numbers[0]


@program()
class AMethodReadsTheElement(nn.Layer):
    def read(self) -> Any:
        return self.d["k"] * 1.0

    def forward(self, x: Any) -> Any:
        self.d = {"k": x}
        a, b = x * 5, x
        if x.sum() < 0:
            self.d["k"] = a
            b = self.read()
        found = self.d["k"] * 1
        del self.d
        return b, found


@program()
def an_attribute_in_rounds_in_a_branch(x: Any) -> Any:
    o = Held(x)
    if x.sum() < 0:
        for _ in range(3):
            o.n += 1
            o.t = o.t + 1
    return x * o.n, o.t


@program()
class OwnAttributeInRoundsInABranch(nn.Layer):
    def forward(self, x: Any) -> Any:
        self.k = 0
        if x.sum() < 0:
            for _ in range(2):
                self.k += 1
        found = x * (self.k + 1)
        self.k = 0
        return found


@program(dims=[[None, 4]])
def an_attribute_in_rounds_in_rounds(x: Any) -> Any:
    o = Held(x.sum() * 0)
    for row in x:
        if row.sum() < 0:
            for i in (1, 2):
                o.n = o.n + 1
                o.t = o.t + row.sum() * i
    return o.t + o.n


@program()
def a_condition_that_changes_a_variable_around(x: Any) -> Any:
    acc = x.abs() + 1

    def goes_on() -> Any:
        nonlocal acc
        acc = acc * 2
        return acc.sum() < 100

    while goes_on():
        pass
    return acc


@program(untaken="the first rounds are Python's, n < 5 holds there")
class AConditionThatChangesAnAttribute(nn.Layer):
    def advance(self, x: Any) -> Any:
        self.h = self.h + x
        return self.h.sum() < 10

    def forward(self, x: Any) -> Any:
        self.h = x
        n = 0
        while n < 5 and self.advance(x):
            n += 1
        found = self.h
        self.h = None
        return found


@program()
def a_condition_that_changes_an_object_and_a_list(x: Any) -> Any:
    o, seen = Held(x.abs()), [x, x * 2]

    def goes_on() -> Any:
        seen[0], seen[1] = seen[1], seen[0] + 1
        return o.grow(x.abs() + 1)

    while goes_on():
        o.n += 1
    return o.t, o.n + x.sum() * 0, seen[0], seen[1]


@program()
def an_inner_function_sets_an_element(x: Any) -> Any:
    d = {"k": x}

    def h(v: Any) -> Any:
        if v.sum() > 0:
            d["k"] = d["k"] + v
        return v

    return h(x), d["k"] * 1


@program(*MATRICES, one_row(-1.0))
def an_inner_function_sets_elements_in_rounds(x: Any) -> Any:
    found = [x * 0, x * 0]

    def h(v: Any) -> None:
        i = v.sum() * 0
        while i < 3:
            found[0] = found[0] + v
            if found[0].sum() > 1:
                found[1] = found[0] * 2
            i = i + 1

    if x.sum() < 1:
        h(x + 1)
    h(x)
    return found[0], found[1]


def put(q: list[Any], v: Any) -> Any:
    if v.sum() > 0:
        q[0] = q[0] + v
        return v * 0.5
    return q[1] - v


@program()
def a_function_that_returns_early_changes_a_list(x: Any) -> Any:
    two = [x, x * 3]
    c = put(two, x)
    return c, two[0], two[1] * 1


@program(*MATRICES, one_row(1.0))
def it_is_called_in_a_branch(x: Any) -> Any:
    two, a = [x, x * 3], x
    if x.max() > 0.6:
        a = put(two, x)
    two[1] = a * 2
    return two[0], two[1]


@program()
def it_is_called_in_rounds(x: Any) -> Any:
    two = [x, x * 3]
    also = two
    for i in range(x.shape[0]):
        two[1] = put(two, x - i)
    return also[0], also[1]


def step(state: dict[str, Any], x: Any) -> dict[str, Any]:
    state = dict(state)
    state["c"][0] = state["c"][0] + x
    state["n"] = state["n"] * 0.5
    return state


@program()
def a_state_that_each_round_copies(x: Any) -> Any:
    state = {"c": [x, x], "n": x}
    i = x.sum() * 0
    while i < 3:
        state = step(state, x)
        i = i + 1
    return state["c"][0], state["c"][1], state["n"]


@program()
def two_names_of_one_list_in_rounds(x: Any) -> Any:
    a = [x, x * 2]
    b = a
    i = x.sum() * 0
    while i < 3:
        a[0] = b[1] + 1
        b[1] = a[0] * 0.5
        i = i + 1
    return a[0] + b[0], a[1], b[1]


@program()
def a_window_over_a_list(x: Any) -> Any:
    last = [x, x + 1, x + 2]
    i = x.sum() * 0
    while i < 4:
        last.append(last[-1] + last[0])
        last.pop(0)
        i = i + 1
    return last[0], last[2]


@program()
def an_object_of_an_object(x: Any) -> Any:
    o = Held(x)
    o.inner = Held(x * 2)
    i = x.sum() * 0
    while i < 3:
        if x.sum() > 0:
            o.inner.grow(x)
        else:
            setattr(o, "t", o.inner.t - 1)  # noqa: B010 - this is what is tried
        i = i + 1
    return o.t, o.inner.t


@program()
def a_tuple_in_a_dict_in_rounds(x: Any) -> Any:
    d = {"state": (x, x.sum())}

    def turn() -> None:
        h, c = d["state"]
        d["state"] = (h + c, c * 0.5)

    i = x.sum() * 0
    while i < 3:
        turn()
        i = i + 1
    return d["state"][0] * d["state"][1]


@program()
def a_function_puts_another_list_in_a_dict(x: Any) -> Any:
    one, two = [x], [x * 2]
    d = {"c": one}

    def h() -> None:
        two[0] = x * 7
        d["c"] = two

    if x.sum() > 0:
        h()
    return d["c"][0] * 1, one[0] + two[0]


@program()
def a_function_puts_a_new_list_in_a_dict_in_rounds(x: Any) -> Any:
    d = {"c": [x]}

    def h() -> None:
        d["c"] = [x * 3]
        d["c"][0] = d["c"][0] + 1

    i = x.sum() * 0
    while i < 2:
        h()
        i = i + 1
    return d["c"][0] * 1


@program()
def a_list_made_in_rounds_of_a_branch_changes_in_other_rounds(x: Any) -> Any:
    pair = [x + 1, x * 0.5]
    if x.sum() > 0:
        i = x.sum() * 0
        while i < 2:
            pair = [pair[1], x * 2]
            i = i + 1
        while i < 5:
            pair[1] = x + pair[0]
            i = i + 1
    return pair[0] * pair[1]


@program()
def a_list_made_in_a_branch_of_a_branch_changes_in_another_one(x: Any) -> Any:
    pair = [x + 1, x * 0.5]
    if x.sum() > -7:
        if x.sum() > 0:
            pair = [pair[1], x * 2]
        if x.max() < 1:
            pair[1] = x + pair[0]
    return pair[0] * pair[1]


@program()
def a_dict_made_in_rounds_of_a_branch_is_changed_by_a_function(x: Any) -> Any:
    d = {"k": x, "c": [x]}

    def step(v: Any) -> Any:
        if v.sum() > 3:
            d["c"][0] = v
            return v * 0.5
        d["k"] = v - 1
        return v + d["c"][0]

    y = x
    if x.sum() > -7:
        i = x.sum() * 0
        while i < 2:
            d = {"k": d["c"][0], "c": [d["k"] + 1]}
            i = i + 1
        y = step(x)
    return y * d["k"] + d["c"][0]
