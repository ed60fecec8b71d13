"""Methods of optimizers of other frameworks."""

import oarlock as paddle
from oarlock import nn

net = nn.Linear(2, 2)
adam = paddle.optimizer.Adam(lr=0.1, parameters=net.parameters())  # error
adam.zero_grad()  # error
adam.step()
adam.clear_grad()
