"""Results used as what they are not."""

import oarlock as paddle

x = paddle.ones([2, 3])
name: str = x.sum()  # error
count: int = x.name  # error
x.mean().append(3)  # error
x.shape()  # error
flag: str = paddle.is_tensor(x)  # error
linear = paddle.nn.Linear(3, 4)
linear("x")  # error
linear(x, x)  # error
linear(x).summ()  # error
