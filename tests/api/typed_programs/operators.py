"""Operators between tensors, numbers and arrays."""

from typing import assert_type

import numpy as np

import oarlock as paddle

x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
assert_type(x + 1, paddle.Tensor)
assert_type(2 * x - x / 3 + x**2, paddle.Tensor)
assert_type(x @ x.T, paddle.Tensor)
assert_type(-x % 2 // 1, paddle.Tensor)
assert_type(x == 1, paddle.Tensor)
assert_type((x > 0) & (x < 3) | ~(x != 2), paddle.Tensor)
assert_type(x + np.ones((2, 2), "float32"), paddle.Tensor)
assert_type(abs(x), paddle.Tensor)
x += 1
x[0, 1:] = 5.0
assert_type(1.0 in x, bool)
assert_type(len(x), int)
print(x[0], x[..., None], x[x > 1], [row.sum() for row in x])
