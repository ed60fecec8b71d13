"""What cannot be in a program, and gradients that it cannot give."""

from __future__ import annotations

from typing import Any

import pytest

import oarlock as paddle

from .outside_values import check, x


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
def test_what_cannot_be_in_a_program_is_refused(function: Any, message: str) -> None:
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


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (hooked, "values of a program have no hooks"),
        (lambda x: Tenfold.apply(x) * 3 + x - x, "Tenfold: a program has no place for the backward"),
    ],
)
def test_gradients_that_a_program_cannot_give_are_refused(function: Any, message: str) -> None:
    static = paddle.jit.to_static(function)
    check(static(x()), 6, 12, 18)
    wants = x()
    wants.stop_gradient = False
    with pytest.raises(RuntimeError, match=message):
        static(wants)
    with paddle.no_grad():
        check(static(wants), 6, 12, 18)
