"""Side effects of a call on Python state: counters, attributes, lists, inputs that it changes in
place.
"""

from __future__ import annotations

import linecache
import warnings
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn

from .guard_helpers import check, constant_linear, x

COUNT = 0


def assert_said_at(warning: warnings.WarningMessage, line: str) -> None:
    assert warning.filename == __file__
    assert linecache.getline(__file__, warning.lineno).strip() == line


class Toggle(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.flip = False
        self.calls = 0

    def forward(self, x: Any) -> Any:
        self.flip = not self.flip
        self.seen = [1, 2]
        return x if self.flip else -x


def test_attributes_set_by_forward() -> None:
    net = paddle.jit.to_static(Toggle())
    for sign in (1, -1, 1, -1, 1):
        check(net(x()), sign, 2 * sign, 3 * sign)
    assert net.flip is True
    assert net.seen == [1, 2]
    assert net.forward.get_traced_count() <= 3


def counted(x: Any) -> Any:
    global COUNT  # noqa: PLW0603 - the point of the test
    COUNT += 1
    return x + COUNT


def test_counter_falls_back_to_python_at_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(globals(), "COUNT", 0)
    static = paddle.jit.to_static(counted)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for call in range(1, 21):
            check(static(x()), 1 + call, 2 + call, 3 + call)
    assert COUNT == 20
    assert static.get_traced_count() == 16
    (warning,) = [str(w.message) for w in told]
    assert warning.startswith("counted: 'COUNT' differs at each call")


def test_nonlocal_counter() -> None:
    count = 0

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        nonlocal count
        count += 1
        return x * count

    for call in (1, 2, 3):
        check(function(x()), call, 2 * call, 3 * call)
    assert count == 3


class Lazy(nn.Layer):
    def forward(self, x: Any) -> Any:
        if not hasattr(self, "inner"):
            self.inner = constant_linear(1.0)
        return self.inner(x)


def test_layer_created_in_first_forward() -> None:
    net = paddle.jit.to_static(Lazy())
    for _ in range(3):
        check(net(x()), 6, 6, 6)
    assert len(net.parameters()) == 2
    assert net.forward.get_traced_count() == 2


def test_appending_tensors_to_external_list_is_rejected() -> None:
    seen: list[Any] = []

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        seen.append(x * 2)
        return x

    with pytest.raises(RuntimeError, match="'seen' was created outside of the function"):
        function(x())
    assert seen == []


def test_changed_argument_list_warns() -> None:
    @paddle.jit.to_static
    def function(x: Any, kept: Any) -> Any:
        kept.append(1)
        return x * len(kept)

    kept: list[int] = []
    with pytest.warns(UserWarning, match=r"it mutates \['kept'\]") as said:
        check(function(x(), kept), 1, 2, 3)
    assert_said_at(said[0], "check(function(x(), kept), 1, 2, 3)")
    assert kept == []


@pytest.mark.parametrize("sign", [1, -1])
def test_in_place_changes_of_inputs(sign: int) -> None:
    @paddle.jit.to_static
    def function(x: Any, y: Any) -> Any:
        if x.sum() > 0:
            x[0] = 5.0
        else:
            x.multiply_(y)
        return x + 1

    given = x() * sign
    found = function(given, x())
    wanted = (5, 2, 3) if sign > 0 else (-1, -4, -9)
    check(given, *wanted)
    check(found, *(w + 1 for w in wanted))


def test_gradients_of_in_place_changed_input() -> None:
    def function(x: Any, w: Any) -> Any:
        x[0] = 3.0
        x.multiply_(w)
        return (x * w).sum()

    gradients = []
    for run in (function, paddle.jit.to_static(function)):
        w, given = x(), x() * 1
        w.stop_gradient = False
        (run(given, w) + given.sum()).backward()
        gradients.append(w.grad.numpy())
    np.testing.assert_allclose(*gradients)


class Masked(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[int, Any] = {}

    def forward(self, x: Any) -> Any:
        if 3 not in self.kept:
            self.kept[3] = paddle.ones([3]) * 2
        return x * self.kept[3]


def test_attribute_with_tensor_of_the_program() -> None:
    net = paddle.jit.to_static(Masked())
    with pytest.warns(
        UserWarning, match="values that forward stored in 'Masked.kept' were removed"
    ) as said:
        check(net(x()), 2, 4, 6)
    assert_said_at(said[0], "check(net(x()), 2, 4, 6)")
    check(net(x()), 2, 4, 6)
    assert net.kept == {}
    assert net.forward.get_traced_count() == 1


class Kept(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", paddle.ones([3]))

    def forward(self, x: Any) -> Any:
        return x * self.mask


def test_reregistered_buffers() -> None:
    net = paddle.jit.to_static(Kept())
    check(net(x()), 1, 2, 3)
    net.register_buffer("mask", paddle.zeros([3]))
    check(net(x()), 0, 0, 0)


class ReplacedContainer(nn.Layer):
    """Replaces a container of tensors in each call."""

    def __init__(self, wrap: Any, unwrap: Any) -> None:
        super().__init__()
        self.wrap, self.unwrap = wrap, unwrap
        self.held = wrap(paddle.zeros([1]))

    def forward(self, x: Any) -> Any:
        self.held = self.wrap(self.unwrap(self.held) + 1)
        return x + self.unwrap(self.held)


@pytest.mark.parametrize(
    ("wrap", "unwrap"),
    [
        (lambda t: [t], lambda held: held[0]),
        (lambda t: {"a": t}, lambda held: held["a"]),
        (lambda t: [[t]], lambda held: held[0][0]),
        (lambda t: {"a": (t,)}, lambda held: held["a"][0]),
    ],
)
def test_replaced_container_is_captured_once(wrap: Any, unwrap: Any) -> None:
    layer = ReplacedContainer(wrap, unwrap)
    called = paddle.jit.to_static(layer)
    assert [called(paddle.ones([1])).item() for _ in range(3)] == [2.0, 3.0, 4.0]
    assert called.forward.get_traced_count() == 1
