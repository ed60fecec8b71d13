"""`paddle.divide` of integers returns integers, as in Paddle; the operator returns floats."""

from __future__ import annotations

import pytest

import oarlock as paddle


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_divide_of_integers(dtype: str) -> None:
    x, y = paddle.to_tensor([7, -7, 6], dtype), paddle.to_tensor([2, 2, -4], dtype)
    for found in (paddle.divide(x, y), x.divide(y)):
        assert (found.dtype, found.tolist()) == (x.dtype, [3, -3, -1])
    assert ((x / y).dtype, (x / y).tolist()) == (paddle.float32, [3.5, -3.5, -1.5])


def test_divide_by_numbers_and_floats() -> None:
    x = paddle.to_tensor([7, -7])
    assert paddle.divide(x, 2).tolist() == (x / 2).tolist() == [3.5, -3.5]
    assert paddle.divide(paddle.to_tensor([7.0]), paddle.to_tensor([2.0])).tolist() == [3.5]
