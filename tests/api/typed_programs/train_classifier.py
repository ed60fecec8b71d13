"""Train a classifier step by step."""

from typing import assert_type

import oarlock as paddle
from oarlock import nn


class Net(nn.Layer):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(features, 16)
        self.output = nn.Linear(16, 2, bias_attr=False)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return self.output(nn.functional.relu(self.hidden(x)))


net = Net(4)
adam = paddle.optimizer.Adam(0.01, parameters=net.parameters(), weight_decay=0.1)
x = paddle.randn([8, 4])
y = (x.sum(axis=1, keepdim=True) > 0).astype("int64")
assert_type(x, paddle.Tensor)
assert_type(y, paddle.Tensor)
loss = paddle.zeros([])
for _ in range(2):
    loss = nn.functional.cross_entropy(net(x), y, reduction="mean")
    loss.backward()
    adam.step()
    adam.clear_grad()
print(float(loss), loss.item(), loss.numpy().shape)
