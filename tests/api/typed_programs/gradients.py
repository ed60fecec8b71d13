"""Gradients of functions, hooks and own functions."""

from typing import Any

import oarlock as paddle
from oarlock.autograd import PyLayer, PyLayerContext


class Cube(PyLayer):
    @staticmethod
    def forward(ctx: PyLayerContext, x: paddle.Tensor) -> paddle.Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: PyLayerContext, gradient: paddle.Tensor) -> paddle.Tensor:
        (x,) = ctx.saved_tensor()
        return gradient * 3 * x**2


x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
y: Any = Cube.apply(x)
handle = x.register_hook(lambda gradient: gradient * 2)
y.sum().backward()
handle.remove()
print(x.grad, paddle.grad((x * x).sum(), [x])[0])
with paddle.no_grad():
    print((x * 2).stop_gradient)
