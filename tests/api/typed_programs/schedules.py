"""Optimizers with schedules, clipping and regularization."""

import oarlock as paddle
from oarlock import nn

net = nn.Linear(2, 2, weight_attr=paddle.ParamAttr(initializer=nn.initializer.XavierUniform()))
schedule = paddle.optimizer.lr.StepDecay(learning_rate=0.1, step_size=2, gamma=0.5)
momentum = paddle.optimizer.Momentum(
    learning_rate=schedule,
    momentum=0.9,
    parameters=net.parameters(),
    weight_decay=paddle.regularizer.L2Decay(1e-4),
    grad_clip=nn.ClipGradByGlobalNorm(1.0),
)
net(paddle.ones([1, 2])).sum().backward()
momentum.step()
schedule.step()
momentum.clear_grad()
rate: float = momentum.get_lr()
momentum.set_state_dict(momentum.state_dict())
print(rate, schedule.get_lr())
