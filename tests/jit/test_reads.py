"""Guards on everything that a function reads from Python, at any depth."""

from __future__ import annotations

import array
import collections
import contextvars
import functools
import os
import random
import time
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.jit import to_static

Cases = Callable[..., Any]
ROWS: dict[str, Cases] = {}


def row(function: Cases) -> Cases:
    """Return a factory of a function of one tensor, and the changes before each call after the
    first.
    """
    ROWS[function.__name__] = function
    return function


class Thing:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)


class Slotted:
    __slots__ = ("factor",)

    def __init__(self, factor: float) -> None:
        self.factor = factor


class Base:
    factor = 2.0


class Derived(Base):
    pass


class Names(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        return self[name]


FACTOR = 2.0


@row
def a_keyword_pattern() -> Any:
    o = Thing(factor=2.0)

    def f(x: Any) -> Any:
        match o:
            case Thing(factor=2.0):
                return x * 2
        return x

    return f, lambda n: setattr(o, "factor", n)


@row
def a_pattern_in_a_pattern() -> Any:
    o = Thing(held=Thing(factor=2.0))

    def f(x: Any) -> Any:
        match o:
            case Thing(held=Thing(factor=2.0)):
                return x * 2
        return x

    return f, lambda n: setattr(o.held, "factor", n)


class Pair:
    __match_args__ = ("factor", "offset")

    def __init__(self, factor: float, offset: float) -> None:
        self.factor, self.offset = factor, offset


@row
def a_positional_pattern() -> Any:
    o = Pair(2.0, 1.0)

    def f(x: Any) -> Any:
        match o:
            case Pair(factor, _):
                return x * factor
        return x

    return f, lambda n: setattr(o, "factor", n)


@row
def an_element_deep_below() -> Any:
    d = {"a": {"b": {"c": {"d": {"e": 2.0}}}}}
    return lambda x: x * d["a"]["b"]["c"]["d"]["e"], lambda n: d["a"]["b"]["c"]["d"].update(e=n)


@row
def an_object_of_an_object() -> Any:
    o = Thing(a=Thing(b=Thing(factor=2.0)))
    return lambda x: x * o.a.b.factor, lambda n: setattr(o.a.b, "factor", n)


@row
def under_another_name() -> Any:
    o = Thing(a=Thing(b=Thing(factor=2.0)))

    def f(x: Any) -> Any:
        inner = o.a
        held = getattr(inner, "b")  # noqa: B009 - it is what is tested
        return x * held.factor

    return f, lambda n: setattr(o.a.b, "factor", n)


@row
def by_names_that_are_texts() -> Any:
    o = Thing(a=Thing(factor=2.0))

    def f(x: Any) -> Any:
        held: Any = o
        for name in ("a", "factor"):
            held = getattr(held, name)
        return x * held

    return f, lambda n: setattr(o.a, "factor", n)


@row
def objects_in_a_list() -> Any:
    things = [Thing(inner=Thing(factor=1.0)), Thing(inner=Thing(factor=2.0))]

    def f(x: Any) -> Any:
        for thing in things:
            x = x * thing.inner.factor
        return x + sum(thing.inner.factor for thing in things)

    return f, lambda n: setattr(things[1].inner, "factor", n)


@row
def a_config_of_dicts() -> Any:
    c = Names(model=Names(head=Names(act=Names(inner=Names(scale=2.0)))))
    return lambda x: x * c.model.head.act.inner.scale, lambda n: c.model.head.act.inner.update(
        scale=n
    )


@row
def a_slot() -> Any:
    o = Slotted(2.0)
    return lambda x: x * o.factor, lambda n: setattr(o, "factor", n)


@row
def an_attribute_of_a_base_class() -> Any:
    Base.factor = 2.0
    return lambda x: x * Derived.factor, lambda n: setattr(Base, "factor", n)


@row
def a_namespace_of_namespaces() -> Any:
    o = types.SimpleNamespace(a=types.SimpleNamespace(factor=2.0))
    return lambda x: x * o.a.factor, lambda n: setattr(o.a, "factor", n)


@row
def an_attribute_of_a_function() -> Any:
    def helper(x: Any) -> Any:
        return x * helper.factor  # type: ignore[attr-defined]

    helper.factor = 2.0  # type: ignore[attr-defined]
    return lambda x: helper(x), lambda n: setattr(helper, "factor", n)


@row
def a_module_without_a_file() -> Any:
    module = types.ModuleType("made_by_hand")
    module.factor = 2.0  # type: ignore[attr-defined]
    return lambda x: x * module.factor, lambda n: setattr(module, "factor", n)


@row
def the_object_of_a_method() -> Any:
    class Scaling:
        factor = 2.0

        def scaled(self, x: Any) -> Any:
            return x * self.factor

    o = Scaling()
    scaled = o.scaled
    return lambda x: scaled(x), lambda n: setattr(o, "factor", n)


@row
def what_a_partial_holds() -> Any:
    held = {"factor": 2.0}
    scaled = functools.partial(lambda c, x: x * c["factor"], held)
    return lambda x: scaled(x), lambda n: held.update(factor=n)


@row
def a_variable_of_the_environment() -> Any:
    os.environ["OARLOCK_TEST_FACTOR"] = "2"
    return lambda x: x * float(os.environ["OARLOCK_TEST_FACTOR"]), lambda n: os.environ.update(
        OARLOCK_TEST_FACTOR=str(n)
    )


@row
def the_environment_asked() -> Any:
    os.environ["OARLOCK_TEST_FACTOR"] = "2"

    def f(x: Any) -> Any:
        return x * float(os.getenv("OARLOCK_TEST_FACTOR", "1")) + float(
            os.environ.get("OARLOCK_TEST_FACTOR", "1")
        )

    return f, lambda n: os.environ.update(OARLOCK_TEST_FACTOR=str(n))


@row
def a_variable_of_the_context() -> Any:
    factor = contextvars.ContextVar("factor", default=2.0)
    return lambda x: x * factor.get(), factor.set


@row
def a_deque() -> Any:
    held = collections.deque([1.0, 2.0], maxlen=2)
    return lambda x: x * held[0], held.append


@row
def bytes_and_numbers() -> Any:
    some, others = bytearray([2]), array.array("d", [2.0])

    def change(n: float) -> None:
        some[0], others[0] = int(n), n

    return lambda x: x * some[0] + others[0], change


@row
def a_view_of_a_dict() -> Any:
    held = {"factor": 2.0}
    view, chain = types.MappingProxyType(held), collections.ChainMap({}, held)
    return lambda x: x * view["factor"] + chain["factor"], lambda n: held.update(factor=n)


@row
def a_list_of_thousands() -> Any:
    held = [1.0] * 5000
    return lambda x: x * held[3000], lambda n: held.__setitem__(3000, n)


@row
def an_array_of_a_layer() -> Any:
    class Scaling(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.factor = np.ones(3, "float32")

        def forward(self, x: Any) -> Any:
            return x * paddle.to_tensor(self.factor)

    layer = Scaling()
    return layer, lambda n: layer.factor.__setitem__(0, n)


@row
def a_dict_of_a_layers_class() -> Any:
    class Scaling(nn.Layer):
        settings: dict[str, float] = {"factor": 2.0}

        def forward(self, x: Any) -> Any:
            return x * self.settings["factor"]

    return Scaling(), lambda n: Scaling.settings.update(factor=n)


@row
def what_a_hook_reads() -> Any:
    held = {"factor": 2.0}
    layer = nn.Linear(3, 3, weight_attr=nn.initializer.Constant(1.0))
    outer = nn.Sequential(layer)
    layer.register_forward_post_hook(lambda _layer, _given, made: made * held["factor"])
    return outer, lambda n: held.update(factor=n)


@row
def a_default_of_the_function() -> Any:
    def f(x: Any, settings: dict[str, float] = {"factor": 2.0}) -> Any:  # noqa: B006 - it is what is tested
        return x * settings["factor"]

    (held,) = f.__defaults__ or ()
    return f, lambda n: held.update(factor=n)


@row
def the_names_of_the_module() -> Any:
    def change(n: float) -> None:
        globals()["FACTOR"] = n

    change(2.0)
    return lambda x: x * globals()["FACTOR"], change


@row
def the_default_dtype() -> Any:
    return (
        lambda x: (
            x.astype("float64")
            * paddle.ones([3]).astype("float64")
            / paddle.to_tensor(3.0).astype("float64")
        ),
        (lambda n: paddle.set_default_dtype("float64" if n > 3 else "float32")),
    )


@row
def a_counter_of_a_property() -> Any:
    class Counting:
        count = 0

        @property
        def next(self) -> int:
            self.count += 1
            return self.count

    o = Counting()
    return lambda x: x * o.next, lambda n: None


@row
def a_counter_deep_below() -> Any:
    o = Thing(a=Thing(count=0, seen=[]))

    def f(x: Any) -> Any:
        o.a.count += 1
        o.a.seen.append(1)
        return x * o.a.count + len(o.a.seen)

    return f, lambda n: None


@row
def random_numbers_of_python() -> Any:
    random.seed(7)
    return (
        lambda x: x * random.random() if random.random() > 0.5 else x - random.randrange(9),
        lambda n: None,
    )


@row
def random_numbers_of_numpy() -> Any:
    np.random.seed(7)
    made, other = np.random.RandomState(3), np.random.default_rng(3)
    return (
        lambda x: x * float(np.random.rand()) + float(made.rand()) + float(other.random()),
        lambda n: None,
    )


@row
def an_iterator() -> Any:
    def doubling() -> Iterator[float]:
        found = 1.0
        while True:
            yield found
            found *= 2

    numbers, doubled = iter(range(9)), doubling()
    return lambda x: x * next(numbers) + next(doubled), lambda n: None


@row
def a_clock() -> Any:
    held = [1.0]

    def f(x: Any) -> Any:
        return x * 0 + (time.perf_counter() > held[0])

    return f, lambda n: held.__setitem__(0, 1e30 if n > 3 else 0.0)


def results(made: Any, convert: Callable[[Any], Any]) -> list[Any]:
    function, change = made
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        called = convert(function)
        found = []
        for n in (None, 5.0, 5.0, 3.0, 2.0):
            if n is not None:
                change(n)
            x = paddle.to_tensor(np.array([1.0, 2.0, 4.0], "float32"))
            found.append(called(x).numpy())
    return found


@pytest.mark.parametrize("name", ROWS)
def test_change_is_detected(name: str) -> None:
    before = paddle.get_default_dtype()
    try:
        wanted = results(ROWS[name](), lambda f: f)
        paddle.set_default_dtype(before)
        found = results(ROWS[name](), to_static)
    finally:
        paddle.set_default_dtype(before)
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)
        assert got.dtype == want.dtype


@pytest.mark.parametrize(
    "name", ["an_object_of_an_object", "a_slot", "a_deque", "a_variable_of_the_environment"]
)
def test_unchanged_state_needs_one_program(name: str) -> None:
    function, _ = ROWS[name]()
    static = to_static(function)
    for _ in range(4):
        static(paddle.ones([3]))
    assert static.get_traced_count() == 1


def test_random_state_falls_back_to_python() -> None:
    static = to_static(lambda x: x * random.random())
    static(paddle.ones([3]))
    with pytest.warns(
        UserWarning, match="'random' differs at each call, so a program cannot contain it"
    ):
        static(paddle.ones([3]))
    assert static.get_traced_count() == 1
