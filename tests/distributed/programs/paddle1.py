"""Paddle 1.x data parallelism; rank 0 saves the weights."""

import sys

import numpy as np
from paddle import fluid
from paddle.fluid.dygraph import parallel

ROWS, STEPS = 8, 3


def batches():
    for step in range(2 * STEPS):
        numbers = np.random.RandomState(step)
        yield numbers.randn(ROWS // 2, 4), numbers.randn(ROWS // 2, 1)


class Net(fluid.dygraph.Layer):
    def __init__(self):
        super().__init__()
        self.fc = fluid.dygraph.Linear(4, 1, dtype="float64")

    def forward(self, x):
        return self.fc(x)


def main(out):
    with fluid.dygraph.guard():
        env = parallel.Env()
        strategy = parallel.prepare_context()
        fluid.default_main_program().random_seed = 5
        net = Net()
        net.fc.weight.set_value(np.arange(4.0).reshape(4, 1) + env.local_rank)
        model = parallel.DataParallel(net, strategy)
        optimizer = fluid.optimizer.MomentumOptimizer(0.1, 0.9, parameter_list=model.parameters())
        reader = fluid.contrib.reader.distributed_batch_reader(batches)
        for x, y in reader() if env.nranks > 1 else joint():
            loss = fluid.layers.mean(
                fluid.layers.square(
                    model(fluid.dygraph.to_variable(x)) - fluid.dygraph.to_variable(y)
                )
            )
            loss = model.scale_loss(loss)
            loss.backward()
            model.apply_collective_grads()
            optimizer.minimize(loss)
            model.clear_gradients()
        if env.local_rank == 0:
            np.savez(out, **{k: v.numpy() for k, v in model.state_dict().items()})


def joint():
    both = list(batches())
    for first, second in zip(both[::2], both[1::2], strict=True):
        yield tuple(np.concatenate(pair) for pair in zip(first, second, strict=True))


main(sys.argv[1])
