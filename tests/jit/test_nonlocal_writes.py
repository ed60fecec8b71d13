"""Nonlocal writes of functions that are called on one path of a branch or in a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import TraceError

POSITIVE, NEGATIVE = np.array([1.0, 2.0], "float32"), np.array([-1.0, -2.0], "float32")
COUNT = 1


class Holder:
    """An object of the user's."""

    def __init__(self) -> None:
        self.n = 1

    def bump(self) -> None:
        self.n += 1


def bump(holder: Any) -> None:
    holder.n = holder.n + 1


def a_cell(x: Any) -> Any:
    k = 1

    def add() -> None:
        nonlocal k
        k += 5

    if x.sum() > 0:
        add()
    return x + k


def an_element(x: Any) -> Any:
    held = [1, 2]

    def put() -> None:
        held[0] = 7

    if x.sum() > 0:
        put()
    return x + held[0]


def an_entry_two_calls_down(x: Any) -> Any:
    held = {"n": 1}

    def up(d: Any) -> None:
        d["n"] += 1

    def deep(d: Any) -> None:
        up(d)

    if x.sum() > 0:
        deep(held)
        y = x
    else:
        y = -x
    return y * held["n"]


def an_attribute_on_both_ways(x: Any) -> Any:
    holder = Holder()
    if x.sum() > 0:
        bump(holder)
    else:
        holder.bump()
        holder.bump()
    return x + holder.n


def by_recursion(x: Any) -> Any:
    k = 1

    def add(n: int) -> None:
        nonlocal k
        if n == 0:
            return
        k += n
        add(n - 1)

    if x.sum() > 0:
        add(3)
    return x * k


def beside_a_list_of_the_function(x: Any) -> Any:
    held, k = [x], 0

    def up() -> None:
        nonlocal k
        k += 1

    if x.sum() > 0:
        held[0] = x * 2
        up()
    return held[0] + k


def in_a_choice(x: Any) -> Any:
    k: Any = 1

    def mean() -> int:
        nonlocal k
        k = x.mean()
        return 2

    y = mean() if x.sum() > 0 else 3
    return x * k + y


def behind_and(x: Any) -> Any:
    k = 1

    def more() -> Any:
        nonlocal k
        k += 1
        return x.max() > -1

    if x.sum() > 0 and more():
        x = x + 1
    return x * k


def behind_or(x: Any) -> Any:
    k = 1

    def more() -> Any:
        nonlocal k
        k += 1
        return x.max() > -5

    if x.sum() > 0 or more():
        x = x + 1
    return x * k


def a_cell_in_rounds(x: Any) -> Any:
    k = 0

    def add() -> None:
        nonlocal k
        k += 3

    while x.sum() < 20:
        add()
        x = x + 4
    return x + k


def an_attribute_in_rounds(x: Any) -> Any:
    holder = Holder()
    i = paddle.to_tensor(0)
    while i < 3:
        if x.sum() > 0:
            bump(holder)
        i += 1
    return x + holder.n


def a_cell_that_the_test_reads(x: Any) -> Any:
    k: Any = x.sum() * 0

    def add() -> None:
        nonlocal k
        k += 1

    while k < 3:
        add()
        x = x + k
    return x


def a_list_that_grows_on_both_ways(x: Any) -> Any:
    out: list[Any] = []

    def keep(v: Any) -> None:
        out.append(v)

    if x.sum() > 0:
        keep(x * 2)
    else:
        keep(x)
    return out[0]


def early_return(x: Any) -> Any:
    k = 1
    if x.sum() > 0:
        k += 1
        x -= 1
        return x * k
    x += 3
    return x * k


RIGHT = (
    a_cell, an_element, an_entry_two_calls_down, an_attribute_on_both_ways, by_recursion, beside_a_list_of_the_function, in_a_choice,
    behind_and, behind_or, a_cell_in_rounds, an_attribute_in_rounds, a_cell_that_the_test_reads,
    a_list_that_grows_on_both_ways, early_return,
)  # fmt: skip


@pytest.mark.parametrize("x", [POSITIVE, NEGATIVE], ids=["positive", "negative"])
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_writes_of_the_executed_path(function: Callable[[Any], Any], x: Any) -> None:
    wanted = function(paddle.to_tensor(x)).numpy()
    static = paddle.jit.to_static(function)
    np.testing.assert_allclose(static(paddle.to_tensor(x)).numpy(), wanted)
    np.testing.assert_allclose(static(paddle.to_tensor(x)).numpy(), wanted)


OUTSIDE: list[Any] = []


