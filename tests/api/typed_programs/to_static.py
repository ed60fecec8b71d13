"""Convert Python control flow."""

import oarlock as paddle
from oarlock import nn
from oarlock.static import InputSpec


class Gate(nn.Layer):
    @paddle.jit.to_static
    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        if x.mean() > 0:
            return x * 2
        return -x


@paddle.jit.to_static(input_spec=[InputSpec([None], "float32")])
def double(x: paddle.Tensor) -> paddle.Tensor:
    return x * 2


@paddle.jit.not_to_static
def unconverted(x: paddle.Tensor) -> paddle.Tensor:
    return x


print(Gate()(paddle.ones([2])), double(paddle.ones([3])), unconverted(paddle.ones([1])))
