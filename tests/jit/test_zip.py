"""`zip` in recorded code where the number of items is known only at run time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.jit import to_static
from oarlock.static import InputSpec


def strict_pairs(x: Any, y: Any) -> Any:
    total = paddle.zeros([2])
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


def pairs_with_endless_numbers(x: Any, y: Any) -> Any:
    total = paddle.zeros([2])
    for i, a in zip(itertools.count(), x):
        total = total + a * i
    return total


def pairs_with_generator(x: Any, y: Any) -> Any:
    total = paddle.zeros([2])
    for factor, a in zip((k * 2.0 for k in range(1, 9)), x, strict=False):
        total = total + a * factor
    return total


def program_of(function: Callable[..., Any]) -> Any:
    return to_static(function, [InputSpec([None, 2]), InputSpec([None, 2])])


@pytest.mark.parametrize("function", [strict_pairs, pairs_with_generator])
def test_pairs(function: Callable[..., Any]) -> None:
    for rows in (1, 3):
        x, y = (paddle.arange(k, 2.0 * rows + k).reshape([rows, 2]) for k in (0, 1))
        np.testing.assert_allclose(program_of(function)(x, y).numpy(), function(x, y).numpy())


def test_strict_zip_rejects_different_lengths() -> None:
    with pytest.raises(AssertionError, match="arguments of different lengths"):
        program_of(strict_pairs)(paddle.ones([3, 2]), paddle.ones([2, 2]))


def test_endless_iterator_is_rejected() -> None:
    with pytest.raises(paddle.TraceError, match=r"zip\(\): an iterator has more than"):
        program_of(pairs_with_endless_numbers)(paddle.ones([3, 2]), paddle.ones([2, 2]))
