"""Changes of iterators, deques, sets, arrays and random generators in a branch or loop are
rejected, with their name.
"""

from __future__ import annotations

import collections
import functools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.errors import TraceError
from oarlock.jit import to_static
from oarlock.jit.guards.object_state import MAX_DEPTH

CALLS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0])


def a_deque(x: Any) -> Any:
    q = collections.deque([x, x * 2, x * 3])
    if x.sum() > 0:
        q.popleft()
    return q[0]


def a_set(x: Any) -> Any:
    s: set[int] = set()
    if x.sum() > 0:
        s.add(1)
    return x * 2 if 1 in s else x


def an_array(x: Any) -> Any:
    a = np.zeros(2)
    if x.sum() > 0:
        a[0] = 5
    else:
        a[1] = 7
    return x * float(a[0])


def an_object_array(x: Any) -> Any:
    a = np.array([1, 2], object)
    if x.sum() > 0:
        a.resize((2, 1), refcheck=False)
    return x * a.ndim


def a_bytearray(x: Any) -> Any:
    b = bytearray(b"ab")
    if x.sum() > 0:
        b[0] = 3
    return x * b[0]


def an_iterator(x: Any) -> Any:
    it = iter([1, 2, 3])
    v = next(it)
    if x.sum() > 0:
        v = next(it)
    return x * v, x * next(it)


def a_generator(x: Any) -> Any:
    it = (i * 2 for i in range(5))
    if x.sum() > 0:
        next(it)
    return x * next(it)


def an_iterator_of_iterators(x: Any) -> Any:
    it = enumerate(zip([1, 2, 3], [4, 5, 6], strict=True))
    if x.sum() > 0:
        next(it)
    return x * next(it)[0]


def a_loop_over_an_iterator(x: Any) -> Any:
    it = iter([1, 2, 3])
    if x.sum() > 0:
        for i in it:
            x = x * i
    return x + sum(it)


def rounds_that_only_a_run_knows(x: Any) -> Any:
    z = zip([1, 2, 3], [4, 5, 6], strict=True)
    for a, _ in z:
        if x.sum() > a:
            break
    return x + sum(a for a, _ in z)


def in_a_loop(x: Any) -> Any:
    q = collections.deque([1, 2, 3])
    while x.sum() < 10:
        x = x + 1
        q.rotate(1)
    return x * q[0]


def in_a_condition(x: Any) -> Any:
    it = iter(range(100))
    while x.sum() < next(it):
        x = x + 1
    return x


class Doubling:
    def __init__(self, x: Any) -> None:
        self._v = x

    @property
    def v(self) -> Any:
        return self._v

    @v.setter
    def v(self, value: Any) -> None:
        self._v = value * 2


def a_setter(x: Any) -> Any:
    c = Doubling(x)
    if x.sum() > 0:
        c.v = x * 3
    return c.v


class Counting:
    n = 0

    def __enter__(self) -> None:
        self.n += 1

    def __exit__(self, *_: object) -> None:
        self.n += 10


def a_context(x: Any) -> Any:
    c = Counting()
    if x.sum() > 0:
        with c:
            x = x * 1
    return x * c.n


class Listed(list[Any]):
    def push(self, value: Any) -> None:
        self.append(value)


def a_list_of_a_class(x: Any) -> Any:
    held = Listed()
    if x.sum() > 0:
        held.push(x)
    else:
        held.push(x * 2)
    return held[0] * len(held)


def a_counter(x: Any) -> Any:
    seen: collections.Counter[str] = collections.Counter()
    if x.sum() > 0:
        seen["up"] += 1
    return x * seen["up"]


def a_random_state(x: Any) -> Any:
    r = np.random.RandomState(0)
    if x.sum() > 0:
        r.rand()
    return x * r.rand()


def a_random_generator(x: Any) -> Any:
    r = np.random.default_rng(0)
    if x.sum() > 0:
        r.random()
    return x * r.random()


def numpy_draws(x: Any) -> Any:
    np.random.seed(0)
    if x.sum() > 0:
        x = x + np.random.rand()
    return x * np.random.rand()


def python_draws(x: Any) -> Any:
    random.seed(0)
    if x.sum() > 0:
        x = x + random.random()
    return x * random.random()


def inside_of_an_object(x: Any) -> Any:
    held = {"q": [collections.deque([1, 2])]}
    if x.sum() > 0:
        held["q"][0].pop()
    return x * len(held["q"][0])


def pushed(q: Any, value: int) -> None:
    q.append(value)


def by_a_function(x: Any) -> Any:
    q = collections.deque([1])
    if x.sum() > 0:
        pushed(q, 2)
    return x * len(q)


