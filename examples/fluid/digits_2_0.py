"""Recognize digits with the API of Paddle 2.0: a Layer, to_static, jit.save and jit.load.

oarlock run-script digits_2_0.py
- trains, saves, loads without the class, and compares.
"""

import os
import tempfile

import numpy as np
import paddle
import paddle.nn.functional as F
from digits import reader
from paddle.static import InputSpec


class Digits(paddle.io.Dataset):
    """Images float32 [1, 12, 12] and labels int64 [1]."""

    def __init__(self, count, seed):
        super().__init__()
        self.rows = list(reader(count, seed)())

    def __getitem__(self, index):
        image, label = self.rows[index]
        return image, np.array([label], "int64")

    def __len__(self):
        return len(self.rows)


class Reader(paddle.nn.Layer):
    """A convolution with pooling, and two linear layers: [N, 1, 12, 12] -> [N, 10]."""

    def __init__(self):
        super().__init__()
        self.conv = paddle.nn.Conv2D(1, 8, 3, padding=1)
        self.pool = paddle.nn.MaxPool2D(2, 2)
        self.hidden = paddle.nn.Linear(8 * 6 * 6, 32)
        self.out = paddle.nn.Linear(32, 10)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 1, 12, 12], "float32", "image")])
    def forward(self, x):
        """Return the logits [N, 10] of images [N, 1, 12, 12]."""
        x = paddle.flatten(self.pool(F.relu(self.conv(x))), start_axis=1)
        return self.out(F.relu(self.hidden(x)))


def main():
    """Train, save, load, and compare the results."""
    paddle.seed(7)
    model = Reader()
    adam = paddle.optimizer.Adam(learning_rate=0.01, parameters=model.parameters())
    for epoch in range(8):
        for images, labels in paddle.io.DataLoader(
            Digits(600, seed=0), batch_size=40, shuffle=True
        ):
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            adam.step()
            adam.clear_grad()
        print(f"epoch {epoch}: loss {float(loss):.3f}")

    model.eval()
    tests = Digits(200, seed=1)
    images = paddle.to_tensor(np.stack([image for image, _ in tests.rows]))
    expected = model(images)
    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(model, os.path.join(folder, "reader"))
        actual = paddle.jit.load(os.path.join(folder, "reader"))(images)
    np.testing.assert_allclose(actual.numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)
    accuracy = (actual.numpy().argmax(1) == np.array([label for _, label in tests.rows])).mean()
    print(f"accuracy: {accuracy:.2f}")
    assert accuracy > 0.9


if __name__ == "__main__":
    main()
