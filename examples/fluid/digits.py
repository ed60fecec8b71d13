"""The data of the examples in this folder: images of digits with 12 x 12 pixels, drawn from a font,
shifted at random and with noise.
"""

import numpy as np

FONT = [
    "111101101101111", "010110010010111", "111001111100111", "111001111001111", "101101111001001",
    "111100111001111", "111100111101111", "111001010010010", "111101111101111", "111101111001111",
]  # fmt: skip


def reader(count, seed):
    """Return a reader of pairs: an image float32 [1, 12, 12] from -1 to 1, and the digit."""

    def read():
        rng = np.random.RandomState(seed)
        for i in range(count):
            digit = np.array(list(FONT[i % 10]), "float32").reshape(5, 3).repeat(2, 0).repeat(2, 1)
            image = rng.uniform(0, 0.3, (12, 12)).astype("float32")
            top, left = rng.randint(0, 2), rng.randint(0, 3)
            image[top : top + 10, left : left + 6] += 0.7 * digit
            yield image.reshape(1, 12, 12) * 2 - 1, i % 10

    return read


def arrays(batch):
    """Return the images [N, 1, 12, 12] and labels int64 [N, 1] of a batch of `paddle.batch`."""
    return np.stack([image for image, _ in batch]), np.array(
        [label for _, label in batch], "int64"
    ).reshape(-1, 1)
