"""Random numbers that other threads draw during a capture do not invalidate the program."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.jit import to_static


def numbers(function: Any, calls: int = 4) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return [function(paddle.ones([1])).item() for _ in range(calls)]


DRAWS = {"random": random.random, "numpy.random": np.random.rand}


@pytest.mark.parametrize("source", DRAWS)
def test_random_draw_by_unconverted_code_once(source: str) -> None:
    drawn: list[float] = []

    class Elsewhere:
        """Draws random numbers in code that is not converted."""

        def __hash__(self) -> int:
            if not drawn:
                drawn.append(DRAWS[source]())
            return 1

    other = Elsewhere()

    def f(x: Any) -> Any:
        hash(other)
        return x * 2

    static = to_static(f)
    assert numbers(static) == [2.0] * 4
    assert drawn
    assert static.get_traced_count() == 2


@pytest.mark.parametrize("source", DRAWS)
def test_random_draw_by_unconverted_code_in_each_call(source: str) -> None:
    class Elsewhere:
        def __hash__(self) -> int:
            return int(DRAWS[source]() * 1e6)

    other, before = Elsewhere(), (random.getstate(), np.random.get_state())
    wanted = [hash(other) for _ in range(5)]
    random.setstate(before[0])
    np.random.set_state(before[1])
    static = to_static(lambda x: x * hash(other))
    with pytest.warns(
        UserWarning, match=f"'{source}' differs at each call, so a program cannot contain it"
    ):
        assert [static(paddle.ones([1])).item() for _ in range(5)] == wanted
    assert static.get_traced_count() == 2


@pytest.mark.parametrize("source", DRAWS)
def test_random_draw_of_the_function(source: str) -> None:
    draw = DRAWS[source]
    static = to_static(lambda x: x * draw())
    static(paddle.ones([1]))
    with pytest.warns(UserWarning, match=f"'{source}' differs at each call"):
        static(paddle.ones([1]))
    assert static.get_traced_count() == 1
