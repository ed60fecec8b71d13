"""Keywords of other frameworks."""

import oarlock as paddle
from oarlock import nn

x = paddle.ones([2, 3])
print(x.sum(dim=0))  # error
print(paddle.concat([x, x], dim=1))  # error
print(nn.functional.softmax(x, dim=-1))  # error
print(nn.functional.relu(x, inplace=True))  # error
