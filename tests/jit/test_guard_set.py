"""Guards on Python state: a change leads to another program, and mutations by the function itself
are replayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.jit.guards.guard import StateGuard

from .guard_helpers import Factor, check, constant_linear, x

SCALE = 2.0


class Settings:
    """Settings that functions read."""

    scale = 2.0


def scaled(x: Any) -> Any:
    return x * SCALE


def test_globals_read_by_inner_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    static = paddle.jit.to_static(lambda x: scaled(x))
    check(static(x()), 2, 4, 6)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    check(static(x()), 3, 6, 9)
    monkeypatch.setitem(globals(), "scaled", lambda x: x + 1)
    check(static(x()), 2, 3, 4)


def test_containers_arrays_and_tensors_in_closures() -> None:
    numbers, table = [1.0], {"a": 1.0}
    array, tensors = np.ones(3, "float32"), [x()]

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        return x * numbers[0] + table["a"] + paddle.to_tensor(array) + tensors[0] + len(numbers)

    check(function(x()), 5, 7, 9)
    numbers[0] = 2.0
    check(function(x()), 6, 9, 12)
    numbers.append(0.0)
    check(function(x()), 7, 10, 13)
    table["a"] = 0.0
    check(function(x()), 6, 9, 12)
    array[0] = 11.0
    check(function(x()), 16, 9, 12)
    tensors[0] = -x()
    check(function(x()), 14, 5, 6)


def test_object_attributes() -> None:
    held = Factor(2.0)
    outside = paddle.jit.to_static(lambda x: x * held.k)
    given = paddle.jit.to_static(lambda x, f: x * f.k)
    check(outside(x()), 2, 4, 6)
    check(given(x(), held), 2, 4, 6)
    held.k = 3.0
    check(outside(x()), 3, 6, 9)
    check(given(x(), held), 3, 6, 9)
    check(given(x(), Factor(4.0)), 4, 8, 12)


def test_class_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    static = paddle.jit.to_static(lambda x: x * Settings.scale)
    check(static(x()), 2, 4, 6)
    monkeypatch.setattr(Settings, "scale", 3.0)
    check(static(x()), 3, 6, 9)


def test_set_arguments() -> None:
    static = paddle.jit.to_static(lambda x, s: x * sum(s))
    held = {1, 2}
    check(static(x(), held), 3, 6, 9)
    held.add(3)
    check(static(x(), held), 6, 12, 18)


def test_training_mode_of_closure_layer() -> None:
    dropout = nn.Dropout(1.0)
    static = paddle.jit.to_static(lambda x: dropout(x))
    check(static(x()), 0, 0, 0)
    dropout.eval()
    check(static(x()), 1, 2, 3)
    dropout.train()
    check(static(x()), 0, 0, 0)
    assert static.get_traced_count() == 2


class Stack(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LayerList([constant_linear(1.0)])

    def last(self, x: Any) -> Any:
        return x

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return self.last(x)


def test_changed_layers_parameters_and_methods() -> None:
    net = paddle.jit.to_static(Stack())
    check(net(x()), 6, 6, 6)
    net.layers.append(constant_linear(2.0))
    check(net(x()), 36, 36, 36)
    net.layers[0] = constant_linear(0.5)
    check(net(x()), 18, 18, 18)
    net.layers[0].weight = constant_linear(1.0).weight
    check(net(x()), 36, 36, 36)
    net.last = lambda x: -x
    check(net(x()), -36, -36, -36)


def test_hooks_of_sublayers() -> None:
    net = paddle.jit.to_static(Stack())
    check(net(x()), 6, 6, 6)
    hook = net.layers[0].register_forward_post_hook(lambda layer, inputs, outputs: outputs * 2)
    check(net(x()), 12, 12, 12)
    hook.remove()
    check(net(x()), 6, 6, 6)
    assert net.forward.get_traced_count() == 2


def scaling(k: float) -> Any:
    def scale(x: Any) -> Any:
        return x * k

    def change(value: float) -> None:
        nonlocal k
        k = value

    scale.change = change  # type: ignore[attr-defined]
    return scale


def test_functions_of_one_factory() -> None:
    a, b = scaling(2.0), scaling(3.0)
    static = paddle.jit.to_static(lambda x: a(x) + b(x))
    check(static(x()), 5, 10, 15)
    b.change(4.0)
    check(static(x()), 6, 12, 18)
    a.change(1.0)
    check(static(x()), 5, 10, 15)


def test_factory_called_in_the_program() -> None:
    a = scaling(2.0)
    static = paddle.jit.to_static(lambda x: scaling(2.0)(x) + a(x))
    check(static(x()), 4, 8, 12)
    a.change(3.0)
    check(static(x()), 5, 10, 15)


class Activation(nn.Layer):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(x)


def test_sequential_of_factory_functions() -> None:
    functions = [scaling(2.0), scaling(3.0)]
    net = paddle.jit.to_static(nn.Sequential(*map(Activation, functions)))
    check(net(x()), 6, 12, 18)
    functions[1].change(0.5)
    check(net(x()), 1, 2, 3)


@dataclass(frozen=True)
class Fixed:
    k: float


@pytest.mark.parametrize("wrap", [lambda k: k, Fixed, lambda k: frozenset([k]), np.float64])
def test_sign_of_zero_in_arguments(wrap: Any) -> None:
    @paddle.jit.to_static
    def function(x: Any, k: Any) -> Any:
        return x / (k.k if isinstance(k, Fixed) else list(k)[0] if isinstance(k, frozenset) else k)

    check(function(x(), wrap(0.0)), np.inf, np.inf, np.inf)
    check(function(x(), wrap(-0.0)), -np.inf, -np.inf, -np.inf)
    check(function(x(), wrap(0.0)), np.inf, np.inf, np.inf)
    assert function.get_traced_count() == 2


def test_nan_arguments_are_equal() -> None:
    function = paddle.jit.to_static(lambda x, k: x * k)
    check(function(x(), float("nan")), np.nan, np.nan, np.nan)
    check(function(x(), float("nan")), np.nan, np.nan, np.nan)
    assert function.get_traced_count() == 1


def test_sign_of_zero_in_state() -> None:
    settings, numbers, members = Factor(0.0), [0.0], {0.0}

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        return x / settings.k + x / numbers[0] + x / next(iter(members))

    check(function(x()), np.inf, np.inf, np.inf)
    settings.k = -0.0
    check(function(x()), np.nan, np.nan, np.nan)
    numbers[0] = -0.0
    members.clear()
    members.add(-0.0)
    check(function(x()), -np.inf, -np.inf, -np.inf)


def test_sign_of_zero_in_branches() -> None:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        if x.sum() > 0:
            k = 0.0
        else:
            k = -0.0
        return x / k

    check(function(x()), np.inf, np.inf, np.inf)
    check(function(-x()), np.inf, np.inf, np.inf)


def test_unchanged_layers_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    net, other = paddle.jit.to_static(Stack()), Stack()
    check(net(x()), 6, 6, 6)
    compared = []
    holds = StateGuard.is_satisfied
    monkeypatch.setattr(
        StateGuard, "is_satisfied", lambda g: compared.append(g.source.holder) or holds(g)
    )
    other.scale = 3.0
    check(net(x()), 6, 6, 6)
    assert not [found for found in compared if isinstance(found, nn.Layer)]
    net.layers.note = "new"
    check(net(x()), 6, 6, 6)
    assert {id(found) for found in compared if isinstance(found, nn.Layer)} == {id(net.layers)}
