"""Iterators, random generators and deques in lists, dicts and tuples."""

from __future__ import annotations

import collections
import random
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.jit import to_static

KEPT: dict[str, Callable[[Any], Any]] = {
    "dict": lambda v: {"k": v},
    "list": lambda v: [v],
    "tuple": lambda v: (v,),
    "nested": lambda v: {"k": [(v,)]},
}


def unwrap(held: Any) -> Any:
    while isinstance(held, list | tuple | dict):
        held = held["k"] if isinstance(held, dict) else held[0]
    return held


def numbers(function: Any, calls: int = 4) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [function(paddle.zeros([1])).item() for _ in range(calls)]


@pytest.mark.parametrize("kept", KEPT)
def test_iterator(kept: str) -> None:
    held = KEPT[kept](iter(range(100)))
    static = to_static(lambda x: x + next(unwrap(held)))
    assert numbers(static) == [0.0, 1.0, 2.0, 3.0]
    assert static.get_traced_count() == 1


@pytest.mark.parametrize("kept", KEPT)
def test_random_generator(kept: str) -> None:
    held, other = KEPT[kept](random.Random(0)), random.Random(0)
    assert numbers(to_static(lambda x: x + unwrap(held).randrange(99))) == [
        other.randrange(99) for _ in range(4)
    ]


@pytest.mark.parametrize("kept", KEPT)
def test_deque_rotated_by_the_function(kept: str) -> None:
    held = KEPT[kept](collections.deque([1.0, 2.0, 3.0]))

    def f(x: Any) -> Any:
        unwrap(held).rotate(1)
        return x + unwrap(held)[0]

    assert numbers(to_static(f)) == [3.0, 2.0, 1.0, 3.0]


@pytest.mark.parametrize("kept", KEPT)
def test_deque_rotated_externally(kept: str) -> None:
    held = KEPT[kept](collections.deque([1.0, 2.0]))
    static = to_static(lambda x: x + len(unwrap(held)))
    assert numbers(static) == [2.0] * 4
    assert static.get_traced_count() == 1
    unwrap(held).append(3.0)
    assert numbers(static) == [3.0] * 4


class LayerWithContainer(nn.Layer):
    def __init__(self, held: Any) -> None:
        super().__init__()
        self.held = held


@pytest.mark.parametrize("kept", KEPT)
def test_iterator_attribute(kept: str) -> None:
    class Counts(LayerWithContainer):
        def forward(self, x: Any) -> Any:
            return x + next(unwrap(self.held))

    assert numbers(to_static(Counts(KEPT[kept](iter(range(100)))))) == [0.0, 1.0, 2.0, 3.0]


class Longest(LayerWithContainer):
    def forward(self, x: Any) -> Any:
        return x + len(unwrap(self.held))


@pytest.mark.parametrize("kept", [*KEPT, "itself"])
def test_deque_attribute(kept: str) -> None:
    layer = Longest(KEPT.get(kept, lambda v: v)(collections.deque([1.0, 2.0])))
    static = to_static(layer)
    assert numbers(static) == [2.0] * 4
    unwrap(layer.held).append(3.0)
    assert numbers(static) == [3.0] * 4


def test_list_in_tuple_attribute() -> None:
    class First(LayerWithContainer):
        def forward(self, x: Any) -> Any:
            return x + self.held[0][0]

    layer = First(([2.0],))
    static = to_static(layer)
    assert numbers(static) == [2.0] * 4
    layer.held[0][0] = 5.0
    assert numbers(static) == [5.0] * 4


def test_program_values_in_nested_deque_are_rejected() -> None:
    held = {"k": collections.deque([1.0])}

    def f(x: Any) -> Any:
        held["k"].append(x * 2)
        return x + held["k"][0]

    with pytest.raises(paddle.core.errors.TraceError, match="assigns a symbolic value to"):
        to_static(f)(paddle.zeros([1]))
    assert list(held["k"]) == [1.0]
