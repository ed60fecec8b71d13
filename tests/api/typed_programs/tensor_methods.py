"""Methods and properties of Tensor."""

from typing import assert_type

import oarlock as paddle

x = paddle.zeros([2, 3], dtype="float32")
assert_type(x.reshape([3, 2]).transpose([1, 0]).unsqueeze(0).squeeze(), paddle.Tensor)
assert_type(x.mean(), paddle.Tensor)
assert_type(x.max(axis=-1, keepdim=True), paddle.Tensor)
assert_type(x.argmax(axis=1), paddle.Tensor)
assert_type(x.exp().log().clip(0.0, 1.0), paddle.Tensor)
assert_type(x.cast("int64"), paddle.Tensor)
assert_type(x.matmul(x, transpose_y=True), paddle.Tensor)
assert_type(x.add_(paddle.ones([2, 3])), paddle.Tensor)
assert_type(x.detach().clone(), paddle.Tensor)
assert_type(x.name, str)
assert_type(x.ndim, int)
assert_type(x.stop_gradient, bool)
assert_type(x.dtype, paddle.dtype)
rows, columns = x.shape
values, indices = x.topk(2, axis=1)
print(rows * columns, values.tolist(), indices.numpy(), x.grad)
