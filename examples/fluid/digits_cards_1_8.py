"""Recognize digits on several devices with the API of Paddle 1.x: the loss is scaled and the
gradients are reduced explicitly.

oarlock run-script digits_cards_1_8.py
- one process
oarlock run-script -m paddle.distributed.launch --nproc_per_node 2 digits_cards_1_8.py
- two processes
"""

import os
import tempfile

import numpy as np
import paddle
from digits import arrays, reader
from paddle import fluid
from paddle.fluid.dygraph import Conv2D, Linear, Pool2D, parallel, to_variable


class Reader(fluid.dygraph.Layer):
    """A convolution with pooling, and two linear layers: [N, 1, 12, 12] -> [N, 10]."""

    def __init__(self):
        super().__init__()
        self.conv = Conv2D(num_channels=1, num_filters=8, filter_size=3, padding=1, act="relu")
        self.pool = Pool2D(pool_size=2, pool_type="max", pool_stride=2)
        self.hidden = Linear(8 * 6 * 6, 32, act="relu")
        self.out = Linear(32, 10)

    def forward(self, inputs):
        """Return the logits [N, 10] of images [N, 1, 12, 12]."""
        x = fluid.layers.reshape(self.pool(self.conv(inputs)), [-1, 8 * 6 * 6])
        return self.out(self.hidden(x))


def train(model, batches):
    """Train eight epochs with Adam, each process on its own batches."""
    adam = fluid.optimizer.Adam(learning_rate=0.01, parameter_list=model.parameters())
    for epoch in range(8):
        for batch in batches():
            images, labels = map(to_variable, arrays(batch))
            loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(model(images), labels))
            loss = model.scale_loss(loss)
            loss.backward()
            model.apply_collective_grads()
            adam.minimize(loss)
            model.clear_gradients()
        print(f"epoch {epoch}: loss {loss.numpy()[0] * parallel.Env().nranks:.3f}")


def main():
    """Train; the first process saves, loads and tests."""
    with fluid.dygraph.guard(fluid.CPUPlace()):
        strategy = parallel.prepare_context()
        fluid.default_startup_program().random_seed = 7
        fluid.default_main_program().random_seed = 7
        model = parallel.DataParallel(Reader(), strategy)
        batches = paddle.batch(reader(600, seed=0), batch_size=40 // parallel.Env().nranks)
        train(model, fluid.contrib.reader.distributed_batch_reader(batches))
        if parallel.Env().local_rank == 0:
            loaded = Reader()
            with tempfile.TemporaryDirectory() as folder:
                fluid.save_dygraph(model.state_dict(), os.path.join(folder, "reader"))
                loaded.set_dict(fluid.load_dygraph(os.path.join(folder, "reader"))[0])
            images, labels = arrays(list(reader(200, seed=1)()))
            accuracy = np.mean(loaded(to_variable(images)).numpy().argmax(1) == labels[:, 0])
            print(f"accuracy: {accuracy:.2f}")
            assert accuracy > 0.9


if __name__ == "__main__":
    main()
