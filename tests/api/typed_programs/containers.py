"""Layers in containers, and what layers hold."""

from typing import assert_type

import oarlock as paddle
from oarlock import nn


class Stack(nn.Layer):
    def __init__(self, depth: int) -> None:
        super().__init__()
        self.blocks = nn.LayerList([nn.Linear(4, 4) for _ in range(depth)])
        self.scale = self.create_parameter([4], default_initializer=nn.initializer.Constant(1.0))
        self.register_buffer("steps", paddle.zeros([1]))

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        for block in self.blocks:
            x = block(x) * self.scale
        return x


net = Stack(2)
for name, parameter in net.named_parameters():
    assert_type(name, str)
    print(name, parameter.shape, parameter.trainable)
for name, layer in net.named_sublayers():
    print(name, type(layer))
net.train()
net.eval()
net.apply(lambda layer: None)
print(net.state_dict().keys(), len(net.sublayers()), net.training)
