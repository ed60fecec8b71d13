"""Code that cannot be in a program, and gradients that a program cannot provide: such calls run as
Python.
"""

from __future__ import annotations

from typing import Any

import pytest

import oarlock as paddle

from .guard_helpers import check, x


@paddle.jit.to_static
@paddle.no_grad()
def without_gradients(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x * 3


def test_functions_under_no_grad_are_converted() -> None:
    given = x()
    given.stop_gradient = False
    check(without_gradients(given), 2, 4, 6)
    check(without_gradients(-given), -3, -6, -9)
    assert without_gradients(given).stop_gradient


def hooked(x: Any) -> Any:
    y = x * 2
    y.register_hook(lambda gradient: gradient * 10)
    return y * 3


def endless(x: Any) -> Any:
    return x if x.sum() > 50 else endless(x * 2)


def named(_ol_x: Any) -> Any:
    return _ol_x + 1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (endless, "write it as a loop"),
        (named, "the name '_ol_x' in line"),
    ],
)
def test_uncapturable_code_is_rejected(function: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        paddle.jit.to_static(function)(x())
    check(x() * 2, 2, 4, 6)  # nothing is left of the recording


class Tenfold(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 10


def by_class(x: Any) -> Any:
    return Tenfold.apply(x) * 3


@pytest.mark.parametrize(
    ("function", "lacks"),
    [
        (hooked, r"hooks of its values \(register_hook\)"),
        (by_class, r"the backward of a PyLayer \(Tenfold\)"),
    ],
)
def test_unsupported_gradients_run_as_python(function: Any, lacks: str) -> None:
    static = paddle.jit.to_static(function)
    check(static(x()), 6, 12, 18)
    eager, wants = x(), x()
    eager.stop_gradient = wants.stop_gradient = False
    function(eager).sum().backward()
    with pytest.warns(
        UserWarning,
        match=f"{function.__name__}: a program cannot contain {lacks}; calls that need",
    ):
        found = static(wants)
    check(found, 6, 12, 18)
    found.sum().backward()
    assert wants.grad.tolist() == eager.grad.tolist()
    wants.clear_grad()
    static(wants).sum().backward()  # says it once
    assert wants.grad.tolist() == eager.grad.tolist()
    with paddle.no_grad():
        check(static(wants), 6, 12, 18)


class Doubled(paddle.nn.Layer):
    """Gives its weight a hook at each call."""

    def __init__(self, within: bool) -> None:
        super().__init__()
        self.weight = self.create_parameter([1])
        self.within = within

    def forward(self, x: Any) -> Any:
        self.weight.register_hook(lambda gradient: gradient * 2)
        y = self.weight * x
        if self.within:
            y.register_hook(lambda gradient: gradient * 10)
        return y


def gradient(net: Any, rows: int) -> float:
    net.weight.clear_grad()
    net(paddle.ones([rows, 1])).sum().backward()
    return float(net.weight.grad)


def test_parameter_hook_runs_once(tmp_path: Any) -> None:
    net = paddle.jit.to_static(Doubled(within=False))
    assert [gradient(net, rows) for rows in (1, 2, 2, 3)] == [2, 4, 4, 6]
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[paddle.static.InputSpec([None, 1])])
    assert gradient(net, 1) == 2


@pytest.mark.filterwarnings("ignore:forward. a program cannot contain")
def test_parameter_hook_in_python_fallback() -> None:
    eager, net = Doubled(within=True), paddle.jit.to_static(Doubled(within=True))
    assert [gradient(net, 1), gradient(net, 2)] == [gradient(eager, 1), gradient(eager, 2)]
