"""Automatic mixed precision."""

import oarlock as paddle
from oarlock import nn

net = nn.Linear(2, 2)
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
with paddle.amp.auto_cast(enable=True, level="O1", dtype="bfloat16"):
    loss = net(paddle.ones([1, 2])).mean()
scaled = scaler.scale(loss)
scaled.backward()
scaler.step(sgd)
scaler.update()
