"""Recognize digits in dygraph mode with the API of Paddle 1.8, and deploy the model with
TracedLayer and with declarative.

oarlock run-script digits_1_8.py
- trains, saves a traced model, runs it with an Executor, and runs a converted function.
"""

import tempfile

import numpy as np
import paddle
from digits import arrays, reader
from paddle import fluid
from paddle.fluid.dygraph import Conv2D, Linear, Pool2D, TracedLayer, declarative, to_variable


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
        x = self.pool(self.conv(inputs))
        x = fluid.layers.reshape(x, [-1, 8 * 6 * 6])
        return self.out(self.hidden(x))


@declarative
def confident_or_uniform(logits):
    """Return the probabilities if the largest is at least 0.5, else a uniform distribution.

    The branch on data becomes part of the program.
    """
    probabilities = fluid.layers.softmax(logits)
    if fluid.layers.reduce_max(probabilities) < 0.5:
        probabilities = fluid.layers.ones_like(probabilities) * 0.1
    return probabilities


def train(model):
    """Train eight epochs with Adam."""
    adam = fluid.optimizer.Adam(learning_rate=0.01, parameter_list=model.parameters())
    for epoch in range(8):
        for batch in paddle.batch(reader(600, seed=0), batch_size=40)():
            images, labels = map(to_variable, arrays(batch))
            loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(model(images), labels))
            loss.backward()
            adam.minimize(loss)
            model.clear_gradients()
        print(f"epoch {epoch}: loss {loss.numpy()[0]:.3f}")


def run_saved_program(folder, images):
    """Run the saved program, without the class above, and return its output."""
    exe = fluid.Executor(fluid.CPUPlace())
    program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
    return exe.run(program, feed={feeds[0]: images}, fetch_list=fetches)[0]


def main():
    """Train, trace, save, and compare the results."""
    images, labels = arrays(list(reader(200, seed=1)()))
    with tempfile.TemporaryDirectory() as folder:
        with fluid.dygraph.guard(fluid.CPUPlace()):
            fluid.default_startup_program().random_seed = 7
            fluid.default_main_program().random_seed = 7
            model = Reader()
            train(model)
            model.eval()
            expected, traced = TracedLayer.trace(model, inputs=[to_variable(images)])
            traced.save_inference_model(folder, feed=[0], fetch=[0])
            converted = confident_or_uniform(expected).numpy()
        actual = run_saved_program(folder, images)
    np.testing.assert_allclose(actual, expected.numpy(), rtol=1e-4, atol=1e-5)
    accuracy = (actual.argmax(1) == labels[:, 0]).mean()
    print(f"accuracy: {accuracy:.2f}; first digit: probability {converted[0].max():.2f}")
    assert accuracy > 0.9


if __name__ == "__main__":
    main()
