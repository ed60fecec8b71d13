"""Recognize digits in dygraph mode with the API of Paddle 1.5: layers have a name scope and infer
the size of their inputs.

oarlock run-script --api 1.5.2 digits_1_5.py
- trains, saves, loads, and prints the accuracy.
"""

import os
import tempfile

import paddle
from digits import arrays, reader
from paddle import fluid
from paddle.fluid.dygraph.nn import FC, Conv2D, Pool2D


class Reader(fluid.dygraph.Layer):
    """Two convolutions with pooling, and a linear layer: [N, 1, 12, 12] -> [N, 10]."""

    def __init__(self, name_scope):
        super(Reader, self).__init__(name_scope)
        self._conv1 = Conv2D(self.full_name(), num_filters=8, filter_size=3, padding=1, act="relu")
        self._pool1 = Pool2D(self.full_name(), pool_size=2, pool_stride=2, pool_type="max")
        self._conv2 = Conv2D(self.full_name(), num_filters=16, filter_size=3, padding=1, act="relu")
        self._pool2 = Pool2D(self.full_name(), pool_size=2, pool_stride=2, pool_type="max")
        self._fc = FC(self.full_name(), 10, act="softmax")

    def forward(self, inputs):
        """Return the probabilities [N, 10] of images [N, 1, 12, 12]."""
        x = self._pool1(self._conv1(inputs))
        x = self._pool2(self._conv2(x))
        return self._fc(x)


def test_accuracy(model):
    """Return the accuracy on digits that are not in the training data."""
    model.eval()
    images, labels = arrays(list(reader(200, seed=1)()))
    probabilities = model(fluid.dygraph.to_variable(images))
    return fluid.layers.accuracy(probabilities, fluid.dygraph.to_variable(labels)).numpy()[0]


def main():
    """Train, save, load the saved parameters, and test."""
    with fluid.dygraph.guard(fluid.CPUPlace()):
        fluid.default_startup_program().random_seed = 7
        fluid.default_main_program().random_seed = 7
        model = Reader("reader")
        adam = fluid.optimizer.AdamOptimizer(learning_rate=0.01)
        for epoch in range(8):
            for batch in paddle.batch(reader(600, seed=0), batch_size=40)():
                images, labels = arrays(batch)
                label = fluid.dygraph.to_variable(labels)
                label.stop_gradient = True
                loss = fluid.layers.mean(
                    fluid.layers.cross_entropy(model(fluid.dygraph.to_variable(images)), label)
                )
                loss.backward()
                adam.minimize(loss)
                model.clear_gradients()
            print(f"epoch {epoch}: loss {loss.numpy()[0]:.3f}")
        with tempfile.TemporaryDirectory() as folder:
            fluid.save_dygraph(model.state_dict(), os.path.join(folder, "reader"))
            state, _ = fluid.load_dygraph(os.path.join(folder, "reader"))
        model.set_dict(state)
        accuracy = test_accuracy(model)
        print(f"accuracy: {accuracy:.2f}")
        assert accuracy > 0.9


if __name__ == "__main__":
    main()
