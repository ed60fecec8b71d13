"""Jumps out of a `with` whose context manager may swallow an exception before the jump."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import Tensor


def raise_key_error(x: Tensor) -> Tensor:
    raise KeyError("missing")


def triple(x: Tensor) -> Tensor:
    return x * 3


def return_in_branches(x: Tensor, function: Callable[[Tensor], Tensor], flag: bool) -> Tensor:
    if x.sum() > 0:
        with contextlib.suppress(KeyError):
            return function(x)
    elif flag:
        with contextlib.suppress(KeyError):
            x = x - 1
            return function(x)
    return x + 1


def return_at_top(x: Tensor, function: Callable[[Tensor], Tensor], flag: bool) -> Tensor:
    with contextlib.suppress(KeyError):
        return function(x)
    return x + 2


def break_and_continue(x: Tensor, function: Callable[[Tensor], Tensor], flag: bool) -> Tensor:
    for i in range(3):
        with contextlib.suppress(KeyError):
            x = x + 1
            if i == 2:
                break
            function(x)
            continue
        x = x * 10
    return x


def return_without_gradient(x: Tensor, function: Callable[[Tensor], Tensor], flag: bool) -> Tensor:
    if x.sum() > 0:
        with paddle.no_grad():
            return x * 2
    with paddle.no_grad():
        if flag:
            return x - 1
        return x - 2


@pytest.mark.parametrize(
    "forward", [return_in_branches, return_at_top, break_and_continue, return_without_gradient]
)
@pytest.mark.parametrize("function", [raise_key_error, triple])
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("value", [1.0, -1.0])
def test_conversion_equals_python(
    forward: Any, function: Callable[[Tensor], Tensor], flag: bool, value: float
) -> None:
    x = paddle.to_tensor(np.full(3, value, np.float32))
    expected = forward(x, function, flag)
    actual = paddle.jit.to_static(forward)(x, function, flag)
    np.testing.assert_array_equal(actual.numpy(), expected.numpy())
