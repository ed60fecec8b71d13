"""The capture evaluates each expression once, and runs no user code of its own accord."""

from __future__ import annotations

import collections
import contextvars
import random
import warnings
from typing import Any

import pytest

import oarlock as paddle
from oarlock.jit import to_static

SETTING: contextvars.ContextVar[float] = contextvars.ContextVar("SETTING", default=2.0)


def numbers(function: Any, calls: int = 3) -> list[float]:
    """Return the results of some calls of a function."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [function(paddle.ones([1])).item() for _ in range(calls)]


def test_context_variable_set_and_reset() -> None:
    def f(x: Any) -> Any:
        token = SETTING.set(7.0)
        y = x * SETTING.get()
        SETTING.reset(token)
        return y + SETTING.get()

    assert numbers(to_static(f)) == [9.0] * 3
    assert SETTING.get() == 2.0


def test_context_variable_that_remains_set() -> None:
    counted: contextvars.ContextVar[float] = contextvars.ContextVar("counted", default=0.0)

    def f(x: Any) -> Any:
        counted.set(counted.get() + 1)
        return x * counted.get()

    assert numbers(to_static(f)) == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("name", ["uniform", "random", "choice"])
def test_system_random(name: str) -> None:
    source = random.SystemRandom()
    given: Any = {"uniform": (3.0, 4.0), "random": (), "choice": ([3.0, 4.0],)}[name]
    static = to_static(lambda x: x * getattr(source, name)(*given))
    static(paddle.ones([1]))
    with pytest.warns(UserWarning, match="differs at each call, so a program cannot contain it"):
        static(paddle.ones([1]))
    assert static.get_traced_count() == 1


def test_unused_system_random() -> None:
    source = random.SystemRandom()
    static = to_static(lambda x: x * 2 if source is not None else x)
    assert numbers(static) == [2.0] * 3
    assert static.get_traced_count() == 1


def test_custom_getitem_is_called_once() -> None:
    class Rows:
        def __init__(self) -> None:
            self.w, self.asked = paddle.to_tensor([3.0]), 0

        def __getitem__(self, i: int) -> Any:
            self.asked += 1
            return self.w * i

    rows = Rows()
    static = to_static(lambda x: x * rows[2])
    assert numbers(static) == [6.0] * 3
    assert rows.asked == 3
    rows.w = paddle.to_tensor([5.0])
    assert numbers(static) == [10.0] * 3


@pytest.mark.parametrize("base", [dict, list, collections.UserDict, collections.UserList])
def test_container_subclass_getitem_is_called_once(base: Any) -> None:
    asked = []

    class Kind(base):  # type: ignore[misc]
        def __getitem__(self, i: Any) -> Any:
            asked.append(i)
            return base.__getitem__(self, i) * 2

    held = Kind({0: 3.0} if base in (dict, collections.UserDict) else [3.0])
    static = to_static(lambda x: x * held[0])
    assert numbers(static, 1) == [6.0]
    assert asked == [0]
    held[0] = 4.0
    assert numbers(static, 1) == [8.0]


@pytest.mark.parametrize("kind", [collections.defaultdict, collections.Counter])
def test_missing_keys_are_not_created_by_the_capture(kind: Any) -> None:
    held = kind(float) if kind is collections.defaultdict else kind()
    held.update(dict.fromkeys(range(2000), 1.0))
    static = to_static(lambda x: x + held["a"] if x is None else x + held[5])
    assert numbers(static) == [2.0] * 3
    assert "a" not in held
    del held[5]
    assert not any(
        guard.is_satisfied()
        for guard in static.concrete_program.guards._iter_selected_guards()
        if guard.source.key == 5
    )
    assert 5 not in held
