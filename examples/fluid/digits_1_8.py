"""Reading digits in dygraph mode, as it was written for Paddle 1.8, and deploying it in two ways:
TracedLayer and declarative.

oarlock run-script digits_1_8.py
- trains, saves a traced model, runs that with an Executor, and runs a converted function.
"""

import tempfile

import numpy as np
import paddle
from digits import arrays, reader
from paddle import fluid
from paddle.fluid.dygraph import Conv2D, Linear, Pool2D, TracedLayer, declarative, to_variable


class Reader(fluid.dygraph.Layer):
    """A convolution with pooling, and two layers.   [N, 1, 12, 12] -> [N, 10]"""

    def __init__(self):
        super().__init__()
        self.conv = Conv2D(num_channels=1, num_filters=8, filter_size=3, padding=1, act="relu")
        self.pool = Pool2D(pool_size=2, pool_type="max", pool_stride=2)
        self.hidden = Linear(8 * 6 * 6, 32, act="relu")
        self.out = Linear(32, 10)

    def forward(self, inputs):
        """See the class."""
        x = self.pool(self.conv(inputs))
        x = fluid.layers.reshape(x, [-1, 8 * 6 * 6])
        return self.out(self.hidden(x))


@declarative
def sure(logits):
    """The probabilities where the first row is sure of its digit, else all alike: a branch on data
    that becomes part of a program.
    """
    found = fluid.layers.softmax(logits)
    if fluid.layers.reduce_max(found) < 0.5:
        found = fluid.layers.ones_like(found) * 0.1
    return found


def train(model):
    """Eight epochs of Adam."""
    adam = fluid.optimizer.Adam(learning_rate=0.01, parameter_list=model.parameters())
    for epoch in range(8):
        for batch in paddle.batch(reader(600, seed=0), batch_size=40)():
            pictures, labels = map(to_variable, arrays(batch))
            loss = fluid.layers.mean(
                fluid.layers.softmax_with_cross_entropy(model(pictures), labels)
            )
            loss.backward()
            adam.minimize(loss)
            model.clear_gradients()
        print(f"epoch {epoch}: loss {loss.numpy()[0]:.3f}")


def deployed(folder, pictures):
    """What the saved program gives, without the class above."""
    exe = fluid.Executor(fluid.CPUPlace())
    program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
    return exe.run(program, feed={feeds[0]: pictures}, fetch_list=fetches)[0]


def main():
    """Train, trace, save, and compare."""
    pictures, labels = arrays(list(reader(200, seed=1)()))
    with tempfile.TemporaryDirectory() as folder:
        with fluid.dygraph.guard(fluid.CPUPlace()):
            fluid.default_startup_program().random_seed = 7
            fluid.default_main_program().random_seed = 7
            model = Reader()
            train(model)
            model.eval()
            wanted, traced = TracedLayer.trace(model, inputs=[to_variable(pictures)])
            traced.save_inference_model(folder, feed=[0], fetch=[0])
            converted = sure(wanted).numpy()
        found = deployed(folder, pictures)
    np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-4, atol=1e-5)
    right = (found.argmax(1) == labels[:, 0]).mean()
    print(f"right: {right:.2f}; sure of the first digit: {converted[0].max():.2f}")
    assert right > 0.9


if __name__ == "__main__":
    main()
