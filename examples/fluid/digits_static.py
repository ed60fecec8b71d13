"""Recognize digits with a program and an Executor, with the API of Paddle 1.x.

oarlock run-script digits_static.py
- trains, tests with a clone of the program, saves it, and runs the saved program.
"""

import tempfile

import numpy as np
import paddle
from digits import arrays, reader
from paddle import fluid


def network():
    """Declare the inputs and return the probabilities [N, 10], loss and accuracy."""
    image = fluid.data(name="image", shape=[None, 1, 12, 12], dtype="float32")
    label = fluid.data(name="label", shape=[None, 1], dtype="int64")
    hidden = fluid.layers.conv2d(image, num_filters=8, filter_size=3, padding=1, act="relu")
    hidden = fluid.layers.pool2d(hidden, pool_size=2, pool_type="max", pool_stride=2)
    hidden = fluid.layers.fc(hidden, size=32, act="relu")
    probabilities = fluid.layers.fc(hidden, size=10, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(input=probabilities, label=label))
    return probabilities, loss, fluid.layers.accuracy(input=probabilities, label=label)


def main():
    """Build the program, train it, test it, and deploy it."""
    prog, startup = fluid.Program(), fluid.Program()
    prog.random_seed = startup.random_seed = 7
    with fluid.program_guard(prog, startup):
        probabilities, loss, accuracy = network()
        test_program = prog.clone(for_test=True)
        fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)

    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    for epoch in range(8):
        for batch in paddle.batch(
            paddle.reader.shuffle(reader(600, seed=0), buf_size=400), batch_size=40
        )():
            images, labels = arrays(batch)
            cost = exe.run(prog, feed={"image": images, "label": labels}, fetch_list=[loss])[0]
        print(f"epoch {epoch}: loss {cost[0]:.3f}")

    images, labels = arrays(list(reader(200, seed=1)()))
    feed = {"image": images, "label": labels}
    expected, test_accuracy = exe.run(test_program, feed=feed, fetch_list=[probabilities, accuracy])
    with tempfile.TemporaryDirectory() as folder:
        fluid.io.save_inference_model(folder, ["image"], [probabilities], exe, main_program=prog)
        program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
        actual = exe.run(program, feed={feeds[0]: images}, fetch_list=fetches)[0]
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)
    print(f"accuracy: {test_accuracy[0]:.2f}")
    assert test_accuracy[0] > 0.9


if __name__ == "__main__":
    main()
