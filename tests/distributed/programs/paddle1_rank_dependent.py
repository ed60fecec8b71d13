"""Paddle 1.x data parallelism with a different graph on each rank. Prints `fine` on each rank."""

import numpy as np
from paddle import fluid
from paddle.fluid.dygraph import parallel


class Net(fluid.dygraph.Layer):
    def __init__(self, size):
        super().__init__()
        self.both, self.second, self.none = (fluid.dygraph.Linear(3, size) for _ in range(3))

    def forward(self, x, second):
        found = fluid.layers.reduce_sum(self.both(x))
        return found + fluid.layers.reduce_sum(self.second(x)) if second else found


def a_gradient_that_one_rank_has(strategy):
    model = parallel.DataParallel(Net(2), strategy)
    loss = model.scale_loss(
        model(fluid.dygraph.to_variable(np.ones((2, 3), "float32")), strategy.local_rank == 1)
    )
    loss.backward()
    model.apply_collective_grads()
    net = model._layers
    assert np.allclose(net.both.weight.gradient(), 2) and np.allclose(
        net.second.weight.gradient(), 1
    )
    assert net.none.weight.gradient() is None


def another_net(strategy):
    try:
        parallel.DataParallel(Net(2 + strategy.local_rank), strategy)
    except Exception as error:
        assert "DataParallel: rank" in str(error) and "has other parameters or buffers" in str(
            error
        ), error
    else:
        raise AssertionError("it was taken")


with fluid.dygraph.guard():
    strategy = parallel.prepare_context()
    a_gradient_that_one_rank_has(strategy)
    another_net(strategy)
print("fine")