def a_list_grows(x: Any) -> Any:
    def put() -> None:
        OUTSIDE.append(x)

    if x.sum() > 0:
        put()
    return x + len(OUTSIDE)


def a_word_changes(x: Any) -> Any:
    word = "a"

    def change() -> None:
        nonlocal word
        word = "b"

    if x.sum() > 0:
        change()
    return x if word == "a" else -x


def a_word_changes_in_rounds(x: Any) -> Any:
    word = "a"

    def change() -> None:
        nonlocal word
        word += "b"

    while x.sum() < 9:
        change()
        x = x + 1
    return x + len(word)


def count_up() -> None:
    global COUNT  # noqa: PLW0603 - what it is about
    COUNT += 1


def a_global_counts(x: Any) -> Any:
    if x.sum() > 0:
        count_up()
    return x + COUNT


REJECTED = {
    a_list_grows: "'OUTSIDE' has another length after one of two branches",
    a_word_changes: "'word': only tensors and numbers can depend on a tensor's value",
    a_word_changes_in_rounds: "'word' is a string that the iterations of a loop change",
    a_global_counts: "assigns a symbolic value to 'COUNT'",
}


@pytest.mark.parametrize("function", REJECTED, ids=lambda f: f.__name__)
def test_unselectable_writes_are_rejected(function: Callable[[Any], Any]) -> None:
    with pytest.raises(TraceError) as found:
        paddle.jit.to_static(function)(paddle.to_tensor(POSITIVE))
    assert REJECTED[function] in str(found.value)
    assert COUNT == 1


def test_failed_recording_restores_state() -> None:
    held = {"n": 1}

    def fails() -> None:
        held["n"] = 2
        int("stop")

    def f(x: Any) -> Any:
        if x.sum() > 0:
            fails()
        return x

    with pytest.raises(ValueError, match="stop"):
        paddle.jit.to_static(f)(paddle.to_tensor(NEGATIVE))
    assert held == {"n": 1}


class Part(nn.Layer):
    """A layer that counts its calls, in a number and in a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.register_buffer("seen", paddle.zeros([1]))
        self.norm = nn.BatchNorm1D(2)

    def bump(self) -> None:
        self.calls += 1

    def forward(self, x: Any) -> Any:
        self.calls += 2
        self.seen = self.seen + 1
        return self.norm(x) + self.calls


class Whole(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.n = 0
        self.part = Part()
        self.register_buffer("total", paddle.zeros([1]))

    def up(self) -> None:
        self.n += 1
        self.total = self.total + 2
        self.part.bump()

    def forward(self, x: Any) -> Any:
        y = x
        if x.sum() > 0:
            self.up()
            y = self.part(x)
        i = paddle.zeros([], "int64")
        while i < 2:
            y = y + self.n
            i = i + 1
        return y + self.total


def test_layer_counters_on_one_path() -> None:
    def calls(layer: Whole) -> list[Any]:
        called = paddle.jit.to_static(layer) if layer is static else layer
        found = [
            called(paddle.to_tensor([[v, v], [2 * v, v]])).numpy() for v in (1.0, -1.0, 1.0, -1.0)
        ]
        counts = [np.asarray(layer.n), np.asarray(layer.part.calls)]
        return found + counts + [v.numpy() for v in layer.state_dict().values()]

    eager, static = Whole(), Whole()
    for found, wanted in zip(calls(static), calls(eager), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


class Slots:
    __slots__ = ("value",)


def assigns_slot_in_branch(x: Any) -> Any:
    slots = Slots()
    if x.mean() > 0:
        slots.value = x * 2
    else:
        slots.value = x
    return slots.value


def test_attribute_of_object_without_dict() -> None:
    x = paddle.to_tensor([1.0, 2.0])
    result = paddle.jit.to_static(assigns_slot_in_branch, full_graph=True)(x)
    np.testing.assert_array_equal(result.numpy(), [2.0, 4.0])


def loop_with_variable_named_like_generated_ones(x: Any, count: Any) -> Any:
    values, get, set, body = x, 0, 1, paddle.zeros([1], "int64")
    while body < count:
        values = values * 2.0
        if values.sum() > 4:
            get = get + set
        body = body + 1
    return values, get


def test_names_of_variables_do_not_clash_with_converted_code() -> None:
    static = paddle.jit.to_static(loop_with_variable_named_like_generated_ones, full_graph=True)
    values, get = static(paddle.ones([2]), paddle.full([1], 3, "int64"))
    np.testing.assert_array_equal(values.numpy(), [8.0, 8.0])
    assert int(get) == 2
