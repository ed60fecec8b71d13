"""Reading digits with a program and an Executor, as it was written from Paddle 1.0 on.

oarlock run-script digits_static.py
- trains, tests with a clone of the program, saves it, and reads with what was saved.
"""

import tempfile

import numpy as np
import paddle
from digits import arrays, reader
from paddle import fluid


def network():
    """Inputs, probabilities [N, 10], loss and accuracy."""
    picture = fluid.data(name="picture", shape=[None, 1, 12, 12], dtype="float32")
    label = fluid.data(name="label", shape=[None, 1], dtype="int64")
    hidden = fluid.layers.conv2d(picture, num_filters=8, filter_size=3, padding=1, act="relu")
    hidden = fluid.layers.pool2d(hidden, pool_size=2, pool_type="max", pool_stride=2)
    hidden = fluid.layers.fc(hidden, size=32, act="relu")
    found = fluid.layers.fc(hidden, size=10, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(input=found, label=label))
    return found, loss, fluid.layers.accuracy(input=found, label=label)


def main():
    """Write the program, train it, test it, deploy it."""
    prog, startup = fluid.Program(), fluid.Program()
    prog.random_seed = startup.random_seed = 7
    with fluid.program_guard(prog, startup):
        found, loss, accuracy = network()
        test_program = prog.clone(for_test=True)
        fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)

    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    for epoch in range(8):
        for batch in paddle.batch(
            paddle.reader.shuffle(reader(600, seed=0), buf_size=400), batch_size=40
        )():
            pictures, labels = arrays(batch)
            cost = exe.run(prog, feed={"picture": pictures, "label": labels}, fetch_list=[loss])[0]
        print(f"epoch {epoch}: loss {cost[0]:.3f}")

    pictures, labels = arrays(list(reader(200, seed=1)()))
    feed = {"picture": pictures, "label": labels}
    wanted, right = exe.run(test_program, feed=feed, fetch_list=[found, accuracy])
    with tempfile.TemporaryDirectory() as folder:
        fluid.io.save_inference_model(folder, ["picture"], [found], exe, main_program=prog)
        program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
        given = exe.run(program, feed={feeds[0]: pictures}, fetch_list=fetches)[0]
    np.testing.assert_allclose(given, wanted, rtol=1e-4, atol=1e-5)
    print(f"right: {right[0]:.2f}")
    assert right[0] > 0.9


if __name__ == "__main__":
    main()