def below_a_value_at_the_greatest_depth(x: Any) -> Any:
    queues = {"q": collections.deque([1])}
    nested: Any = queues
    for _ in range(MAX_DEPTH):
        nested = [nested]

    def push() -> int:
        queues["q"].append(2)
        return len(nested)

    if x.sum() > 0:
        push()
    return x * len(queues["q"])


CASES = {
    a_deque: "q", a_set: "s", an_array: "a", an_object_array: "a", a_bytearray: "b", an_iterator: "it", a_generator: "it", an_iterator_of_iterators: "it",
    a_loop_over_an_iterator: "it", rounds_that_only_a_run_knows: "z", in_a_loop: "q", in_a_condition: "it", a_setter: "c",
    a_list_of_a_class: "held", a_counter: "seen", a_random_state: "r", a_random_generator: "r", numpy_draws: "np.random", python_draws: "random",
    inside_of_an_object: r"held\['q'\]\[0\]", by_a_function: "q", below_a_value_at_the_greatest_depth: r"queues\['q'\]",
}  # fmt: skip


def test_context_managers() -> None:
    for value in (1.0, -1.0):
        x = paddle.to_tensor([value])
        assert to_static(a_context)(x).tolist() == a_context(x).tolist()


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_rejected(function: Callable[..., Any]) -> None:
    where = rf"\n  at test_opaque_state.py:\d+ in {function.__name__}: "
    with pytest.raises(TraceError, match=rf"(?s)^'{CASES[function]}' .*{where}"):
        to_static(function)(paddle.to_tensor(CALLS[0]))


# What nobody needs to put back.


def made_in_the_branch(x: Any) -> Any:
    if x.sum() > 0:
        q = collections.deque([x, x * 2])
        q.rotate(1)
        it = iter([2, 3])
        x = q[0] * next(it)
    return x


def only_read(x: Any) -> Any:
    q, a, s = collections.deque([2, 3]), np.arange(3.0), {1, 2}
    if x.sum() > 0:
        x = x * q[0] + float(a[2]) + len(s)
    return x


def before_and_after(x: Any) -> Any:
    it = iter([2, 3, 4])
    x = x * next(it)
    if x.sum() > 0:
        x = x + 1
    return x * next(it)


class Kept:
    def __init__(self, x: Any) -> None:
        self._v = x

    @property
    def v(self) -> Any:
        return self._v

    @v.setter
    def v(self, value: Any) -> None:
        self._v = value


def a_setter_that_keeps(x: Any) -> Any:
    c = Kept(x)
    if x.sum() > 0:
        c.v = x * 3
    return c.v


def a_temporary_iterator(x: Any) -> Any:
    for a, b in zip([1, 2, 3], [4, 5, 6], strict=True):
        if x.sum() > a:
            break
        x = x + b
    return x


def items() -> Iterator[int]:
    yield from (2, 3)


def a_generator_in_a_round(x: Any) -> Any:
    while x.sum() < 10:
        for i in items():
            x = x + i
    return x


@functools.lru_cache
def tables(n: int) -> tuple[int, ...]:
    return tuple(range(n))


def a_cache(x: Any) -> Any:
    if x.sum() > 0:
        x = x * tables(4)[3]
    return x + tables(4)[2]


@functools.lru_cache
def doubled(x: Any) -> Any:
    return x * 2


def a_cache_of_tensors(x: Any) -> Any:
    y = x
    if x.sum() > 0:
        y = doubled(x)
    return y + doubled(x)


class CachedMethods:
    @functools.lru_cache  # noqa: B019 - the object lives as long as the module
    def doubled_if_positive(self, x: Any) -> Any:
        y = x
        if x.sum() > 0:
            y = x * 2
        return y


CACHED = CachedMethods()


def a_cached_method(x: Any) -> Any:
    return CACHED.doubled_if_positive(x) + CACHED.doubled_if_positive(x + 1)


ONES = paddle.ones([3])


@functools.lru_cache
def ones(n: int) -> Any:
    return ONES * n


def a_cache_that_no_program_fills(x: Any) -> Any:
    if x.sum() > 0:
        x = x + ones(2)
    return x + ones(2)


GOOD = (
    made_in_the_branch, only_read, before_and_after, a_setter_that_keeps, a_temporary_iterator, a_generator_in_a_round,
    a_cache, a_cache_of_tensors, a_cached_method, a_cache_that_no_program_fills,
)  # fmt: skip


@pytest.mark.parametrize("function", GOOD, ids=lambda f: f.__name__)
def test_accepted(function: Callable[..., Any]) -> None:
    program = to_static(function)
    for call in CALLS:
        x = paddle.to_tensor(call)
        np.testing.assert_allclose(program(x).numpy(), function(x).numpy(), rtol=1e-6)
