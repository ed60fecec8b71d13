"""Methods that a Tensor does not have."""

import oarlock as paddle

x = paddle.ones([2, 3])
print(x.summ())  # error
print(x.permute(1, 0))  # error
print(x.sum())
