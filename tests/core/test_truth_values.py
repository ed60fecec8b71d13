"""Bool tensors in arithmetic: numbers beside numbers, rejected among themselves."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import oarlock as paddle

B, N, F = np.array([True, False, True]), np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0], "float32")


@pytest.mark.parametrize("way", [operator.add, operator.sub, operator.mul])
@pytest.mark.parametrize(
    ("other", "swapped"),
    [(2, False), (2, True), (1.5, False), (1.5, True), (N, True), (F, True)],
    ids=str,
)
def test_bools_with_numbers(way: Any, other: Any, swapped: bool) -> None:
    held = paddle.to_tensor(other) if isinstance(other, np.ndarray) else other
    found = way(held, paddle.to_tensor(B)) if swapped else way(paddle.to_tensor(B), held)
    want = way(other, B.astype("int64")) if swapped else way(B.astype("int64"), other)
    assert found.dtype == (
        paddle.float32 if isinstance(other, float) or other is F else paddle.int64
    )
    assert np.array_equal(found.numpy(), want)


@pytest.mark.parametrize(
    "way", [operator.add, operator.sub, operator.floordiv, operator.mod, operator.pow]
)
def test_arithmetic_of_bools_is_rejected(way: Any) -> None:
    for other in (paddle.to_tensor(B), True):
        with pytest.raises(
            paddle.OpError, match="a bool tensor is not supported; cast it to a number dtype"
        ):
            way(paddle.to_tensor(B), other)


def test_cumsum_of_bools_is_rejected() -> None:
    with pytest.raises(paddle.OpError, match="a bool tensor is not supported"):
        paddle.cumsum(paddle.to_tensor(B))


@pytest.mark.parametrize("sizes", [None, 3])
def test_sum_of_conditions_in_python(sizes: int | None) -> None:
    @paddle.jit.to_static(input_spec=[paddle.static.InputSpec([sizes, 2], "float32")])
    def positive_rows(x: Any) -> Any:
        count = 0
        for row in x:
            count += row.sum() > 0
        return x + count

    x = np.array([[1.0, 2.0], [3.0, -9.0], [4.0, 4.0]], "float32")
    assert np.array_equal(positive_rows(paddle.to_tensor(x)).numpy(), x + 2)
