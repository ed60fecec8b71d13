"""Reading digits as it is written from Paddle 2.0 on: a Layer, to_static, jit.save and jit.load.

oarlock run-script digits_2_0.py    - trains, saves, loads without the class, and compares.
"""

import os
import tempfile

import numpy as np
import paddle
import paddle.nn.functional as F
from digits import reader
from paddle.static import InputSpec


class Digits(paddle.io.Dataset):
    """Pictures float32 [1, 12, 12] and labels int64 [1]."""

    def __init__(self, count, seed):
        super().__init__()
        self.rows = list(reader(count, seed)())

    def __getitem__(self, index):
        picture, label = self.rows[index]
        return picture, np.array([label], "int64")

    def __len__(self):
        return len(self.rows)


class Reader(paddle.nn.Layer):
    """A convolution with pooling, and two layers.   [N, 1, 12, 12] -> [N, 10]"""

    def __init__(self):
        super().__init__()
        self.conv = paddle.nn.Conv2D(1, 8, 3, padding=1)
        self.pool = paddle.nn.MaxPool2D(2, 2)
        self.hidden = paddle.nn.Linear(8 * 6 * 6, 32)
        self.out = paddle.nn.Linear(32, 10)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 1, 12, 12], "float32", "picture")])
    def forward(self, x):
        """See the class."""
        x = paddle.flatten(self.pool(F.relu(self.conv(x))), start_axis=1)
        return self.out(F.relu(self.hidden(x)))


def main():
    """Train, save, load, compare."""
    paddle.seed(7)
    model = Reader()
    adam = paddle.optimizer.Adam(learning_rate=0.01, parameters=model.parameters())
    for epoch in range(8):
        for pictures, labels in paddle.io.DataLoader(
            Digits(600, seed=0), batch_size=40, shuffle=True
        ):
            loss = F.cross_entropy(model(pictures), labels)
            loss.backward()
            adam.step()
            adam.clear_grad()
        print(f"epoch {epoch}: loss {float(loss):.3f}")

    model.eval()
    tests = Digits(200, seed=1)
    pictures = paddle.to_tensor(np.stack([picture for picture, _ in tests.rows]))
    wanted = model(pictures)
    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(model, os.path.join(folder, "reader"))
        found = paddle.jit.load(os.path.join(folder, "reader"))(pictures)
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-5)
    right = (found.numpy().argmax(1) == np.array([label for _, label in tests.rows])).mean()
    print(f"right: {right:.2f}")
    assert right > 0.9


if __name__ == "__main__":
    main()
