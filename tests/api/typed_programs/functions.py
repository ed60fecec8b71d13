"""Functions of the package itself."""

from typing import assert_type

import oarlock as paddle

x = paddle.arange(6, dtype=paddle.float32).reshape([2, 3])
assert_type(paddle.concat([x, x], axis=0), paddle.Tensor)
assert_type(paddle.stack([x, x]), paddle.Tensor)
assert_type(paddle.where(x > 1, x, paddle.zeros_like(x)), paddle.Tensor)
assert_type(paddle.full([2, 2], 3.0), paddle.Tensor)
assert_type(paddle.linspace(0, 1, 5), paddle.Tensor)
assert_type(paddle.gather(x, paddle.to_tensor([1, 0])), paddle.Tensor)
assert_type(paddle.einsum("ij,kj->ik", x, x), paddle.Tensor)
assert_type(paddle.split(x, 3, axis=1), list[paddle.Tensor])
assert_type(paddle.tanh(x), paddle.Tensor)
assert_type(paddle.is_tensor(x), bool)
paddle.seed(1)
paddle.set_default_dtype("float32")
print(paddle.get_default_dtype(), paddle.__version__)
