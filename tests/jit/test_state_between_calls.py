"""State in dicts, lists, tuples and objects from call to call: as in eager execution, and rejected
in a file whose next call would need it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import TraceError
from oarlock.jit import to_static
from oarlock.static import InputSpec

CALLS = ([1.0, 2.0], [-1.0, 0.5], [3.0, -4.0], [1.0, 1.0])


class Held:
    """An object of the user's."""


class InADict(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.d = {"k": paddle.ones([2]), "n": 2}

    def forward(self, x: Any) -> Any:
        self.d["k"] = self.d["k"] + x
        return self.d["k"] * self.d["n"]


class InADictInRounds(InADict):
    def step(self, x: Any) -> None:
        self.d["k"] = self.d["k"] * 0.5 + x

    def forward(self, x: Any) -> Any:
        i = x.sum() * 0
        while i < 3:
            self.step(x)
            i = i + 1
        return self.d["k"] * 1


class InSublayers(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = InADict(), InADict()

    def forward(self, x: Any) -> Any:
        return self.a(x) + self.b(self.a(x))


class InAList(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.two = [paddle.zeros([2]), paddle.ones([2])]

    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            self.two[0] = self.two[0] + x
        self.two[0], self.two[1] = self.two[1], self.two[0]
        return self.two[0] * 2 + self.two[1]


class InATuple(nn.Layer):
    def forward(self, x: Any) -> Any:
        if not hasattr(self, "state"):
            self.state = (x * 0, x * 0)
        h, c = self.state
        self.state = (h + x, c + h)
        return self.state[1] * 1


class InANewDictOfTwoNames(nn.Layer):
    def forward(self, x: Any) -> Any:
        if not hasattr(self, "p"):
            self.p = {"a": x * 0}
            self.q = self.p
        self.p["a"] = self.p["a"] + x
        return self.q["a"] * 1


class UnderTwoNames(InADict):
    def __init__(self) -> None:
        super().__init__()
        self.e, self.first = self.d, self.d["k"]

    def forward(self, x: Any) -> Any:
        self.d["k"] = self.d["k"] + x
        return self.e["k"] + self.first


class ABufferOfTwoNames(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("b", paddle.ones([2]))
        self.first = self.b

    def forward(self, x: Any) -> Any:
        self.b = self.b * 2 + x
        return self.b + self.first


def in_an_object() -> Callable[..., Any]:
    o = Held()
    o.t = paddle.ones([2])

    def f(x: Any) -> Any:
        o.t = o.t + x
        return o.t * 1

    return f


def in_an_object_in_an_object() -> Callable[..., Any]:
    o = Held()
    o.inner = Held()
    o.inner.t, o.inner.d = paddle.zeros([2]), {"a": paddle.ones([2])}

    def f(x: Any) -> Any:
        o.inner.t = o.inner.t + x
        if o.inner.t.sum() > 1:
            o.inner.d["a"] = o.inner.d["a"] * 2
        return o.inner.t + o.inner.d["a"]

    return f


def in_a_dict_around() -> Callable[..., Any]:
    d = {"a": paddle.ones([2]), "two": [paddle.zeros([2])]}

    def f(x: Any) -> Any:
        d["a"] = d["a"] * x
        d["two"][0] = d["two"][0] + d["a"]
        return d["two"][0] * 1

    return f


MAKERS = (
    InADict, InADictInRounds, InSublayers, InAList, InATuple, InANewDictOfTwoNames, UnderTwoNames, ABufferOfTwoNames, in_an_object,
    in_an_object_in_an_object, in_a_dict_around,
)  # fmt: skip


@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__)
def test_calls_equal_eager(make: Callable[[], Callable[..., Any]]) -> None:
    eager, program = make(), to_static(make())
    for call in CALLS:
        np.testing.assert_allclose(
            program(paddle.to_tensor(call)).numpy(), eager(paddle.to_tensor(call)).numpy()
        )


def test_no_new_program_after_the_second_call() -> None:
    for make in (InADict, InAList, InATuple, in_an_object):
        program = to_static(make())
        for call in CALLS:
            program(paddle.to_tensor(call))
        static = program.forward if isinstance(program, nn.Layer) else program
        assert static.get_traced_count() <= 2


@pytest.mark.parametrize("make", [InADict, InAList, InSublayers])
def test_saving_state_between_calls_is_rejected(make: type[nn.Layer], tmp_path: Path) -> None:
    net = make()
    net.eval()
    with pytest.raises(TraceError, match="a saved program keeps no state between calls"):
        paddle.jit.save(net, str(tmp_path / "m"), [InputSpec([2], "float32", "x")])
    want = make()(paddle.ones([2]))
    np.testing.assert_allclose(net(paddle.ones([2])).numpy(), want.numpy())
